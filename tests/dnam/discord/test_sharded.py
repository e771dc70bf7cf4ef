"""The extension in a bot of many shards: each has some of the servers, and the first the direct messages."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest
from discord.ext import commands

from dnam.adapters.discord.cog import MemoryCog
from dnam.adapters.discord.watched import is_there
from projections.events import MessageEdited, MessageHeard, TurnAnswered
from tests.dnam.discord.stage import READY_SECONDS, Garden, events, shown
from tests.dnam.discord.test_running import ASKED, the_same_modules, told
from tests.loopback.bots import intents
from tests.loopback.discord import Channel, World, running

__all__ = ["the_same_modules"]
SHARDS = 2


class Theirs(commands.AutoShardedBot):
    """A bot of somebody else's, which loads the extension."""

    def __init__(self) -> None:
        super().__init__("?", intents=intents(), guild_ready_timeout=READY_SECONDS)

    async def setup_hook(self) -> None:
        await self.load_extension("dnam.adapters.discord")

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Without the five seconds between two shards."""


class Clock:
    """The time when the test began, as the extension has it too: older questions than of a day are not answered."""

    def __init__(self) -> None:
        self.now = time.time_ns() // 1_000_000

    def __call__(self) -> int:
        return self.now


def of_each_shard(world: World, clock: Clock, here: Garden) -> list[Channel]:
    """A channel of a server of each shard; Discord deals them out by the millisecond in which they were made."""
    found: dict[int, Channel] = {}
    for _ in range(SHARDS):
        clock.now += 1
        guild = world.guild("Shed", here.kim)
        found[(guild.id >> 22) % SHARDS] = guild.channel("tools")
    return [found[number] for number in range(SHARDS)]


async def answered(world: World, bot: Theirs, channels: list[Channel], times: int) -> None:
    """Until every channel has so many answers, and nothing is under way any more."""
    await world.until(lambda: all(len(shown(world, each)) >= times for each in channels), f"{times} answers in each")
    cog = bot.get_cog("Memory")
    assert isinstance(cog, MemoryCog)
    await world.gateway.flushed()
    await cog.desk.sessions.settle()
    assert [len(shown(world, each)) for each in channels] == [times] * len(channels)
    assert cog.desk.uncompared == {}


class Sheds(NamedTuple):
    """A server of each shard, with a channel."""

    world: World
    here: Garden
    channels: list[Channel]


@pytest.fixture
async def sheds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Sheds]:
    clock = Clock()
    async with World(clock) as world:
        here = Garden(world)
        world.state.settings.shards = SHARDS
        channels = of_each_shard(world, clock, here)
        told(monkeypatch, tmp_path, here)
        monkeypatch.setenv("DNAM_ALLOW_GUILDS", " ".join(str(each) for each in world.state.guilds))
        yield Sheds(world, here, channels)


async def test_a_bot_of_many_shards_answers_in_all_of_them(sheds: Sheds, monkeypatch: pytest.MonkeyPatch) -> None:
    world, here, channels = sheds
    monkeypatch.setenv("DNAM_ALLOW_USERS", str(here.kim.id))
    bot = Theirs()
    assert not is_there(bot)
    async with running(bot, world):
        await bot.wait_until_ready()
        assert bot.shard_count == SHARDS
        assert is_there(bot)
        for each in channels:
            await here.kim.says(each, ASKED, mention=world.bot)
        await here.kim.says(here.kim.dm, ASKED)
        everywhere = [*channels, here.kim.dm]
        await answered(world, bot, everywhere, 1)

        await world.gateway.drop()  # both resume, and are told what they missed
        for each in channels:
            await here.kim.says(each, ASKED, mention=world.bot)
        await here.kim.says(here.kim.dm, ASKED)
        await answered(world, bot, everywhere, 2)

        with world.gateway.forgetting():
            for each in everywhere:
                await here.kim.says(each, ASKED, mention=() if each.is_dm else world.bot)
        await world.gateway.invalidate()  # both begin anew, and read back what nobody told them
        await answered(world, bot, everywhere, 3)

        cog = bot.get_cog("Memory")
        assert isinstance(cog, MemoryCog)
        kinds = [type(each) for each in events(cog.desk.memory, MessageHeard, TurnAnswered)]
        assert kinds.count(MessageHeard) == kinds.count(TurnAnswered) == 3 * len(everywhere)


async def test_a_shard_that_begins_anew_reads_back_though_another_one_resumed(sheds: Sheds) -> None:
    world, here, channels = sheds
    bot = Theirs()
    async with running(bot, world):
        await bot.wait_until_ready()
        questions = [await here.kim.says(each, ASKED, mention=world.bot) for each in channels]
        await answered(world, bot, channels, 1)
        cog = bot.get_cog("Memory")
        assert isinstance(cog, MemoryCog)
        with world.gateway.forgetting():
            for each in questions:
                await here.kim.edits(each, "never mind")
        before = len(world.requests("GET", "/messages"))
        begins, goes_on = 0, 1
        bot.dispatch("connect")
        bot.dispatch("shard_connect", begins)
        bot.dispatch("resumed")
        bot.dispatch("shard_resumed", goes_on)
        for guild in bot.guilds:
            if guild.shard_id == begins:
                bot.dispatch("guild_available", guild)
        await world.until(lambda: len(world.requests("GET", "/messages")) > before, "one to be read back")
        await world.gateway.flushed()
        await cog.desk.sessions.settle()
        edited = [each.message for each in events(cog.desk.memory, MessageEdited)]
        assert [(each.place.key, each.text) for each in edited] == [(str(channels[begins].id), "never mind")]
