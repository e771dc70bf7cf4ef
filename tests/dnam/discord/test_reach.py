"""What one's own DMs open by what Discord says now: what was said in channels that one can read."""

import asyncio
from pathlib import Path

import discord
import pytest

from dnam.adapters.discord import reach
from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.reach import Reach, _answers, _read_by
from projections.events import TurnAnswered
from projections.events.values import Audience
from projections.ids import Handle, Ref
from projections.people import person_of
from projections.policies.compartments import OWNER, Setting
from replay.errors import LogError
from tests.dnam.discord.made import ADA, CONNECT, EVERYONE, GUILD, channel, guild, thread
from tests.dnam.discord.stage import bot_in, events, garden, heard, idle, shown
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord import Channel, World
from tests.loopback.discord.permissions import Permission
from tests.loopback.discord.speaker import Speaker

READS = 1 << 16
"""READ_MESSAGE_HISTORY."""


async def teach(world: World, bot: DnamBot, who: Speaker, channel: Channel, words: str) -> Handle:
    """Somebody has something remembered in a channel."""
    await who.says(channel, f"!memory remember {words}")
    await idle(world, bot)
    found = await bot.desk.memory.look(lambda rows: person_of(rows, "discord", str(who.id)))
    assert found is not None
    return found.row.person


async def show(world: World, bot: DnamBot, who: Speaker) -> str:
    """What somebody is shown in their DM."""
    await who.says(who.dm, "!memory show")
    await idle(world, bot)
    return shown(world, who.dm)[-1]


