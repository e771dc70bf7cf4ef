"""When the loops run: after turns, before a window overflows, after quiet, at the start; and what bursts do to them.

Nothing here waits for a clock: the model waits for the test, and the quiet for a sleep that the test ends.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Literal

import pytest

from dnam.assistant import Assistant
from dnam.failures import MOST, Failures
from dnam.jobs import Job, Jobs
from dnam.learning.idle import Idle
from dnam.loops.loop import MOST_RESTED_SECONDS
from dnam.model import Ask, ModelError, OverBudget, Resting
from dnam.whereabouts import Heard
from projections.config import GLOBAL, Scope
from projections.decisions.configure import ConfigRequest, configure
from projections.decisions.place import PlaceSeen
from projections.events import (
    ExtractionAnswered,
    ExtractionFailed,
    ItemUpserted,
    JobFailed,
    SummaryAnswered,
    SummaryFailed,
    SummaryRefreshed,
    SummaryReset,
)
from projections.events.values import OPERATOR
from projections.ids import Handle, Ref
from projections.messages import point_key, unit
from projections.recall.documents import Document, documents_at
from projections.rows import RawRows
from replay.errors import LogFull
from replay.recall import recalling
from tests.dnam.held import HeldModel
from tests.dnam.scripted import FakeClock, ScriptedModel, down, lines_of, say, talking
from tests.dnam.test_loops import recorded
from tests.passing import Passes
from tests.passing import passes as passes
from tests.world import handle

GUILD = Ref("local", "garden")
ROOM = PlaceSeen("local", "general", "channel", "general", "guild", guild=GUILD, guild_name="Garden")
TEA = '{"upserts": [{"kind": "preference", "text": "User likes tea."}]}'
NO_SUMMARIES = {"summary_enabled": "0"}
EVERY_TURN = {"durable_every_n_turns": "1", **NO_SUMMARIES}
MINUTE_MS = 60_000


async def turn(assistant: Assistant, user: str, text: str, place: PlaceSeen | None = None) -> Heard:
    """A message and its answer; what is due is started and not waited for."""
    heard = await assistant.memory.heard(user, text, place=place)
    answered = await assistant.answer(heard)
    await assistant.memory.delivered(heard, answered.turn)
    assistant.after_turn(heard)
    return heard


def read(assistant: Assistant) -> list[tuple[str, int]]:
    """What set each extraction off, and how many messages it read."""
    return [(each.policy, len(each.inputs)) for each in recorded(assistant, ExtractionAnswered)]


def lines(asks: list[Ask]) -> list[list[str]]:
    """What people said in each ask."""
    return [[line.text for line in lines_of(ask) if not line.assistant] for ask in asks]


# -- bursts ------------------------------------------------------------------------------------------------------------


async def test_one_person_in_two_channels_at_once_is_read_once(tmp_path: Path) -> None:
    model = HeldModel({"extraction": lambda _: TEA})
    model.hold("extraction")
    async with talking(tmp_path, model, None, **EVERY_TURN) as assistant:
        await turn(assistant, "ada", "in the room", ROOM)
        await model.reached["extraction"].wait()
        await asyncio.gather(turn(assistant, "ada", "in private"), turn(assistant, "ada", "in the room too", ROOM))
        model.let_go()
        await assistant.settle()
        assert sorted(line for each in lines(model.asked("extraction")) for line in each) == [
            "in private",
            "in the room",
            "in the room too",
        ]
        assert sum(count for _, count in read(assistant)) == 3


class Waited(asyncio.Lock):
    """A lock that tells when somebody has to wait for it."""

    def __init__(self, told: asyncio.Event) -> None:
        super().__init__()
        self._told = told

    async def acquire(self) -> Literal[True]:
        if self.locked():
            self._told.set()
        return await super().acquire()


async def test_who_asks_to_extract_during_an_extraction_waits_for_it_and_nothing_is_read_twice(tmp_path: Path) -> None:
    model = HeldModel()
    model.hold("extraction")
    async with talking(tmp_path, model, None, **EVERY_TURN) as assistant:
        heard = await assistant.memory.heard("ada", "I like tea")
        waits_or_asks = asyncio.Event()
        lock = assistant._learning[heard.person] = Waited(waits_or_asks)
        await assistant.answer(heard)
        assistant.after_turn(heard)
        await model.reached["extraction"].wait()
        model.reached["extraction"] = waits_or_asks
        asking = asyncio.create_task(assistant.extract(heard.person))
        await waits_or_asks.wait()
        assert lock.locked()
        model.let_go()
        assert await asking == []
        assert lines(model.asked("extraction")) == [["I like tea"]]


async def test_two_people_in_one_channel_are_read_apart_and_summarised_together(tmp_path: Path) -> None:
    model = HeldModel()
    model.hold("summary", "extraction")
    async with talking(tmp_path, model, None, summary_every_n_turns="2", durable_every_n_turns="1") as assistant:
        await turn(assistant, "ada", "I am Ada", ROOM)
        await turn(assistant, "ines", "I am Ines", ROOM)
        await model.reached["summary"].wait()
        await asyncio.gather(*(turn(assistant, user, f"more of {user}", ROOM) for user in ("ada", "ines")))
        model.let_go()
        await assistant.settle()
        said = [set(each) for each in lines(model.asked("summary"))]
        assert said == [{"I am Ada", "I am Ines"}, {"more of ada", "more of ines"}]
        assert len(recorded(assistant, SummaryRefreshed)) == 2
        by_person = {frozenset(each) for each in lines(model.asked("extraction"))}
        assert all(len({line.split()[-1].casefold() for line in each}) == 1 for each in by_person)
        assert sum(count for _, count in read(assistant)) == 4


async def test_as_many_turns_during_a_job_begin_another(tmp_path: Path) -> None:
    model = HeldModel()
    model.hold("extraction")
    async with talking(tmp_path, model, None, durable_every_n_turns="2", **NO_SUMMARIES) as assistant:
        await turn(assistant, "ada", "one")
        await turn(assistant, "ada", "two")
        await model.reached["extraction"].wait()
        for text in ("three", "four", "five"):
            await turn(assistant, "ada", text)
        model.let_go()
        await assistant.settle()
        assert lines(model.asked("extraction")) == [["one", "two"], ["three", "four", "five"]]


async def test_a_model_that_is_down_is_asked_once_a_cycle_also_in_a_burst(tmp_path: Path) -> None:
    model = ScriptedModel({"extraction": down, "summary": down})
    async with talking(tmp_path, model, None, summary_every_n_turns="2", durable_every_n_turns="2") as assistant:
        await say(assistant, "ada", "one", "two", "three", "four", "five")
        assert (len(recorded(assistant, ExtractionFailed)), len(recorded(assistant, SummaryFailed))) == (2, 2)


@pytest.mark.parametrize("stage", ["asked", "replied"])
async def test_a_restart_in_mid_extraction_loses_nothing_and_does_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    model = HeldModel({"extraction": lambda _: TEA})
    model.hold("extraction")
    async with talking(tmp_path, model, None, **EVERY_TURN) as assistant:
        heard = await assistant.memory.heard("ada", "I like tea")
        await assistant.answer(heard)
        if stage == "replied":
            monkeypatch.setattr(assistant.memory, "record", never)
        assistant.after_turn(heard)
        await model.reached["extraction"].wait()
        if stage == "replied":
            model.let_go()
            await assistant.settle()
        await assistant.stop()
        assert recorded(assistant, ExtractionAnswered, ExtractionFailed, ItemUpserted) == []
    model.let_go()
    async with talking(tmp_path, model, None, **EVERY_TURN) as assistant:
        async with assistant.watching():
            await assistant.settle()
        assert read(assistant) == [("cadence@1", 1)]
        assert len(recorded(assistant, ItemUpserted)) == 1
    async with talking(tmp_path, model, None, **EVERY_TURN) as assistant:
        async with assistant.watching():
            await assistant.settle()
        assert len(read(assistant)) == 1


async def never(decision: object) -> None:
    """A process that ends before anything is handed to the log."""
    raise asyncio.CancelledError


@pytest.mark.parametrize(("writes", "read"), [(0, ["hello", "again"]), (1, ["again"])])
async def test_a_restart_beside_a_summary_s_reply_keeps_it_with_its_decision_or_neither(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int, read: list[str]
) -> None:
    every, clock = {"summary_every_n_turns": "1", "durable_memory_enabled": "0"}, FakeClock()
    async with talking(tmp_path, ScriptedModel(), clock, **every) as assistant:
        calls = chain(repeat(assistant.memory.record, writes), repeat(never))

        async def only_so_many(decision: Any) -> Any:
            return await next(calls)(decision)

        heard = await assistant.memory.heard("ada", "hello")
        await assistant.answer(heard)
        monkeypatch.setattr(assistant.memory, "record", only_so_many)  # the disk is full by then
        assistant.after_turn(heard)
        await assistant.settle()
        assert len(recorded(assistant, SummaryAnswered)) == len(recorded(assistant, SummaryRefreshed)) == writes
        assert recorded(assistant, SummaryFailed) == []
    model = ScriptedModel()
    async with talking(tmp_path, model, clock, **every) as assistant:
        await say(assistant, "ada", "again")
        assert lines(model.asked("summary")) == [read]
        assert len(recorded(assistant, SummaryRefreshed)) == writes + 1


async def test_an_older_job_never_overwrites_a_newer_summary(tmp_path: Path) -> None:
    model = HeldModel()
    model.hold("summary")
    async with talking(tmp_path, model, None, summary_every_n_turns="1", durable_memory_enabled="0") as assistant:
        heard = await turn(assistant, "ada", "one")
        await model.reached["summary"].wait()
        newer = ScriptedModel({"summary": lambda _: "newer"})
        assistant.model = newer
        assert await assistant.summarise(heard.session, heard.setting.audience, heard.person)
        model.let_go()
        await assistant.settle()
        assert [each.text for each in recorded(assistant, SummaryRefreshed)] == ["newer"]


async def test_a_reset_during_the_very_first_job_wins(tmp_path: Path) -> None:
    from dnam.commands.command import Invocation
    from dnam.commands.table import read as command
    from dnam.commands.table import run

    model = HeldModel()
    model.hold("summary")
    async with talking(tmp_path, model, None, summary_every_n_turns="1", durable_memory_enabled="0") as assistant:
        heard = await turn(assistant, "ada", "one")
        await model.reached["summary"].wait()
        call = command("!memory reset rolling")
        assert call is not None
        reply = await run(assistant, Invocation(heard.setting, heard.session), call)
        assert reply.text.startswith("Rolling summary cleared for this session")
        model.let_go()
        await assistant.settle()
        assert recorded(assistant, SummaryRefreshed) == []
        assert len(recorded(assistant, SummaryReset)) == 1
        await say(assistant, "ada", "two")
        assert lines(model.asked("summary"))[-1] == ["two"]


# -- what sets an extraction off ---------------------------------------------------------------------------------------


async def test_before_the_window_overflows(tmp_path: Path) -> None:
    model = ScriptedModel()
    limits = {"message_history_count": "6", "durable_every_n_turns": "100", **NO_SUMMARIES}
    async with talking(tmp_path, model, None, **limits) as assistant:
        await say(assistant, "ada", "one", "two")
        assert read(assistant) == []
        await say(assistant, "ada", "three")
        assert read(assistant) == [("overflow@1", 3)]
        await say(assistant, "ada", "four", "five", "six")
        assert read(assistant) == [("overflow@1", 3), ("overflow@1", 3)]


async def test_words_that_others_push_out_of_the_window(tmp_path: Path) -> None:
    limits = {"message_history_count": "4", "durable_every_n_turns": "100", **NO_SUMMARIES}
    async with talking(tmp_path, ScriptedModel(), None, **limits) as assistant:
        await turn(assistant, "ada", "I keep bees", ROOM)
        await assistant.settle()
        for text in ("ah", "oh"):
            heard = await assistant.memory.heard("ines", text, place=ROOM, addressed=False)
            assistant.after_heard(heard)
            await assistant.settle()
        (done,) = recorded(assistant, ExtractionAnswered)
        assert isinstance(done, ExtractionAnswered)
        assert (done.owner, done.policy) == (await assistant.memory.person("ada"), "overflow@1")


async def _configure(assistant: Assistant, scope: Scope, learn: str) -> None:
    memory = assistant.memory
    request = ConfigRequest(scope, "learn", learn, OPERATOR, memory.origin(), memory.now())
    await memory.record(lambda rows: configure(rows, request))


async def test_where_everything_heard_is_learned_from_it_is_counted_in_messages(tmp_path: Path) -> None:
    async with talking(tmp_path, ScriptedModel(), None, durable_every_n_turns="3", **NO_SUMMARIES) as assistant:
        await _configure(assistant, GLOBAL, "heard")
        for text in ("one", "two", "three", "four"):
            heard = await assistant.memory.heard("ada", text, place=ROOM, addressed=False)
            assistant.after_heard(heard)
            await assistant.settle()
        assert read(assistant) == [("cadence@1", 3)]


async def test_where_nothing_is_learned_from_nothing_is_read(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with talking(tmp_path, model, None, **EVERY_TURN) as assistant:
        await _configure(assistant, Scope("guild", GUILD), "none")
        await turn(assistant, "ada", "in the room", ROOM)
        await assistant.settle()
        assert await assistant.extract(await assistant.memory.person("ada")) == []
        await say(assistant, "ada", "in private")
        assert lines(model.asked("extraction")) == [["in private"]]


async def test_by_default_only_what_is_said_to_the_assistant_is_learned_from(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with talking(tmp_path, model, None, **EVERY_TURN) as assistant:
        await assistant.memory.heard("ada", "between us", place=ROOM, addressed=False)
        await turn(assistant, "ada", "to you", ROOM)
        await assistant.settle()
        assert lines(model.asked("extraction")) == [["to you"]]


# -- quiet -------------------------------------------------------------------------------------------------------------


class Nap:
    """A sleep that the test ends."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.asleep = asyncio.Event()
        self.wake = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        self.asleep.set()
        await self.wake.wait()
        self.wake.clear()


