"""Where the bot is to be silent it is silent to typed commands too; slash commands answer who asks alone."""

from pathlib import Path

import pytest

from projections.events import ItemRemembered
from tests.dnam.discord.stage import bot_in, events, garden, heard, idle, shown
from tests.dnam.discord.ui.stage import scene_in


async def test_where_nothing_is_answered_no_typed_command_is(tmp_path: Path) -> None:
    async with garden() as (world, here):
        quiet = {"memory_commands_enabled": "1", "respond_mode": "none"}
        async with bot_in(world, tmp_path, told=quiet) as bot:
            await here.kim.says(here.general, "!memory show")
            await here.kim.says(here.general, "!memory remember I like tea")
            await idle(world, bot)
            assert shown(world, here.general) == []
            assert events(bot, ItemRemembered) == []
            assert heard(bot) == []


async def test_where_only_the_owner_is_answered_only_their_typed_commands_are(tmp_path: Path) -> None:
    async with garden() as (world, here):
        owners = {"memory_commands_enabled": "1", "respond_mode": "owner", "owner_ids": str(here.ada.id)}
        async with bot_in(world, tmp_path, told=owners) as bot:
            await here.kim.says(here.general, "!memory remember I like tea")
            await idle(world, bot)
            assert shown(world, here.general) == []
            assert events(bot, ItemRemembered) == []
            await here.ada.says(here.general, "!memory remember I like roses")
            await idle(world, bot)
            assert [each.partition("\n")[0] for each in shown(world, here.general)] == ["Remembered: I like roses"]


@pytest.mark.parametrize("mode", ["owner", "none"])
async def test_direct_messages_are_answered_whatever_holds_for_channels(tmp_path: Path, mode: str) -> None:
    """What the person has holds there too, and nothing else does: neither the setting nor what holds everywhere."""
    async with garden() as (world, here):
        told = {"memory_commands_enabled": "1", "respond_mode": mode, "owner_ids": str(here.ada.id)}
        async with bot_in(world, tmp_path, told=told) as bot:
            await here.kim.says(here.kim.dm, "roses?")
            await here.kim.says(here.kim.dm, "!memory remember I like tea")
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await idle(world, bot)
            await here.ada.says(here.ada.dm, f"!memory config set global respond_mode={mode}")
            await idle(world, bot)
            await here.kim.says(here.kim.dm, "and tulips?")
            await idle(world, bot)
            assert [each.partition("\n")[0] for each in shown(world, here.kim.dm)] == [
                "yes", "Remembered: I like tea", "yes"
            ]  # fmt: skip
            assert shown(world, here.general) == []
            person = await bot.desk.memory.person(str(here.kim.id), platform="discord")
            await here.ada.says(here.ada.dm, f"!memory config set person/{person.hex()} respond_mode=none")
            await idle(world, bot)
            await here.kim.says(here.kim.dm, "and lilies?")
            await idle(world, bot)
            assert len(shown(world, here.kim.dm)) == 3, shown(world, here.ada.dm)[-1]


async def test_slash_commands_work_there(tmp_path: Path) -> None:
    async with scene_in(tmp_path, respond_mode="none") as scene:
        await scene.remembers(scene.kim, "I like tea")
        assert await scene.held(scene.kim) == ["I like tea"]
