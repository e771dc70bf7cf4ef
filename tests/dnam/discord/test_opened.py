"""A place of few is opened to everyone while the bot thinks: what was known among those few stays theirs."""

from pathlib import Path
from typing import Any

import pytest

from dnam.adapters.discord.answering import Opened
from dnam.adapters.discord.appearing import UNFINISHED
from dnam.adapters.discord.bot import DnamBot
from dnam.memory import Turn
from dnam.model import Ask, Hear, Reply, unheard
from projections.events import Event, PlaceAudienceChanged, TurnAnswered, TurnDelivered, TurnFailed
from replay.errors import LogFull
from tests.dnam.discord.stage import Edits, Garden, Writing, bot_in, events, garden, idle, shown
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import World


class Telling(Writing):
    """A model that writes and waits, says where the treasure is if it knows, and costs something each time."""

    def __init__(self) -> None:
        super().__init__("under the", "under the tree")

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        await super().ask(ask, hear)
        text = "under the tree" if "treasure lies" in ask.prompt else "nobody told me"
        return Reply(text, self.name, self.version, tokens_in=100, tokens_out=10, cost_micros=7)


async def asked_in_the_cellar(world: World, here: Garden, bot: DnamBot) -> None:
    """There is a secret in the cellar, and Kim asks for it; the model has begun to answer."""
    await here.kim.says(here.cellar, "!memory remember the treasure lies under the tree")
    await here.kim.says(here.cellar, "where is it?", mention=world.bot)
    assert isinstance(bot.desk.assistant.model, Telling)
    await bot.desk.assistant.model.was_asked()


async def opened(world: World, here: Garden) -> None:
    here.cellar.overwrites = []
    world.state.changed_channel(here.cellar)
    await world.gateway.flushed()


def readers(bot: DnamBot, *kinds: type[Event]) -> list[tuple[str, int]]:
    found = [getattr(each, "audience") for each in events(bot, *kinds)]  # noqa: B009 - each of these has one
    return [(each.kind, each.epoch) for each in found]


async def test_it_is_thought_anew_from_what_all_may_know(tmp_path: Path) -> None:
    model = Telling()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        await asked_in_the_cellar(world, here, bot)
        await opened(world, here)
        model.go.set()
        await idle(world, bot)
        assert ["treasure lies" in each.prompt for each in model.asks] == [True, False]
        assert shown(world, here.cellar)[1:] == ["nobody told me"]
        assert readers(bot, PlaceAudienceChanged) == readers(bot, TurnAnswered) == readers(bot, TurnDelivered)
        assert readers(bot, TurnAnswered) == [("guild", 1)]
        (turn,) = events(bot, TurnAnswered)
        assert isinstance(turn, TurnAnswered)
        assert (turn.call.tokens_in, turn.call.tokens_out, turn.call.cost_micros) == (200, 20, 14)


async def test_what_was_shown_of_it_goes_and_no_more_is_shown(tmp_path: Path) -> None:
    model = Telling()
    told = {"memory_commands_enabled": "1"}
    async with garden() as (world, here), bot_in(world, tmp_path, model, pause=Edits(), told=told) as bot:
        await asked_in_the_cellar(world, here, bot)
        await world.until(lambda: f"under the{UNFINISHED}" in shown(world, here.cellar), "a part of it")
        await opened(world, here)
        model.go.set()
        await idle(world, bot)
        (answer,) = world.bot_messages(here.cellar)[1:]
        assert answer.said.content == "nobody told me"


async def test_where_that_cannot_be_recorded_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object) -> None:
        raise LogFull("the disk is full")

    model = Telling()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        await asked_in_the_cellar(world, here, bot)
        monkeypatch.setattr(bot.desk.memory.engine, "hand_in", full)
        await opened(world, here)
        model.go.set()
        await idle(world, bot)
        assert shown(world, here.cellar)[1:] == [Opened.words]
        monkeypatch.undo()
        assert await bot.desk.unwritten.again()
        await here.kim.says(here.cellar, "and now?", mention=world.bot)
        await idle(world, bot)
        (failed,) = events(bot, TurnFailed)
        assert isinstance(failed, TurnFailed)
        assert failed.call.cost_micros == 7
        assert shown(world, here.cellar)[1:] == [Opened.words, "nobody told me"]


async def test_what_opens_while_an_answer_is_recorded_hears_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Telling()
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, memory_commands_enabled="1", dies=True) as bot:
            answered = bot.desk.memory.answered

            async def opening(*given: Any, **named: Any) -> Turn:
                turn = await answered(*given, **named)
                await opened(world, here)
                return turn

            monkeypatch.setattr(bot.desk.memory, "answered", opening)
            await asked_in_the_cellar(world, here, bot)
            model.go.set()
            await idle(world, bot)
            assert shown(world, here.cellar)[1:] == [Opened.words]
            assert (len(events(bot, TurnAnswered)), len(events(bot, TurnDelivered))) == (1, 0)
        async with bot_in(world, tmp_path, ScriptedModel()) as bot:
            assert shown(world, here.cellar)[1:] == [Opened.words]


async def test_what_few_could_read_stays_theirs_while_it_stays_closed(tmp_path: Path) -> None:
    model = Telling()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        await asked_in_the_cellar(world, here, bot)
        model.go.set()
        await idle(world, bot)
        assert shown(world, here.cellar)[1:] == ["under the tree"]
        assert len(model.asked("answer")) == 1
