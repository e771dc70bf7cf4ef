"""What did not work is tried again by itself, after longer and longer, for as long as an answer may still be sent."""

import asyncio
from itertools import repeat
from pathlib import Path

import pytest

from dnam.adapters.discord import later
from dnam.adapters.discord.cog import MemoryCog
from dnam.adapters.discord.history import LATEST_MS
from dnam.adapters.discord.later import Later, longer_and_longer
from dnam.model import Ask, ModelDown
from projections.events import TurnAnswered, TurnDelivered
from tests.dnam.discord.stage import bot_in, events, garden, heard, idle, shown
from tests.dnam.scripted import ScriptedModel
from tests.loopback.discord.permissions import Permission

FIRST = 61.0
"""A wait that nothing else in the bot has."""


class Waits:
    """A pause that is over at once between two tries, and never else; which there were."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(later, "AGAIN_SECONDS", FIRST)
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        if seconds % FIRST:
            await asyncio.Event().wait()
        self.seconds.append(seconds)


async def test_an_answer_is_sent_however_long_discord_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waits = Waits(monkeypatch)
    async with garden() as (world, here), bot_in(world, tmp_path, pause=waits) as bot:
        world.cut("POST", f"/channels/{here.general.id}/messages", times=4)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await world.until(lambda: shown(world, here.general) == ["yes"], "the answer to be sent")
        await idle(world, bot)
        assert waits.seconds == [FIRST, 2 * FIRST, 4 * FIRST, 8 * FIRST]
        assert len(events(bot, TurnAnswered)) == len(events(bot, TurnDelivered)) == 1


async def test_that_there_is_no_answer_is_said_also_after_a_connection_that_went_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is last in the channel is known, and yet not done with."""

    def down(_: Ask) -> str:
        raise ModelDown("the service is down")

    model, waits = ScriptedModel({"answer": down}), Waits(monkeypatch)
    async with garden() as (world, here), bot_in(world, tmp_path, model, pause=waits) as bot:
        await here.kim.says(here.general, "hello")
        await idle(world, bot)
        memory_cog = bot.get_cog("Memory")
        assert isinstance(memory_cog, MemoryCog)
        memory_cog.hearing.catching_up.connected(resumed=True)
        world.fail("POST", f"/channels/{here.general.id}/messages", status=400, times=2)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await world.until(lambda: shown(world, here.general) == [ModelDown.words], "it to be said")


async def test_what_could_not_be_read_back_is_read_back_though_nobody_says_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = Waits(monkeypatch)
    async with garden() as (world, here), bot_in(world, tmp_path, pause=waits, allow_guilds="") as bot:
        forest = world.guild("Forest", here.kim, bot=None)
        clearing = forest.channel("clearing")
        back = f"/channels/{clearing.id}/messages"
        await here.kim.says(clearing, "before you came")
        world.fail("GET", back, status=400, times=3)
        forest.add(world.bot)
        await world.until(lambda: len(world.requests("GET", back)) == 4, "it to be read back")
        await idle(world, bot)
        assert heard(bot) == ["before you came"]


async def test_what_was_missed_where_somebody_speaks_is_read_back_though_nobody_speaks_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = Waits(monkeypatch)
    async with garden() as (world, here), bot_in(world, tmp_path, pause=waits) as bot:
        shed = here.guild.channel("shed", only_for=[here.kim])
        await here.kim.says(shed, "before you came")
        here.guild.permit(shed, world.bot, allow=Permission.VIEW_CHANNEL)
        world.fail("GET", f"/channels/{shed.id}/messages", status=400)
        await here.kim.says(shed, "now you are here")
        await world.until(
            lambda: len(world.requests("GET", f"/channels/{shed.id}/messages")) == 2, "it to be read back"
        )
        await idle(world, bot)
        assert heard(bot) == ["before you came", "now you are here"]


async def test_where_nothing_may_be_said_nothing_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = Waits(monkeypatch)
    async with garden() as (world, here), bot_in(world, tmp_path, pause=waits) as bot:
        world.fail("POST", f"/channels/{here.general.id}/messages", status=403)
        await here.kim.says(here.general, "roses?", mention=world.bot)
        await idle(world, bot)
        assert waits.seconds == []


# -- how it is tried ---------------------------------------------------------------------------------------------------


def test_waits_grow_up_to_an_hour_and_fill_a_day() -> None:
    waits = list(longer_and_longer(LATEST_MS / 1000))
    assert waits[:8] == [60, 120, 240, 480, 960, 1920, 3600, 3600]
    assert LATEST_MS / 1000 - max(waits) < sum(waits) <= LATEST_MS / 1000


async def at_once(_: float) -> None:
    """No time passes."""


async def test_one_thing_is_tried_once_at_a_time_until_it_works() -> None:
    tried: list[str] = []
    done = asyncio.Event()

    def trying(name: str) -> later.Try:
        async def attempt() -> bool:
            tried.append(name)
            if len(tried) == 3:
                done.set()
            return done.is_set()

        return attempt

    tries = Later(at_once)
    tries.keep_trying("a place", trying("first"), repeat(1.0))
    tries.keep_trying("a place", trying("second"), repeat(1.0))
    await done.wait()
    await tries.close()
    assert tried == ["first"] * 3


async def test_what_worked_can_be_tried_again() -> None:
    tries, tried = Later(at_once), asyncio.Semaphore(0)

    async def works() -> bool:
        tried.release()
        return True

    for _ in range(2):
        tries.keep_trying("a place", works, repeat(1.0))
        await tried.acquire()
    await tries.close()
    tries.keep_trying("a place", works, repeat(1.0))
    assert tried.locked()
