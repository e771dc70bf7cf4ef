"""A summary's reply is paid for once: it stands in the log together with what came of it, and where it stands alone,
while a shorter one is asked for, the next refresh takes it up.
"""

import asyncio
import errno
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

from dnam.assistant import Assistant
from dnam.learning.learner import Learner
from dnam.learning.tending import SUMMARY_PROMPT
from dnam.loops import summary as loop
from dnam.loops.loop import GIVEN_UP, Decide, Find, Minting, Step
from dnam.loops.summary_plan import SummaryPlan, answered_part
from dnam.model import Ask, Line, OverBudget, Reply, SummaryInputs
from dnam.prompts import digest, load
from dnam.whereabouts import Heard
from projections.calls import calls
from projections.decisions.summaries import ResetRequest, reset
from projections.decisions.work import record_work
from projections.events import Event, SummaryAnswered, SummaryFailed, SummaryRefreshed
from projections.events.values import OPERATOR, Audience, By, ModelUse
from projections.fold import Record
from projections.ids import NOBODY, EventId, Point, Ref, Seq
from projections.summaries import SUMMARIES
from replay.codec import decode_header
from replay.errors import LogError
from replay.group import Recorded
from replay.lmdb_log import LmdbLog
from replay.log import Commit, Head
from tests.dnam.held import HeldModel
from tests.dnam.scripted import FakeClock, ScriptedModel, talking
from tests.dnam.test_loops import recorded
from tests.dnam.test_redacting_live import deletes, message
from tests.projections.items import ANN
from tests.world import NOW

LIMIT = 50
LONG, SHORT = "They talked of tea. " * 4, "They talked."
QUIET = {"summary_max_chars": f"{LIMIT}", "durable_memory_enabled": "0", "summary_every_n_turns": "2"}


def long_then(shorter: str = SHORT) -> Callable[[Ask], str]:
    """A script that is too long, and then not."""
    return lambda ask: LONG if read(ask) else shorter


def read(ask: Ask) -> list[str]:
    """What was said, in a question for a summary: nothing where only a shorter text is asked for."""
    assert isinstance(ask.inputs, SummaryInputs)
    return [line.text for line in ask.inputs.lines]


def asked(model: ScriptedModel) -> list[list[str]]:
    return [read(ask) for ask in model.asked("summary")]


@asynccontextmanager
async def remembering(path: Path, model: ScriptedModel, **more: str) -> AsyncIterator[Assistant]:
    """A memory that is opened once more, as after a crash."""
    async with talking(path, model, FakeClock(NOW + 1_000_000), **(QUIET | more)) as assistant:
        yield assistant


async def hears(assistant: Assistant, *texts: str, first: int = 0) -> Heard:
    """Kim says these in their DMs, one after the other; the last of them."""
    heard = [
        await assistant.memory.hear(message(f"{number}", text, NOW + number * 10))
        for number, text in enumerate(texts, first)
    ]
    return heard[-1]


async def summarise(assistant: Assistant, heard: Heard) -> bool:
    return await assistant.summarise(heard.session, heard.setting.audience, heard.person)


async def again(assistant: Assistant) -> Heard:
    """The last thing that Kim said before a crash, heard once more: it is known."""
    return await hears(assistant, "of tea", first=1)


@contextmanager
def only_until(tag: str) -> Iterator[None]:
    """The disk takes the first commit with such an event, and nothing behind it, as where the program is killed."""
    append, is_full = LmdbLog.append, False

    def take(self: LmdbLog, commit: Commit, *rest: Any) -> Head:
        nonlocal is_full
        if is_full:
            raise OSError(errno.ENOSPC, "full")
        head = append(self, commit, *rest)
        is_full = any(decode_header(each.header).tag == tag for each in commit.entries)
        return head

    with patch.object(LmdbLog, "append", take):
        yield
    assert is_full


def decisions(assistant: Assistant, *tags: str) -> list[list[str]]:
    """What was recorded at once, where any of these were."""
    found: list[list[str]] = [[]]
    for stored in assistant.memory.engine.store.log.read(0):
        header = decode_header(stored.header)
        found[-1].append(header.tag)
        if not header.left:
            found.append([])
    return [each for each in found if not set(tags).isdisjoint(each)]


def of_kind(assistant: Assistant, kind: type[Event]) -> list[Any]:
    return recorded(assistant, kind)