async def test_half_an_hour_of_quiet_sets_an_extraction_off(tmp_path: Path) -> None:
    clock, nap, model = FakeClock(), Nap(), HeldModel()
    model.hold("extraction")
    async with talking(tmp_path, model, clock, **NO_SUMMARIES) as assistant, assistant.watching(nap):
        await say(assistant, "ada", "I keep bees")
        await nap.asleep.wait()
        assert nap.seconds[0] == pytest.approx(30 * 60, abs=1)
        assert read(assistant) == []
        clock.time += 30 * MINUTE_MS
        nap.wake.set()
        await model.reached["extraction"].wait()
        model.let_go()
        await assistant.settle()
        assert read(assistant) == [("cadence@1 after a while of quiet", 1)]


async def test_who_was_quiet_over_a_restart_is_found(tmp_path: Path) -> None:
    clock, model = FakeClock(), HeldModel()
    async with talking(tmp_path, model, clock, **NO_SUMMARIES) as assistant:
        await say(assistant, "ada", "I keep bees")
        await assistant.memory.heard("ines", "I said nothing to you", place=ROOM, addressed=False)
    clock.time += 31 * MINUTE_MS
    model.hold("extraction")
    async with talking(tmp_path, model, clock, **NO_SUMMARIES) as assistant, assistant.watching(Nap()):
        await model.reached["extraction"].wait()
        model.let_go()
        await assistant.settle()
        assert [count for _, count in read(assistant)] == [1]


