"""A channel or a thread is deleted in Discord: what was said and answered there is gone here too."""

import asyncio
from pathlib import Path

import pytest

from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.cog import MemoryCog
from projections.decisions import clear
from projections.events import JobFailed, MessageDeleted, MessageRedacted, TurnWithdrawn
from projections.turns import TURNS
from replay.errors import LogFull
from tests.dnam.discord.stage import Garden, bot_in, events, garden, heard, idle
from tests.loopback.discord import Channel, World
from tests.loopback.discord.permissions import Overwrite, Permission
from tests.loopback.discord.threads import end


def answers(bot: DnamBot) -> int:
    """How many answers stand."""
    with bot.desk.memory.engine.reading() as rows:
        return sum(1 for _ in rows.scan(TURNS))


async def talk(world: World, here: Garden, bot: DnamBot, *channels: Channel) -> None:
    """Kim asks something in each of these, and it is answered."""
    for each in channels:
        await here.kim.says(each, f"in {each.name}", mention=world.bot)
    await idle(world, bot)
    assert answers(bot) == len(channels)


async def test_a_deleted_channel_takes_its_words_and_its_threads_along(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        porch = here.guild.channel("porch")
        thread = await here.kim.begins_thread(porch, "roses", add=[world.bot])
        await talk(world, here, bot, here.general, porch, thread)
        world.state.deleted_channel(porch)
        await idle(world, bot)
        assert (heard(bot), answers(bot)) == (["@marcy in general"], 1)
        gone = events(bot, MessageDeleted, TurnWithdrawn, MessageRedacted)
        assert len(gone) == 6
        world.redeliver(next(each for each in world.gateway.events if each.name == "CHANNEL_DELETE"))
        await idle(world, bot)
        assert (len(events(bot, MessageDeleted, TurnWithdrawn, MessageRedacted)), events(bot, JobFailed)) == (6, [])


async def test_a_deleted_thread_goes_alone(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        thread = await here.kim.begins_thread(here.general, "roses", add=[world.bot])
        await talk(world, here, bot, here.general, thread)
        end(world.state, thread)
        await idle(world, bot)
        assert (heard(bot), answers(bot)) == (["@marcy in general"], 1)


async def test_what_is_many_goes_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clear, "MOST_CLEARED", 2)
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        porch = here.guild.channel("porch")
        for number in range(5):
            await here.kim.says(porch, f"number {number}")
        await idle(world, bot)
        assert len(heard(bot)) == 5
        world.state.deleted_channel(porch)
        await idle(world, bot)
        assert (heard(bot), len(events(bot, MessageDeleted))) == ([], 5)


async def test_what_cannot_be_written_is_written_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clear, "MOST_CLEARED", 1)
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        porch = here.guild.channel("porch")
        for number in range(2):
            await here.kim.says(porch, f"number {number}")
        await idle(world, bot)

        async def full(_: object) -> None:
            raise LogFull("the disk is full")

        with monkeypatch.context() as fault:
            fault.setattr(bot.desk.memory, "record", full)
            world.state.deleted_channel(porch)
            await idle(world, bot)
        assert len(heard(bot)) == 2
        assert await bot.desk.unwritten.again()
        await idle(world, bot)
        assert heard(bot) == []


async def test_a_channel_that_is_missing_after_a_new_connection_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path) as bot:
        porch, hall, stair = (here.guild.channel(each) for each in ("porch", "hall", "stair"))
        await talk(world, here, bot, here.general, porch, hall, stair)
        porch.gone = True  # and nobody told
        for each in (hall, stair):  # there, and not among the guild's channels: one of them hidden
            del here.guild.channels[each.id]
        hall.overwrites.append(Overwrite(world.bot.id, True, deny=Permission.VIEW_CHANNEL))
        monkeypatch.setattr(bot, "before_identify_hook", for_nothing)
        async with asyncio.TaskGroup() as waiting:
            waiting.create_task(bot.wait_for("guild_available"))
            await world.gateway.invalidate()
        await idle(world, bot)
        assert sorted(heard(bot)) == ["@marcy in general", "@marcy in hall", "@marcy in stair"]
        assert events(bot, JobFailed) == []


async def for_nothing(*_: object, **__: object) -> None:
    """discord.py waits five seconds before it identifies anew."""


async def test_what_was_deleted_while_the_bot_did_not_run_goes(tmp_path: Path) -> None:
    async with garden() as (world, here):
        porch, hall = here.guild.channel("porch"), here.guild.channel("hall")
        gone = await here.kim.begins_thread(here.general, "roses", add=[world.bot])
        archived = await here.kim.begins_thread(here.general, "tulips", add=[world.bot])
        async with bot_in(world, tmp_path) as bot:
            await talk(world, here, bot, porch, hall, gone, archived)
        porch.gone = gone.gone = archived.archived = True
        async with bot_in(world, tmp_path) as bot:
            assert (sorted(heard(bot)), answers(bot)) == (["@marcy in hall", "@marcy in tulips"], 2)
            assert events(bot, JobFailed) == []


def asked(world: World) -> list[str]:
    """About which channels and threads Discord was asked, in order."""
    return [each.path.rpartition("/")[2] for each in world.requests("GET") if each.path.split("/")[-2] == "channels"]


async def test_however_many_threads_are_archived_whatever_is_gone_is_found(tmp_path: Path) -> None:
    async with garden() as (world, here):
        porch = here.guild.channel("porch")
        async with bot_in(world, tmp_path) as bot:
            gone = await here.kim.begins_thread(here.general, "roses", add=[world.bot])
            for each in (porch, gone):
                await here.kim.says(each, f"in {each.name}")
            await idle(world, bot)
            threads = [await here.kim.begins_thread(here.general, f"t{each}", add=[world.bot]) for each in range(30)]
            for each in threads:
                await here.kim.says(each, f"in {each.name}")
            await idle(world, bot)
        for each in threads:
            each.archived = True
        porch.gone = gone.gone = True
        assert asked(world) == []
        async with bot_in(world, tmp_path) as bot:
            assert sorted(heard(bot)) == sorted(f"in {each.name}" for each in threads)
            assert not bot.guilds[0].threads
        assert asked(world)[0] == str(porch.id)  # though something was said there first
        assert sorted(asked(world)) == sorted(str(each.id) for each in (porch, gone, *threads))


async def test_a_connection_that_ends_meanwhile_goes_on_behind_what_was_asked(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path) as bot:
            threads = [await here.kim.begins_thread(here.general, each, add=[world.bot]) for each in ("a", "b", "c")]
            for each in threads:
                await here.kim.says(each, f"in {each.name}")
            await idle(world, bot)
        for each in threads:
            each.archived = True
        first, second, third = (str(each.id) for each in reversed(threads))
        async with bot_in(world, tmp_path) as bot:
            assert asked(world) == [first, second, third]
            cog = bot.get_cog(MemoryCog.__cog_name__)
            assert isinstance(cog, MemoryCog)
            gate = world.slow("GET", "/channels/{channel_id}")
            cog.clearing.compare(bot.guilds[0])
            await world.until(lambda: gate.met)
            cog.clearing.compare(bot.guilds[0])
            gate.open()
            await idle(world, bot)
            assert asked(world)[3:] == [first, second, third, first, second]
