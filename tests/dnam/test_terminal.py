"""The chat in the terminal: it answers whatever happens, and what was said is there tomorrow."""

import asyncio
import io
import json
import os
import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from dnam import unwritten
from dnam.adapters.offline import OfflineModel
from dnam.adapters.terminal import chat as chatting
from dnam.adapters.terminal.chat import COULD_NOT, DONE, Chat, chat
from dnam.adapters.terminal.interrupts import Interrupted, Interrupts
from dnam.adapters.terminal.reading import EditedLines, PipedLines, split
from dnam.adapters.terminal.screen import JsonScreen, TextScreen
from dnam.assistant import Assistant
from dnam.commands.command import Reply as Replied
from dnam.conversation import Conversation, Spot
from dnam.languages import load
from dnam.memory import Memory
from dnam.model import Ask, Hear, Model, ModelError, Reply, unheard
from dnam.models import choose
from dnam.settings import read
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import Event, MessageHeard, TurnAnswered, TurnDelivered
from projections.messages import MESSAGES
from projections.turns import DELIVERIES, TURNS
from replay import codec
from replay.errors import KeyMissing, LogFull, Refused
from replay.jobs import Job
from tests.dnam.patience import Patience

ADA = Account("local", "ada", "Ada")
DIRECT = PlaceSeen("local", "", "direct", "", "direct", partner=ADA)
Line = str | Callable[[], str | None]


class FrozenClock:
    """A clock that stands still: the conversation keeps its order all the same."""

    def now(self) -> int:
        return 1_700_000_000_000

    def monotonic(self) -> int:
        return 0


class Script:
    """Lines that a test says; a function among them does something first, and may say nothing."""

    def __init__(self, *lines: Line) -> None:
        self._lines = list(lines)

    async def next(self) -> str | None:
        while self._lines:
            line = self._lines.pop(0)
            said = line if isinstance(line, str) else line()
            if said is not None:
                return said
        return None


class Shown:
    """A screen that remembers."""

    def __init__(self) -> None:
        self.answers: list[str] = []
        self.replies: list[str] = []
        self.notes: list[str] = []
        self.warnings: list[str] = []

    def said(self, name: str, text: str) -> None:
        assert name == "dnam"
        self.answers.append(text)

    def replied(self, command: str, reply: Replied) -> None:
        self.replies.append(reply.text)

    def note(self, text: str) -> None:
        self.notes.append(text)

    def warn(self, text: str) -> None:
        self.warnings.append(text)


@asynccontextmanager
async def opened(path: Path, model: Model | None = None, **environment: str) -> AsyncIterator[Assistant]:
    settings = read(environment, {})
    async with Memory.open(path, settings=settings, clock=FrozenClock()) as memory:
        yield Assistant(memory, model or OfflineModel(load("en")))


@pytest.fixture
async def assistant(tmp_path: Path) -> AsyncIterator[Assistant]:
    async with opened(tmp_path / "data") as made:
        yield made


async def talk(assistant: Assistant, *lines: Line) -> tuple[int, Shown]:
    shown = Shown()
    return await chat(assistant, ADA, DIRECT, Script(*lines), shown), shown


def rows_of(assistant: Assistant, *projections: Any) -> list[Any]:
    with assistant.memory.engine.reading() as rows:
        return [found.row for projection in projections for found in rows.scan(projection)]


def heard(assistant: Assistant) -> list[str]:
    return [row.message.text for row in rows_of(assistant, MESSAGES)]


class Full:
    """Makes an engine refuse, and take again."""

    def __init__(self, assistant: Assistant, error: Exception | None = None) -> None:
        self._refusing = patch.object(assistant.memory.engine, "hand_in", self._fail)
        self._error = error or LogFull("the disk is full")

    def begin(self) -> None:
        self._refusing.start()

    def end(self) -> None:
        self._refusing.stop()

    def _fail(self, job: object) -> Any:
        raise self._error


class Broken:
    """A model that raises."""

    name, version, paid = "broken", "1", False

    def __init__(self, error: BaseException) -> None:
        self._error = error

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        raise self._error