async def test_what_was_read_meanwhile_is_not_read_again(tmp_path: Path) -> None:
    clock = FakeClock()
    async with talking(tmp_path, ScriptedModel(), clock, **NO_SUMMARIES) as assistant:
        await say(assistant, "ada", "I keep bees")
        ada = await assistant.memory.person("ada")
        await assistant.extract(ada)
        assistant._quiet_now(ada)
        await assistant.settle()
        assert [policy for policy, _ in read(assistant)] == ["on request"]


@pytest.mark.parametrize(
    "off", [{"durable_memory_enabled": "0"}, {"memory_enabled": "0"}, {"extraction_idle_minutes": "0"}]
)
async def test_what_is_switched_off_is_not_waited_for(tmp_path: Path, off: dict[str, str]) -> None:
    model = ScriptedModel()
    async with talking(tmp_path, model, None, **off) as assistant, assistant.watching(Nap()):
        await say(assistant, "ada", "I keep bees")
        heard = await assistant.memory.heard("ada", "and more", addressed=False)
        assistant.after_heard(heard)
        await assistant.settle()
        assert len(assistant._idle) == 0
        assert model.asked("extraction") == []


async def test_people_are_told_of_in_order_and_once() -> None:
    clock, told, nap, both = FakeClock(0), list[Handle](), Nap(), asyncio.Event()

    def tell(person: Handle) -> None:
        told.append(person)
        if len(told) == 2:
            both.set()

    idle = Idle(1_000, clock.now, tell)
    ada, ben = handle("ada"), handle("ben")
    task = asyncio.create_task(idle.run(nap))
    idle.heard(ada, 0)
    idle.heard(ben, 100)
    idle.heard(ada, 200)
    await nap.asleep.wait()
    clock.time = 1_100
    nap.asleep.clear()
    nap.wake.set()
    await nap.asleep.wait()
    assert told == [ben]
    clock.time = 1_200
    nap.wake.set()
    await both.wait()
    assert told == [ben, ada]
    task.cancel()
    await asyncio.wait({task})


