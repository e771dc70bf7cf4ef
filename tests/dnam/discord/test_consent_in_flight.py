"""Who opts out, or is erased, while the bot is making an answer for them: they are answered, and nothing is kept."""

import asyncio
from pathlib import Path

import pytest

from dnam.adapters.discord.bot import DnamBot
from projections.events import Event, MessageHeard, PersonErased, PersonOptedOut, TurnAnswered, TurnDelivered
from projections.ids import NOBODY
from projections.people import person_of
from replay.erasure import erase
from replay.group import Recorded
from tests.dnam.discord.stage import bot_in, events, garden, idle, shown
from tests.dnam.held import HeldModel

TEA = "what of my tea?"


@pytest.mark.parametrize("direct", [True, False], ids=["in a DM", "in a channel"])
async def test_who_opts_out_by_a_command_while_they_are_answered(tmp_path: Path, direct: bool) -> None:
    model = HeldModel()
    model.hold("answer")
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
            asks, other = (here.kim.dm, here.general) if direct else (here.general, here.kim.dm)
            await here.kim.says(asks, TEA, mention=() if direct else world.bot)
            await model.reached["answer"].wait()
            out = recorded(bot, PersonOptedOut)
            await here.kim.says(other, "!memory opt-out")
            await out.wait()
            model.let_go()
            await idle(world, bot)
            assert shown(world, asks)[-1] == "yes"
            (turn,) = events(bot, TurnAnswered)
            assert isinstance(turn, TurnAnswered)
            assert (turn.asker, turn.text, turn.causes, turn.call.model) == (NOBODY, "", (), "scripted")
            assert len(events(bot, TurnDelivered)) == (0 if direct else 1)
            size = bot.desk.memory.engine.head().size
        async with bot_in(world, tmp_path) as again:  # nor is it answered or sent a second time
            await idle(world, again)
            assert (again.desk.memory.engine.head().size, shown(world, asks)) == (size, ["yes"])


@pytest.mark.parametrize("direct", [True, False], ids=["in a DM", "in a channel"])
async def test_who_is_erased_while_they_are_answered(tmp_path: Path, direct: bool) -> None:
    model = HeldModel()
    model.hold("answer")
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        asks = here.kim.dm if direct else here.general
        await here.kim.says(asks, TEA, mention=() if direct else world.bot)
        await model.reached["answer"].wait()
        engine = bot.desk.memory.engine
        with engine.reading() as rows:
            kim = person_of(rows, "discord", str(here.kim.id))
        assert kim is not None
        await asyncio.to_thread(erase, engine, kim.row.person)
        size = engine.head().size
        model.let_go()
        await idle(world, bot)
        assert engine.head().size == size
        assert engine.store.ring.listing(kim.row.person) == []
        assert (events(bot, MessageHeard), events(bot, TurnAnswered)) == ([], [])
        assert len(events(bot, PersonErased)) == 1


def recorded(bot: DnamBot, kind: type[Event]) -> asyncio.Event:
    """Set when such an event is recorded."""
    seen = asyncio.Event()

    def look(recorded: Recorded) -> None:
        if any(isinstance(each, kind) for each in recorded.events):
            seen.set()

    bot.desk.memory.watchers.append(look)
    return seen
