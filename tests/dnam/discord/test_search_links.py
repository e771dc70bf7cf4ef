"""What a search finds in one's own direct messages has links that open there."""

from pathlib import Path

from tests.dnam.discord.stage import bot_in, garden, idle, shown
from tests.dnam.scripted import ScriptedModel

ANSWER = "roses like the sun"


async def test_what_was_said_in_direct_messages_is_found_with_links(tmp_path: Path) -> None:
    model = ScriptedModel({"answer": lambda _: ANSWER})
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        elsewhere = await here.kim.says(here.general, "the roses of the garden")
        question = await here.kim.says(here.kim.dm, "how are my roses?")
        await idle(world, bot)
        (answer,) = (each for each in here.kim.dm.messages.values() if each.content == ANSWER)
        await here.kim.says(here.kim.dm, "!memory search roses")
        await idle(world, bot)
        (found,) = shown(world, here.kim.dm)[1:]
        in_dm = f"https://discord.com/channels/@me/{here.kim.dm.id}"
        links = [line.rsplit(" ", 1)[-1] for line in found.splitlines() if "roses" in line and "http" in line]
        assert {f"{in_dm}/{question.id}", f"{in_dm}/{answer.id}"} <= set(links)
        assert f"https://discord.com/channels/{here.guild.id}/{here.general.id}/{elsewhere.id}" not in found


async def test_what_was_said_there_has_none_where_others_read_along(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        await here.kim.says(here.kim.dm, "how are my roses?")
        said = await here.kim.says(here.general, "the roses of the garden")
        await idle(world, bot)
        await here.kim.says(here.general, "!memory search roses")
        await idle(world, bot)
        found = shown(world, here.general)[-1]
        assert f"https://discord.com/channels/{here.guild.id}/{here.general.id}/{said.id}" in found
        assert "@me" not in found
