"""Another program holds the log, or it is slower than an answer waits: whatever else happens meanwhile, every question
is answered, and what waits is recorded once.
"""

import asyncio
import fcntl
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest

from dnam import unwritten
from dnam.adapters.discord.bot import DnamBot
from dnam.model import Ask, Hear, Reply, unheard
from projections.events import (
    ItemRemembered,
    MessageDeleted,
    MessageHeard,
    PlaceAudienceChanged,
    TurnAnswered,
    TurnDelivered,
)
from replay.engine import Engine
from replay.jobs import Job
from tests.dnam.discord.stage import Garden, bot_in, events, for_ever, garden, heard, idle, shown
from tests.dnam.discord.test_closing import SAID, Gate, close, is_told_everywhere, offered
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import World
from tests.loopback.discord.permissions import Permission

Trouble = Callable[[Path, pytest.MonkeyPatch], AbstractContextManager[None]]


@contextmanager
def locked(path: Path, _: pytest.MonkeyPatch) -> Iterator[None]:
    """Another program holds the write lock."""
    lock = os.open(path / "write.lock", os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


@contextmanager
def slow(_: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever is to be recorded is recorded, but not yet."""
    waiting: list[tuple[Engine, Job]] = []
    with monkeypatch.context() as patch:
        patch.setattr(Engine, "hand_in", lambda engine, job: waiting.append((engine, job)))
        yield
    for engine, job in waiting:
        engine.hand_in(job)


TROUBLES = {"locked": locked, "slow": slow}


def no_patience() -> asyncio.Timeout:
    """For nothing that is waited for is there enough time."""
    return asyncio.timeout(0)


def patience() -> asyncio.Timeout:
    """There is time for everything."""
    return asyncio.timeout(None)


async def afterwards(bot: DnamBot, world: World) -> None:
    """The log can be written again, and everything that waited is."""
    bot.desk.unwritten.limit = patience
    await bot.desk.unwritten.again()
    await idle(world, bot)


async def a_permission_changes(here: Garden) -> None:
    here.guild.permit(here.general, here.ada, deny=Permission.VIEW_CHANNEL)


async def many_permissions_change(here: Garden) -> None:
    here.guild.everyone.permissions = Permission(0)
    here.guild.state.changed_role(here.guild, here.guild.everyone)


async def a_command_is_typed(here: Garden) -> None:
    await here.ada.says(here.general, "!memory remember I like tea")


async def nothing_else(_: Garden) -> None:
    """What is wrong with the log is enough."""


MEANWHILE = (nothing_else, a_permission_changes, many_permissions_change, a_command_is_typed)


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("happens", MEANWHILE)
async def test_every_question_is_answered_and_recorded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str, happens: Callable[[Garden], Awaitable[None]]
) -> None:
    async with garden() as (world, here):
        elsewhere = world.guild("Elsewhere")
        far, ines = elsewhere.channel("far"), world.person("Ines", elsewhere)
        asking = ((here.guild_owner, here.general), (here.kim, here.kim.dm), (ines, far))
        async with bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
            for person, channel in asking:
                await person.says(channel, "one", mention=world.bot)
            await idle(world, bot)
            with TROUBLES[trouble](tmp_path, monkeypatch):
                bot.desk.unwritten.limit = no_patience
                await happens(here)
                for person, channel in asking:
                    await person.says(channel, "two", mention=world.bot)
                await world.until(
                    lambda: all(shown(world, channel).count("yes") == 2 for _, channel in asking), "all to be answered"
                )
                assert len(events(bot, MessageHeard)) == len(asking)
            await afterwards(bot, world)
            assert len(events(bot, MessageHeard)) == len(events(bot, TurnAnswered)) == len(events(bot, TurnDelivered))
            assert len(heard(bot)) == 2 * len(asking)
            is_said = happens is a_command_is_typed
            assert any("I like tea" in each for each in shown(world, here.general)) == is_said
            assert len(events(bot, ItemRemembered)) == is_said
            await here.guild_owner.says(here.general, "three", mention=world.bot)
            await idle(world, bot)
            is_closed = happens in (a_permission_changes, many_permissions_change)
            assert len(events(bot, PlaceAudienceChanged)) == is_closed
            assert bot.desk.uncompared == bot.desk.comparing == {}


# -- who can read it ---------------------------------------------------------------------------------------------------


async def test_what_closes_is_told_nowhere_however_long_it_takes_to_record_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        porch = await is_told_everywhere(world, here, bot, model)
        gate = Gate(monkeypatch)
        close(world, here, porch)
        await gate.holds()
        bot.desk.unwritten.limit = no_patience
        answers = len(shown(world, here.general))
        await here.kim.says(here.general, "and where is the key now?", mention=world.bot)
        await world.until(lambda: len(shown(world, here.general)) > answers, "it to be answered all the same")
        assert "and where is the key now?" in model.asks[-1].prompt
        assert SAID not in model.asks[-1].prompt
        gate.open()
        await afterwards(bot, world)
        assert len(events(bot, PlaceAudienceChanged)) == 1
        assert bot.desk.uncompared == bot.desk.comparing == {}


async def test_what_was_opened_and_closed_again_before_that_was_recorded_stays_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        await here.kim.says(here.cellar, "a secret", mention=world.bot)
        await idle(world, bot)
        overwrites = here.cellar.overwrites
        with slow(tmp_path, monkeypatch):
            bot.desk.unwritten.limit = no_patience
            for each in ([], overwrites):
                here.cellar.overwrites = each
                world.state.changed_channel(here.cellar)
                await idle(world, bot)
        await afterwards(bot, world)
        assert events(bot, PlaceAudienceChanged) == []
        assert bot.desk.uncompared == bot.desk.comparing == {}


# -- what was missed ---------------------------------------------------------------------------------------------------


async def test_what_was_missed_is_made_up_for_and_recorded_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, dies=True) as bot:
            await here.kim.says(here.general, "hello")
            gone = await here.kim.says(here.general, "a secret")
            await idle(world, bot)
            monkeypatch.setattr(bot.desk.memory, "delivered", for_ever)
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await world.until(lambda: shown(world, here.general) == ["yes"], "the answer to be there")
        await here.kim.deletes(gone)
        await here.kim.says(here.general, "tulips?", mention=world.bot)
        monkeypatch.setattr(unwritten, "slow", no_patience)
        with ExitStack() as trouble:
            trouble.enter_context(slow(tmp_path, monkeypatch))
            async with bot_in(world, tmp_path) as bot:
                assert shown(world, here.general) == ["yes", "yes"]
                assert events(bot, TurnDelivered, MessageDeleted) == []
                trouble.close()
                await afterwards(bot, world)
                assert (len(events(bot, TurnDelivered)), len(events(bot, MessageDeleted))) == (2, 1)
                assert heard(bot) == ["hello", "@marcy roses?", "@marcy tulips?"]


# -- commands that take long -------------------------------------------------------------------------------------------


class Learning(ScriptedModel):
    """A model that learns for as long as it takes, until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.learns, self.go = asyncio.Event(), asyncio.Event()

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        if ask.purpose == "extraction":
            self.learns.set()
            await self.go.wait()
        return await super().ask(ask, hear)


async def learned_meanwhile(world: World, here: Garden, model: Learning) -> None:
    """Ada asks while Kim's words are learned from, and is answered; then the learning ends."""
    await model.learns.wait()
    await here.ada.says(here.general, "ping", mention=world.bot)
    await world.until(lambda: shown(world, here.general) == ["yes", "yes"], "Ada to be answered")
    model.go.set()


async def test_nobody_waits_for_a_typed_command_that_takes_long(tmp_path: Path) -> None:
    model = Learning()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        await here.kim.says(here.general, "I like tea", mention=world.bot)
        await idle(world, bot)
        await here.kim.says(here.general, "!memory extract")
        await learned_meanwhile(world, here, model)
        await idle(world, bot)
        assert shown(world, here.general) == ["yes", "yes", "Nothing to remember was found."]


async def test_nobody_waits_for_a_slash_command_that_takes_long(tmp_path: Path) -> None:
    model = Learning()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        await here.kim.says(here.general, "I like tea", mention=world.bot)
        await idle(world, bot)
        await offered(bot)
        using = await here.kim.uses(here.general, "/memory extract")
        await learned_meanwhile(world, here, model)
        assert (await using.reply()).said.content == "Nothing to remember was found."
