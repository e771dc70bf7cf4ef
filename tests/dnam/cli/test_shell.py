"""What is the same for every command: options, exit codes, one line instead of a traceback, quiet pipes."""

import errno
import io
import os
import re
import shutil
import sys
from pathlib import Path

import lmdb
import pytest
from typer.models import CommandInfo, TyperInfo

from dnam.cli import TABLES, app, shell
from dnam.cli.screen import MOST_NOTE_CHARS, Lines, Screen, jsonable
from dnam.times import age, iso
from projections.errors import BadRequest
from projections.events.values import Audience, By
from projections.ids import Handle, Ref
from replay import lmdb_file
from replay.errors import Damaged
from tests.dnam.cli.memories import ROOT, bytes_of, dnam, ended, process
from tests.world import NOW

SAMPLE = ROOT / "data" / "samples" / "garden-club.json"
COMMANDS = [command for table in TABLES for command in table]


def test_every_command_has_help_and_an_example() -> None:
    for command in COMMANDS:
        ran = dnam(*command.name.split(), "--help")
        assert ran.code == 0
        assert "".join(f"Example: dnam {command.example}".split()) in "".join(ran.out.split())
        assert f"{command.example} ".startswith(f"{command.name} ")
        assert {"--data", "--json"} <= set(ran.out.split())


def test_help_lists_every_command() -> None:
    out = dnam("--help").out
    assert all(f"\n  {command.name.split()[0]} " in out for command in COMMANDS)


def test_version_names_program_log_and_views() -> None:
    value = dnam("--version", "--json").value
    assert list(value) == ["program", "log_format", "views"]
    assert "items@1" in value["views"]
    out = dnam("--version").out
    assert out.startswith(f"dnam {value['program']}\nlog format 1\nviews ")


