"""The cog is added to a bot that runs already: it does what it does at a connection, as nobody tells of that again."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import discord
from discord.ext import commands

from dnam.adapters.discord.cog import MemoryCog
from dnam.adapters.discord.desk import Desk
from dnam.assistant import Assistant
from dnam.memory import Memory
from projections.events import PlaceAudienceChanged, TurnDelivered
from projections.ids import Ref
from tests.dnam.discord.stage import READY_SECONDS, Garden, events, for_ever, garden, shown
from tests.dnam.scripted import FakeClock, ScriptedModel, settings
from tests.loopback.discord import World, running


class Host(commands.Bot):
    """Somebody else's bot, and the memory that it can have."""

    def __init__(self, world: World, memory: Memory) -> None:
        intents = discord.Intents.default()
        intents.message_content = True
        super().__init__("?", intents=intents, guild_ready_timeout=READY_SECONDS)
        self.world = world
        self.memory = memory
        self.model = ScriptedModel()

    async def adds_memory(self) -> Desk:
        """The desk of the cog, once all that it does at first is done."""
        desk = Desk(self, Assistant(self.memory, self.model))
        await self.add_cog(MemoryCog(desk, pause=for_ever))
        await self.settled(desk)
        return desk

    async def settled(self, desk: Desk) -> None:
        await self.world.gateway.flushed()
        await desk.sessions.settle()


@asynccontextmanager
async def host(path: Path) -> AsyncIterator[tuple[World, Garden, Host]]:
    """A bot that is ready, and has no memory yet."""
    async with garden() as (world, here):
        chosen = settings(allow_guilds=str(here.guild.id), memory_commands_enabled="0")
        async with Memory.open(path, settings=chosen, clock=FakeClock()) as memory:
            bot = Host(world, memory)
            async with running(bot, world):
                await bot.wait_until_ready()
                yield world, here, bot


async def test_it_knows_whose_bot_it_is(tmp_path: Path) -> None:
    async with host(tmp_path) as (world, _, bot):
        assert (await bot.adds_memory()).owners == {world.application.owner.id}


async def test_what_was_asked_while_it_was_not_there_is_answered(tmp_path: Path) -> None:
    async with host(tmp_path) as (world, here, bot):
        await bot.adds_memory()
        await bot.remove_cog("Memory")
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await world.gateway.flushed()
        assert shown(world, here.general) == []
        await bot.adds_memory()
        assert shown(world, here.general) == ["yes"]
        assert len(events(bot.memory, TurnDelivered)) == 1


async def test_what_closed_while_it_was_not_there_is_told_nowhere(tmp_path: Path) -> None:
    async with host(tmp_path) as (world, here, bot):
        desk = await bot.adds_memory()
        porch = here.guild.channel("porch")
        await here.kim.says(porch, "my bicycle lies under the tulips", mention=world.bot)
        await bot.settled(desk)
        await bot.remove_cog("Memory")
        porch.overwrites = list(here.cellar.overwrites)
        world.state.changed_channel(porch)
        await world.gateway.flushed()
        desk = await bot.adds_memory()
        (changed,) = events(bot.memory, PlaceAudienceChanged)
        assert isinstance(changed, PlaceAudienceChanged)
        assert changed.place == Ref("discord", str(porch.id))
        await here.ada.says(here.general, "where is the bicycle?", mention=world.bot)
        await bot.settled(desk)
        assert "tulips" not in bot.model.asked("answer")[-1].prompt


async def test_what_was_deleted_while_it_was_not_there_is_deleted(tmp_path: Path) -> None:
    async with host(tmp_path) as (world, here, bot):
        desk = await bot.adds_memory()
        porch = here.guild.channel("porch")
        await here.kim.says(porch, "my bicycle lies under the tulips", mention=world.bot)
        await bot.settled(desk)
        await bot.remove_cog("Memory")
        world.state.deleted_channel(porch)
        await world.gateway.flushed()
        desk = await bot.adds_memory()
        await here.ada.says(here.general, "where is the bicycle?", mention=world.bot)
        await bot.settled(desk)
        assert "tulips" not in bot.model.asked("answer")[-1].prompt
