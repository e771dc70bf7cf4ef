"""Servers of which Discord has told nothing, or nothing more: what is said there is nobody's direct message. It is
neither heard nor answered before it is known who can read it.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import discord
import pytest
from discord.ext import commands

from dnam.adapters.discord.askers import UNSURE
from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.cog import NO_GUILDS, MemoryCog
from dnam.adapters.discord.desk import Desk
from dnam.adapters.discord.later import AGAIN_SECONDS
from dnam.adapters.discord.places import place_of
from dnam.assistant import Assistant
from dnam.memory import Memory
from projections.events import (
    JobFailed,
    MessageEdited,
    MessageHeard,
    MessageRedacted,
    PlaceAudienceChanged,
    PlaceDescribed,
    TurnAnswered,
)
from projections.ids import Ref
from tests.dnam.discord.stage import READY_SECONDS, Garden, bot_in, events, for_ever, garden, heard, idle, shown, until
from tests.dnam.discord.ui.stage import garden_in, scene_in
from tests.dnam.scripted import FakeClock, ScriptedModel, settings
from tests.loopback.discord import Channel, Intent, World, running
from tests.loopback.discord.guilds import guild_create
from tests.loopback.discord.state import Event
from tests.loopback.discord.users import NOTHING

SECRET = "my diary is called Bluebell"
UNKNOWN = "what is said there is neither heard nor answered"


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    ours = (each for each in caplog.records if each.name.startswith("dnam"))
    return [each.getMessage() for each in ours if each.levelname == "WARNING"]


def goes(world: World, here: Garden) -> None:
    """Discord tells that the bot is in the server no more, and what is said there all the same."""
    world.state.tell(Event("GUILD_DELETE", {"id": str(here.guild.id)}, Intent.GUILDS))


def comes(world: World, here: Garden) -> None:
    """It is in it."""
    world.state.tell(Event("GUILD_CREATE", guild_create(world.bot, here.guild, NOTHING), Intent.GUILDS))


async def tells_a_secret(world: World, here: Garden, bot: DnamBot) -> None:
    """In Kim's direct messages."""
    await here.kim.says(here.kim.dm, f"!memory remember {SECRET}")
    await idle(world, bot)
    assert "It stays in your direct messages" in shown(world, here.kim.dm)[-1]