@pytest.mark.parametrize(
    "arguments", [(), ("bogus",), ("show",), ("show", "a", "b"), ("--bogus",), ("log", "--after", "x")]
)
def test_wrong_use_is_2(arguments: tuple[str, ...]) -> None:
    ran = dnam(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Error: " in ran.err


def test_options_may_stand_before_the_command_and_behind_it(data: Path) -> None:
    behind = dnam("people", "--data", data, "--json")
    assert behind.out
    assert dnam("--data", data, "--json", "people") == behind
    assert dnam("--json", "people", "--data", data) == behind
    assert dnam("--data", "/nowhere", "people", "--json", "--data", data) == behind


def test_the_folder_is_the_option_else_the_setting_else_data(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = dnam("people", "--data", data).out
    assert dnam("people").out == dnam("people", "--data", "").out == people  # ./data, which the fixture made
    monkeypatch.setenv("DNAM_DATA", str(tmp_path / "other"))
    assert dnam("people").out == ""
    shutil.move(data, tmp_path / "other")
    assert dnam("people").out == people


def test_a_setting_that_is_not_allowed_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_DURABLE_MAX_ITEMS", "many")
    ran = dnam("people")
    assert ran.code == 2
    assert ran.err.startswith("dnam: DNAM_DURABLE_MAX_ITEMS: 'many' is not allowed")


def test_importing_the_command_line_reads_and_makes_nothing(tmp_path: Path) -> None:
    ran = ended(process(code="import dnam.cli, sys; print('rich' in sys.modules, 'lmdb' in sys.modules)"))
    assert ran == (0, "False False\n", "")
    assert list(tmp_path.iterdir()) == []


# -- folders that are none of ours -----------------------------------------------------------------------------------

BROKEN_FOLDERS = ("a file", "another program's", "no ring", "unreadable ring", "another log's ring", "a cut log")


def break_folder(data: Path, how: str) -> None:
    keys, log = data / "keys", data / "log" / (data / "log" / "CURRENT").read_text().strip() / "data.mdb"
    match how:
        case "a file":
            shutil.rmtree(data)
            data.write_text("hello", encoding="utf-8")
        case "another program's":
            shutil.rmtree(data)
            lmdb.open(str(data)).close()
        case "no ring":
            shutil.rmtree(keys)
        case "unreadable ring":
            for each in keys.iterdir():
                each.write_bytes(b"nothing")
        case "another log's ring":
            assert dnam("remember", "Bo", "likes rain", "--new", "--data", data.parent / "other").code == 0
            shutil.rmtree(keys)
            shutil.copytree(data.parent / "other" / "keys", keys)
        case _:
            log.write_bytes(log.read_bytes()[: 4096 * 3])


@pytest.mark.parametrize("how", BROKEN_FOLDERS)
@pytest.mark.parametrize(
    "arguments",
    [("show", "Kim"), ("remember", "Kim", "x"), ("replay",), ("verify",), ("log",)],
    ids=lambda each: each[0],
)
def test_a_folder_that_cannot_be_opened_is_3_and_stays_as_it_is(
    data: Path, how: str, arguments: tuple[str, ...]
) -> None:
    break_folder(data, how)
    before = bytes_of(data) if data.is_dir() else data.read_bytes()
    ran = dnam(*arguments, "--data", data)
    if arguments == ("verify",) and how in ("no ring", "unreadable ring"):
        assert (ran.code, "Put the `keys` folder back" in ran.out) == (1, True), "what needs no key is verified"
        return
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("dnam: ")
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err
    assert (bytes_of(data) if data.is_dir() else data.read_bytes()) == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_3(data: Path) -> None:
    (data / "log").chmod(0)
    try:
        assert dnam("people", "--data", data).code == 3
    finally:
        (data / "log").chmod(0o700)


# -- endings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadRequest("so not"), 2),
        (Damaged("so not"), 3),
        (OSError("so not"), 3),
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(), 0),
    ],
)
def test_every_failure_has_its_code_and_one_line(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(shell.Ending) as ending, shell.failures():
        raise error
    assert ending.value.exit_code == code
    assert capsys.readouterr().err == {0: "", 130: "dnam: interrupted\n"}.get(code, "dnam: so not\n")


def test_what_lmdb_says_of_a_page_comes_with_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(shell.Ending) as ending, shell.failures():
        raise lmdb.CorruptedError("MDB_CORRUPTED: Located page was wrong type")
    assert ending.value.exit_code == 3
    told = capsys.readouterr().err
    assert told.startswith("dnam: MDB_CORRUPTED: Located page was wrong type: a file of this memory is damaged")
    assert {"`dnam verify`", "`dnam replay`", "`dnam repair --from BACKUP`"} <= set(re.findall("`[^`]*`", told))


def test_a_folder_that_lmdb_gave_up_is_told_of_by_what_the_disk_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Somebody looked into it between the refusal and the next look at whether it still lives."""
    monkeypatch.setattr(lmdb_file, "REFUSED", {tmp_path: "mdb_txn_commit: No space left on device"})
    with pytest.raises(shell.Ending) as ending, shell.failures():
        raise lmdb.PanicError("mdb_txn_begin: MDB_PANIC: Update of meta page failed")
    assert ending.value.exit_code == 3
    told = capsys.readouterr().err
    assert f"the disk of {tmp_path} refused the end of a commit" in told
    assert "No space left on device" in told
    assert "MDB_PANIC" not in told


def test_what_nobody_expected_stays_a_traceback() -> None:
    with pytest.raises(ZeroDivisionError), shell.failures():
        raise ZeroDivisionError


@pytest.mark.parametrize("arguments", [("log",), ("log", "--json"), ("people",), ("show", "Kim"), ("--help",)])
def test_a_closed_pipe_is_quiet(data: Path, arguments: tuple[str, ...]) -> None:
    with process("--data", data, *arguments) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.close()
        assert (started.stderr.read(), started.wait(timeout=60)) == (b"", 0)


AT_ONCE = "import sys; sys.stdout.reconfigure(line_buffering=True); from dnam.__main__ import main; main()"
"""Every line leaves when it is printed, as those behind the first 8 KB do anyway."""


@pytest.mark.parametrize(
    "arguments", [("doctor",), ("verify",), ("diff", "Kim", "--from", "3"), ("replay", "--check"), ("verify", "--json")]
)
def test_a_closed_pipe_hides_nothing_that_a_check_found(data: Path, arguments: tuple[str, ...]) -> None:
    next((data / "views").glob("*/data.mdb")).write_bytes(b"")
    with process("--data", data, *arguments, code=AT_ONCE) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.close()
        told = started.stderr.read()
        assert (started.wait(timeout=60), b"Broken pipe" in told, b"Traceback" in told) == (1, False, False)


ONE_LINE = f"""
import dnam.cli.logbook as logbook
tell, told = logbook._tell, []
def once(*arguments):
    assert not told, "nobody reads that"
    told.append(arguments)
    tell(*arguments)
logbook._tell = once
{AT_ONCE}
"""


@pytest.mark.parametrize("options", [(), ("--follow",)])
def test_a_log_that_nobody_reads_any_more_is_not_read_to_its_end(data: Path, options: tuple[str, ...]) -> None:
    with process("--data", data, "log", *options, code=ONE_LINE) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.close()
        assert (started.stderr.read(), started.wait(timeout=60)) == (b"", 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_a_full_disk_behind_stdout_is_3(data: Path) -> None:
    import subprocess

    command = [sys.executable, "-m", "dnam", "--data", str(data), "people"]
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, cwd=ROOT, check=False)
    assert ran.returncode == 3
    assert ran.stderr.startswith(b"dnam: ")
    assert b"Traceback" not in ran.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("format", [(), ("--json",)])
def test_what_was_done_is_said_to_be_done_where_it_could_not_be_printed(data: Path, format: tuple[str, ...]) -> None:
    for words in (
        ("remember", "Kim", "I like tea"),
        ("forget", "Kim", "I like tea"),
        ("config", "set", "global", "learn=none"),
        ("compact",),
        ("erase", "Kim", "--yes"),
    ):
        with Path("/dev/full").open("wb") as full, process("--data", data, *format, *words, stdout=full) as started:
            assert started.stderr is not None
            told, code = started.stderr.read().decode(), started.wait(timeout=60)
        assert (code, "Traceback" in told) == (4, False), words
        assert "dnam: it is done, but what there is to say of it could not be printed: " in told
    assert '"name":"Kim"' not in dnam("people", "--json", "--data", data).out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_what_was_not_done_is_not_said_to_be_where_nothing_can_be_printed(data: Path) -> None:
    with Path("/dev/full").open("wb") as full, process("--data", data, "forget", "Bo", "x", stdout=full) as started:
        assert started.stderr is not None
        told, code = started.stderr.read().decode(), started.wait(timeout=60)
    assert (code, "could not be printed" in told) == (2, False)


def test_ctrl_c_before_anything_is_loaded_is_130_and_quiet() -> None:
    code = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "from dnam.__main__ import main\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "main()\n"
    )
    assert ended(process("people", code=code)) == (130, "", "")


def test_closed_streams_and_narrow_encodings_lose_nothing(data: Path) -> None:
    dnam("remember", "Kim", "drinks tea from a Tässchen", "--data", data)
    code = "import sys; sys.stdout.reconfigure(encoding='ascii'); from dnam.__main__ import main; main()"
    ran = ended(process("show", "Kim", "--data", data, code=code))
    assert (ran.code, r"T\xe4sschen" in ran.out) == (0, True)
    closed = "import sys; sys.stdout = sys.stderr = None; from dnam.__main__ import main; main()"
    assert ended(process("show", "Kim", "--data", data, code=closed)) == (0, "", "")


# -- the screen ------------------------------------------------------------------------------------------------------


def test_yes_answers_and_without_a_terminal_the_question_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Screen(yes=True).confirm("Sure?")
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    with pytest.raises(BadRequest, match="--yes"):
        Screen().confirm("Sure?")


@pytest.mark.parametrize(
    ("typed", "answer"), [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_a_question_in_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, answer: bool
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    assert Screen().confirm("Sure?") is answer
    assert capsys.readouterr() == ("", "Sure? [y/N] ")


def test_json_has_field_names_and_hex() -> None:
    audience = Audience("guild", Ref("discord", "1"))
    assert jsonable([audience, By("person", Handle(b"\x01")), {"a": (1, None)}, Path("x"), "\ud800"]) == [
        {"kind": "guild", "place": {"platform": "discord", "key": "1"}, "epoch": 0},
        {"kind": "person", "person": "01", "name": "", "version": ""},
        {"a": [1, None]},
        "x",
        "\ufffd",
    ]


@pytest.mark.parametrize(
    ("milliseconds", "for_programs", "for_people"),
    [
        (None, None, ""),
        (NOW, "2023-11-14T22:13:20.000Z", "2023-11-14 23:13+01:00"),
        (-1, "1969-12-31T23:59:59.999Z", "1970-01-01 00:59+01:00"),
        (10**18, "9999-12-31T23:59:59.999Z", "9999-12-31 23:59+00:00"),
        (-(10**18), "0001-01-01T00:00:00.000Z", "0001-01-01 00:53+00:53:28"),
    ],
)
def test_times(milliseconds: int | None, for_programs: str | None, for_people: str) -> None:
    assert iso(milliseconds) == for_programs
    assert Screen(timezone="Europe/Berlin").when(milliseconds) == for_people


def test_without_a_zone_times_are_the_system_s() -> None:
    assert Screen().when(NOW).startswith("2023-11-1")


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (-5, "just now"),
        (59_999, "just now"),
        (60_000, "1 minute ago"),
        (7_200_000, "2 hours ago"),
        (90_000_000, "1 day ago"),
        (64_000_000_000, "2 years ago"),
        (-59_999, "just now"),
        (-60_000, "in 1 minute"),
        (-64_000_000_000, "in 2 years"),
    ],
)
def test_ages(passed: int, words: str) -> None:
    assert age(NOW - passed, NOW) == words


def test_a_long_note_is_cut_and_shows_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    Screen().note("\x1b" + "x" * 5000 + "\nsecond")
    said = capsys.readouterr().err
    assert said.startswith("dnam: �x")
    assert said.endswith("… (5001 characters)\nsecond\n")
    assert len(said) < MOST_NOTE_CHARS + 100


def test_in_a_terminal_tables_are_drawn_and_markup_means_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    Screen().table(("name",), [["[red]Kim[/red]"]])
    out = capsys.readouterr().out
    assert "[red]Kim[/red]" in out
    assert "─" in out


@pytest.mark.parametrize(("columns", "drawn"), [(140, True), (60, False), (40, False)])
def test_where_a_table_has_no_room_rows_stand_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int, *, drawn: bool
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    text = "User prefers growing from seed over buying seedlings."
    Screen().table(("id", "text", "updated", ""), [["durable-84983c8f", text, "2026-03-05 16:49+00:00", ""]])
    out = re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out)
    assert "durable-84983c8f" in out
    assert "2026-03-05 16:49+00:00" in out
    assert ("─" in out) == drawn
    assert max(map(len, out.splitlines())) <= columns
    assert "".join(out.split()).count("Userprefers") == 1


def test_a_bar_is_drawn_in_a_terminal_only(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with Screen().progress("replaying") as tell:
        tell(1, 2)
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with Screen().progress("replaying") as tell:
        tell(1, 2)
        tell(2, 2)
    out, err = capsys.readouterr()
    assert out == ""
    assert "replaying" in err
    with Screen().counting("deriving", "runs") as count:
        count(1, 2, "$0.0001 so far")
        count(2, 2, "$0.0002 so far")
    assert "deriving, $0.0002 so far" in capsys.readouterr().err


def test_where_no_bar_is_drawn_a_line_comes_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[str] = []
    seconds = 0.0
    lines = Lines(told.append, "deriving", "runs", lambda: seconds)
    for done in range(1, 1_201):
        seconds += 1 / 64
        lines(done, 1_200, "$0.0100 so far" if done > 600 else "")
    assert told == [
        "deriving: 320 of 1,200 runs",
        "deriving: 640 of 1,200 runs, $0.0100 so far",
        "deriving: 960 of 1,200 runs, $0.0100 so far",
    ]
    with Screen().counting("deriving", "runs") as tell:
        tell(1, 2)
    assert capsys.readouterr() == ("", "")


def nested(group: TyperInfo) -> list[CommandInfo]:
    assert group.typer_instance is not None
    return group.typer_instance.registered_commands


def test_the_app_is_the_table() -> None:
    of_one_word = [command.name for command in COMMANDS if " " not in command.name]
    grouped = [f"{group.name} {each.name}" for group in app.registered_groups for each in nested(group)]
    assert [command.name for command in app.registered_commands] == of_one_word
    assert grouped == [command.name for command in COMMANDS if " " in command.name]
    assert len({command.name for command in COMMANDS}) == len(COMMANDS)


def test_what_opening_mended_is_told(data: Path) -> None:
    with (data / "keys" / "ring-b").open("ab") as ring:
        ring.write(b"torn")
    (data / "log" / "000099").mkdir()
    ran = dnam("remember", "Ada", "likes figs", "--data", data)
    assert ran.code == 0
    assert "noticed and mended: key ring" in ran.err
    assert "noticed and mended: removed" in ran.err
    assert dnam("remember", "Ada", "likes plums", "--data", data).err == ""


def test_a_context_folder_that_is_none_is_refused(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_CONTEXT_DIR", str(data / "nowhere"))
    ran = dnam("people", "--data", data)
    assert ran.code == 2
    assert "DNAM_CONTEXT_DIR" in ran.err


@pytest.mark.parametrize("command", [("import", str(SAMPLE)), ("rederive", "--name", "again")])
def test_keys_that_are_on_the_disk_once_are_told_of(
    command: tuple[str, ...], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was asked for is done, and one copy of its keys is enough."""
    monkeypatch.setattr("replay.second_copy._failure_of", lambda _: OSError(errno.EIO, os.strerror(errno.EIO)))
    ran = dnam(*command, "--data", data)
    assert ran.code == 0
    told = [line for line in ran.err.splitlines() if "one copy only" in line]
    assert len(told) == 1, ran.err
    assert told[0].startswith("dnam: the latest keys may be on the disk in one copy only, and the next key has both")
    assert "ring-b: [Errno 5] Input/output error" in told[0]
