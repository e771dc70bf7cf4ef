"""How long an answer may take, and what is paid for one that is broken off."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from dnam.adapters.discord import cog
from dnam.exchange import Exchanges
from dnam.loops import loop as loop_module
from dnam.loops.loop import GIVEN_UP, Decide, Failed, Loop, drive
from dnam.memory import Memory
from dnam.model import Ask, Hear, ModelError, Reply, SummaryInputs, spent_in, unheard
from dnam.unwritten import Unwritten
from projections.calls import CallRow, calls
from projections.decisions.draft import Decision
from projections.decisions.hear import HeardRequest
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events import ExtractionFailed, SummaryFailed, TurnAnswered, TurnFailed, TurnInterrupted
from replay.errors import LogFull
from replay.group import Recorded
from tests.dnam.discord.stage import bot_in, events, garden, idle, shown
from tests.dnam.scripted import ScriptedModel, talking
from tests.passing import Passes
from tests.passing import passes as passes
from tests.world import NOW

HOUR = 3600.0
ASK = Ask("summary", "m", "summary@1", "s", "p", SummaryInputs("marcy", "", (), 100))


class Thinking(ScriptedModel):
    """A model that thinks for an hour, by the event loop's clock, before it says anything."""

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        loop = asyncio.get_running_loop()
        ahead = _ahead(loop.time)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(loop, "time", ahead)
            for _ in range(3):
                await asyncio.sleep(0)
        return await super().ask(ask, hear)


def _ahead(time: Callable[[], float]) -> Callable[[], float]:
    return lambda: time() + HOUR


class Costly(ScriptedModel):
    """A model that never finishes, and says what it took when it is broken off."""

    reached: asyncio.Event

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        self.asks.append(ask)
        self.reached.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            spent = Reply("", "costly", "1", tokens_in=9, cost_micros=777)
            raise asyncio.CancelledError(spent) from None
        raise AssertionError("nobody lets it go on")


def costly() -> Costly:
    model = Costly()
    model.reached = asyncio.Event()
    return model


async def test_an_answer_that_is_thought_about_for_long_is_waited_for(tmp_path: Path) -> None:
    async with talking(tmp_path, Thinking(), None) as assistant:
        heard = await assistant.memory.heard("ada", "why?")
        assert (await assistant.think(heard)).text == "yes"


async def test_a_model_that_gives_up_by_itself_has_not_answered(tmp_path: Path) -> None:
    def too_late(_: Ask) -> str:
        raise TimeoutError

    async with talking(tmp_path, ScriptedModel({"answer": too_late}), None) as assistant:
        heard = await assistant.memory.heard("ada", "why?")
        with pytest.raises(ModelError, match="scripted did not answer in time"):
            await assistant.think(heard)


async def test_a_loop_that_waits_no_longer_counts_what_it_cost() -> None:
    model = costly()

    def loop() -> Loop[Failed]:
        failed = yield ASK
        assert isinstance(failed, Failed)
        return failed

    async def record(_: Decision) -> Recorded:
        raise AssertionError("nothing is decided")

    failed = await drive(loop(), model, record, 0)
    assert (failed.spent.cost_micros if failed.spent else 0) == 777


async def test_a_loop_s_reply_has_its_time_in_all_whatever_model_it_is(tmp_path: Path, passes: Passes) -> None:
    """No adapter counts the time here: Claude's has a limit of its own (`claude/test_claude.py`)."""

    class Dripping(ScriptedModel):
        """A model that says something every now and then, and comes to no end."""

        async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
            while True:
                passes(0.3)
                await asyncio.sleep(0)
                hear("and ")

    async with talking(tmp_path, Dripping(), None, model_timeout_seconds="1") as assistant:
        heard = await assistant.memory.heard("ada", "I like tea")
        async with asyncio.timeout(60):
            (learned,) = await assistant.extract(heard.person)
        assert learned.error == "scripted did not answer within 1 seconds"


