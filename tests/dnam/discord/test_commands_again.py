"""A bot that dies between doing what a command says and its reply: what is done stays done once, and is told after it
comes back.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from dnam.adapters.discord.bot import DnamBot
from dnam.commands.done_before import DONE
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
