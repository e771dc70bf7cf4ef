"""Who is learned from by what they say to others is told so: once, by DM, or else where it was learned."""

import asyncio
import json
from pathlib import Path

import discord
import pytest

from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.cog import MemoryCog
from dnam.adapters.discord.notices import Notices
from dnam.model import Ask
from projections.events import JobFailed, NoticeGiven
from replay.errors import LogFull
from tests.dnam.discord.stage import bot_in, events, garden, heard, idle, shown
from tests.dnam.scripted import ScriptedModel, lines_of
from tests.loopback.discord import World

NOTICE = "I am marcy, and I have begun to remember things that you say in Garden, also when you do not speak to me."


def learning() -> ScriptedModel:
    def replies(ask: Ask) -> str:
        line = lines_of(ask)[-1]
        evidence = [{"quote": line.text, "message": line.id}]
        return json.dumps({"upserts": [{"kind": "fact", "text": f"User says {line.text}", "evidence": evidence}]})

    return ScriptedModel({"extraction": replies})


def notices(bot: DnamBot) -> Notices:
    return next(each.notices for each in bot.cogs.values() if isinstance(each, MemoryCog))


async def told(world: World, bot: DnamBot) -> None:
    """Until everybody is told who has to be."""
    await idle(world, bot)
    while waiting := list(notices(bot)._telling.values()):
        await asyncio.wait(waiting)
    await idle(world, bot)


async def learn(world: World, bot: DnamBot, user: int) -> None:
    """Learn from what somebody said, now."""
    person = await bot.desk.memory.person(str(user), platform="discord")
    await bot.desk.assistant.extract(person)
    await told(world, bot)


async def test_it_says_so_once_by_dm_also_after_a_restart(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, learning(), learn="heard") as bot:
            await here.kim.says(here.general, "I grow pumpkins")
            await idle(world, bot)
            await learn(world, bot, here.kim.id)
            [text] = shown(world, here.kim.dm)
            assert text.startswith(NOTICE)
            assert "`!memory opt-out`" in text
            [given] = events(bot, NoticeGiven)
            assert isinstance(given, NoticeGiven)
            assert given.place.key == f"dm:{given.person.hex()}"
            assert shown(world, here.general) == []
            assert heard(bot) == ["I grow pumpkins"], "what it says is nothing that was said"
        async with bot_in(world, tmp_path, learning(), learn="heard") as bot:
            await here.kim.says(here.general, "I grow beans")
            await idle(world, bot)
            await learn(world, bot, here.kim.id)
            assert len(shown(world, here.kim.dm)) == 1
            assert heard(bot) == ["I grow pumpkins", "I grow beans"]


async def test_what_is_said_to_the_bot_needs_no_notice(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, learning()) as bot:
        await here.kim.says(here.general, "I grow pumpkins", mention=world.bot)
        await idle(world, bot)
        await learn(world, bot, here.kim.id)
        assert events(bot, NoticeGiven) == []
        assert shown(world, here.kim.dm) == []


async def test_who_takes_no_dms_is_told_where_it_was_learned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, learning(), learn="heard") as bot:
        await here.kim.says(here.general, "I grow pumpkins")
        await idle(world, bot)
        monkeypatch.setattr(bot, "create_dm", forbidden)
        await learn(world, bot, here.kim.id)
        [text] = shown(world, here.general)
        assert text.startswith(f"<@{here.kim.id}> {NOTICE}")
        [given] = events(bot, NoticeGiven)
        assert isinstance(given, NoticeGiven)
        assert given.place.key == str(here.general.id)


async def test_who_cannot_be_reached_at_all_is_told_another_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, learning(), learn="heard") as bot:
        await here.kim.says(here.general, "I grow pumpkins")
        await idle(world, bot)
        monkeypatch.setattr(bot, "create_dm", forbidden)
        monkeypatch.setattr(bot, "get_channel", lambda _: None)
        await learn(world, bot, here.kim.id)
        assert events(bot, NoticeGiven, JobFailed) == []
        monkeypatch.undo()
        await here.kim.says(here.general, "I grow beans")
        await idle(world, bot)
        await learn(world, bot, here.kim.id)
        assert len(events(bot, NoticeGiven)) == 1


async def test_what_goes_wrong_is_noted_and_tried_when_something_is_next_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, learning(), learn="heard") as bot:
        await here.kim.says(here.general, "I grow pumpkins")
        await idle(world, bot)
        monkeypatch.setattr(bot, "create_dm", broken)
        await learn(world, bot, here.kim.id)
        [failed] = events(bot, JobFailed)
        assert isinstance(failed, JobFailed)
        assert failed.job == "discord notice"
        assert events(bot, NoticeGiven) == []


async def test_the_bot_ends_without_waiting_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, learning(), learn="heard") as bot:
        await here.kim.says(here.general, "I grow pumpkins")
        await idle(world, bot)
        begun = asyncio.Event()

        async def never(*_: object) -> None:
            begun.set()
            await asyncio.Event().wait()

        monkeypatch.setattr(bot, "create_dm", never)
        person = await bot.desk.memory.person(str(here.kim.id), platform="discord")
        await bot.desk.assistant.extract(person)
        await begun.wait()
    assert bot.is_closed()


async def forbidden(*_: object) -> None:
    raise discord.Forbidden(_Response(), "Cannot send messages to this user")  # type: ignore[arg-type]  # as much of one as an error shows


async def broken(*_: object) -> None:
    raise LogFull("the disk is full")


class _Response:
    """As much of a response as an error shows."""

    status, reason = 403, "Forbidden"
