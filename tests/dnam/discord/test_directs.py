"""The DMs that are read back after a connection: all that there are, whatever is known of what was said in them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from dnam.adapters.discord import directs
from dnam.adapters.discord.bot import DnamBot
from dnam.adapters.discord.later import AGAIN_SECONDS
from dnam.adapters.discord.ui import MemoryMenus
from dnam.assistant import Assistant
from dnam.memory import Memory
from projections.events import JobFailed, PlaceDescribed
from tests.dnam.discord.stage import (
    READY_SECONDS,
    Garden,
    Writing,
    bot_in,
    events,
    for_ever,
    garden,
    idle,
    opt_out,
    shown,
)
from tests.dnam.discord.test_notices import learn, learning
from tests.dnam.scripted import FakeClock, ScriptedModel, settings
from tests.loopback.discord import Person, World, running

OPENED = "/users/@me/channels"
COMMANDS = {"memory_commands_enabled": "1"}


async def only_asks(_: World, here: Garden, __: DnamBot) -> None:
    await here.kim.says(here.kim.dm, "!memory show")


async def only_uses(_: World, here: Garden, bot: DnamBot) -> None:
    menus = bot.get_cog(MemoryMenus.NAME)
    assert isinstance(menus, MemoryMenus)
    await menus.ready.wait()
    await (await here.kim.uses(here.kim.dm, "/memory remember text:tea")).reply()


async def takes_back(world: World, here: Garden, bot: DnamBot) -> None:
    said = await here.kim.says(here.kim.dm, "hello")
    await idle(world, bot)
    await here.kim.deletes(said)


@pytest.mark.parametrize("before", [only_asks, only_uses, takes_back])
async def test_a_dm_of_which_no_words_are_known_is_read_back_too(
    tmp_path: Path, before: Callable[[World, Garden, DnamBot], Awaitable[None]]
) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, told=COMMANDS) as bot:
            await before(world, here, bot)
            await idle(world, bot)
        asked = await here.kim.says(here.kim.dm, "and while you were away?")
        async with bot_in(world, tmp_path, told=COMMANDS):
            assert [each.content for each in world.bot_messages(here.kim.dm) if each.reference is asked] == ["yes"]


async def test_what_is_said_to_a_notice_is_read_back_too(tmp_path: Path) -> None:
    async with garden() as (world, here):
        async with bot_in(world, tmp_path, learning(), learn="heard") as bot:
            await here.kim.says(here.general, "I grow pumpkins")
            await idle(world, bot)
            await learn(world, bot, here.kim.id)
            assert len(shown(world, here.kim.dm)) == 1
        await here.kim.says(here.kim.dm, "what do you remember?")
        async with bot_in(world, tmp_path):
            assert shown(world, here.kim.dm)[1:] == ["yes"]


async def test_of_who_opted_out_no_dm_is_recorded(tmp_path: Path) -> None:
    async with garden() as (world, here), bot_in(world, tmp_path, told=COMMANDS) as bot:
        await here.kim.says(here.general, "hello")
        await idle(world, bot)
        await opt_out(bot, here.kim)
        await here.kim.says(here.kim.dm, "!memory show")
        await idle(world, bot)
        assert len(shown(world, here.kim.dm)) == 1
        assert [each.kind for each in events(bot, PlaceDescribed)] == ["guild", "channel"]


async def asked_while_away(world: World, here: Garden, path: Path, many: int) -> list[Person]:
    """So many people who spoke with the bot in DMs, one after the other, and asked something after it was gone."""
    people = [world.person(f"P{index}", here.guild) for index in range(many)]
    async with bot_in(world, path) as bot:
        for each in people:
            await each.says(each.dm, "hello")
            await idle(world, bot)
    for each in people:
        await each.says(each.dm, "are you there?")
    return people


def answered(world: World, people: list[Person]) -> list[bool]:
    return [len(shown(world, each.dm)) == 2 for each in people]


async def test_all_of_them_are_read_back_however_many_there_are(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with garden() as (world, here):
        people = await asked_while_away(world, here, tmp_path, 60)
        async with bot_in(world, tmp_path):
            assert all(answered(world, people))
    assert "discord: reads back 60 direct conversations, the latest first" in caplog.text
    assert "discord: the direct conversations are read back" in caplog.text


async def test_few_at_a_time_and_the_latest_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said elsewhere meanwhile is answered beside it."""
    monkeypatch.setattr(directs, "AT_ONCE", 1)
    async with garden() as (world, here):
        people = await asked_while_away(world, here, tmp_path, 3)
        model = Writing("", "yes")
        before = len(world.requests("POST", OPENED))

        async def meanwhile() -> int:
            await model.was_asked()
            await here.kim.says(here.general, "roses?", mention=world.bot)
            await model.was_asked(2)
            opened = len(world.requests("POST", OPENED)) - before
            model.go.set()
            return opened

        during = asyncio.create_task(meanwhile())
        async with bot_in(world, tmp_path, model) as bot:
            assert await during == 1
            await idle(world, bot)
            assert all(answered(world, people))
            assert shown(world, here.general) == ["yes"]
            first, *_ = (each for each in world.requests("POST", OPENED)[before:])
            assert first.body == {"recipient_id": people[-1].id}


