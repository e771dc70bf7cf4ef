"""Discord holds up what shows a part of an answer: the whole of it is recorded all the same, and shown behind that."""

import asyncio
from pathlib import Path

import pytest

from dnam.adapters.discord import appearing, cog
from dnam.adapters.discord.answering import TAKEN_BACK, Opened
from dnam.adapters.discord.appearing import UNFINISHED
from dnam.adapters.discord.bot import DnamBot
from dnam.model import Ask, Hear, Reply, unheard
from projections.events import Event, TurnAnswered, TurnDelivered, TurnFailed
from tests.dnam.discord.stage import Edits, Writing, bot_in, events, garden, idle, shown
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import Channel, Message, Person, World
from tests.loopback.discord.limits import Fault

BEGUN, MORE, WHOLE = "Roses", "Roses are", "Roses are red."
HELD = {"POST": "/channels/*/messages", "PATCH": "/channels/*/messages/*"}
"""What shows the first part of an answer, and what shows the second."""
either = pytest.mark.parametrize("method", HELD)


class Dripping(Writing):
    """A model that writes a second part once `drip` is set, and the whole once `go` is."""

    def __init__(self) -> None:
        super().__init__(BEGUN, WHOLE)
        self.drip = asyncio.Event()

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        dripping = asyncio.create_task(self._drip(hear))
        try:
            return await super().ask(ask, hear)
        finally:
            dripping.cancel()

    async def _drip(self, hear: Hear) -> None:
        await self.drip.wait()
        hear(MORE)


async def held(world: World, model: Dripping, method: str, kim: Person, channel: Channel) -> tuple[Fault, Message]:
    """Kim asks there, and Discord holds a part of the answer; with what Kim asked."""
    fault = world.slow(method, HELD[method])
    asked = await kim.says(channel, "roses?", mention=world.bot)
    if method == "PATCH":
        await world.until(lambda: shown(world, channel) == [f"{BEGUN}{UNFINISHED}"], "the beginning to be shown")
    model.drip.set()
    await world.until(lambda: fault.met, "a part of it to be on its way")
    return fault, asked


async def recorded(world: World, bot: DnamBot, kind: type[Event]) -> None:
    """Until there is one of these."""
    bot.desk.memory.watchers.append(lambda _: world.changed())
    await world.until(lambda: events(bot, kind), f"{kind.__name__} to be recorded")


@either
async def test_the_answer_is_recorded_meanwhile_and_shown_behind_it(tmp_path: Path, method: str) -> None:
    model = Dripping()
    async with garden() as (world, here), bot_in(world, tmp_path, model, pause=Edits()) as bot:
        fault, _ = await held(world, model, method, here.kim, here.general)
        model.go.set()
        await recorded(world, bot, TurnAnswered)
        assert WHOLE not in shown(world, here.general)
        fault.open()
        await idle(world, bot)
        assert shown(world, here.general) == [WHOLE]
        assert len(events(bot, TurnDelivered)) == 1


@either
async def test_killed_meanwhile_the_answer_takes_the_place_of_its_part_and_nobody_is_asked_again(
    tmp_path: Path, method: str
) -> None:
    model, other = Dripping(), ScriptedModel()
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, pause=Edits(), dies=True) as bot:
            await held(world, model, method, here.kim, here.general)
            model.go.set()
            await recorded(world, bot, TurnAnswered)
        assert shown(world, here.general) == ([f"{BEGUN}{UNFINISHED}"] if method == "PATCH" else [])
        async with bot_in(world, tmp_path, other) as bot:
            assert shown(world, here.general) == [WHOLE]
            assert other.asks == []
            assert (len(events(bot, TurnAnswered)), len(events(bot, TurnDelivered))) == (1, 1)


@either
async def test_told_to_end_meanwhile_it_ends_and_shows_the_answer_at_its_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    model, other = Dripping(), ScriptedModel()
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, pause=Edits()) as bot:
            await held(world, model, method, here.kim, here.general)
            model.go.set()
            await recorded(world, bot, TurnAnswered)
            monkeypatch.setattr(cog, "CLOSING_SECONDS", 0.01)
        async with bot_in(world, tmp_path, other):
            assert shown(world, here.general) == [WHOLE]
            assert other.asks == []


@either
async def test_a_question_that_is_deleted_meanwhile_is_on_the_bill_and_what_was_shown_goes(
    tmp_path: Path, method: str
) -> None:
    model = Dripping()
    async with garden() as (world, here), bot_in(world, tmp_path, model, pause=Edits()) as bot:
        fault, asked = await held(world, model, method, here.kim, here.general)
        await here.kim.deletes(asked)
        await recorded(world, bot, TurnFailed)
        fault.open()
        await idle(world, bot)
        assert shown(world, here.general) == []
        assert [each.error for each in events(bot, TurnFailed)] == [TAKEN_BACK]


async def test_what_was_answered_to_few_is_not_shown_where_more_can_read_it_by_then(tmp_path: Path) -> None:
    model = Dripping()
    async with garden() as (world, here), bot_in(world, tmp_path, model, pause=Edits()) as bot:
        fault, _ = await held(world, model, "PATCH", here.kim, here.cellar)
        model.go.set()
        await recorded(world, bot, TurnAnswered)
        here.cellar.overwrites = []
        world.state.changed_channel(here.cellar)
        await world.gateway.flushed()
        fault.open()
        await idle(world, bot)
        assert shown(world, here.cellar) == [Opened.words]
        assert events(bot, TurnDelivered) == []


async def test_a_part_that_cannot_be_shown_for_whatever_reason_keeps_nothing_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    met = asyncio.Event()

    def broken(text: str) -> str:
        met.set()
        raise ValueError(text)

    model = Dripping()
    async with garden() as (world, here), bot_in(world, tmp_path, model, pause=Edits()) as bot:
        monkeypatch.setattr(appearing, "so_far", broken)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await met.wait()
        model.go.set()
        await idle(world, bot)
        assert shown(world, here.general) == [WHOLE]
        assert "part of an answer could not be shown: ValueError" in caplog.text
        assert BEGUN not in caplog.text