async def test_who_is_handed_in_later_and_was_heard_earlier_is_told_of_in_time() -> None:
    """At the start: Ada speaks before it is found that Kim has been waited for since before the restart."""
    clock, told, kims, both = FakeClock(0), list[tuple[Handle, int]](), asyncio.Event(), asyncio.Event()
    slept: list[float] = []
    ada, kim = handle("ada"), handle("kim")

    def tell(person: Handle) -> None:
        told.append((person, clock.time))
        if len(told) == 2:
            both.set()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 1:  # it is Ada who is waited for, until there is news
            kims.set()
            await asyncio.Event().wait()
        clock.time += round(seconds * 1000)

    idle = Idle(30 * MINUTE_MS, clock.monotonic, tell)
    task = asyncio.create_task(idle.run(sleep))
    idle.heard(ada, 0)
    async with asyncio.timeout(5):
        await kims.wait()
        idle.heard(kim, -25 * MINUTE_MS)
        idle.heard(ada, -MINUTE_MS)  # found late: it was said before what is known
        await both.wait()
    assert told == [(kim, 5 * MINUTE_MS), (ada, 30 * MINUTE_MS)]
    assert len(idle) == 0
    task.cancel()
    await asyncio.wait({task})


async def test_a_sleep_that_fails_ends_the_waiting() -> None:
    async def sleep(_: float) -> None:
        raise OSError("no clock")

    idle = Idle(1_000, FakeClock(0).monotonic, lambda _: None)
    idle.heard(handle("ada"), 0)
    with pytest.raises(OSError, match="no clock"):
        await idle.run(sleep)


