"""Who has been quiet for a while: one task for everybody, however many they are.

The people stand in the order in which they were heard last, so the first of them is always the next whose time is up.
"""

import asyncio
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
        self._news = asyncio.Event()

    def __len__(self) -> int:
        """How many people are waited for."""
        return len(self._heard)

    def heard(self, person: Handle, at: int) -> None:
        """Somebody said something at a time, in ms; of several who are found at once, hand in the earliest first."""
        if not self._quiet_ms:
            return
        self._heard.pop(person, None)
        self._heard[person] = at
        self._news.set()

    async def run(self, sleep: Sleep = asyncio.sleep) -> None:
        """Wait for them, until it is cancelled."""
        while True:
            if not self._heard:
                self._news.clear()
                await self._news.wait()
            person, at = next(iter(self._heard.items()))
            left = at + self._quiet_ms - self._now()
            if left > 0:
                await sleep(left / 1000)
            else:
                del self._heard[person]
                self._tell(person)
