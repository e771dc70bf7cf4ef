"""Retention: at the start and once a day, by the configuration in force; with a clock and days that the test has."""

import asyncio
import logging
from pathlib import Path

import pytest

from dnam.configuration import held
from dnam.memory import Memory
from dnam.overdue import taken_by
from dnam.retention import DAY_SECONDS, JOB, KEY, expire_all, expiring
from projections.config import GLOBAL, Scope
from projections.decisions.configure import ConfigRequest, configure
from projections.decisions.place import PlaceSeen
from projections.events import JobFailed
from projections.events.values import OPERATOR
from projections.ids import Handle, Ref
from projections.messages import MESSAGES
from projections.times import DAY_MS
from replay.errors import LogFull
from tests.dnam.scripted import FakeClock, ScriptedModel, settings, talking
from tests.dnam.test_loops import recorded
from tests.world import NOW

GARDEN, MILL = Ref("local", "garden"), Ref("local", "mill")
ROOM = PlaceSeen("local", "general", "channel", "general", "guild", guild=GARDEN, guild_name="Garden")
ELSEWHERE = PlaceSeen("local", "office", "channel", "office", "guild", guild=MILL, guild_name="Mill")


class Days:
    """A sleep that lasts until the test says that the day is over."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[float] = asyncio.Queue()
        self._over = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        self.asked.put_nowait(seconds)
        await self._over.wait()
        self._over.clear()

    async def slept(self) -> float:
        """Back when what is to be done today is done."""
        return await self.asked.get()

    def over(self) -> None:
        """The next day begins."""
        self._over.set()


async def keep_for(memory: Memory, scope: Scope, days: str | None) -> None:
    request = ConfigRequest(scope, "retention_days", days, OPERATOR, memory.origin(), memory.now())
    await memory.record(lambda rows: configure(rows, request))


async def texts(memory: Memory) -> list[str]:
    return await memory.look(lambda rows: sorted(found.row.message.text for found in rows.scan(MESSAGES)))


async def person(memory: Memory, user: str) -> Handle:
    return await memory.person(user)


async def test_each_guild_keeps_as_long_as_it_is_configured(tmp_path: Path) -> None:
    clock = FakeClock()
    async with Memory.open(tmp_path, clock=clock) as memory:
        for place in (ROOM, ELSEWHERE, None):
            await memory.heard("kim", f"old in {place.name if place else 'a DM'}", place=place)
        await keep_for(memory, Scope("guild", GARDEN), "30")
        assert await expire_all(memory) == 0
        clock.time += 29 * DAY_MS
        await memory.heard("kim", "new in general", place=ROOM)
        assert await expire_all(memory) == 0
        clock.time += DAY_MS
        assert await expire_all(memory) == 1
        assert await texts(memory) == ["new in general", "old in a DM", "old in office"]
        await keep_for(memory, GLOBAL, "1")
        assert await expire_all(memory) == 2
        assert await texts(memory) == ["new in general"]


async def test_by_the_setting_where_nothing_is_configured(tmp_path: Path) -> None:
    clock = FakeClock()
    async with Memory.open(tmp_path, settings=settings(retention_days="7"), clock=clock) as memory:
        await memory.heard("kim", "hello there", place=ROOM)
        clock.time += 8 * DAY_MS
        assert await expire_all(memory) == 1


async def held_for(memory: Memory, user: str) -> tuple[str, str]:
    """How many days hold for somebody in the room, and which scope or source says so."""
    who = await person(memory, user)
    found = await memory.look(lambda rows: held(rows, memory.settings, who, Ref(ROOM.platform, ROOM.key), GARDEN))
    return next((each.value, each.origin) for each in found if each.key == KEY)


async def test_who_set_it_for_themselves_is_kept_by_that_or_by_what_is_shorter(tmp_path: Path) -> None:
    clock = FakeClock()
    async with Memory.open(tmp_path, clock=clock) as memory:
        await memory.heard("kim", "of Kim", place=ROOM)
        await memory.heard("ada", "of Ada", place=ROOM)
        await keep_for(memory, Scope("person", person=await person(memory, "kim")), "3")
        assert await held_for(memory, "kim") == ("3", str(Scope("person", person=await person(memory, "kim"))))
        assert await held_for(memory, "ada") == ("0", "default")
        clock.time += 4 * DAY_MS
        assert await expire_all(memory) == 1
        assert await texts(memory) == ["of Ada"]
        await keep_for(memory, Scope("guild", GARDEN), "3")
        await keep_for(memory, Scope("person", person=await person(memory, "ada")), "0")
        assert await held_for(memory, "ada") == ("3", str(Scope("guild", GARDEN)))
        assert await expire_all(memory) == 1
        assert await texts(memory) == []


async def taken(memory: Memory, scope: Scope, days: str | None) -> tuple[int, int]:
    """How many messages and answers would go."""
    return await taken_by(memory, scope, KEY, days)


async def test_what_would_go_is_counted_as_it_will_go(tmp_path: Path) -> None:
    clock, guild = FakeClock(), Scope("guild", GARDEN)
    async with talking(tmp_path, ScriptedModel(), clock) as assistant:
        memory = assistant.memory
        heard = await memory.heard("kim", "hello there", place=ROOM)
        answered = await assistant.answer(heard)
        await memory.delivered(heard, answered.turn)
        await memory.heard("ada", "of Ada", place=ROOM)
        await memory.heard("ada", "elsewhere", place=ELSEWHERE)
        clock.time += 5 * DAY_MS
        assert await taken(memory, guild, "6") == (0, 0)
        assert str(await taken_by(memory, guild, "learn", "none")) == "nothing"
        assert str(await taken_by(memory, guild, KEY, "4")) == "2 messages and 1 answer"
        assert await taken(memory, GLOBAL, "4") == (3, 1)
        assert await taken(memory, Scope("person", person=await person(memory, "ada")), "4") == (2, 0)
        channel = Scope("channel", Ref(ROOM.platform, ROOM.key))
        await keep_for(memory, channel, "0")
        assert await taken(memory, guild, "4") == (0, 0)
        await keep_for(memory, guild, "4")
        assert await taken(memory, channel, None) == (2, 1)
        assert await expire_all(memory) == 0
        await keep_for(memory, channel, None)
        assert await taken(memory, guild, "1") == await taken(memory, guild, None) == (0, 0)  # it goes as it is


async def test_at_the_start_and_once_a_day(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "dnam.retention")
    clock, days = FakeClock(), Days()
    async with talking(tmp_path, ScriptedModel(), clock, retention_days="2") as assistant:
        memory = assistant.memory
        await memory.heard("kim", "the first day", place=ROOM)
        clock.time += 3 * DAY_MS
        await memory.heard("kim", "the fourth day", place=ROOM)
        async with expiring(memory, assistant.went_wrong, days):
            assert await days.slept() == DAY_SECONDS
            assert await texts(memory) == ["the fourth day"]
            assert caplog.messages == ["retention: redacted what is not kept any longer, 1 event"]
            clock.time += 3 * DAY_MS
            days.over()
            await days.slept()
            assert await texts(memory) == []
        assert recorded(assistant, JobFailed) == []


async def test_what_goes_wrong_is_recorded_and_tried_again_the_next_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, days = FakeClock(), Days()
    async with talking(tmp_path, ScriptedModel(), clock, retention_days="2") as assistant:
        memory = assistant.memory
        await memory.heard("kim", "the first day", place=ROOM)
        clock.time += 3 * DAY_MS

        async def full(_: object) -> None:
            monkeypatch.undo()
            raise LogFull("the log is full")

        monkeypatch.setattr(memory, "record", full)
        async with expiring(memory, assistant.went_wrong, days):
            await days.slept()
            (failed,) = recorded(assistant, JobFailed)
            assert isinstance(failed, JobFailed)
            assert (failed.job, failed.error) == (JOB.name, "the log is full")
            assert await texts(memory) == ["the first day"]
            days.over()
            await days.slept()
            assert await texts(memory) == []


async def test_the_assistant_does_it_as_long_as_it_watches(tmp_path: Path) -> None:
    clock = FakeClock()
    async with talking(tmp_path, ScriptedModel(), clock, retention_days="2", memory_enabled="0") as assistant:
        await assistant.memory.heard("kim", "the first day", place=ROOM)
        clock.time += 3 * DAY_MS
        gone = asyncio.Event()
        assistant.memory.watchers.append(lambda _: gone.set())
        async with assistant.watching():
            await gone.wait()
        assert await texts(assistant.memory) == []
        assert clock.time > NOW