# -- a service that asks to be left alone ------------------------------------------------------------------------------


def resting(*seconds: float) -> ScriptedModel:
    """A model whose service asks for these rests, one after the other, before it replies."""
    left = list(seconds)

    def script(_: Ask) -> str:
        if left:
            raise Resting("it asked to be left alone", left.pop(0))
        return "They talked."

    return ScriptedModel({"summary": script})


async def test_a_loop_waits_for_a_service_that_rests(tmp_path: Path) -> None:
    model = resting(0.02, 0.01)
    async with talking(tmp_path, model, None, summary_every_n_turns="1") as assistant:
        await say(assistant, "ada", "I keep bees")
        assert len(recorded(assistant, SummaryRefreshed)) == 1
        assert (len(model.asked("summary")), list(assistant.failures)) == (3, [])


async def test_a_loop_is_put_off_where_the_rest_is_long_and_nothing_is_lost(tmp_path: Path) -> None:
    model = resting(MOST_RESTED_SECONDS + 1)
    async with talking(tmp_path, model, None, summary_every_n_turns="1") as assistant:
        await say(assistant, "ada", "I keep bees")
        assert recorded(assistant, SummaryRefreshed, SummaryFailed, JobFailed) == []
        assert list(assistant.failures) == ["summary: it asked to be left alone"]
        await say(assistant, "ada", "and a cat")
        assert "I keep bees" in lines(model.asked("summary"))[-1]