async def test_what_is_said_behind_the_end_of_a_server_is_no_dm(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        await tells_a_secret(world, here, bot)
        goes(world, here)
        await here.kim.says(here.general, "let me tell everybody that I am here")
        await here.kim.says(here.general, "what is my diary called?", mention=world.bot)
        await here.kim.says(here.general, "!memory show")
        await here.kim.says(here.general, "and now?")
        await idle(world, bot)
        assert (shown(world, here.general), len(shown(world, here.kim.dm))) == ([], 1)
        assert (events(bot, MessageHeard), events(bot, TurnAnswered), model.asks) == ([], [], [])
        (words,) = [each for each in told(caplog) if UNKNOWN in each]
        assert str(here.guild.id) in words, "it is told once"


async def test_what_was_said_is_heard_and_answered_once_the_server_is_known(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        await tells_a_secret(world, here, bot)
        await here.kim.says(here.general, "good morning")
        await idle(world, bot)
        goes(world, here)
        await here.kim.says(here.general, "what is my diary called?", mention=world.bot)
        await idle(world, bot)
        assert heard(bot) == ["good morning"]
        comes(world, here)
        await idle(world, bot)
        assert shown(world, here.general) == ["yes"]
        assert "Bluebell" not in model.asked("answer")[-1].prompt
        assert {each.message.session for each in events(bot, MessageHeard)} == {f"discord:channel:{here.general.id}"}
        assert events(bot, PlaceAudienceChanged) == []


async def test_a_server_that_is_away_is_not_read_back_before_it_is_there(tmp_path: Path) -> None:
    """As when the connection is resumed: its channels are known as they were."""
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model) as bot:
        (home,) = bot.guilds
        cog, channel = bot.get_cog(MemoryCog.__cog_name__), home.get_channel(here.general.id)
        assert isinstance(cog, MemoryCog)
        assert isinstance(channel, discord.TextChannel)
        home.unavailable = True
        await here.kim.says(here.general, "is anybody there?", mention=world.bot)
        await idle(world, bot)
        cog.hearing.catching_up.again(place_of(channel))  # as a connection that goes on
        cog.hearing.place(channel)
        await idle(world, bot)
        assert (heard(bot), model.asks) == ([], [])
        home.unavailable = False
        cog.hearing.guild(home)
        cog.hearing.place(channel)
        await idle(world, bot)
        assert heard(bot) == ["@marcy is anybody there?"]


async def test_what_is_edited_or_deleted_there_is_so_here_and_closes_nothing(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        first, second = [await here.kim.says(here.general, each) for each in ("I like roses", "and tulips")]
        await idle(world, bot)
        goes(world, here)
        await here.kim.edits(first, "I like lilies")
        await idle(world, bot)
        assert heard(bot) == ["I like lilies", "and tulips"]
        await here.kim.deletes(second)
        await idle(world, bot)
        assert heard(bot)[0] == "I like lilies"
        assert "tulips" not in " ".join(heard(bot))
        assert (len(events(bot, MessageEdited)), len(events(bot, MessageRedacted))) == (1, 2)
        assert events(bot, PlaceAudienceChanged) == []


@pytest.mark.parametrize("is_edited", [True, False])
async def test_so_it_is_in_a_thread(tmp_path: Path, is_edited: bool) -> None:
    """Of which the server alone says that it is one."""
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        thread = await here.kim.begins_thread(here.general, "flowers")
        said = await here.kim.says(thread, "I like roses")
        await idle(world, bot)
        goes(world, here)
        await (here.kim.edits(said, "I like lilies") if is_edited else here.kim.deletes(said))
        await idle(world, bot)
        assert "roses" not in " ".join(heard(bot))
        assert (len(events(bot, MessageEdited)), events(bot, PlaceAudienceChanged)) == (int(is_edited), [])


async def test_what_is_edited_where_nothing_was_said_before_is_read_back_with_the_server(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            thread = await here.kim.begins_thread(here.general, "flowers")
            said = await here.kim.says(thread, "I like roses")
        async with bot_in(world, tmp_path) as bot:
            bot.cogs["Memory"].hearing._places.clear()  # type: ignore[attr-defined] # the cog under test
            goes(world, here)
            await here.kim.edits(said, "I like lilies")
            await idle(world, bot)
            comes(world, here)
            await idle(world, bot)
            assert heard(bot) == ["I like lilies"]
            assert events(bot, PlaceAudienceChanged) == []


async def test_what_was_to_be_tried_again_there_waits_until_the_server_is_known(tmp_path: Path) -> None:
    """An answer that could not be sent."""
    passed = asyncio.Event()

    async with garden() as (world, here), bot_in(world, tmp_path, pause=until(passed, AGAIN_SECONDS)) as bot:
        world.fail("POST", f"/channels/{here.general.id}/messages", status=400)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        goes(world, here)
        await world.gateway.flushed()
        read = len(world.requests("GET", f"/channels/{here.general.id}/messages"))
        passed.set()
        for _ in range(10):
            await asyncio.sleep(0)
        await idle(world, bot)
        assert len(world.requests("GET", f"/channels/{here.general.id}/messages")) == read
        assert (shown(world, here.general), len(events(bot, TurnAnswered))) == ([], 1)
        comes(world, here)
        await idle(world, bot)
        assert shown(world, here.general) == ["yes"]


@pytest.mark.parametrize("by_the_bot", [False, True])
async def test_what_one_person_alone_is_shown_in_a_channel_is_no_dm_either(tmp_path: Path, by_the_bot: bool) -> None:
    """Discord tells of it without the server's id."""
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        said = await here.kim.says(here.general, "I like roses")
        await idle(world, bot)
        author = world.bot.wire() if by_the_bot else here.ada.wire()
        shown_alone = said.wire() | {"id": str(world.state.ids.next()), "author": author, "flags": 64}
        world.state.tell(Event("MESSAGE_CREATE", shown_alone, Intent.DIRECT_MESSAGES))
        edited = shown_alone | {"content": "I like lilies", "edited_timestamp": shown_alone["timestamp"]}
        world.state.tell(Event("MESSAGE_UPDATE", edited, Intent.DIRECT_MESSAGES))
        await idle(world, bot)
        assert (heard(bot), events(bot, PlaceAudienceChanged)) == (["I like roses"], [])
        assert (shown(world, here.general), bot.desk.uncompared) == ([], {})


async def test_what_the_server_shared_is_told_nowhere_while_it_is_unknown(tmp_path: Path) -> None:
    async with scene_in(tmp_path) as scene:
        await scene.remembers(scene.kim, "I grow roses")
        (home,) = scene.bot.guilds
        whole = Ref("discord", str(home.id))
        assert not scene.bot.desk.is_unsure_of(whole)
        assert len(await scene.kim.completes(scene.general, "/memory forget what:")) == 1
        home.unavailable = True
        described = len(events(scene.bot, PlaceDescribed))
        assert scene.bot.desk.is_unsure_of(whole)
        assert await scene.kim.completes(scene.general, "/memory forget what:") == []
        reply = await scene.replied(scene.kim.uses(scene.general, "/memory show"))
        assert reply.said.content == f"The memory cannot be asked just now, and nothing was done: {UNSURE}"
        reply = await scene.replied(scene.kim.uses(scene.staff, "/memory show"))
        assert reply.said.content.endswith(UNSURE)
        assert len(events(scene.bot, PlaceDescribed)) == described
        home.unavailable = False
        assert not scene.bot.desk.is_unsure_of(whole)
        scene.bot._connection._remove_guild(home)
        assert scene.bot.desk.is_unsure_of(whole)
        assert not scene.bot.desk.is_unsure_of(None), "a DM is in none"


async def test_nothing_is_shown_in_a_channel_of_a_server_that_is_unknown(tmp_path: Path) -> None:
    async with garden_in() as starting, starting(tmp_path, shows=True) as scene:
        await scene.remembers(scene.kim, "I grow roses")
        (home,) = scene.bot.guilds
        scene.bot._connection._remove_guild(home)
        await scene.menus.snapshots.round()  # type: ignore[union-attr] # there are some
        assert await scene.shown() == []
        scene.bot._connection._add_guild(home)
        await scene.menus.snapshots.round()  # type: ignore[union-attr] # there are some
        assert len(await scene.shown()) == 1


async def test_nor_does_a_dm_open_what_was_learned_there(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        await here.kim.says(here.cellar, "!memory remember I keep the cellar keys")
        await idle(world, bot)
        for is_away in (False, True):
            bot.guilds[0].unavailable = is_away
            await here.kim.says(here.kim.dm, "where are my keys?")
            await idle(world, bot)
            assert ("cellar keys" in model.asked("answer")[-1].prompt) == (not is_away)


# -- somebody else's bot that does not ask for them --------------------------------------------------------------------


@asynccontextmanager
async def gardener(path: Path, model: ScriptedModel) -> AsyncIterator[tuple[World, Garden, commands.Bot, Memory, Desk]]:
    """A bot with the memory, and without the intent `guilds`."""
    async with garden() as (world, here):
        users = ",".join(str(each.id) for each in (here.kim, here.ada))
        chosen = settings(allow_users=users, allow_guilds=str(here.guild.id))
        async with Memory.open(path, settings=chosen, clock=FakeClock()) as memory:
            wanted = discord.Intents(messages=True, message_content=True)
            bot = commands.Bot("?", intents=wanted, guild_ready_timeout=READY_SECONDS)
            desk = Desk(bot, Assistant(memory, model))
            async with running(bot, world):
                await bot.wait_until_ready()
                await bot.add_cog(MemoryCog(desk, pause=for_ever))
                yield world, here, bot, memory, desk


@pytest.mark.parametrize("joins", [False, True])
async def test_a_bot_that_is_told_of_no_servers_answers_in_none(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, joins: bool
) -> None:
    model = ScriptedModel()
    async with gardener(tmp_path, model) as (world, here, bot, memory, desk):

        async def says(channel: Channel, text: str, *, to_it: bool = False) -> None:
            await here.kim.says(channel, text, mention=world.bot if to_it else ())
            await world.gateway.flushed()
            await desk.sessions.settle()

        where = here.general
        if joins:
            harbour = world.guild("Harbour", here.kim, owner=here.ada)
            where = harbour.channel("pier")
            assert bot.get_guild(harbour.id) is None
        await says(here.kim.dm, f"!memory remember {SECRET}")
        await says(where, "what is my diary called?", to_it=True)
        await says(where, "nobody is mentioned here")
        await says(where, "!memory show")
        assert (shown(world, where), model.asks) == ([], [])
        assert (events(memory, MessageHeard), events(memory, JobFailed)) == ([], [])
        await says(here.kim.dm, "what is my diary called?")
        assert shown(world, here.kim.dm)[1:] == ["yes"]
        assert "Bluebell" in model.asks[-1].prompt
    assert told(caplog) == [f"discord: {NO_GUILDS}"]