class TestAConversation:
    async def test_it_answers_and_everything_is_there_tomorrow(self, tmp_path: Path) -> None:
        async with opened(tmp_path) as assistant:
            code, shown = await talk(assistant, "I prefer tea over coffee.", "!memory extract", "exit")
            assert (code, shown.warnings, shown.notes) == (DONE, [], [])
            assert shown.answers[0].startswith("(I am the offline model")
        async with opened(tmp_path) as assistant:
            code, shown = await talk(assistant, "What do I prefer?")
            assert shown.answers == ["From what I remember:\n- [preference] User prefers tea over coffee."]

    async def test_a_turn_is_heard_answered_and_delivered(self, assistant: Assistant) -> None:
        await talk(assistant, "hello", "and again")
        assert heard(assistant) == ["hello", "and again"]
        assert [len(rows_of(assistant, each)) for each in (TURNS, DELIVERIES)] == [2, 2]

    async def test_what_is_said_is_in_order_also_when_the_clock_stands_still(self, assistant: Assistant) -> None:
        await talk(assistant, "one", "two", "three")
        said = sorted([(row.message.said, "q") for row in rows_of(assistant, MESSAGES)])
        said += [(row.said, "a") for row in rows_of(assistant, TURNS)]
        assert "".join(kind for _, kind in sorted(said)) == "qaqaqa"
        assert len({when for when, _ in said}) == 6

    async def test_a_command_is_no_message(self, assistant: Assistant) -> None:
        _, shown = await talk(assistant, "!memory remember I like tea", "!MEMORY", "!memory bogus")
        assert heard(assistant) == []
        assert [each.split("\n")[0] for each in shown.replies] == [
            "Remembered: I like tea",
            "**Durable memory:** (53 chars, ~14 tokens)",
            "There is no command `bogus`.",
        ]

    async def test_commands_can_be_switched_off(self, tmp_path: Path) -> None:
        async with opened(tmp_path, DNAM_MEMORY_COMMANDS_ENABLED="0") as assistant:
            _, shown = await talk(assistant, "!memory remember I like tea")
            assert shown.replies == []
            assert heard(assistant) == ["!memory remember I like tea"]

    @pytest.mark.parametrize("word", ["exit", "quit", " EXIT "])
    async def test_a_word_ends_it(self, assistant: Assistant, word: str) -> None:
        code, shown = await talk(assistant, word, "never said")
        assert (code, shown.answers) == (DONE, [])

    @pytest.mark.parametrize("line", ["x" * 1_000_000, "a\x00\x1b[31mb\x07", "lone \ud800 half", "\u202eright to left"])
    async def test_odd_lines_are_answered_and_kept(self, assistant: Assistant, line: str) -> None:
        code, shown = await talk(assistant, line)
        assert (code, shown.warnings, len(shown.answers)) == (DONE, [], 1)
        assert heard(assistant) == [line.replace("\ud800", "\ufffd")]

    @pytest.mark.parametrize("line", ["", "   ", "\t\r"])
    async def test_an_empty_line_is_nothing(self, assistant: Assistant, line: str) -> None:
        code, shown = await talk(assistant, line)
        assert (code, shown.answers, heard(assistant)) == (DONE, [], [])

    async def test_memory_that_is_switched_off_is_neither_told_nor_learned(self, tmp_path: Path) -> None:
        async with opened(tmp_path) as assistant:
            await talk(assistant, "!memory remember I like tea")
        async with opened(tmp_path, DNAM_MEMORY_ENABLED="0", DNAM_DURABLE_EVERY_N_TURNS="1") as assistant:
            before = len(rows_of(assistant, TURNS))
            _, shown = await talk(assistant, "I prefer cake over bread.", "What do you remember about me?")
            assert "tea" not in shown.answers[1]
            assert len(rows_of(assistant, TURNS)) == before + 2
            assert [each.text for each in await assistant.memory.show("ada")] == ["I like tea"]