async def text(assistant: Assistant) -> list[str]:
    return await assistant.memory.look(lambda rows: [found.row.text for found in rows.scan(SUMMARIES)])


async def broken_off(path: Path) -> None:
    """A memory of which the program was killed while a shorter summary was asked for."""
    model = HeldModel({"summary": long_then()})
    async with remembering(path, model) as assistant:
        heard = await hears(assistant, "hello", "of tea")
        model.hold("summary")
        work = asyncio.create_task(summarise(assistant, heard))
        await model.reached["summary"].wait()
        model.gates["summary"].set()
        model.hold("summary")
        await model.reached["summary"].wait()
        work.cancel()
        await asyncio.wait({work})
        assert asked(model) == [["hello", "of tea"]]
        assert decisions(assistant, "summary.answered", "summary.refreshed") == [["summary.answered"]]


# -- together ----------------------------------------------------------------------------------------------------------


async def test_killed_behind_the_reply_nobody_is_asked_for_the_same_again(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with remembering(tmp_path, model) as assistant:
        heard = await hears(assistant, "hello", "of tea")
        with only_until("summary.answered"), suppress(LogError, OSError):
            await summarise(assistant, heard)
    async with remembering(tmp_path, model) as assistant:
        heard = await again(assistant)
        await summarise(assistant, heard)
        assert asked(model) == [["hello", "of tea"]]
        assert len(of_kind(assistant, SummaryAnswered)) == 1
        assert await text(assistant) == [SHORT]
        heard = await hears(assistant, "more", first=2)
        assert await summarise(assistant, heard)
        assert asked(model)[1:] == [["more"]]


async def test_the_reply_stands_ahead_of_what_comes_of_it_in_one_decision(tmp_path: Path) -> None:
    model = ScriptedModel({"summary": long_then()})
    async with remembering(tmp_path, model, era_refreshes="1") as assistant:
        assert await summarise(assistant, await hears(assistant, "hello", "of tea"))
        assert await summarise(assistant, await hears(assistant, "more", first=2))
        model.scripts["summary"] = lambda _: " "
        assert not await summarise(assistant, await hears(assistant, "and more", first=3))
        together = decisions(assistant, "summary.answered", "summary.refreshed", "summary.failed")
        assert together == [
            ["summary.answered"],
            ["summary.answered", "summary.refreshed"],
            ["summary.answered"],
            ["summary.answered", "summary.withheld", "summary.refreshed"],
            ["summary.answered", "summary.failed"],
        ]


async def test_a_reply_of_no_use_is_a_cause_of_its_failure_and_the_question_is_asked_again(tmp_path: Path) -> None:
    model = ScriptedModel({"summary": lambda _: " "})
    async with remembering(tmp_path, model) as assistant:
        heard = await hears(assistant, "hello", "of tea")
        assert not await summarise(assistant, heard)
        model.scripts.clear()
        assert await summarise(assistant, heard)
        assert asked(model) == [["hello", "of tea"]] * 2
        (failed,) = of_kind(assistant, SummaryFailed)
        (first, *causes) = [record.id for record in records(assistant) if isinstance(record.event, SummaryAnswered)]
        assert (first in failed.causes, len(causes)) == (True, 1)


def records(assistant: Assistant) -> list[Any]:
    engine = assistant.memory.engine
    return [engine.live.folding.record(stored) for stored in engine.store.log.read(0)]


async def test_a_reply_that_nothing_can_be_decided_from_is_kept_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel()
    with monkeypatch.context() as patched:
        patched.setattr("projections.decisions.summaries.without_orders", lambda *_, **__: 1 // 0)
        async with remembering(tmp_path, model) as assistant:
            heard = await hears(assistant, "hello", "of tea")
            assert not await summarise(assistant, heard)
            assert decisions(assistant, "summary.answered") == [["summary.answered", "summary.failed"]]
            (failed,) = of_kind(assistant, SummaryFailed)
            reason = "deciding failed: ZeroDivisionError: integer division or modulo by zero"
            assert failed.error == reason
            assert list(assistant.failures) == [f"summary: {reason}"]
    async with remembering(tmp_path, model) as assistant:
        assert await summarise(assistant, await again(assistant))
        assert asked(model) == [["hello", "of tea"]] * 2
        assert len(await assistant.memory.look(lambda rows: list(calls(rows)))) == 2


# -- alone -------------------------------------------------------------------------------------------------------------


async def test_killed_before_the_shorter_reply_only_that_is_asked_for(tmp_path: Path) -> None:
    await broken_off(tmp_path)
    model = ScriptedModel({"summary": long_then()})
    async with remembering(tmp_path, model) as assistant:
        assert await summarise(assistant, await again(assistant))
        (ask,) = model.asked("summary")
        assert isinstance(ask.inputs, SummaryInputs)
        assert (ask.inputs.previous, ask.inputs.lines) == (LONG.strip(), ())
        first, second = of_kind(assistant, SummaryAnswered)
        assert (first.reply, second.reply) == (LONG, SHORT)
        (made,) = of_kind(assistant, SummaryRefreshed)
        assert (made.text, made.covered, made.cut, made.call) == (SHORT, 2, False, second.call)
        ids = [record.id for record in records(assistant) if isinstance(record.event, SummaryAnswered)]
        assert (second.causes, made.causes) == ((ids[0],), (ids[1],))
        assert not await summarise(assistant, await again(assistant))


async def test_what_was_said_since_is_read_by_the_refresh_behind_it(tmp_path: Path) -> None:
    await broken_off(tmp_path)
    model = ScriptedModel({"summary": long_then()})
    async with remembering(tmp_path, model) as assistant:
        heard = await hears(assistant, "more", "and more", first=2)
        while await summarise(assistant, heard):
            pass
        assert asked(model) == [[], ["more", "and more"], []]
        made = of_kind(assistant, SummaryRefreshed)
        assert [(each.covered, each.upto.said, each.said) for each in made] == [
            (2, NOW + 10, NOW + 10),
            (2, NOW + 30, NOW + 30),
        ]
        assert [each.after for each in made] == [None, made[0].upto]


async def test_learning_takes_it_up_too(tmp_path: Path) -> None:
    await broken_off(tmp_path)
    model = ScriptedModel({"summary": long_then()})
    async with remembering(tmp_path, model) as assistant:
        await hears(assistant, "more", first=2)
        learned = await Learner(assistant).learn(lambda *_: None)
        assert (learned.summaries, learned.errors) == (2, ())
        assert asked(model) == [[], ["more"], []]
        assert [each.covered for each in of_kind(assistant, SummaryRefreshed)] == [2, 1]


async def test_where_a_limit_forbids_the_shorter_one_the_first_is_not_paid_for_in_every_cycle(tmp_path: Path) -> None:
    def within_limits(ask: Ask) -> str:
        if not read(ask):
            raise OverBudget("it is enough for today")
        return LONG

    model = ScriptedModel({"summary": within_limits})
    async with remembering(tmp_path, model) as assistant:
        for number, said in enumerate(("hello", "of tea", "and more")):
            heard = await hears(assistant, said, first=number)
            with pytest.raises(OverBudget):
                await summarise(assistant, heard)
        assert asked(model) == [["hello"], [], [], []]
        assert len(of_kind(assistant, SummaryAnswered)) == 1


async def test_a_shorter_one_that_is_given_up_is_on_the_bill_and_the_first_is_taken_up(tmp_path: Path) -> None:
    class Costly(ScriptedModel):
        async def ask(self, ask: Ask, *rest: Any) -> Reply:
            reply = await super().ask(ask, *rest)
            if not read(ask):
                raise asyncio.CancelledError(reply)
            return reply

    async with remembering(tmp_path, Costly({"summary": long_then()})) as assistant:
        heard = await hears(assistant, "hello", "of tea")
        with suppress(asyncio.CancelledError):
            await summarise(assistant, heard)
        assert decisions(assistant, "summary.answered", "summary.failed") == [["summary.answered"], ["summary.failed"]]
        (failed,) = of_kind(assistant, SummaryFailed)
        assert failed.error == f"making it shorter: {GIVEN_UP}"
    model = ScriptedModel({"summary": long_then()})
    async with remembering(tmp_path, model) as assistant:
        assert await summarise(assistant, await again(assistant))
        assert asked(model) == [[]]


async def test_a_reply_that_an_older_program_left_alone_is_taken_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await left_alone(tmp_path, monkeypatch)
    model = ScriptedModel()
    async with remembering(tmp_path, model) as assistant:
        assert await summarise(assistant, await again(assistant))
        assert model.asks == []
        (answered,), (made,) = of_kind(assistant, SummaryAnswered), of_kind(assistant, SummaryRefreshed)
        assert (made.text, made.call, made.by) == (SHORT, answered.call, answered.by)
        assert len(await assistant.memory.look(lambda rows: list(calls(rows)))) == 1
        assert not await summarise(assistant, await again(assistant))


async def left_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As programs did that recorded a reply by itself, and were killed behind it."""
    with monkeypatch.context() as patched:
        patched.setattr(loop, "settle", lambda rows, work, _: record_work(rows, work))
        async with remembering(path, ScriptedModel()) as assistant:
            await summarise(assistant, await hears(assistant, "hello", "of tea"))
            assert decisions(assistant, "summary.answered") == [["summary.answered"]]


# -- not taken ---------------------------------------------------------------------------------------------------------


async def edits(assistant: Assistant) -> None:
    await assistant.memory.hear(message("0", "goodbye", NOW, NOW + 500))


async def takes_back(assistant: Assistant) -> None:
    await deletes(assistant.memory, "0", NOW)


async def comes_in_late(assistant: Assistant) -> None:
    await assistant.memory.hear(message("7", "what came in late", NOW + 5))


async def clears(assistant: Assistant) -> None:
    heard = await again(assistant)
    audience, origin = heard.setting.audience, assistant.memory.origin()
    request = ResetRequest(
        heard.session, audience, 0, OPERATOR, NOW + 600, heard.point, origin, heard.person, pending=True
    )
    assert (await assistant.memory.record(lambda rows: reset(rows, request))).records


@pytest.mark.parametrize(
    ("happens", "then"),
    [
        (edits, ["goodbye", "of tea", "more"]),
        (takes_back, ["of tea", "more"]),
        (comes_in_late, ["hello", "what came in late", "of tea", "more"]),
        (clears, ["more"]),
    ],
)
async def test_where_something_else_is_asked_by_now_it_is_not_taken(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    happens: Callable[[Assistant], Awaitable[None]],
    then: list[str],
) -> None:
    await left_alone(tmp_path, monkeypatch)
    model = ScriptedModel({"summary": lambda _: "Something else."})
    async with remembering(tmp_path, model) as assistant:
        await happens(assistant)
        assert await summarise(assistant, await hears(assistant, "more", first=2))
        assert asked(model) == [then]
        assert [each for each in await text(assistant) if each] == ["Something else."]


IDS = [EventId(bytes([number]) * 16) for number in range(8)]
HERE = Audience("channel", Ref("discord", "7"))
LINES = tuple(Line("Kim", each, NOW + n, IDS[n].hex()) for n, each in enumerate(("hello", "of tea", "more")))
PLAN = SummaryPlan(
    "s", HERE, NOBODY, 1, IDS[5], SummaryInputs("dnam", "So far.", LINES, LIMIT), Point(NOW - 1, IDS[6]),
    Point(NOW + 2, IDS[2]), (IDS[5], *IDS[:3]), NOW + 2, "cadence@1",
)  # fmt: skip
PART = PLAN._replace(
    inputs=SummaryInputs("dnam", "So far.", LINES[:2], LIMIT), upto=Point(NOW + 1, IDS[1]), causes=(IDS[5], *IDS[:2]),
    said=NOW + 1,
)  # fmt: skip


def answered(plan: SummaryPlan, reply: str = SHORT, stop: str = "", **changed: Any) -> SummaryAnswered:
    """What a refresh by this plan records of a reply."""
    inputs = msgspec.json.encode(plan.inputs).decode()
    prompt = load(SUMMARY_PROMPT)
    use = ModelUse("haiku", "7", prompt.name, digest(prompt.text, inputs), stop=stop)
    event = SummaryAnswered(
        said=plan.said, by=By("model", name="haiku", version="7"), causes=plan.causes, session=plan.session,
        audience=plan.audience, era=plan.era, person=plan.person, after=plan.after, upto=plan.upto, reply=reply,
        call=use, policy="on request",
    )  # fmt: skip
    return msgspec.structs.replace(event, **changed)


def begun(event: SummaryAnswered, model: str = "haiku", own_name: str = "") -> Step:
    """What a refresh by the whole plan does first, when it has found this reply."""
    refreshing = loop.refresh_summary(PLAN, load(SUMMARY_PROMPT), model, Minting(lambda: NOW), own_name)
    assert isinstance(next(refreshing), Find)
    return refreshing.send(Recorded((Record(Seq(9), IDS[7], NOW, event),)))


@pytest.mark.parametrize("plan", [PLAN, PART])
def test_a_reply_to_the_beginning_of_what_would_be_asked_is_taken(plan: SummaryPlan) -> None:
    assert answered_part(PLAN, answered(plan)) == plan
    assert isinstance(begun(answered(plan)), Decide)


def test_one_to_what_a_summary_went_by_is_taken_too() -> None:
    """What it reaches up to lies behind all that it reads: other readers passed that over."""
    behind = PLAN._replace(after=Point(NOW + 9, IDS[7]), upto=Point(NOW + 9, IDS[7]))
    assert answered_part(behind, answered(behind)) == behind
    assert answered_part(behind, answered(behind._replace(causes=PART.causes))) is None


def by(model: str) -> SummaryAnswered:
    """A reply of a model, to the beginning."""
    event = answered(PART)
    return msgspec.structs.replace(event, call=msgspec.structs.replace(event.call, model=model))


def test_one_of_another_model_than_is_asked_now_is_not() -> None:
    assert isinstance(begun(by("haiku"), "opus"), Ask)
    assert isinstance(begun(by("claude-haiku-4-5"), "haiku", "claude-haiku-5"), Ask)


@pytest.mark.parametrize("model", ["claude-haiku-5", "claude-haiku-5-20261001"])
def test_one_of_the_model_that_the_name_stands_for_is(model: str) -> None:
    assert isinstance(begun(by(model), "haiku", "claude-haiku-5"), Decide)


@pytest.mark.parametrize(
    "event",
    [
        answered(PART, session="t"),
        answered(PART, era=2),
        answered(PART, after=None),
        answered(PART, person=ANN),
        answered(PART, audience=Audience("channel", HERE.place, epoch=1)),
        answered(PART, causes=(IDS[5], IDS[0], IDS[4])),
        answered(PART, upto=Point(NOW + 1, IDS[4])),
        answered(PLAN._replace(inputs=PART.inputs)),
        answered(PART._replace(inputs=PLAN.inputs)),
        answered(PART, " "),
        answered(PART, stop="max_tokens"),
    ],
)
def test_one_to_anything_else_and_one_of_no_use_is_not(event: SummaryAnswered) -> None:
    ask = begun(event)
    assert isinstance(ask, Ask)
    assert ask.inputs == PLAN.inputs


async def test_under_another_limit_it_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await left_alone(tmp_path, monkeypatch)
    model = ScriptedModel()
    async with remembering(tmp_path, model, summary_max_chars="40") as assistant:
        assert await summarise(assistant, await again(assistant))
        assert asked(model) == [["hello", "of tea"]]


async def test_what_is_cleared_while_the_shorter_one_is_made_does_not_come_back(tmp_path: Path) -> None:
    await broken_off(tmp_path)
    model = HeldModel({"summary": long_then()})
    async with remembering(tmp_path, model) as assistant:
        model.hold("summary")
        work = asyncio.create_task(summarise(assistant, await again(assistant)))
        await model.reached["summary"].wait()
        await clears(assistant)
        model.let_go()
        assert not await work
        assert await text(assistant) == [""]
        assert asked(model) == [[]]
        assert decisions(assistant, "summary.answered") == [["summary.answered"]] * 2
        assert not await summarise(assistant, await again(assistant))


async def test_what_is_taken_back_while_a_text_is_made_that_is_too_long_leaves_no_word(tmp_path: Path) -> None:
    model = HeldModel({"summary": lambda ask: LONG if read(ask) else "Still of tea."})
    model.hold("summary")
    async with remembering(tmp_path, model) as assistant:
        work = asyncio.create_task(summarise(assistant, await hears(assistant, "hello", "of tea")))
        await model.reached["summary"].wait()
        await takes_back(assistant)
        model.let_go()
        assert not await work
        assert await text(assistant) == []
        assert {each.reply for each in of_kind(assistant, SummaryAnswered)} == {""}


async def test_what_is_taken_back_while_the_shorter_one_is_made_leaves_no_word(tmp_path: Path) -> None:
    await broken_off(tmp_path)
    model = HeldModel({"summary": long_then()})
    async with remembering(tmp_path, model) as assistant:
        model.hold("summary")
        work = asyncio.create_task(summarise(assistant, await again(assistant)))
        await model.reached["summary"].wait()
        await takes_back(assistant)
        model.let_go()
        assert not await work
        assert await text(assistant) == []
        assert [each.reply for each in of_kind(assistant, SummaryAnswered)] == [""]
