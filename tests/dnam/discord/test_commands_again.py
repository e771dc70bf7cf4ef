"""A bot that dies between doing what a command says and its reply: what is done stays done once, and is told after it
comes back.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from dnam.adapters.discord.bot import DnamBot
from dnam.commands.done_before import DONE
from dnam.commands.done_since import SINCE
from projections.items import ITEMS
from tests.dnam.discord.stage import bot_in, garden, idle, shown

TEA, ROSES = "!memory remember I like tea in the morning", "!memory remember my second note says roses"
TOLD: Mapping[str, str] = {"memory_commands_enabled": "1"}


def items(bot: DnamBot) -> list[tuple[str, str, int]]:
    with bot.desk.memory.engine.reading() as rows:
        found = (each.row.item for each in rows.scan(ITEMS))
        return sorted((each.text, each.status, each.source_count) for each in found)


@pytest.mark.parametrize("command", [ROSES, "!memory undo", "!memory forget I like tea in the morning"])
@pytest.mark.parametrize("then", ["", "!memory undo"])
async def test_what_was_done_before_the_bot_died_is_done_once(tmp_path: Path, command: str, then: str) -> None:
    """Also where more was done after it, of which the reply was lost too."""
    async with garden() as (world, here):
        hall = here.guild.channel("hall")
        async with bot_in(world, tmp_path, told=TOLD, dies=True) as bot:
            for text in ("hello", TEA, ROSES):
                await here.kim.says(here.general, text)
                await idle(world, bot)
            sending = world.slow("POST", f"/channels/{here.general.id}/messages")
            await here.kim.says(here.general, command)
            await world.until(lambda: sending.met, "the reply on its way")
            if then:
                await here.kim.says(hall, then)
                await world.until(lambda: len(shown(world, hall)) > 0, "the second one is done")
            done = items(bot)
        async with bot_in(world, tmp_path, told=TOLD) as bot:
            await idle(world, bot)
            assert items(bot) == done
            name = command.split()[1]
            assert shown(world, here.general)[-1].startswith(DONE.format(prefix="!memory", name=name))


async def test_who_opted_out_and_in_again_stays_in(tmp_path: Path) -> None:
    async with garden() as (world, here):
        hall = here.guild.channel("hall")
        async with bot_in(world, tmp_path, told=TOLD, dies=True) as bot:
            await here.kim.says(here.general, "hello")
            await idle(world, bot)
            sending = world.slow("POST", f"/channels/{here.general.id}/messages")
            await here.kim.says(here.general, "!memory opt-out")
            await world.until(lambda: sending.met, "the reply on its way")
            await here.kim.says(hall, "!memory opt-in")
            await world.until(lambda: len(shown(world, hall)) > 0, "the second one is done")
            size = bot.desk.memory.engine.head().size
        async with bot_in(world, tmp_path, told=TOLD) as bot:
            await idle(world, bot)
            assert bot.desk.memory.engine.head().size == size
            assert shown(world, here.general)[-1] == DONE.format(prefix="!memory", name="opt-out")


async def test_what_was_typed_where_the_bot_is_silent_is_not_done_over_what_they_did_since(tmp_path: Path) -> None:
    """Nobody said anything to them there, so they asked otherwise; after a restart the bot may speak there again."""
    told = {**TOLD, "respond_mode": "none"}
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, told=told) as bot:
            for text in ("hello", "!memory opt-in", TEA):
                await here.kim.says(here.general, text)
            await idle(world, bot)
            await (await here.kim.uses(here.general, "/memory opt-out")).reply()
            await idle(world, bot)
            size = bot.desk.memory.engine.head().size
        async with bot_in(world, tmp_path, told=TOLD) as bot:
            await idle(world, bot)
            assert bot.desk.memory.engine.head().size == size
            assert shown(world, here.general)[-2:] == [SINCE, SINCE]


async def test_a_setting_of_theirs_counts_as_done_since(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, told={**TOLD, "respond_mode": "none"}) as bot:
            for text in ("hello", "!memory config set me learn=none"):
                await here.kim.says(here.general, text)
            await idle(world, bot)
            await (
                await here.kim.uses(here.general, "/memory config", action="set", scope="me", setting="learn=heard")
            ).reply()
            await idle(world, bot)
            size = bot.desk.memory.engine.head().size
        async with bot_in(world, tmp_path, told=TOLD) as bot:
            await idle(world, bot)
            assert (bot.desk.memory.engine.head().size, shown(world, here.general)[-1]) == (size, SINCE)


async def test_what_was_typed_while_it_was_away_is_all_done(tmp_path: Path) -> None:
    """Of two places; and what others did meanwhile stands against nothing."""
    async with garden() as (world, here):
        hall = here.guild.channel("hall")
        async with bot_in(world, tmp_path, told=TOLD) as bot:
            for place in (here.general, hall):
                await here.kim.says(place, "hello")
            await idle(world, bot)
        await here.kim.says(here.general, TEA)
        await here.kim.says(hall, ROSES)
        await here.ada.says(hall, "!memory remember I keep bees")
        await here.kim.says(here.general, "!memory show")
        async with bot_in(world, tmp_path, told=TOLD) as bot:
            await idle(world, bot)
            assert [text for text, status, _ in items(bot) if status == "active"] == [
                "I keep bees",
                "I like tea in the morning",
                "my second note says roses",
            ]
            assert SINCE not in [*shown(world, here.general), *shown(world, hall)]