async def test_a_loop_that_is_given_up_is_on_the_bill_and_decides_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop_module, "BILL_SECONDS", HOUR)
    model = costly()
    async with talking(tmp_path, model, None) as assistant:
        heard = await assistant.memory.heard("ada", "I like tea")
        for work, failed in (
            (assistant.summarise(heard.session, heard.setting.audience, heard.person), SummaryFailed),
            (assistant.extract(heard.person), ExtractionFailed),
        ):
            model.reached.clear()
            task = asyncio.create_task(_to_its_end(work))
            await model.reached.wait()
            task.cancel()
            await asyncio.wait({task})
            assert task.cancelled()
            (event,) = events(assistant.memory, failed)
            assert isinstance(event, SummaryFailed | ExtractionFailed)
            assert (event.error, event.call.cost_micros) == (GIVEN_UP, 777)
        assert await spent(assistant.memory) == [("costly", 777, True)] * 2


async def _to_its_end(work: Awaitable[object]) -> None:
    await work


async def test_a_log_that_cannot_be_written_keeps_no_loop_from_ending() -> None:
    model = costly()

    def loop() -> Loop[None]:
        yield ASK
        yield Decide(lambda _: [])
        raise AssertionError("it was given up")

    async def record(_: Decision) -> Recorded:
        raise LogFull("the disk is full")

    task = asyncio.create_task(drive(loop(), model, record, HOUR))
    await model.reached.wait()
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()


async def test_a_loop_that_is_given_up_and_has_nothing_to_say_ends() -> None:
    model = costly()

    def loop() -> Loop[None]:
        yield ASK

    async def record(_: Decision) -> Recorded:
        raise AssertionError("nothing is decided")

    task = asyncio.create_task(drive(loop(), model, record, HOUR))
    await model.reached.wait()
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()


async def test_an_answer_that_is_given_up_at_the_end_is_on_the_bill_and_the_question_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cog, "CLOSING_SECONDS", 0.0)
    model, again = costly(), ScriptedModel()
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model) as bot:
            await here.kim.says(here.general, "tell me", mention=world.bot)
            await model.reached.wait()
        async with bot_in(world, tmp_path, again) as bot:
            assert len(events(bot, TurnInterrupted)) == len(events(bot, TurnAnswered)) == len(again.asks) == 1
            assert await spent(bot.desk.memory) == [("costly", 777, True), ("scripted", 0, False)]
            assert shown(world, here.general) == ["yes"]


async def test_an_answer_that_was_thought_when_the_program_ends_is_kept_once(tmp_path: Path) -> None:
    async with talking(tmp_path, ScriptedModel(), None) as assistant:
        unwritten = Unwritten()
        exchanges = Exchanges(assistant, unwritten)
        account = Account("discord", "ada", "Ada")
        place = PlaceSeen("discord", "7", "channel", "general", "guild")
        exchange = await exchanges.hear(HeardRequest("1", place, "person", account, "why?", NOW, (), addressed=True))
        await exchanges.think(exchange)
        exchanges.broken_off(exchange, None)
        assert str(unwritten) == "1 answer"
        assert await unwritten.again()
        assert len(events(assistant.memory, TurnAnswered)) == 1
        await exchanges.answered(exchange)
        exchanges.broken_off(exchange, None)
        assert (len(unwritten), len(events(assistant.memory, TurnAnswered))) == (0, 1)


async def spent(memory: Memory) -> list[tuple[str, int, bool]]:
    """The model, cost and failure of every call."""
    rows: list[CallRow] = await memory.look(lambda rows: list(calls(rows)))
    return [(row.model, row.cost_micros, row.failed) for row in rows]


def test_a_cancellation_that_says_nothing_cost_nothing() -> None:
    assert spent_in(None) is spent_in(asyncio.CancelledError()) is spent_in(asyncio.CancelledError("why", None)) is None


async def test_a_question_that_is_deleted_while_it_is_answered_is_on_the_bill(tmp_path: Path) -> None:
    model = costly()
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        question = await here.kim.says(here.general, "tell me", mention=world.bot)
        await model.reached.wait()
        await here.kim.deletes(question)
        await idle(world, bot)
        assert (len(events(bot, TurnFailed)), events(bot, TurnAnswered)) == (1, [])
        assert await spent(bot.desk.memory) == [("costly", 777, True)]