async def test_nor_does_a_loop_wait_for_one_rest_behind_the_other(tmp_path: Path) -> None:
    """It keeps others from a place at the model, and its person's learning."""
    model = resting(0.01, MOST_RESTED_SECONDS)
    async with talking(tmp_path, model, None, summary_every_n_turns="1") as assistant, asyncio.timeout(5):
        await say(assistant, "ada", "I keep bees")
        assert (len(model.asked("summary")), recorded(assistant, SummaryFailed, JobFailed)) == (2, [])
        assert list(assistant.failures) == ["summary: it asked to be left alone"]


async def test_a_rest_is_told_when_it_begins_and_when_it_is_over(tmp_path: Path, passes: Passes) -> None:
    """Not with each loop that is due meanwhile: they are put off, and counted."""
    told, seconds, is_over = list[str](), MOST_RESTED_SECONDS + 1, asyncio.Event()

    def tell(words: str) -> None:
        told.append(words)
        if "is over" in words:
            is_over.set()

    def rests(of: float, model: str = "haiku") -> Resting:
        return Resting(f"{model} asked to be left alone for {of:g} s more", of, model=model)

    async with talking(tmp_path, resting(), None) as assistant:
        assistant.failures.tell = tell
        for number, about in enumerate("abcd"):
            await assistant.went_wrong(Job("summary", about), rests(seconds - number))
        await assistant.went_wrong(Job("extraction", "kim"), rests(0.05, "opus"))
        await assistant.went_wrong(Job("extraction", "ada"), rests(0.1, "opus"))
        assert told == [
            "summary is put off: haiku asked to be left alone for 61 s more",
            "extraction is put off: opus asked to be left alone for 0.05 s more",
        ]
        assert (assistant.failures.total, recorded(assistant, JobFailed)) == (2, [])
        passes(1)
        async with asyncio.timeout(5):
            await is_over.wait()
        over = "the rest is over that opus asked for: it is asked again. 1 loop was put off meanwhile besides"
        assert told[2:] == [over]
        await assistant.went_wrong(Job("extraction", "ada"), rests(0.01, "opus"))
        assert told[3:] == ["extraction is put off: opus asked to be left alone for 0.01 s more"]
        await assistant.stop()
        passes(1)
        for _ in range(3):
            await asyncio.sleep(0)
        assert len(told) == 4


# -- what goes wrong, and what is kept ---------------------------------------------------------------------------------


async def test_a_job_that_has_no_event_of_its_own_leaves_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ValueError("no I keep bees here")

    monkeypatch.setattr("dnam.learning.tending.plan_summary", broken)
    async with talking(tmp_path, ScriptedModel(), None, summary_every_n_turns="1") as assistant:
        heard = await assistant.memory.heard("ada", "I keep bees")
        await assistant.answer(heard)
        assistant.after_turn(heard)
        await assistant.settle()
        (failed,) = recorded(assistant, JobFailed)
        assert isinstance(failed, JobFailed)
        assert (failed.job, failed.session, failed.error) == ("summary", heard.session, "ValueError")
        assert list(assistant.failures) == ["summary: no I keep bees here"]


async def test_where_the_log_does_not_take_it_it_is_told_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talking(tmp_path, ScriptedModel(), None) as assistant:

        async def full(decision: object) -> None:
            raise LogFull("the disk is full")

        monkeypatch.setattr(assistant.memory, "record", full)
        await assistant.went_wrong(Job("quiet", "ada"), ModelError("down"))
        assert list(assistant.failures) == ["quiet: down", "recording that: the disk is full"]


