"""Who has been quiet for a while: one task for everybody, however many they are.

The people stand in a heap, each once, by when they were heard; whoever was heard again since moves back when their turn
comes. So the first is always the next whose time is up, in whatever order they are handed in.
"""

import asyncio
import heapq
from collections.abc import Awaitable, Callable

from projections.ids import Handle

Sleep = Callable[[float], Awaitable[None]]
"""Lets some seconds pass; tests hand in their own."""


class Idle:
    """Tells of each person once, `quiet_ms` after they were heard last; 0 is never. `now` is the clock, in ms."""

    def __init__(self, quiet_ms: int, now: Callable[[], int], tell: Callable[[Handle], None]) -> None:
        self._quiet_ms = quiet_ms
        self._now = now
        self._tell = tell
        self._heard: dict[Handle, int] = {}
        self._waiting: list[tuple[int, Handle]] = []
        self._news = asyncio.Event()

    def __len__(self) -> int:
        """How many people are waited for."""
        return len(self._heard)

    def heard(self, person: Handle, at: int) -> None:
        """Somebody said something at a time, in ms; what is told of late does not make them be heard earlier."""
        if not self._quiet_ms:
            return
        if person in self._heard:
            self._heard[person] = max(at, self._heard[person])
            return
        self._heard[person] = at
        heapq.heappush(self._waiting, (at, person))
        if self._waiting[0] == (at, person):
            self._news.set()

    async def run(self, sleep: Sleep = asyncio.sleep) -> None:
        """Wait for them, until it is cancelled."""
        while True:
            self._news.clear()
            if not self._waiting:
                await self._news.wait()
            at, person = self._first()
            left = at + self._quiet_ms - self._now()
            if left > 0:
                await self._unless_news(sleep(left / 1000))
            else:
                heapq.heappop(self._waiting)
                del self._heard[person]
                self._tell(person)

    def _first(self) -> tuple[int, Handle]:
        """Who was heard the longest ago, and when."""
        while (at := self._heard[person := self._waiting[0][1]]) != self._waiting[0][0]:
            heapq.heapreplace(self._waiting, (at, person))
        return self._waiting[0]

    async def _unless_news(self, sleep: Awaitable[None]) -> None:
        """Sleep, until somebody is handed in whose time is up earlier."""
        waits = asyncio.ensure_future(sleep), asyncio.ensure_future(self._news.wait())
        try:
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            for each in done:
                each.result()  # what a sleep raises is raised
        finally:
            for each in waits:
                each.cancel()
            await asyncio.wait(waits)
