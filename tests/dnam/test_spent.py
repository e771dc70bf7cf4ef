"""How long an answer may take, and what is paid for one that is broken off."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from dnam.loops.loop import Decide, Failed, Loop, drive
from dnam.model import Ask, Hear, ModelError, Reply, spent_in, unheard
from projections.calls import CallRow, calls
from projections.events import TurnAnswered, TurnFailed
from tests.dnam.discord.stage import bot_in, events, garden, idle
from tests.dnam.scripted import ScriptedModel, talking

HOUR = 3600.0


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
        failed = yield Ask("summary", "m", "summary@1", "s", "p", None)  # type: ignore[arg-type]
        assert isinstance(failed, Failed)
        return failed

    async def record(_: Decide) -> None:
        raise AssertionError("nothing is decided")

    failed = await drive(loop(), model, record, 0)  # type: ignore[arg-type]
    assert (failed.spent.cost_micros if failed.spent else 0) == 777


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
        rows: list[CallRow] = await bot.desk.memory.look(lambda rows: list(calls(rows)))
        assert [(row.model, row.cost_micros, row.failed) for row in rows] == [("costly", 777, True)]
