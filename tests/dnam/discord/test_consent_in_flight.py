"""Who opts out, or is erased, while the bot is making an answer for them: they are answered, and nothing is kept."""

import asyncio
from pathlib import Path

import pytest

from dnam.adapters.discord.bot import DnamBot
from projections.events import Event, MessageHeard, PersonErased, PersonOptedOut, TurnAnswered, TurnDelivered
from projections.ids import NOBODY, Handle
from projections.people import person_of
from replay.erasure import erase
from replay.group import Recorded
from tests.dnam.discord.stage import bot_in, events, garden, idle, shown
from tests.dnam.held import HeldModel
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord.person import Person

TEA = "what of my tea?"
LONG = "You said: my tea is black. " * 200
"""An answer of several messages, of which only the first replies to the question."""


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
    model = HeldModel({"answer": lambda _: LONG})
    model.hold("answer")
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model) as bot:
            asks = here.kim.dm if direct else here.general
            await here.kim.says(asks, TEA, mention=() if direct else world.bot)
            await model.reached["answer"].wait()
            engine = bot.desk.memory.engine
            person = kim_of(bot, here.kim)
            await asyncio.to_thread(erase, engine, person)
            size = engine.head().size
            model.let_go()
            await idle(world, bot)
            assert engine.head().size == size
            assert engine.store.ring.listing(person) == []
            assert (events(bot, MessageHeard), events(bot, TurnAnswered)) == ([], [])
            assert len(events(bot, PersonErased)) == 1
        assert len(shown(world, asks)) > 1
        async with bot_in(world, tmp_path) as again:  # what stands in Discord is not heard in its place
            await idle(world, again)
            assert (events(again, MessageHeard), again.desk.memory.engine.head().size) == ([], size)


@pytest.mark.parametrize("own", [True, False], ids=["to them", "to somebody else"])
async def test_a_long_answer_that_repeats_who_is_erased_does_not_come_back_at_the_next_start(
    tmp_path: Path, own: bool
) -> None:
    model = ScriptedModel({"answer": lambda _: LONG})
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, model) as bot:
            await here.kim.says(here.general, "my tea is black")
            asks = here.kim if own else here.ada
            await asks.says(here.general, TEA, mention=world.bot)
            await idle(world, bot)
            heard = len(events(bot, MessageHeard))
            assert (heard, len(events(bot, TurnDelivered)), len(shown(world, here.general)) > 1) == (2, 1, True)
            await asyncio.to_thread(erase, bot.desk.memory.engine, kim_of(bot, here.kim))
        async with bot_in(world, tmp_path) as again:
            await idle(world, again)
            authors = [each.message.author for each in events(again, MessageHeard)]
            assert authors == ([] if own else ["person"])


def kim_of(bot: DnamBot, kim: Person) -> Handle:
    """Kim's handle."""
    with bot.desk.memory.engine.reading() as rows:
        found = person_of(rows, "discord", str(kim.id))
    assert found is not None
    return found.row.person


def recorded(bot: DnamBot, kind: type[Event]) -> asyncio.Event:
    """Set when such an event is recorded."""
    seen = asyncio.Event()

    def look(recorded: Recorded) -> None:
        if any(isinstance(each, kind) for each in recorded.events):
            seen.set()

    bot.desk.memory.watchers.append(look)
    return seen
