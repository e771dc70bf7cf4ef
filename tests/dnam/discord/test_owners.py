"""Whose bot it is where a team owns the application: theirs who joined it and may do more than read."""

from pathlib import Path

from tests.dnam.discord.stage import bot_in, garden, idle, shown


async def test_of_a_team_its_owner_and_who_joined_as_admin_or_developer_are_owners(tmp_path: Path) -> None:
    async with garden() as (world, here):
        admin, developer, invited, reader = (world.person(each) for each in ("Tobi", "Marcy", "Kim", "Ines"))
        application = world.application
        application.team = [here.guild_owner, admin, developer, invited, reader]
        application.team_roles = {developer.id: "developer", reader.id: "read_only", here.guild_owner.id: "read_only"}
        application.invited = {invited.id}
        async with bot_in(world, tmp_path) as bot:
            assert bot.desk.owners == {here.guild_owner.id, admin.id, developer.id}


async def test_who_is_invited_to_the_team_configures_nothing(tmp_path: Path) -> None:
    async with garden() as (world, here):
        world.application.team = [here.guild_owner, here.ada]
        world.application.invited = {here.ada.id}
        async with bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
            await here.ada.says(here.general, "!memory config set global respond_mode=none")
            await here.ada.says(here.general, "are you there?", mention=world.bot)
            await idle(world, bot)
            assert shown(world, here.general)[-1] == "yes"
