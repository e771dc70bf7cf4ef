"""`chat` and `run`: from a pipe and in a terminal, as processes of their own."""

import getpass
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dnam.cli.chatting import NO_TOKEN
from dnam.cli.spot import spot_of
from dnam.commands.undo import CONFIRMED_IT, NOTHING
from dnam.conversation import Spot
from dnam.errors import Ambiguous, Unknown
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.errors import BadRequest
from projections.ids import Ref
from replay.engine import Engine
from tests.dnam.cli.memories import ROOT, Ran, dnam
from tests.dnam.importers.files import SAMPLE
from tests.hanging import HANGS

PATIENCE_SECONDS = 240
MAIN = "from dnam import unwritten; unwritten.SLOW_SECONDS = 600; from dnam.__main__ import main; main()"
"""A busy disk is no log that is slow."""
COMMAND = [sys.executable, "-m", "dnam"]
# A disk that is full after the first message and its answer.
FULL = """
from replay import engine, errors
real, count = engine.Engine.hand_in, 0
def hand_in(self, job):
    global count
    count += 1
    if count > 2:
        raise errors.LogFull("the disk is full")
    return real(self, job)
engine.Engine.hand_in = hand_in
"""
LOCKED = """
from replay import engine, errors
real = engine.Engine.open.__func__
def opened(cls, path, *, writable=True, **others):
    if writable:
        raise errors.ReadOnly(f"{path} cannot be written to: Read-only file system")
    return real(cls, path, writable=writable)
engine.Engine.open = classmethod(opened)
"""


