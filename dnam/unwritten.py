"""What could not be recorded yet: it waits in memory, in order, and is written once writing works.

An answer never fails because of memory. The first write that fails stops the queue, everything said meanwhile waits
behind it in order, and all of it is tried again: with the next message, and by itself every few seconds (`retrying`).
A step can be repeated: what it writes has the message's own name, so that it is written once.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from replay.errors import LogError, Refused

DELIVERY = "delivery"
SLOW_SECONDS = 1.0
"""How long an answer waits for the log. What the log was given by then may still be written, and is written once."""
RETRY_SECONDS = 5.0
"""How long the queue rests between two tries that nobody asked for."""
Step = Callable[[], Awaitable[None]]
Pause = Callable[[float], Awaitable[None]]
"""Lets some seconds pass; tests hand in their own."""


class Unwritten:
    """What could not be recorded yet, in order. `reason` says why the first of it could not, empty when nothing waits;
    `lost` says why something never can be.

    While nothing waits, writes go side by side, so that the log commits them together; who writes two things that have
    an order waits for the first.
    """

    def __init__(self) -> None:
        self._steps: deque[tuple[str, Step]] = deque()
        self._under_way: list[tuple[str, Step]] = []
        self._one_at_a_time = asyncio.Lock()
        self._waiting = asyncio.Event()
        self.reason = ""
        self.lost: list[str] = []

    def __len__(self) -> int:
        return len(self._steps) + len(self._under_way)

    def __str__(self) -> str:
        """What waits, in words: `2 messages, 1 answer`."""
        counts = Counter(what for what, _ in (*self._steps, *self._under_way) if what != DELIVERY)
        return ", ".join(f"{count} {what}{'s' if count > 1 else ''}" for what, count in counts.items())

    async def write(self, what: str, step: Step) -> bool:
        """Write this now, or behind everything that waits; False when it waits too."""
        entry = (what, step)
        if self._steps:
            self._steps.append(entry)
            return False
        self._under_way.append(entry)
        done = False
        try:
            done = await self._done(step)
        finally:  # also where the caller is cancelled: what was said stays said
            self._under_way.remove(entry)
            if not done:
                self._steps.append(entry)
                self._waiting.set()
        return done

    async def again(self) -> bool:
        """Try everything that waits; True when nothing waits any more."""
        async with self._one_at_a_time:
            while self._steps:
                if not await self._done(self._steps[0][1]):
                    return False
                self._steps.popleft()
            self.reason = ""
            self._waiting.clear()
            return True

    @asynccontextmanager
    async def retrying(self, pause: Pause = asyncio.sleep) -> AsyncIterator[None]:
        """Try again by itself, as long as the `async with` lasts."""
        task = asyncio.create_task(self._keep_trying(pause))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait({task})

    async def _keep_trying(self, pause: Pause) -> None:
        while True:
            await self._waiting.wait()
            await pause(RETRY_SECONDS)
            await self.again()

    async def _done(self, step: Step) -> bool:
        """Whether nothing is left to try of it: it is written, or it never can be."""
        try:
            async with asyncio.timeout(SLOW_SECONDS):
                await step()
        except TimeoutError:
            self.reason = f"it takes more than {SLOW_SECONDS:g} s; does another program hold this memory?"
            return False
        except Exception as error:  # noqa: BLE001 - memory never stands in an answer's way; the shell tells of it
            if may_pass(error):
                self.reason = str(error)
                return False
            self.lost.append(str(error))
        return True


def may_pass(error: Exception) -> bool:
    """Whether a later try can succeed: disks get room and locks are let go, but what is refused stays refused."""
    return isinstance(error, LogError | OSError) and not isinstance(error, Refused)
