"""The bot may not read a channel for a while, within one connection: what it was not told is read back afterwards."""

from pathlib import Path

from tests.dnam.discord.stage import bot_in, garden, heard, idle, shown
from tests.loopback.discord import Permission
from tests.loopback.discord.permissions import NONE


async def test_what_was_said_and_deleted_meanwhile_is_read_back(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        regretted = await here.kim.says(here.general, "my secret is roses")
        await idle(world, bot)
        here.guild.permit(here.general, world.bot, deny=Permission.VIEW_CHANNEL)
        await idle(world, bot)
        await here.kim.deletes(regretted)
        await here.kim.says(here.general, "are you there?", mention=world.bot)
        await idle(world, bot)
        assert shown(world, here.general) == []
        here.guild.permit(here.general, world.bot)
        await idle(world, bot)
        assert heard(bot) == ["@marcy are you there?"]
        assert shown(world, here.general) == ["yes"]


async def test_it_is_by_a_role_of_the_bot_s_too(tmp_path: Path) -> None:
    async with garden() as (world, here):
        attic = here.guild.channel("attic", only_for=[here.kim])
        await here.kim.says(attic, "hello")
        async with bot_in(world, tmp_path) as bot:
            await here.kim.says(attic, "are you there?", mention=world.bot)
            await idle(world, bot)
            assert shown(world, attic) == []
            gardener = here.guild.role("gardener", Permission.ADMINISTRATOR, world.bot)
            await idle(world, bot)
            assert shown(world, attic) == ["yes"]
            here.guild.grants(gardener, NONE)
            await idle(world, bot)
            await here.kim.says(attic, "and now?", mention=world.bot)
            await idle(world, bot)
            here.guild.grants(gardener, Permission.ADMINISTRATOR)
            await idle(world, bot)
            assert shown(world, attic) == ["yes", "yes"]
