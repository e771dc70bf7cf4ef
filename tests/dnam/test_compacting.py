"""Compacting at night: where something was dropped, and only there; given up at the end, and tried again."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from dnam.compacting import LONGEST_MS, Progress, compact, compacting, until_night
from dnam.languages import load
from dnam.memory import Memory
from dnam.settings import Settings
from replay.engine import Engine
from replay.erasure import erase
from replay.errors import LogFull
from replay.rewriting import dropped_at
from replay.store import DiskStore
from tests.dnam.scripted import FakeClock, settings

HOUR = 3_600_000


def ms(hour: int) -> int:
    """An hour of a day."""
    return int(datetime(2026, 3, 6, hour, tzinfo=UTC).timestamp() * 1000)


class Nights:
    """A pause that ends when the test says that the night has come."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[float] = asyncio.Queue()
        self._come = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        self.asked.put_nowait(seconds)
        await self._come.wait()
        self._come.clear()

    async def come(self) -> None:
        """The night comes; back when all is done and the next is waited for."""
        await self.asked.get()
        self.pass_by()

    def pass_by(self) -> None:
        """The night that is waited for comes."""
        self._come.set()


def utc() -> Settings:
    return settings(timezone="UTC")


async def forgets(memory: Memory) -> None:
    """Something is dropped."""
    await memory.heard("kim", "a secret")
    person = await memory.person("kim")
    await asyncio.to_thread(erase, memory.engine, person)


def store_of(memory: Memory) -> DiskStore:
    store = memory.engine.store
    assert isinstance(store, DiskStore)
    return store


@pytest.mark.parametrize(
    ("now", "zone", "hours"),
    [
        (ms(1), "UTC", 3),
        (ms(4), "UTC", 24),
        (ms(23), "UTC", 5),
        (ms(1), "Asia/Tokyo", 18),
    ],
)
def test_the_next_night_is_the_operator_s(now: int, zone: str, hours: int) -> None:
    assert until_night(now, ZoneInfo(zone)) == hours * 3600


async def test_at_night_what_was_dropped_leaves_the_disk_and_then_there_is_nothing_to_do(tmp_path: Path) -> None:
    told: list[str] = []
    night = Nights()
    async with Memory.open(tmp_path / "data", settings=utc(), clock=FakeClock()) as memory:
        async with compacting(memory, told.append, night):
            await forgets(memory)
            assert dropped_at(store_of(memory)) is not None
            await night.come()
            await night.come()
            assert dropped_at(store_of(memory)) is None
            assert len(told) == 1
            assert told[0].startswith("what was taken back is off the disk: ")
            await night.come()
            await night.asked.get()
            assert len(told) == 1  # a quiet day
        await memory.heard("ada", "it goes on")


async def test_what_was_dropped_long_ago_is_not_left_for_the_night(tmp_path: Path) -> None:
    clock, told, night = FakeClock(), list[str](), Nights()
    async with Memory.open(tmp_path / "data", settings=utc(), clock=clock) as memory:
        await forgets(memory)
        async with compacting(memory, told.append, night):
            await night.asked.get()
            assert told == []
        clock.time += LONGEST_MS
        async with compacting(memory, told.append, night):
            await night.asked.get()
            assert len(told) == 1


async def test_what_goes_wrong_is_told_and_tried_the_next_night(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise LogFull("the disk is full")

    told: list[str] = []
    night = Nights()
    async with Memory.open(tmp_path / "data", settings=utc(), clock=FakeClock()) as memory:
        await forgets(memory)
        async with compacting(memory, told.append, night):
            with monkeypatch.context() as broken:
                broken.setattr("dnam.compacting.rewrite", full)
                await night.come()
                await night.asked.get()
            failed = "what was taken back could not be taken off the disk, and is tried again the next night: "
            assert told == [f"{failed}the disk is full"]
            night.pass_by()
            await night.asked.get()
        assert dropped_at(store_of(memory)) is None


async def test_at_the_end_it_is_given_up_and_the_log_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    begun = asyncio.Event()
    night = Nights()
    loop = asyncio.get_running_loop()

    def beginning(engine: Engine, progress: Progress) -> None:
        loop.call_soon_threadsafe(begun.set)
        while True:  # until it is given up
            progress(1, 2)

    async with Memory.open(tmp_path / "data", settings=utc(), clock=FakeClock()) as memory:
        await forgets(memory)
        before = store_of(memory).log.folder
        monkeypatch.setattr("dnam.compacting.compact", beginning)
        async with compacting(memory, told.append, night):
            await night.come()
            await begun.wait()
        assert (told, store_of(memory).log.folder) == ([], before)
        await memory.heard("ada", "it goes on")


async def test_a_memory_without_a_disk_and_one_for_reading_have_nothing_to_compact(tmp_path: Path) -> None:
    told: list[str] = []
    night = Nights()
    async with Memory.open(tmp_path / "data", clock=FakeClock()) as memory:
        await forgets(memory)
    for engine in (Engine.in_memory(FakeClock()), Engine.open(tmp_path / "data", writable=False)):
        async with compacting(Memory(engine, utc(), load("en")), told.append, night):
            await night.asked.get()
        engine.close()
    assert told == []


def test_everything_is_as_before_but_what_was_dropped(tmp_path: Path) -> None:
    async def made() -> None:
        async with Memory.open(tmp_path / "data", settings=utc(), clock=FakeClock()) as memory:
            await forgets(memory)
            await memory.heard("ada", "hello")

    asyncio.run(made())
    with Engine.open(tmp_path / "data", clock=FakeClock()) as engine:
        head, calls = engine.head(), list[tuple[int, int]]()
        done = compact(engine, lambda *each: calls.append(each))
        assert (done.events, done.left_behind > 0, engine.head()) == (head.size, True, head)
        assert done.bytes_before > 0 < done.bytes_after
        assert calls[-1] == (head.size, head.size)