async def test_what_was_said_in_a_channel_is_in_one_s_dms_as_long_as_one_can_read_it(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        await teach(world, bot, here.kim, here.cellar, "I keep the cellar keys")
        assert "cellar keys" in await show(world, bot, here.kim)
        assert "cellar keys" not in await show(world, bot, here.ada)
        here.guild.permit(here.cellar, here.kim, deny=Permission.VIEW_CHANNEL)
        await idle(world, bot)
        assert "cellar keys" not in await show(world, bot, here.kim)
        here.guild.permit(here.cellar, here.kim, allow=Permission.VIEW_CHANNEL)
        await idle(world, bot)
        assert "cellar keys" in await show(world, bot, here.kim)
        world.state.leaves(here.guild, here.kim)
        assert "cellar keys" not in await show(world, bot, here.kim)


async def test_it_is_in_the_prompt_too_and_the_turn_says_what_was_open(tmp_path: Path) -> None:
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        person = await teach(world, bot, here.kim, here.cellar, "I keep the cellar keys")
        await here.kim.says(here.kim.dm, "where are my keys?")
        await idle(world, bot)
        assert "cellar keys" in model.asked("answer")[-1].prompt
        (turn,) = events(bot, TurnAnswered)
        assert isinstance(turn, TurnAnswered)
        assert turn.besides == (f"person/{person.hex()}/channel/discord:{here.cellar.id}",)


async def test_a_private_thread_is_for_its_members(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        thread = await here.kim.begins_thread(here.general, "whispers", private=True, add=[world.bot])
        await idle(world, bot)
        await teach(world, bot, here.kim, thread, "I whisper at night")
        assert "whisper at night" in await show(world, bot, here.kim)
        thread.recipients.remove(here.kim)
        assert "whisper at night" not in await show(world, bot, here.kim)


@pytest.mark.parametrize(("may", "reads"), [(True, True), (False, False)])
async def test_what_is_said_in_a_voice_channel_is_for_who_may_join(
    monkeypatch: pytest.MonkeyPatch, may: bool, reads: bool
) -> None:
    rights = [] if may else [{"id": str(GUILD), "type": 0, "allow": "0", "deny": str(CONNECT)}]
    data = channel(kind=2, permission_overwrites=rights, bitrate=1, user_limit=0)
    home = guild(EVERYONE | CONNECT | READS, (data,))
    monkeypatch.setattr(discord.Guild, "fetch_member", fetched)
    voice = home.get_channel(10)
    assert isinstance(voice, discord.VoiceChannel)
    assert await _read_by([7], [voice], room()) == ({voice.id} if reads else set())


async def test_a_thread_whose_channel_is_unknown_is_read_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    home = guild(EVERYONE | READS, (channel(),))
    monkeypatch.setattr(discord.Guild, "fetch_member", fetched)
    whispers = [thread(home, 12, parent) for parent in (10, 404)]
    monkeypatch.setattr(discord.Thread, "fetch_member", invited)
    assert await _read_by([7], whispers[:1], room()) == {whispers[0].id}
    assert await _read_by([7], whispers[1:], room()) == set()


async def invited(thread: discord.Thread, _: int, /) -> discord.Thread:
    return thread


async def test_one_is_asked_about_once_a_server_however_many_channels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = list[int]()
    real = discord.Guild.fetch_member

    async def fetch(guild: discord.Guild, member: int, /) -> discord.Member:
        fetched.append(member)
        return await real(guild, member)

    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        cellars = [here.guild.channel(f"cellar-{number}", only_for=[here.kim, world.bot]) for number in range(4)]
        await idle(world, bot)
        taught = [await teach(world, bot, here.kim, each, f"I keep the keys of {each.name}") for each in cellars]
        monkeypatch.setattr(discord.Guild, "fetch_member", fetch)
        assert len(await Reach(bot.desk)(taught[0])) == 4
        assert fetched == [here.kim.id]
        fetched.clear()
        await here.kim.says(here.kim.dm, "where are my keys?")
        await idle(world, bot)
        assert fetched == [here.kim.id], "one look serves an answer"


async def test_where_discord_takes_its_time_others_are_answered_and_all_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it says of a member is no part of recording: nobody else waits for it, and nothing waits to be recorded."""
    asked, gives_up = asyncio.Event(), asyncio.Event()

    async def slowly(_: discord.Guild, __: int, /) -> discord.Member:
        asked.set()
        await gives_up.wait()
        raise OSError("no answer")

    monkeypatch.setattr(reach, "PATIENCE_SECONDS", 600)
    model = ScriptedModel()
    async with garden() as (world, here), bot_in(world, tmp_path, model, memory_commands_enabled="1") as bot:
        await teach(world, bot, here.kim, here.cellar, "I keep the cellar keys")
        monkeypatch.setattr(discord.Guild, "fetch_member", slowly)
        await here.kim.says(here.kim.dm, "where are my keys?")
        await asked.wait()
        await world.until(lambda: "where are my keys?" in heard(bot), "it is recorded")
        await here.ada.says(here.general, "and mine?", mention=world.bot)
        await world.until(lambda: shown(world, here.general)[-1:] == ["yes"], "somebody else is answered")
        assert not bot.desk.unwritten
        gives_up.set()
        await idle(world, bot)
        assert "cellar keys" not in model.asked("answer")[-1].prompt
        assert shown(world, here.kim.dm) == ["yes"]


async def test_what_discord_does_not_say_in_time_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "PATIENCE_SECONDS", 0)

    async def never() -> int:
        await asyncio.Event().wait()
        return 7

    async def at_once() -> int:
        return 8

    assert await _answers({"late": never, "known": at_once}, room()) == {"known": 8}


def room(at_once: int = reach.AT_ONCE) -> asyncio.Semaphore:
    return asyncio.Semaphore(at_once)


async def test_so_many_things_are_asked_at_a_time_and_each_has_its_own_time() -> None:
    under_way, most = 0, 0

    async def slowly() -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        for _ in range(5):
            await asyncio.sleep(0)
        under_way -= 1
        return 7

    assert await _answers(dict.fromkeys(range(20), slowly), room(3)) == dict.fromkeys(range(20), 7)
    assert most == 3


async def test_what_does_not_come_in_time_leaves_its_place_and_waits_for_none_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reach, "PATIENCE_SECONDS", 0.01)
    here = room(1)

    async def never() -> int:
        await asyncio.Event().wait()
        return 7

    async def at_once() -> int:
        return 8

    assert await _answers({"late": never, "later": never, "known": at_once}, here) == {"known": 8}
    monkeypatch.setattr(reach, "TURN_SECONDS", 0.01)
    await here.acquire()
    assert await _answers({"known": at_once}, here) == {}
    here.release()
    assert await _answers({"known": at_once}, here) == {"known": 8}


async def test_a_slow_server_is_asked_so_much_at_a_time_for_all_who_are_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, goes_on = list[int](), asyncio.Event()
    real = discord.Guild.fetch_member

    monkeypatch.setattr(reach, "AT_ONCE", 1)
    monkeypatch.setattr(reach, "PATIENCE_SECONDS", 600)
    monkeypatch.setattr(reach, "TURN_SECONDS", 600)
    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:

        async def slowly(guild: discord.Guild, member: int, /) -> discord.Member:
            asked.append(member)
            world.changed()  # no request tells of it
            await goes_on.wait()
            return await real(guild, member)

        here.guild.permit(here.cellar, here.ada, allow=Permission.VIEW_CHANNEL)
        await idle(world, bot)
        people = [await teach(world, bot, who, here.cellar, "I keep the keys") for who in (here.kim, here.ada)]
        monkeypatch.setattr(discord.Guild, "fetch_member", slowly)
        opens = Reach(bot.desk)
        looks = [asyncio.create_task(opens(each)) for each in people]
        await world.until(lambda: bool(asked), "one of them is asked about")
        await idle(world, bot)
        assert len(asked) == 1
        goes_on.set()
        assert [len(await each) for each in looks] == [1, 1]
        assert sorted(asked) == sorted([here.kim.id, here.ada.id])


@pytest.mark.parametrize("place", ["local:7", "discord:x", "discord:404"])
async def test_what_discord_does_not_know_opens_nothing(tmp_path: Path, place: str) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        person = await teach(world, bot, here.kim, here.general, "I like tea")
        platform, _, key = place.partition(":")
        setting = Setting(person, Audience("channel", Ref(platform, key)))
        await bot.desk.memory.remember(person, "I keep the keys", setting=setting)
        assert await Reach(bot.desk)(person) == ()


async def test_the_owner_is_known_and_a_memory_that_cannot_be_read_opens_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, memory_commands_enabled="1") as bot:
        person = await teach(world, bot, here.kim, here.general, "I like tea")
        bot.desk.owners = frozenset({here.kim.id})
        assert await Reach(bot.desk)(person) == (OWNER,)
        monkeypatch.setattr(bot.desk.memory.engine, "reading", full)
        assert await Reach(bot.desk)(person) == ()


def full(*_: object) -> None:
    raise LogError("the disk is gone")


async def fetched(guild: discord.Guild, _: int) -> discord.Member:
    data = {
        "user": ADA,
        "roles": [],
        "joined_at": "2023-11-15T00:00:00+00:00",
        "deaf": False,
        "mute": False,
        "flags": 0,
    }
    return discord.Member(data=data, guild=guild, state=guild._state)  # type: ignore[arg-type]  # the rest of a member is not needed
