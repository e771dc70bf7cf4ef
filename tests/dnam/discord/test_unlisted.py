"""What is said in a place of which Discord tells the id alone: the log says what it is, its channel who reads it."""

from pathlib import Path

import pytest

from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.places import place_of
from dnam.adapters.discord.unlisted import is_unlisted, known_as
from projections.decisions.place import PlaceSeen
from projections.events import ItemRemembered, JobFailed, MessageHeard
from projections.ids import Ref
from replay.errors import DamagedViews
from tests.dnam.discord.stage import Garden, bot_in, events, garden, heard, idle, shown
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import Channel, World
from tests.loopback.discord.threads import archive


async def forgotten(world: World, bot: DnamBot, thread: Channel) -> None:
    """It was archived, and is opened again without a word of it."""
    archive(world.state, thread)
    await idle(world, bot)
    thread.archived = False
    assert bot.get_channel(thread.id) is None


async def seen_in(bot: DnamBot, here: Garden, thread: Channel) -> PlaceSeen:
    """What a thread is taken for of which Discord tells no more than its id."""
    guild = bot.get_guild(here.guild.id)
    assert guild is not None
    channel = bot.get_partial_messageable(thread.id, guild_id=guild.id)
    assert is_unlisted(channel)
    return await bot.desk.memory.look(lambda rows: known_as(rows, place_of(channel), guild))


async def test_a_thread_that_is_known_is_that_thread_with_what_was_said_in_it(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        thread = await here.kim.begins_thread(here.general, "tulips")
        before = await here.kim.says(thread, "tulips need shade")
        await idle(world, bot)
        await forgotten(world, bot, thread)
        await here.ada.says(thread, "do they?", mention=world.bot)
        await here.kim.edits(before, "tulips need sun")
        await here.ada.says(thread, "!memory remember I like tulips")
        await here.ada.says(thread, "and now?", mention=world.bot)
        await idle(world, bot)
        (session,) = {each.message.session for each in events(bot, MessageHeard)}
        assert session == f"discord:thread:{thread.id}"
        assert {each.message.audience.kind for each in events(bot, MessageHeard)} == {"guild"}
        assert "[Kim]: tulips need shade" in model.asked("answer")[0].prompt
        assert "[Kim]: tulips need sun" in model.asked("answer")[1].prompt
        assert [each.item.text for each in events(bot, ItemRemembered)] == ["I like tulips"]
        assert shown(world, thread)[0] == shown(world, thread)[2] == "yes"
        assert events(bot, JobFailed) == []


async def test_one_that_nobody_knows_stays_restricted_to_itself(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        thread = await here.kim.begins_thread(here.general, "tulips")
        await forgotten(world, bot, thread)
        await here.kim.says(thread, "roses?", mention=world.bot)
        await idle(world, bot)
        (message,) = (each.message for each in events(bot, MessageHeard))
        assert (message.session, message.audience.kind) == (f"discord:channel:{thread.id}", "channel")
        assert shown(world, thread) == ["yes"]


async def test_its_readers_are_those_of_its_channel(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        channels = (here.general, here.cellar)
        open_one, closed_one = [await here.kim.begins_thread(each, "tulips") for each in channels]
        private = await here.kim.begins_thread(here.general, "ours", private=True, add=[world.bot])
        for each in (open_one, closed_one, private):
            await here.kim.says(each, "hello")
        await idle(world, bot)
        for each in (open_one, closed_one, private):
            await forgotten(world, bot, each)
        seen = [await seen_in(bot, here, each) for each in (open_one, closed_one, private)]
        assert [each.kind for each in seen] == ["thread"] * 3
        assert [each.audience for each in seen] == ["guild", "channel", "channel"]
        assert [each.readers for each in seen[1:]] == [Ref("discord", str(here.cellar.id)), None]
        del bot.guilds[0]._channels[here.general.id]  # it is gone, and nobody told
        assert (await seen_in(bot, here, open_one)).audience == "channel"


async def test_where_the_log_cannot_be_read_it_is_restricted_to_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_: object) -> None:
        raise DamagedViews("the views")

    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        thread = await here.kim.begins_thread(here.general, "tulips")
        await here.kim.says(thread, "hello")
        await idle(world, bot)
        await forgotten(world, bot, thread)
        monkeypatch.setattr("dnam.adapters.discord.hearing.known_as", damaged)
        await here.kim.says(thread, "roses?", mention=world.bot)
        await idle(world, bot)
        assert events(bot, MessageHeard)[-1].message.audience.kind == "channel"
        assert "@marcy roses?" in heard(bot)