async def test_what_the_budget_puts_off_is_no_failure_and_is_done_later(tmp_path: Path) -> None:
    def too_dear(ask: Ask) -> str:
        raise OverBudget(f"no money for {ask.purpose}")

    model = ScriptedModel({"extraction": too_dear})
    async with talking(tmp_path, model, None, **EVERY_TURN) as assistant:
        await say(assistant, "ada", "I like tea")
        assert recorded(assistant, ExtractionFailed, JobFailed) == []
        assert list(assistant.failures) == ["extraction: no money for extraction"]
        model.scripts.clear()
        await say(assistant, "ada", "and cake")
        assert lines(model.asked("extraction"))[-1] == ["I like tea", "and cake"]


async def test_entries_that_are_dropped_are_told_of_and_the_others_are_kept(tmp_path: Path) -> None:
    reply = '{"upserts": [{"kind": "fact", "text": ""}, {"text": "User likes tea."}, {"text": 7}]}'
    async with talking(tmp_path, ScriptedModel({"extraction": lambda _: reply}), None, **EVERY_TURN) as assistant:
        await say(assistant, "ada", "I like tea")
        assert [item.text for item in await assistant.memory.show("ada")] == ["User likes tea."]
        assert len(assistant.failures) == 2
        assert "upserts[0]: its text is empty" in next(iter(assistant.failures))


def test_failures_are_bounded_and_told_once() -> None:
    failures = Failures()
    assert not failures
    assert failures.after(0) == []
    for n in range(MOST + 50):
        failures.append(str(n))
    assert (len(failures), failures.total, next(iter(failures))) == (MOST, MOST + 50, "50")
    assert failures.after(MOST + 48) == [str(MOST + 48), str(MOST + 49)]
    assert failures.after(0) == list(failures)
    assert failures.after(failures.total) == []
    assert failures


async def test_what_has_ended_leaves_nothing_behind(tmp_path: Path) -> None:
    async with talking(
        tmp_path, ScriptedModel(), None, durable_every_n_turns="1", summary_every_n_turns="1"
    ) as assistant:
        for n in range(30):
            await turn(assistant, f"user {n}", "hello")
        await assistant.settle()
        assert len(assistant._jobs) == 0
        assert len(assistant._learning) == 0


async def test_a_job_runs_once_at_a_time_and_can_be_given_up() -> None:
    wrong = list[str]()

    async def told(job: Job, error: Exception) -> None:
        wrong.append(f"{job.name}: {error}")

    jobs, gate = Jobs(told), asyncio.Event()
    assert jobs.start(Job("wait", 1), _waiting(gate))
    assert not jobs.start(Job("wait", 1), _waiting(gate))
    assert jobs.start(Job("wait", 2), _waiting(gate))
    assert (len(jobs), jobs.is_running("wait", 1), jobs.is_running("wait", 3)) == (2, True, False)
    await jobs.stop()
    assert (len(jobs), wrong) == (0, [])
    gate.set()
    jobs.start(Job("wait", 1), _waiting(gate, ValueError("oh")))
    await jobs.settle()
    assert wrong == ["wait: oh"]


def _waiting(gate: asyncio.Event, error: Exception | None = None) -> Callable[[], Awaitable[None]]:
    async def work() -> None:
        await gate.wait()
        if error is not None:
            raise error

    return work


async def test_an_answer_is_told_as_it_streams(tmp_path: Path) -> None:
    async with talking(tmp_path, ScriptedModel({"answer": lambda _: "hello there"}), None) as assistant:
        told = list[str]()
        thought = await assistant.think(await assistant.memory.heard("ada", "hi"), told.append)
        assert (told, thought.text) == (["hello there"], "hello there")


async def test_behind_an_answer_it_is_made_ready_to_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []

    def reading(raw: RawRows, point: bytes) -> Iterator[Document]:
        read.append(point)
        return documents_at(raw, point)

    async with talking(tmp_path, ScriptedModel()) as assistant:
        heard = await turn(assistant, "kim", "I like green tea", ROOM)
        await assistant.settle()
        monkeypatch.setattr(recalling, "documents_at", reading)
        again = await assistant.memory.heard("kim", "which tea do I like?", place=ROOM)
        await assistant.answer(again)
    unit_of = unit(again.session, again.setting.audience.epoch)
    assert again.session == heard.session
    assert read == [unit_of + point_key(again.point)[:8]]  # the message alone: the answer before it is there
