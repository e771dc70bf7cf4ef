"""What a typed command says is said once, also where Discord does not take it at first; the command is done once."""

import asyncio
from pathlib import Path

import pytest

from dnam.adapters.discord.answering import Opened
from dnam.adapters.discord.cog import MemoryCog
from dnam.adapters.discord.later import AGAIN_SECONDS
from dnam.adapters.discord.splitting import split
from projections.events import ItemRemembered, JobFailed
from tests.dnam.discord.stage import bot_in, events, garden, idle, shown
from tests.loopback.discord import Channel, World

REMEMBER = "!memory remember I like roses"


class Later:
    """A pause that ends when the test says so, where something is to be tried later; no other does."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.go = asyncio.Semaphore(0)

    async def __call__(self, seconds: float) -> None:
        if seconds % AGAIN_SECONDS:
            await asyncio.Event().wait()
        self.waits.append(seconds)
        await self.go.acquire()


def refused(world: World, channel: Channel, times: int = 1, *, after: bool = False) -> None:
    """Discord takes nothing that is said there for a while: discord.py does not try it again by itself."""
    world.fail("POST", f"/channels/{channel.id}/messages", status=503, times=times, after=after)


@pytest.mark.parametrize("after", [False, True], ids=["not taken", "taken, and not told so"])
async def test_it_is_said_later_and_once(tmp_path: Path, *, after: bool) -> None:
    pause = Later()
    async with garden() as (world, here), bot_in(world, tmp_path, pause=pause, memory_commands_enabled="1") as bot:
        refused(world, here.general, 2, after=after)
        await here.kim.says(here.general, REMEMBER)
        await idle(world, bot)
        assert len(events(bot, ItemRemembered)) == 1
        assert [each.error for each in events(bot, JobFailed)] == ["DiscordServerError: status 503, code 0"]
        for _ in range(2):
            pause.go.release()
        await world.until(lambda: len(shown(world, here.general)) == 1 and len(pause.waits) >= 2, "it to be tried")
        await idle(world, bot)
        (reply,) = shown(world, here.general)
        assert "I like roses" in reply
        assert len(events(bot, ItemRemembered)) == 1


async def test_whoever_deletes_the_command_is_told_nothing(tmp_path: Path) -> None:
    pause = Later()
    async with garden() as (world, here), bot_in(world, tmp_path, pause=pause, memory_commands_enabled="1") as bot:
        refused(world, here.general)
        command = await here.kim.says(here.general, REMEMBER)
        await idle(world, bot)
        await here.kim.deletes(command)
        await idle(world, bot)
        memory_cog = bot.get_cog("Memory")
        assert isinstance(memory_cog, MemoryCog)
        (trying,) = memory_cog.hearing._later._tasks.values()
        pause.go.release()
        await trying
        assert shown(world, here.general) == []


async def test_it_is_for_those_who_could_read_it(tmp_path: Path) -> None:
    pause = Later()
    async with garden() as (world, here), bot_in(world, tmp_path, pause=pause, memory_commands_enabled="1") as bot:
        refused(world, here.cellar)
        await here.kim.says(here.cellar, REMEMBER)
        await idle(world, bot)
        here.cellar.overwrites = []
        world.state.changed_channel(here.cellar)
        await idle(world, bot)
        pause.go.release()
        await world.until(lambda: shown(world, here.cellar), "it to be tried")
        assert shown(world, here.cellar) == [Opened.words]


async def test_a_long_one_goes_on_where_it_was_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pause = Later()
    async with garden() as (world, here), bot_in(world, tmp_path, pause=pause, memory_commands_enabled="1") as bot:
        monkeypatch.setattr("dnam.adapters.discord.replying.split", lambda text: split(text, 60))
        sending = world.slow("POST", f"/channels/{here.general.id}/messages")
        await here.kim.says(here.general, "!memory show")
        await world.until(lambda: sending.met, "the first part to be on its way")
        refused(world, here.general)
        sending.open()
        await idle(world, bot)
        begun = shown(world, here.general)
        assert len(begun) == 1
        assert len(events(bot, JobFailed)) == 1
        for _ in range(4):
            pause.go.release()
        await world.until(lambda: len(shown(world, here.general)) > 1, "the rest to come")
        await idle(world, bot)
        assert shown(world, here.general)[0] == begun[0]
        assert len(set(shown(world, here.general))) == len(shown(world, here.general))