class TestWhatCannotBeRecorded:
    async def test_an_answer_is_given_and_what_waited_is_written_in_order(self, assistant: Assistant) -> None:
        full = Full(assistant)
        code, shown = await talk(assistant, "one", full.begin, "two", "three", full.end, "four")
        assert (code, len(shown.answers)) == (DONE, 4)
        assert shown.warnings == [
            "this could not be recorded and is tried again with the next message: the disk is full"
        ]
        assert shown.notes == ["what could not be recorded is recorded now"]
        assert heard(assistant) == ["one", "two", "three", "four"]
        assert [len(rows_of(assistant, each)) for each in (TURNS, DELIVERIES)] == [4, 4]
        assert self._kinds(assistant) == [MessageHeard, TurnAnswered, TurnDelivered] * 4

    async def test_a_late_answer_rests_on_its_message_all_the_same(self, assistant: Assistant) -> None:
        full = Full(assistant)
        await talk(assistant, full.begin, "one", full.end, "two")
        first = next(each for each in self._events(assistant) if isinstance(each, TurnAnswered))
        assert first.answers in first.causes

    async def test_it_is_written_at_the_end_if_not_before(self, assistant: Assistant) -> None:
        full = Full(assistant)
        code, _ = await talk(assistant, full.begin, "one", full.end)
        assert (code, heard(assistant)) == (DONE, ["one"])

    async def test_what_never_could_be_is_said_at_the_end(self, assistant: Assistant) -> None:
        full = Full(assistant, OSError(28, "No space left on device"))
        code, shown = await talk(assistant, full.begin, "one", "two")
        full.end()
        assert code == COULD_NOT
        assert len(shown.answers) == 2
        assert shown.warnings[-1] == "not recorded: 2 messages, 2 answers; [Errno 28] No space left on device"

    async def test_commands_say_it_too(self, assistant: Assistant) -> None:
        full = Full(assistant)
        code, shown = await talk(assistant, "hello", full.begin, "!memory remember x", "!memory", full.end)
        assert code == COULD_NOT
        assert shown.replies[0] == "`!memory remember` could not be done: the disk is full"
        assert shown.replies[1].startswith("**Durable memory:**")

    async def test_a_command_that_was_wrong_or_changed_nothing_could_be_done(self, assistant: Assistant) -> None:
        code, shown = await talk(assistant, "!memory bogus", "!memory forget tea", "!memory restore durable-12345678")
        assert (code, len(shown.replies)) == (DONE, 3)

    async def test_somebody_new_cannot_ask_while_nothing_can_be_written(self, assistant: Assistant) -> None:
        full = Full(assistant)
        code, shown = await talk(assistant, full.begin, "!memory", full.end)
        assert code == COULD_NOT
        assert shown.replies == ["The memory cannot be asked just now: the disk is full"]

    async def test_what_is_refused_for_good_is_said_and_given_up(self, assistant: Assistant) -> None:
        full = Full(assistant, Refused("it rests on something that was erased"))
        code, shown = await talk(assistant, full.begin, "one", full.end, "two")
        assert (code, len(shown.answers), heard(assistant)) == (DONE, 2, ["two"])
        assert set(shown.warnings) == {
            "something that was said cannot be recorded: it rests on something that was erased"
        }

    async def test_a_log_that_is_slow_holds_no_answer_up(
        self, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real, locked, patience = assistant.memory.engine.hand_in, threading.Event(), Patience()
        writers: list[threading.Thread] = []

        def write(job: Job) -> None:
            locked.wait()
            real(job)

        def slow(job: Job) -> None:
            writers.append(threading.Thread(target=write, args=(job,)))
            writers[-1].start()
            patience.over()

        def freed() -> None:
            locked.set()
            monkeypatch.undo()

        monkeypatch.setattr(unwritten, "slow", patience)
        monkeypatch.setattr(assistant.memory.engine, "hand_in", slow)
        code, shown = await talk(assistant, "one", "two", freed, "three")
        for each in writers:
            each.join()
        assert (code, len(shown.answers)) == (DONE, 3)
        assert shown.warnings[0].endswith("s; does another program hold this memory?")
        assert heard(assistant) == ["one", "two", "three"]
        assert self._kinds(assistant) == [MessageHeard, TurnAnswered, TurnDelivered] * 3

    async def test_a_memory_open_for_reading_answers(self, tmp_path: Path) -> None:
        async with opened(tmp_path) as assistant:
            await talk(assistant, "!memory remember I like green tea")
        async with Memory.open(tmp_path, writable=False) as memory:
            reader = Assistant(memory, OfflineModel(load("en")))
            code, shown = await talk(reader, "What tea do I like?", "!memory", "!memory remember x")
        assert code == COULD_NOT
        assert "green tea" in shown.answers[0]
        assert "green tea" in shown.replies[0]
        assert shown.replies[1] == "`!memory remember` could not be done: this memory was opened for reading only"

    async def test_where_nothing_can_be_read_the_message_alone_is_answered(
        self, assistant: Assistant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def locked(question: object) -> Any:
            raise KeyMissing("the key of #1 is not in the ring")

        monkeypatch.setattr(assistant.memory, "look_here", locked)
        code, shown = await talk(assistant, "hello", "!memory")
        assert code == COULD_NOT
        assert len(shown.answers) == 1
        assert "in the background: reading: the key of #1 is not in the ring" in shown.notes
        assert shown.replies == ["The memory cannot be asked just now: the key of #1 is not in the ring"]

    def _kinds(self, assistant: Assistant) -> list[type[Event]]:
        kinds = (MessageHeard, TurnAnswered, TurnDelivered)
        return [type(each) for each in self._events(assistant) if isinstance(each, kinds)]

    def _events(self, assistant: Assistant) -> list[Event]:
        engine = assistant.memory.engine
        stored = [(codec.decode_header(each.header), each.body) for each in engine.store.log.read(0)]
        return [engine.live.folding.sealer.open(header, body) for header, body in stored if body is not None]


class TestModelsThatFail:
    @pytest.mark.parametrize(
        ("error", "said"),
        [
            (ModelError("the API is down"), "no answer: the API is down"),
            (TimeoutError(), "no answer: broken did not answer in time"),
            (RuntimeError("oh"), "this went wrong: RuntimeError('oh')"),
        ],
    )
    async def test_the_question_stays_recorded(self, tmp_path: Path, error: Exception, said: str) -> None:
        async with opened(tmp_path, Broken(error)) as assistant:
            code, shown = await talk(assistant, "hello")
            assert (code, shown.answers, shown.warnings) == (DONE, [], [said])
            assert (heard(assistant), rows_of(assistant, TURNS)) == (["hello"], [])

    async def test_a_context_file_that_cannot_be_read_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "base").mkdir()
        (tmp_path / "base" / "core.md").write_bytes(b"\xff\xfe")
        async with opened(tmp_path / "data", DNAM_CONTEXT_DIR=str(tmp_path)) as assistant:
            _, shown = await talk(assistant, "hello")
            assert shown.warnings[0].startswith(f"no answer: the context files in {tmp_path} cannot be read: ")


class TestBesideTheAnswers:
    async def test_a_failure_in_the_background_is_shown_once(self, tmp_path: Path) -> None:
        class NoLearner(Broken):
            async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
                if ask.purpose == "answer":
                    return Reply("Yes.", "m", "1")
                raise ModelError("down")

        async with opened(tmp_path, NoLearner(ModelError("")), DNAM_DURABLE_EVERY_N_TURNS="2") as assistant:
            code, shown = await talk(assistant, "I like tea", "I like cake")
            assert (code, shown.notes) == (DONE, ["in the background: extraction: down"])

    async def test_the_end_waits_for_learning_and_says_so_when_it_takes_long(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(chatting, "PATIENCE_SECONDS", 0)
        async with opened(tmp_path, DNAM_DURABLE_EVERY_N_TURNS="1") as assistant:
            _, shown = await talk(assistant, "I prefer tea over coffee.")
            assert shown.notes == ["finishing what is being learned; Ctrl-C leaves it"]
            assert [each.text for each in await assistant.memory.show("ada")] == ["User prefers tea over coffee."]

    async def test_ctrl_c_leaves_what_is_being_learned(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        class Slow(Broken):
            async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
                if ask.purpose == "answer":
                    return Reply("Yes.", "m", "1")
                os.kill(os.getpid(), signal.SIGINT)
                return await asyncio.Future()

        async with opened(tmp_path, Slow(ModelError("")), DNAM_DURABLE_EVERY_N_TURNS="1") as assistant:
            monkeypatch.setattr(chatting, "PATIENCE_SECONDS", 0)
            code, _ = await talk(assistant, "I prefer tea over coffee.")
            assert code == 130
            assert heard(assistant) == ["I prefer tea over coffee."]


class TestInterrupts:
    async def test_one_ctrl_c_breaks_an_answer_off_and_the_chat_goes_on(self, tmp_path: Path) -> None:
        class Hanging(OfflineModel):
            async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
                if "long" in ask.prompt.rpartition("User message:")[2]:
                    os.kill(os.getpid(), signal.SIGINT)
                    return await asyncio.Future()
                return await super().ask(ask)

        async with opened(tmp_path, Hanging(load("en"))) as assistant:
            code, shown = await talk(assistant, "a long one", "short", "a long one")
            assert (code, len(shown.answers)) == (DONE, 1)
            assert shown.notes == ["interrupted; Ctrl-C again ends the chat"] * 2
            assert heard(assistant) == ["a long one", "short", "a long one"]

    async def test_two_without_a_line_between_end_it(self, assistant: Assistant) -> None:
        code, shown = await talk(assistant, "hello", _ctrl_c, _ctrl_c, "never said")
        assert code == 130
        assert shown.notes == ["interrupted; Ctrl-C again ends the chat", "interrupted"]
        assert heard(assistant) == ["hello"]

    @pytest.mark.parametrize(("told", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
    async def test_who_tells_the_program_to_end_has_the_last_word(
        self, assistant: Assistant, told: signal.Signals, code: int
    ) -> None:
        before = signal.signal(told, signal.SIG_DFL)
        try:
            ended, shown = await talk(assistant, "hello", lambda: _told(told), "never said")
            assert signal.getsignal(told) is signal.SIG_DFL
        finally:
            signal.signal(told, before)
        assert (ended, shown.notes[-1]) == (code, "interrupted")
        assert heard(assistant) == ["hello"]

    async def test_what_was_pressed_between_two_actions_counts_for_the_next(self) -> None:
        interrupts = Interrupts()
        interrupts.press()
        with pytest.raises(Interrupted):
            await interrupts.run(asyncio.sleep(0))
        assert await interrupts.run(asyncio.sleep(0, "done")) == "done"

    @pytest.mark.parametrize("rounds", [1, 9], ids=["before it began", "meanwhile"])
    async def test_somebody_else_s_cancelling_is_no_ctrl_c(self, rounds: int) -> None:
        running = asyncio.create_task(Interrupts().run(asyncio.Event().wait()))
        for _ in range(rounds):
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    async def test_a_signal_is_ours_only_while_we_chat(self, assistant: Assistant) -> None:
        before = signal.getsignal(signal.SIGINT)
        await talk(assistant, "exit")
        assert signal.getsignal(signal.SIGINT) in (before, signal.default_int_handler)

    async def test_an_interrupted_write_is_not_written_twice(self, assistant: Assistant) -> None:
        shown, talking = Shown(), Conversation(assistant, Spot(ADA, DIRECT))
        hearing = asyncio.create_task(talking.hear("once"))
        while not len(talking.unwritten):  # noqa: ASYNC110 - until it has reached its step
            await asyncio.sleep(0)
        hearing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hearing
        code = await Chat(assistant, talking, shown).run(Script("twice"), Interrupts())
        assert (code, heard(assistant)) == (DONE, ["once", "twice"])


def _told(signal_: signal.Signals) -> str:
    """Told to end; what is said then is not taken up any more."""
    signal.raise_signal(signal_)  # to this thread, so that it has come before that is said
    return "and this?"


def _ctrl_c() -> None:
    raise Interrupted


class TestLines:
    @pytest.mark.parametrize(
        ("data", "lines"),
        [
            (b"", []),
            (b"one", ["one"]),
            (b"one\n", ["one"]),
            (b"one\r\n\ntwo", ["one", "", "two"]),
            (b"\xff\n\xed\xa0\x80", ["\ufffd", "\ufffd\ufffd\ufffd"]),
            ("grüß\u2028dich\x85\n".encode(), ["grüß\u2028dich\x85"]),
        ],
    )
    def test_lines_end_where_a_line_break_is(self, data: bytes, lines: list[str]) -> None:
        assert list(split(io.BytesIO(data).read)) == lines

    @given(st.lists(st.binary(min_size=1, max_size=9)))
    def test_it_does_not_matter_in_which_pieces_they_come(self, pieces: list[bytes]) -> None:
        left = iter([*pieces, b""])
        assert list(split(lambda _: next(left))) == list(split(io.BytesIO(b"".join(pieces)).read))

    def test_a_terminal_that_goes_away_has_nothing_more_to_say(self) -> None:
        def gone(_: int) -> bytes:
            raise OSError(5, "Input/output error")

        assert list(split(gone)) == []

    async def test_a_pipe_is_read_as_it_comes(self) -> None:
        reader, writer = os.pipe()
        lines = PipedLines(lambda size: os.read(reader, size))
        os.write(writer, b"one\ntw")
        assert await lines.next() == "one"
        os.write(writer, b"o\n")
        assert await lines.next() == "two"
        os.close(writer)
        assert await lines.next() is None
        os.close(reader)

    async def test_what_is_not_kept_any_longer_is_redacted_and_told(self, tmp_path: Path) -> None:
        class Told(Shown):
            """A screen, and lines that end once something was noted."""

            def __init__(self) -> None:
                super().__init__()
                self.is_noted = asyncio.Event()

            def note(self, text: str) -> None:
                super().note(text)
                self.is_noted.set()

            async def next(self) -> str | None:
                await self.is_noted.wait()
                return None

        shown = Told()
        async with opened(tmp_path / "data", DNAM_RETENTION_DAYS="2") as assistant:
            await assistant.memory.heard("ada", "long ago", said=FrozenClock().now() - 3 * 86_400_000)
            assert await chat(assistant, ADA, DIRECT, shown, shown) == DONE
        assert shown.notes == ["retention: redacted what is not kept any longer, 1 event"]

    async def test_a_chat_from_a_pipe(self, assistant: Assistant) -> None:
        shown = Shown()
        piped = PipedLines(io.BytesIO(b"hello\n!memory remember I like tea").read)
        assert await chat(assistant, ADA, DIRECT, piped, shown) == DONE
        assert (len(shown.answers), shown.replies[0].split("\n")[0]) == (1, "Remembered: I like tea")


class TestScreens:
    def _shown(self, kind: type[TextScreen], *, styled: bool = False) -> tuple[str, str]:
        out, err = io.StringIO(), io.StringIO()
        screen = kind(out, err, styled=styled)
        screen.said("dnam", "one\x1b[31m\ntwo\ud800")
        screen.replied("remember", Replied("Remembered: \x07"))
        screen.note("a note\x1b")
        screen.warn("a warning")
        return out.getvalue(), err.getvalue()

    def test_a_pipe_gets_no_escape(self) -> None:
        out, err = self._shown(TextScreen)
        assert out == "dnam: one\ufffd[31m\ntwo\ufffd\nRemembered: \ufffd\n"
        assert err == "(a note\ufffd)\n! a warning\n"

    def test_a_terminal_gets_ours_and_nobody_else_s(self) -> None:
        out, err = self._shown(TextScreen, styled=True)
        assert out.startswith("\x1b[1mdnam:\x1b[0m one\ufffd[31m\n")
        assert err == "\x1b[2m(a note\ufffd)\x1b[0m\n\x1b[33m! a warning\x1b[0m\n"

    def test_a_program_gets_json(self) -> None:
        out, _ = self._shown(JsonScreen)
        assert [json.loads(line) for line in out.splitlines()] == [
            {"type": "answer", "from": "dnam", "text": "one\x1b[31m\ntwo\ufffd"},
            {"type": "reply", "command": "remember", "text": "Remembered: \x07", "items": [], "failed": False},
        ]


class TestChoosingAModel:
    async def test_without_a_key_it_is_the_offline_one(self) -> None:
        model = choose(read({}, {}), load("en"))
        assert (model.name, model.paid) == ("offline", False)
        assert model.version == OfflineModel(load("en")).version

    async def test_with_a_key_it_is_claude(self) -> None:
        model = choose(read({"ANTHROPIC_API_KEY": "key"}, {}), load("en"))
        assert (model.name, model.paid) == ("claude", True)


@pytest.mark.parametrize("code", ["\x1b[31m", "\x1b[0m", "\x1b[1;31m", "\x1b[<31m", "\x1b[38;5;196m", "\x1b[96;14;13M"])
async def test_colours_that_are_pasted_into_a_line_lose_nothing_of_it(code: str) -> None:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        lines = EditedLines("Ada> ")
        keys.send_text(f"I like {code}red\rand tea\r")
        assert [await lines.next(), await lines.next()] == ["I like red", "and tea"]
