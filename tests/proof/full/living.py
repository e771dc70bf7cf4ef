"""A memory that stays open while its disk refuses, gets better, and refuses again: every call of every step in turn.

It prints what it found as JSON. It runs in a process that has the library of faults.c in it (child.py).
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import perf_counter
from typing import Literal, NamedTuple

import msgspec

from dnam.assistant import Assistant
from dnam.compacting import compact
from dnam.erasing.person import erase
from dnam.memory import Memory
from dnam.unwritten import Unwritten
from projections.errors import DnamError
from projections.events.items import ItemEvent
from projections.ids import EventId
from projections.registry import FOLD
from replay.builder import check, rebuild
from replay.erasure import finish_erasures, unfinished
from replay.errors import CannotWrite
from replay.folding import Folding
from replay.lmdb_log import LmdbLog
from replay.log import Commit, Head, Syncing, untold
from replay.store import DiskStore
from replay.verify import verify
from tests.dnam.scripted import FakeClock, ScriptedModel, settings
from tests.proof.full.faults import Fault, Page
from tests.proof.full.said import names

MOST = 600
"""Calls of one step that are tried at the most: one that makes more is told of."""
VIEW_COMMIT_EVENTS = 6
RUNS = VIEW_COMMIT_EVENTS
"""In so many runs of a step, each of which records something, views are written in one or more."""
SLOW = 0.25
"""Seconds by which each sync is slow."""
AT_ONCE, ANSWERS = 6, 8
SLOWER = 1.6
"""Seconds by which a sync is so slow that what is said waits its turn."""


class Lived(msgspec.Struct):
    """How often a step met a fault, which errors it raised by name, what does not hold; how long (s) recording and
    answering took at the most while syncs were slow; and how often a planted log acknowledged what it had not written,
    how often that step raised an error, and how often something was found to be wrong of it. `met`: how often each
    step met a fault.
    """

    tries: int = 0
    met: dict[str, int] = {}
    swallowed: int = 0
    told: int = 0
    found: int = 0
    errors: dict[str, int] = {}
    problems: list[str] = []
    recorded_after: float = 0.0
    answered_after: float = 0.0
    slow_syncs: int = 0


class Place(NamedTuple):
    """How many events there are, how many were acknowledged, and how many items."""

    events: int
    acknowledged: int
    remembered: int


class Life:
    """An open memory, and what it acknowledged."""

    def __init__(self, memory: Memory, page: Page, fault: Fault) -> None:
        self.memory = memory
        self.assistant = Assistant(memory, ScriptedModel())
        self.page = page
        self.fault = fault
        self.lived = Lived()
        self.errors: Counter[str] = Counter()
        self.met: Counter[str] = Counter()
        self.acknowledged: list[EventId] = []
        self.remembered: list[str] = []
        self.people = 0

    def somebody_new(self) -> str:
        """Somebody whom nobody knows."""
        self.people += 1
        return f"guest{self.people}"

    async def hears(self, who: str) -> None:
        """A message; it is acknowledged."""
        heard = await self.memory.heard(who, "I prefer tea over coffee")
        self.acknowledged.append(heard.point.id)

    # -- what is tried -----------------------------------------------------------------------------------------------

    async def meets(self) -> None:
        """Somebody new: a key, then the log."""
        await self.hears(self.somebody_new())

    async def remembers(self) -> None:
        """Something to remember, and views that are kept up."""
        item = await self.memory.remember("kim", f"has {self.lived.tries} plans")
        self.remembered.append(item.id)
        await asyncio.to_thread(self.memory.engine.commit_views)

    async def answers(self) -> None:
        """A question and its answer."""
        heard = await self.memory.heard("kim", "which tea?")
        self.acknowledged.append(heard.point.id)
        answered = await self.assistant.answer(heard)
        self.acknowledged.append(answered.turn.id)

    async def rebuilds(self) -> None:
        """The views anew."""
        await asyncio.to_thread(rebuild, self.store, FOLD)

    async def compacts(self) -> None:
        """The log anew."""
        await asyncio.to_thread(compact, self.memory.engine)

    async def erases(self) -> None:
        """Somebody is erased, whom they had met before."""
        person = await self.memory.person(f"guest{self.people}")
        receipt = await erase(self.memory, person)
        if receipt.event is not None:
            self.acknowledged.append(receipt.event)
        if receipt.is_complete and unfinished(self.memory.engine):
            self.lived.problems.append("an erasure was complete, and is not")

    @property
    def store(self) -> DiskStore:
        """The store of the memory."""
        store = self.memory.engine.store
        assert isinstance(store, DiskStore)
        return store

    # -- how ---------------------------------------------------------------------------------------------------------

    async def tries(self, step: Callable[[], Awaitable[None]], every: int, most: int = MOST) -> None:
        """Let each call of a step fail in turn, until it makes none any more in some runs, of which not each writes the
        views; behind each failure the memory must go on as soon as it is cleared. A step that makes more calls than are
        tried is a problem.
        """
        for first in range(1, most + 1, every):
            came, runs = await self._tried(step, first), 1
            while came == "unmet" and runs < RUNS:
                came, runs = await self._tried(step, first), runs + 1
            if came != "met":
                return
        self._tell(step, most, "it makes so many calls or more: not all are tried")

    async def _tried(self, step: Callable[[], Awaitable[None]], first: int) -> Literal["met", "unmet", "stuck"]:
        """Let the call `first` of a step fail, if it makes so many, and look whether the memory goes on."""
        await self.meets()
        since, before, swallowed = self._place(), len(self.lived.problems), SWALLOWED.total()
        self.page.arm(self.fault, first)
        is_raised = await self._fails(step, first)
        self.page.clear()
        if not self.page.failed:
            return "unmet"
        self.lived.tries += 1
        self.met[step.__name__] += 1
        try:
            await self.hears("kim")
            if step == self.erases:  # else the next one would have ever more to do
                await asyncio.to_thread(_finish, self.memory)
                self.store.views_folder().remove_orphans()
        except Exception as error:  # noqa: BLE001 - it does not go on
            self._tell(step, first, f"it does not go on: {type(error).__name__}: {error}")
            return "stuck"
        lost = self._lost(since)
        if lost:
            self._tell(step, first, f"{lost} acknowledged events are lost")
        if SWALLOWED.total() > swallowed:
            is_found = len(self.lived.problems) > before
            self.lived.swallowed += 1
            self.lived.found += is_found
            self.lived.told += is_raised and not is_found
        return "met"

    async def _fails(self, step: Callable[[], Awaitable[None]], first: int) -> bool:
        """Whether the step raised an error; one that is none of ours, or says nothing, is a problem."""
        try:
            await step()
        except (DnamError, OSError) as error:
            self.errors[type(error).__name__] += 1
            if not names(self.fault, str(error)):
                self._tell(step, first, f"an error that does not say what is wrong: {type(error).__name__}: {error}")
        except Exception as error:  # noqa: BLE001 - whatever else it raises is what was found
            self._tell(step, first, f"{type(error).__name__}: {error}")
        else:
            return False
        return True

    def _tell(self, step: Callable[[], Awaitable[None]], first: int, what: str) -> None:
        self.lived.problems.append(f"{step.__name__} {first}: {what}")

    def _place(self) -> Place:
        """Where the log and what was acknowledged end."""
        return Place(self.store.log.head().size, len(self.acknowledged), len(self.remembered))

    def _lost(self, since: Place) -> int:
        """How many events that were acknowledged since are not in the log, and items of which no event is there."""
        log, folding = self.store.log, self.memory.engine.live.folding
        records = (folding.record(stored) for stored in log.read(since.events))
        kept = {each.event.item.id for each in records if each is not None and isinstance(each.event, ItemEvent)}
        events = sum(log.find(each) is None for each in self.acknowledged[since.acknowledged :])
        return events + sum(each not in kept for each in self.remembered[since.remembered :])


def live(data: Path, page: Page, fault: Fault, every: int) -> None:
    """All of it, in a new folder; with `every` above 1 only every so many calls."""
    lived = asyncio.run(_live(data, page, fault, every) if fault.kinds else _slowly(data, page))
    sys.stdout.buffer.write(msgspec.json.encode(lived))
    sys.stdout.flush()


SWALLOWED: Counter[str] = Counter()


def careless() -> None:
    """A defect: from now on a log acknowledges what it could not write."""
    LmdbLog.append = _careless(LmdbLog.append)  # type: ignore[method-assign]  # a defect is planted


def _careless(append: Callable[..., Head]) -> Callable[..., Head]:
    def appended(log: LmdbLog, commit: Commit, expected: Head, syncing: Syncing = untold) -> Head:
        try:
            return append(log, commit, expected, syncing)
        except CannotWrite:
            SWALLOWED["commits"] += 1
            return expected

    return appended


async def _live(data: Path, page: Page, fault: Fault, every: int) -> Lived:
    chosen = settings(view_commit_events=str(VIEW_COMMIT_EVENTS))
    async with Memory.open(data, settings=chosen, clock=FakeClock()) as memory:
        life = Life(memory, page, fault)
        for step in (life.meets, life.remembers, life.answers, life.rebuilds, life.compacts, life.erases):
            await life.tries(step, every)
        await asyncio.to_thread(_finish, memory)
    life.lived.errors, life.lived.met = dict(life.errors), dict(life.met)
    life.lived.problems += _unsound(data, life.acknowledged)
    return life.lived


def _finish(memory: Memory) -> None:
    """What was broken off of erasures is finished."""
    finish_erasures(memory.engine)
    assert not unfinished(memory.engine)


def _unsound(data: Path, acknowledged: list[EventId]) -> list[str]:
    store = DiskStore(data, FOLD, writable=False)
    try:
        found = [f"#{seq}: {what}" for seq, what in verify(store, Folding(FOLD, store), opened=True).problems]
        lost = sum(store.log.find(each) is None for each in acknowledged)
        found += [f"{lost} acknowledged events are lost"] if lost else []
        return found if check(store, FOLD).equal else [*found, "the views are not what a rebuild makes"]
    finally:
        store.close()


# -- slow --------------------------------------------------------------------------------------------------------------


async def _slowly(data: Path, page: Page) -> Lived:
    """Answers while others' messages wait for a slow disk; and a message for which the disk is too slow."""
    async with Memory.open(data, clock=FakeClock()) as memory:
        life = Life(memory, page, Fault("", 0, 0, lasts=False))
        heard = await memory.heard("kim", "which tea?")
        await life.assistant.think(heard)  # what is loaded once is loaded
        page.slow(SLOW)
        for _ in range(ANSWERS):
            began = perf_counter()
            waiting = [asyncio.create_task(life.hears(life.somebody_new())) for _ in range(AT_ONCE)]
            await asyncio.sleep(0)
            await life.assistant.think(heard)
            life.lived.answered_after = max(life.lived.answered_after, perf_counter() - began)
            if not any(each.done() for each in waiting):
                life.lived.tries += 1
            await asyncio.gather(*waiting)
            life.lived.recorded_after = max(life.lived.recorded_after, perf_counter() - began)
        life.lived.slow_syncs = page.delayed
        await _too_slow(life)
        page.clear()
    life.lived.problems += _unsound(data, life.acknowledged)
    return life.lived


async def _too_slow(life: Life) -> None:
    """What takes too long waits, nobody waits for it, and it is written once."""
    life.page.slow(SLOWER)
    unwritten, began = Unwritten(), perf_counter()

    async def write() -> None:
        heard = await life.memory.heard("kim", "said while the disk is slow", key="slow", said=1_600_000_000_000)
        life.acknowledged.append(heard.point.id)

    if await unwritten.write("message", write) or perf_counter() - began > SLOWER:
        life.lived.problems.append(f"a message waited {perf_counter() - began:.1f} s for a slow disk")
    life.page.clear()
    while not await unwritten.again():  # noqa: ASYNC110 - it waits for the disk itself
        await asyncio.sleep(0)
    if len(set(life.acknowledged)) != len(life.acknowledged) or len(unwritten):
        life.lived.problems.append("what waited for a slow disk was not written once")