async def test_a_connection_that_goes_on_opens_none_twice_that_is_still_to_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(directs, "AT_ONCE", 1)
    async with garden() as (world, here):
        people = await asked_while_away(world, here, tmp_path, 4)
        model = Writing("", "yes")
        before = len(world.requests("POST", OPENED))

        async def meanwhile() -> None:
            await model.was_asked()
            for _ in range(3):
                await world.gateway.drop()
                await world.ready()
            model.go.set()

        during = asyncio.create_task(meanwhile())
        async with bot_in(world, tmp_path, model) as bot:
            await during
            await idle(world, bot)
            assert all(answered(world, people))
            assert len(world.requests("POST", OPENED)) - before == len(people)
            read = [len(world.requests("GET", f"/channels/{each.dm.id}/messages")) for each in people]
            assert read == [2, 2, 2, 3], "once in the life before, and again the first, which was read before it"


async def test_what_cannot_be_opened_just_now_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """With all that are left: it does not try them one by one where none works."""
    monkeypatch.setattr(directs, "AT_ONCE", 1)
    monkeypatch.setattr(directs, "MOST_FAILED", 2)
    pause = Again()
    async with garden() as (world, here):
        people = await asked_while_away(world, here, tmp_path, 5)
        for _ in range(2):
            world.cut("POST", OPENED)
        async with bot_in(world, tmp_path, pause=pause) as bot:
            assert answered(world, people) == [False] * 5
            assert len(events(bot, JobFailed)) == 2
            assert "direct conversations that are not read back yet, and tried again: 5" in caplog.text
            pause.over.set()
            await world.until(lambda: all(answered(world, people)), "all to be answered")


async def test_where_discord_finds_that_they_are_opened_too_fast_it_is_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It says so with status 403, as it says for good that somebody takes none."""
    pause = Again()
    async with garden() as (world, here):
        people = await asked_while_away(world, here, tmp_path, 2)
        world.fail("POST", OPENED, status=403, code=directs.TOO_FAST, times=2)
        async with bot_in(world, tmp_path, pause=pause):
            assert answered(world, people) == [False] * 2
            assert "direct conversations that are not read back yet, and tried again: 2" in caplog.text
            pause.over.set()
            await world.until(lambda: all(answered(world, people)), "all to be answered")


async def test_at_the_first_word_of_that_no_more_are_opened_for_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(directs, "AT_ONCE", 2)
    pause = Again()
    async with garden() as (world, here):
        people = await asked_while_away(world, here, tmp_path, 6)
        before = len(world.requests("POST", OPENED))
        world.fail("POST", OPENED, status=403, code=directs.TOO_FAST, times=2)
        async with bot_in(world, tmp_path, pause=pause) as bot:
            assert answered(world, people) == [False] * 6
            assert len(world.requests("POST", OPENED)) - before == len(events(bot, JobFailed)) == 2
            assert "direct conversations that are not read back yet, and tried again: 6" in caplog.text
            pause.over.set()
            await world.until(lambda: all(answered(world, people)), "all to be answered")


async def test_discords_rate_limits_are_kept_to(tmp_path: Path) -> None:
    """The window is far longer than an answer takes on a busy machine: one that is under way when a window ends, and is
    counted in the next, discord.py forgets, and asks for one too many."""
    async with garden() as (world, here):
        people = await asked_while_away(world, here, tmp_path, 12)
        world.rate("POST", OPENED, 6, 2.0)
        before = len(world.requests("POST", OPENED))
        async with bot_in(world, tmp_path) as bot:
            await idle(world, bot)
            assert all(answered(world, people))
            assert len(world.requests("POST", OPENED)) - before == len(people), "none was refused and asked again"
            assert events(bot, JobFailed) == []


async def test_who_is_not_there_any_more_is_not_asked_for_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with garden() as (world, here):
        await asked_while_away(world, here, tmp_path, 1)
        world.fail("POST", OPENED, status=400)
        async with bot_in(world, tmp_path) as bot:
            assert len(events(bot, JobFailed)) == 1
    assert "tried again" not in caplog.text


async def test_told_to_end_it_opens_no_more(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Discord lets it wait for longer than the bot lives: that it ends, and gives nothing up, is the proof."""
    async with garden() as (world, here):
        people = await asked_while_away(world, here, tmp_path, 20)
        opening = world.slow("POST", OPENED, times=len(people))
        async with Memory.open(
            tmp_path, settings=settings(allow_guilds=str(here.guild.id)), clock=FakeClock()
        ) as memory:
            bot = DnamBot(Assistant(memory, ScriptedModel()), for_ever, guild_ready_seconds=READY_SECONDS)
            async with running(bot, world):
                await world.until(lambda: opening.met, "one to be opened")
            assert not len(bot.desk.sessions)
        assert opening.met == 1
        opening.open()
    assert "given up" not in caplog.text


class Again:
    """A pause that ends once `over` is set, before something is tried again, and else never."""

    def __init__(self) -> None:
        self.over = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        if seconds != AGAIN_SECONDS:
            await asyncio.Event().wait()
        await self.over.wait()