def environment(**more: str) -> dict[str, str]:
    return {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", **more}


def chatted(data: Path, given: str | bytes, *arguments: str, before: str = "", **more: str) -> Ran:
    """A chat by pipe; no chat ever shows a traceback."""
    code = f"{before}\n{MAIN}"
    command = [sys.executable, "-c", code, *(arguments or ("chat", "--as", "Ada")), "--data", str(data)]
    said = given if isinstance(given, bytes) else given.encode()
    run = subprocess.run(
        command, input=said, env=environment(**more), capture_output=True, timeout=HANGS, check=False, cwd=data.parent
    )
    assert b"Traceback" not in run.stderr
    return Ran(run.returncode, run.stdout.decode(), run.stderr.decode())


HANGING = """
import asyncio
from dnam import models
async def ask(self, ask, hear=None):
    print("thinking", flush=True)
    return await asyncio.Future()
models.OfflineWhenAsked.ask = ask
"""


class TestByPipe:
    def test_what_is_remembered_is_there_after_a_restart(self, tmp_path: Path) -> None:
        first = chatted(tmp_path / "new", "hello\n!memory remember I like green tea\n")
        assert (first.code, first.err) == (0, "")
        assert first.out.startswith("dnam: (I am the offline model")
        stays = "It stays in your direct messages, unless you share it."
        assert f"Remembered: I like green tea\n{stays} (`durable-" in first.out
        again = chatted(tmp_path / "new", "What tea do I like?\n!memory\nexit\nnot said")
        assert again.out.startswith("dnam: From what I remember:\n- [fact] I like green tea\n")
        shown = "**Durable memory:** (59 chars, ~15 tokens)\n**People** (1)\n- [fact] I like green tea (src: manual"
        assert shown in again.out
        assert (again.code, again.err, "\x1b" in again.out) == (0, "", False)

    def test_odd_lines_get_an_answer_each(self, tmp_path: Path) -> None:
        odd = [b"x" * 1_000_000, b"", b"\x00\x1b[31m\x07", b"\xed\xa0\x80 \xff\xfe", "\u202e\u2028".encode(), b"\r"]
        ran = chatted(tmp_path / "new", b"\n".join(odd), "chat", "--as", "Ada", "--json")
        assert (ran.code, ran.err) == (0, "")
        assert [each["type"] for each in ran.values] == ["answer"] * 4

    def test_json_is_a_value_a_line(self, tmp_path: Path) -> None:
        ran = chatted(tmp_path / "new", "hello\n!memory remember I like figs\n!memory bogus\n", "run", "--json")
        answer, kept, bogus = ran.values
        assert set(answer) == {"type", "from", "text"}
        assert (kept["command"], kept["failed"], len(kept["items"])) == ("remember", False, 1)
        assert (bogus["command"], bogus["failed"]) == ("", True)

    def test_an_undo_brings_back_both_of_two_that_became_one(self, tmp_path: Path) -> None:
        kept = "!memory remember I like figs\n"
        (item,) = chatted(tmp_path / "new", kept, "chat", "--as", "Ada", "--json").values[0]["items"]
        lines = (f"!memory share {item}\n", kept, f"!memory share {item}\n", "!memory undo\n")
        told = chatted(tmp_path / "new", "".join(lines), "chat", "--as", "Ada", "--json").values[-1]
        assert told["items"] == [item, item]
        assert "\nAn item of its own again, as it was before:\n- [fact] I like figs" in told["text"]

    def test_an_undo_takes_back_what_was_confirmed_since_and_nothing_older(self, tmp_path: Path) -> None:
        data = tmp_path / "new"
        chatted(data, "!memory remember figs are dear\n!memory forget figs are dear\n", "chat", "--as", "Ada")
        lines = "!memory remember the bin goes out\n" * 2 + "!memory undo\n" * 4
        told = [each["text"] for each in chatted(data, lines, "chat", "--as", "Ada", "--json").values[2:]]
        assert told[0].startswith("Undone `remember`: this is forgotten.\n- [fact] the bin goes out ")
        assert told[0].endswith(f"\n{CONFIRMED_IT}")
        assert told[1].startswith("Undone `forget`: this is remembered again.\n- [fact] figs are dear ")
        assert told[2].startswith("Undone `remember`: this is forgotten.\n- [fact] figs are dear ")
        assert told[3] == NOTHING

    def test_without_anything_to_say_nothing_is_said(self, tmp_path: Path) -> None:
        assert chatted(tmp_path / "new", "") == Ran(0, "", "")

    def test_a_full_disk_in_the_middle_changes_no_answer(self, tmp_path: Path) -> None:
        ran = chatted(tmp_path / "new", "one\ntwo\nthree\n!memory remember x\n", before=FULL)
        assert ran.code == 3
        assert ran.out.count("dnam: ") == 3
        assert "`!memory remember` could not be done: the disk is full" in ran.out
        warned, end = ran.err.splitlines()
        assert warned == "! this could not be recorded and is tried again with the next message: the disk is full"
        assert end == "! not recorded: 2 messages, 2 answers; the disk is full"

    def test_a_command_that_a_full_disk_hinders_ends_it_with_3_as_a_message_does(self, tmp_path: Path) -> None:
        lines = "!memory remember x\n" * 3 + "!memory help\n"
        ran = chatted(tmp_path / "new", lines, "chat", "--as", "Ada", "--json", before=FULL)
        assert (ran.code, ran.err) == (3, "")
        told = [(each["command"], each["failed"]) for each in ran.values]
        assert told[2:] == [("remember", True), ("help", False)]

    def test_where_no_folder_can_be_made_that_is_said_once(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        place = tmp_path / "file" / "new"
        ran = chatted(
            tmp_path / "new", "hi\n", "chat", "--as", "kim", before=f"import sys; sys.argv[-1] = {str(place)!r}"
        )
        why = f"dnam: the folder {place} cannot be made there: choose another place\n"
        assert ran == Ran(3, "", why)

    def test_a_memory_that_cannot_be_written_to_is_read(self, data: Path) -> None:
        ran = chatted(data, "What tea do I prefer?\n!memory\n", "chat", "--as", "Kim", before=LOCKED)
        assert ran.code == 3
        assert "tea over coffee" in ran.out.split("**Durable memory:**")[0]
        assert ran.err.startswith(f"dnam: nothing can be recorded: {data} cannot be written to")

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("chat", "--as", "Sam"), "'Sam' may be any of:\n"),
            (("chat", "--as", "Ada", "--in", "nowhere"), "there is no session 'nowhere'"),
            (("chat", "--as", "Ada", "--in", "talk"), "'talk' may be any of:\n"),
            (("chat", "--as", "a\nb"), "a new name is 1 to 32 characters"),
        ],
    )
    def test_wrong_names_are_wrong_use(self, data: Path, arguments: tuple[str, ...], said: str) -> None:
        ran = chatted(data, "hello\n", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err

    def test_a_folder_that_is_a_file_cannot_be_opened(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        ran = chatted(tmp_path / "file", "hello\n")
        assert (ran.code, ran.out) == (3, "")
        assert "is a file" in ran.err

    def test_a_reader_that_is_gone_is_no_failure(self, tmp_path: Path) -> None:
        started = self._started(tmp_path)
        assert started.stdout is not None
        started.stdout.close()
        _, err = started.communicate(b"hello\nhello\n", timeout=HANGS)
        assert (started.returncode, err) == (0, b"")

    def test_ctrl_c_ends_one_that_a_pipe_feeds_and_what_was_said_is_kept(self, tmp_path: Path) -> None:
        started = self._started(tmp_path)
        assert started.stdin is not None
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdin.write(b"hello\n")
        started.stdin.flush()
        assert started.stdout.readline().startswith(b"dnam: ")
        started.send_signal(signal.SIGINT)
        assert started.stderr.readline() == b"(interrupted)\n"
        assert started.wait(60) == 130
        for stream in (started.stdin, started.stdout, started.stderr):
            stream.close()
        (heard,) = dnam("log", "--tag", "message.heard", "--json", "--data", tmp_path / "new").values
        assert heard["event"]["message"]["text"] == "hello"

    def test_one_ctrl_c_at_a_terminal_goes_on_and_two_end_it(self, tmp_path: Path) -> None:
        ours, theirs = pty.openpty()
        started = self._started(tmp_path, theirs)
        os.close(theirs)
        assert started.stdout is not None
        assert started.stderr is not None
        os.write(ours, b"hello\n")
        assert started.stdout.readline().startswith(b"dnam: ")
        started.send_signal(signal.SIGINT)
        assert started.stderr.readline() == b"(interrupted; Ctrl-C again ends the chat)\n"
        started.send_signal(signal.SIGINT)
        assert started.stderr.readline() == b"(interrupted)\n"
        assert started.wait(60) == 130
        os.close(ours)
        for stream in (started.stdout, started.stderr):
            stream.close()

    def _started(self, tmp_path: Path, given: int = subprocess.PIPE) -> "subprocess.Popen[bytes]":
        pipe = subprocess.PIPE
        command = [*COMMAND, "chat", "--as", "Ada", "--data", str(tmp_path / "new")]
        return subprocess.Popen(command, env=environment(), stdin=given, stdout=pipe, stderr=pipe, cwd=tmp_path)


class TestRun:
    def test_without_a_token_it_is_the_chat_as_whoever_is_logged_in(self, tmp_path: Path) -> None:
        ran = chatted(tmp_path / "new", "!memory remember x\n", "run", LOGNAME="grace")
        assert (ran.code, ran.err) == (0, f"dnam: {NO_TOKEN}\n"), "a service without its token is not silent"
        with Engine.open(tmp_path / "new", writable=False) as engine, engine.reading() as rows:
            assert spot_of(rows, "grace", None).who == Account("local", "grace", "grace")

    def test_with_a_token_it_is_the_bot_and_not_a_chat(self, tmp_path: Path) -> None:
        ran = chatted(tmp_path / "new", "hello\n", "run", "--as", "Ada", DISCORD_TOKEN="x.y.z")
        assert (ran.code, ran.out) == (2, "")
        assert "`dnam chat`" in ran.err
        assert "x.y.z" not in ran.err

    def test_a_name_in_the_environment_that_is_no_setting_is_told_at_the_start(self, tmp_path: Path) -> None:
        words = "environment: there is no setting 'DNAM_ALLOW_USRES'; did you mean DNAM_ALLOW_USERS?"
        ran = chatted(tmp_path / "new", "hello\n", DNAM_ALLOW_USRES="1")
        assert (ran.code, ran.err.splitlines()[0]) == (0, f"dnam: {words}")
        nowhere = {"DISCORD_TOKEN": "x.y.z", "DISCORD_API_URL": "http://127.0.0.1:1/api/v10"}
        ran = chatted(tmp_path / "new", "", "run", DNAM_ALLOW_USRES="1", XDG_RUNTIME_DIR=str(tmp_path), **nowhere)
        first, *_, last = ran.err.splitlines()
        assert (ran.code, last) == (
            3, "dnam: Discord cannot be reached: 127.0.0.1:1 cannot be connected to: Connection refused"
        )  # fmt: skip
        assert first.endswith(f" warning dnam: {words}")

    def test_the_assistant_s_name_is_a_setting(self, tmp_path: Path) -> None:
        assert chatted(tmp_path / "new", "hello\n", DNAM_ASSISTANT_NAME="Botty").out.startswith("Botty: ")

    def test_both_are_in_the_help_with_an_example(self) -> None:
        for name in ("run", "chat"):
            assert f"Example: dnam {name}" in dnam(name, "--help").out


@pytest.fixture
def rows(data: Path) -> Iterator[Any]:
    with Engine.open(data, writable=False) as engine, engine.reading() as found:
        yield found


class TestWhoAndWhere:
    def test_somebody_new_is_a_person_of_this_machine_in_direct_messages(self, rows: Any) -> None:
        grace = Account("local", "Grace", "Grace")
        assert spot_of(rows, "Grace", None) == Spot(
            grace, PlaceSeen("local", "", "direct", "", "direct", partner=grace)
        )

    @pytest.mark.parametrize("name", ["Kim", "kim", "Kimberly", "100", "discord:100"])
    def test_somebody_known_speaks_under_their_account_where_they_spoke_last(self, rows: Any, name: str) -> None:
        kim = Account("discord", "100", "Kim")
        assert spot_of(rows, name, "dm") == Spot(kim, PlaceSeen("discord", "", "direct", "", "direct", partner=kim))

    @pytest.mark.parametrize("name", ["Ada", "Grace"])
    @pytest.mark.parametrize("place", ["general", "#general", "discord:channel:1"])
    def test_a_channel_is_the_place_that_is_known(self, rows: Any, name: str, place: str) -> None:
        guild = Ref("discord", "9")
        assert spot_of(rows, name, place).where == PlaceSeen("discord", "1", "channel", "general", "guild", guild=guild)

    @pytest.mark.parametrize("name", ["Ada", "Grace"])
    def test_nobody_sits_in_another_s_direct_messages(self, rows: Any, name: str) -> None:
        with pytest.raises(BadRequest, match="nobody else is in it"):
            spot_of(rows, name, "discord:dm:100")

    def test_names_that_nobody_or_several_have(self, rows: Any) -> None:
        with pytest.raises(Ambiguous):
            spot_of(rows, "Sam", None)
        with pytest.raises(Unknown):
            spot_of(rows, "Ada", "nowhere")
        with pytest.raises(BadRequest):
            spot_of(rows, "  ", None)

    @pytest.mark.parametrize(
        ("login", "name"), [("grace", "grace"), ("a[b]\n", "ab"), ("\x00", "me"), (OSError("no entry"), "me")]
    )
    def test_without_a_name_it_is_the_login_s(
        self, rows: Any, login: str | Exception, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def user() -> str:
            if isinstance(login, Exception):
                raise login
            return login

        monkeypatch.setattr(getpass, "getuser", user)
        assert spot_of(rows, None, None).who.name == name

    def test_what_is_said_in_a_channel_is_heard_there_and_renames_nobody(self, data: Path) -> None:
        ran = chatted(data, "!memory remember I water the roses\nhi\n", "chat", "--as", "100", "--in", "general")
        assert "Remembered: I water the roses\nIt may be told wherever everyone in this server can read." in ran.out
        people = {each["name"]: each for each in dnam("people", "--data", data, "--json").values}
        assert [each["name"] for each in people["Kim"]["names"]] == ["Kimberly", "Kim"]
        assert "roses" not in chatted(data, "!memory\n", "chat", "--as", "Ada", "--in", "general").out
        assert "roses" in chatted(data, "!memory\n", "chat", "--as", "Kim").out


class Terminal:
    """A chat in a pseudo-terminal of its own; `before` may prepare something first."""

    def __init__(self, data: Path, before: str = "", name: str = "Ada") -> None:
        self._seen = b""
        self._end, theirs = pty.openpty()
        code = f"import os\nos.login_tty(0)\n{before}\n{MAIN}"
        command = [sys.executable, "-c", code, "chat", "--as", name, "--data", str(data)]
        self._process = subprocess.Popen(command, env=environment(), stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)

    def until(self, text: str) -> str:
        """What was shown up to and with a text."""
        wanted, deadline = text.encode(), time.monotonic() + PATIENCE_SECONDS
        while wanted not in self._seen:
            assert time.monotonic() < deadline, self._seen
            ready, _, _ = select.select([self._end], [], [], 1)
            self._seen += self._read() if ready else b""
        shown, _, self._seen = self._seen.partition(wanted)
        return (shown + wanted).decode()

    def _read(self) -> bytes:
        data = os.read(self._end, 65_536)
        assert data, self._seen
        return data

    def types(self, keys: str) -> None:
        os.write(self._end, keys.encode())

    def ends(self) -> int:
        """The exit code, once it has gone; what it shows meanwhile is read, or it could not go."""
        try:
            while True:
                self._seen += os.read(self._end, 65_536)
        except OSError:  # how Linux says that the other end is closed
            os.close(self._end)
        return self._process.wait(PATIENCE_SECONDS)


class TestRights:
    """Whoever sits there as somebody of this machine runs the memory; as somebody known from elsewhere they do not."""

    LORE = "!memory lore The gate is painted green\n"
    OTHERS = "!memory redact discord:m1\n"

    @pytest.mark.parametrize("again", [False, True])
    def test_a_new_name_is_the_operator_everywhere(self, data: Path, *, again: bool) -> None:
        if again:
            chatted(data, "hello\n", "chat", "--as", "Eve", "--in", "general")
        ran = chatted(data, f"{self.LORE}!memory costs\n!memory config\n", "chat", "--as", "Eve", "--in", "general")
        assert "Remembered: The gate is painted green" in ran.out
        assert "Only " not in ran.out
        assert "**What holds here:**" in ran.out

    def test_somebody_known_has_their_rights(self, data: Path) -> None:
        asked = f"{self.LORE}!memory costs\n!memory config set here learn=none\n{self.OTHERS}"
        ran = chatted(data, asked, "chat", "--as", "Kim", "--in", "general")
        assert "Only members who may manage this server can write its lore themselves" in ran.out
        assert "Only the owner of this bot can ask for that" in ran.out
        assert "is for the owner of this bot" in ran.out

    def test_the_owner_has_theirs(self, data: Path) -> None:
        asked = "!memory config set global learn=none\n"
        assert "`learn = none`" not in chatted(data, asked, "chat", "--as", "Kim").out
        assert "`learn = none`" in chatted(data, asked, "chat", "--as", "Kim", DNAM_OWNER_IDS="100").out

    NOTE = "!memory note owner Pat pays late\n"

    @pytest.mark.parametrize(("name", "owners"), [("Eve", ""), ("Kim", "100")])
    def test_who_owns_it_has_their_private_layer_in_their_own_chat(self, data: Path, name: str, owners: str) -> None:
        alone, said = ("chat", "--as", name), f"{self.NOTE}!memory show\nwho pays late?\n"
        ran = chatted(data, said, *alone, DNAM_OWNER_IDS=owners)
        assert "Remembered: Pat pays late\nIt stays in your direct messages, as my owner." in ran.out
        assert "**Owner Private** (1)" in ran.out
        assert ran.out.splitlines()[-1].endswith("Pat pays late")
        among_others = ("chat", "--as", name, "--in", "general")
        ran = chatted(data, said, *among_others, DNAM_OWNER_IDS=owners)
        assert "in the owner's direct messages with me, and nowhere else" in ran.out
        assert ran.out.count("pays late") == 0
        ran = chatted(data, "!memory forget Pat pays late\n!memory undo\n", *alone, DNAM_OWNER_IDS=owners)
        assert "Forgot 1 item(s)." in ran.out
        assert ran.err.count("\n") == 0, ran

    def test_nobody_else_has_it(self, data: Path) -> None:
        assert dnam("remember", "--owner", "Pat pays late", "--data", data).code == 0
        ran = chatted(data, f"{self.NOTE}!memory show\nwho pays late?\n", "chat", "--as", "Kim")
        assert "Owner-private notes are for the owner of this bot alone." in ran.out
        assert ran.out.count("pays late") == 0

    def test_the_operator_confirms_what_takes_back_somebody_else_s_words(self, data: Path) -> None:
        def is_there() -> bool:
            return "I prefer tea" in dnam("log", "--tag", "message.heard", "--data", data).out

        eve = ("chat", "--as", "Eve", "--in", "general")
        asked = chatted(data, self.OTHERS, *eve)
        assert "This takes back a message of Kim's" in asked.out
        assert "To do it: `!memory redact discord:m1 yes`" in asked.out
        refused = chatted(data, "!memory redact discord:m1 please\n", *eve)
        assert "It takes one message, and where it is somebody else's yes behind it" in refused.out
        assert is_there()
        assert "Taken back" in chatted(data, "!memory redact discord:m1 YES\n", *eve).out
        assert not is_there()

    @pytest.mark.parametrize(
        ("name", "said"),
        [("Eve", "you are the operator here;"), ("Kim", "you speak as Kim, with Kim's rights;")],
    )
    def test_the_opening_line_says_which(self, data: Path, name: str, said: str) -> None:
        terminal = Terminal(data, name=name)
        assert terminal.until(f"{name}>").count(said) == 1
        terminal.types("\x04")
        assert terminal.ends() == 0


class TestInATerminal:
    PROMPT = "Ada>"

    def test_lines_are_edited_and_recalled_and_ctrl_d_ends(self, tmp_path: Path) -> None:
        terminal = Terminal(tmp_path / "new")
        assert "!memory help" in terminal.until(self.PROMPT)
        terminal.types(
            "!memory remember I like te\x1b[D\x1b[D\x1b[D!\x1b[F\x7f\x7ftea\r"
        )  # left, a letter, end, delete
        terminal.until("Remembered: I like! tea")
        terminal.until(self.PROMPT)
        terminal.types("\x1b[A\r")  # the line before
        terminal.until("Remembered: I like! tea")
        terminal.until(self.PROMPT)
        terminal.types("\x04")
        assert terminal.ends() == 0

    def test_a_paste_of_several_lines_is_one_message(self, tmp_path: Path) -> None:
        terminal = Terminal(tmp_path / "new")
        terminal.until(self.PROMPT)
        terminal.types("\x1b[200~!memory remember one\ntwo\x1b[201~\r")
        terminal.until("Remembered: one two")
        terminal.until(self.PROMPT)
        terminal.types("exit\r")
        assert terminal.ends() == 0

    def test_ctrl_c_drops_the_line_and_a_second_one_ends(self, tmp_path: Path) -> None:
        terminal = Terminal(tmp_path / "new")
        terminal.until(self.PROMPT)
        terminal.types("half a thou\x03")
        terminal.until("interrupted; Ctrl-C again ends the chat")
        terminal.until(self.PROMPT)
        terminal.types("!memory\r")
        terminal.until("**Total prompt memory:** 0 chars")
        terminal.until(self.PROMPT)
        for shown in ("interrupted; Ctrl-C again", "(interrupted)"):
            terminal.types("\x03")
            terminal.until(shown)
            if "again" in shown:
                terminal.until(self.PROMPT)
        assert terminal.ends() == 130

    def test_ctrl_c_breaks_an_answer_off(self, tmp_path: Path) -> None:
        terminal = Terminal(tmp_path / "new", HANGING)
        terminal.until(self.PROMPT)
        terminal.types("hello\r")
        terminal.until("thinking")
        terminal.types("\x03")
        terminal.until("interrupted; Ctrl-C again ends the chat")
        terminal.until(self.PROMPT)
        terminal.types("\x04")
        assert terminal.ends() == 0

    def test_nothing_of_it_is_kept_but_what_was_said(self, tmp_path: Path) -> None:
        terminal = Terminal(tmp_path / "new")
        terminal.until(self.PROMPT)
        terminal.types("hello\r")
        terminal.until("dnam:")
        terminal.until(self.PROMPT)
        terminal.types("\x04")
        assert terminal.ends() == 0
        assert {each.name for each in tmp_path.iterdir()} == {"new"}
        assert dnam("show", "Ada", "--data", tmp_path / "new", "--json").code == 0


@pytest.mark.parametrize("command", [("chat",), ("run",), ("learn",), ("import", SAMPLE, "--no-learn")])
def test_a_mistyped_name_is_told_by_whatever_starts_something(
    tmp_path: Path, command: tuple[str | Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DNAM_LERN", "1")
    ran = dnam(*command, "--data", tmp_path / "d", given="exit\n")
    assert ran.err.count("environment: there is no setting 'DNAM_LERN'") == 1
