"""A typed command is obeyed once, also where the bot was not there yet, or was reading its place back."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from dnam.adapters.discord.catching_up import AWAITED_MS
from projections.events import ItemRemembered
from tests.dnam.discord.stage import Garden, Timed, bot_in, events, garden, idle, shown
from tests.loopback.discord import World

REMEMBER = "!memory remember I like tea"


@asynccontextmanager
async def heard_once(tmp_path: Path) -> AsyncIterator[tuple[World, Garden]]:
    """A garden in which the bot was, and is not now."""
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
            await here.kim.says(here.general, "between us")
            await idle(world, bot)
        yield world, here


async def obeyed(world: World, here: Garden, path: Path) -> int:
    """How often the command was obeyed, with the bot started once more; each time it said so."""
    async with bot_in(world, path, memory_commands_enabled="1") as bot:
        times = len(events(bot, ItemRemembered))
        assert len(shown(world, here.general)) == times
        return times


async def test_typed_between_two_runs_it_is_obeyed_once(tmp_path: Path) -> None:
    async with heard_once(tmp_path) as (world, here):
        await here.kim.says(here.general, REMEMBER)
        assert await obeyed(world, here, tmp_path) == await obeyed(world, here, tmp_path) == 1


@pytest.mark.parametrize("waits_for", ["/users/@me", "/channels/{}/messages"])
async def test_typed_while_the_bot_logs_in_or_reads_the_place_back_it_is_obeyed_once(
    tmp_path: Path, waits_for: str
) -> None:
    async with heard_once(tmp_path) as (world, here):
        asked = world.slow("GET", waits_for.format(here.general.id))

        async def say_it() -> None:
            await world.until(lambda: asked.met, waits_for)
            await here.kim.says(here.general, REMEMBER)
            asked.open()

        saying = asyncio.create_task(say_it())
        assert await obeyed(world, here, tmp_path) == 1
        await saying


async def test_typed_long_ago_it_is_not_obeyed_any_more(tmp_path: Path) -> None:
    async with heard_once(tmp_path) as (world, here):
        await here.kim.says(here.general, REMEMBER)
        assert isinstance(world, Timed)
        world.clock.time += AWAITED_MS
        assert await obeyed(world, here, tmp_path) == 0
