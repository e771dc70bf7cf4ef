"""What could not be recorded yet: it waits in memory, in order, and is written once writing works.

An answer never fails because of memory. The first write that fails stops the queue, everything said meanwhile waits
behind it in order, and all of it is tried again: with the next message, and by itself every few seconds (`retrying`).
A step can be repeated: what it writes has the message's own name, so that it is written once.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from dnam.alongside import alongside
from dnam.failures import Failures, Tell, untold
from dnam.logs import OWN_WORDS
from replay.errors import Busy, LogError, Refused

DELIVERY = "delivery"
SLOW_SECONDS = 1.0
"""How long an answer waits for the log. What the log was given by then may still be written, and is written once."""
RETRY_SECONDS = 5.0
"""How long the queue rests between two tries that nobody asked for."""
WAITS = "what is said cannot be recorded, and waits"
WRITTEN = "what waited to be recorded is recorded"
"""What is told of the queue: that waiting began, and that it is over."""
T = TypeVar("T")
Step = Callable[[], Awaitable[None]]
Write = Callable[[str, Step], Awaitable[bool]]
"""Does a step now, or later where the log does not take it now (False); see `Unwritten.write`."""
Pause = Callable[[float], Awaitable[None]]
"""Lets some seconds pass; tests hand in their own."""
Limit = Callable[[], asyncio.Timeout]
"""Bounds how long one step may take; tests hand in their own."""


def slow() -> asyncio.Timeout:
    """The limit of one step."""
    return asyncio.timeout(SLOW_SECONDS)


async def at_once(_: str, step: Step) -> bool:
    """Do a step where the log takes it now, else never: a `Write` without a queue."""
    try:
        await step()
    except (LogError, OSError):
        return False
    return True


class Unwritten:
    """What could not be recorded yet, in order. `reason` says why the first of it could not, empty when nothing waits;
    `lost` says why something never can be. `tell` hears when waiting begins, for another reason goes on, and ends, and
    of each loss, without anybody's words.

    While nothing waits, writes go side by side, so that the log commits them together; who writes two things that have
    an order waits for the first.
    """

    def __init__(self, tell: Tell = untold, limit: Limit | None = None) -> None:
        self._tell = tell
        self.limit = limit or slow
        self._steps: deque[tuple[str, Step]] = deque()
        self._under_way: list[tuple[str, Step]] = []
        self._begun: set[asyncio.Task[bool]] = set()
        self._one_at_a_time = asyncio.Lock()
        self._waiting = asyncio.Event()
        self.reason = ""
        self.lost = Failures()

    def __len__(self) -> int:
        return len(self._steps) + len(self._under_way)

    def __str__(self) -> str:
        """What waits, in words: `2 messages, 1 answer`."""
        counts = Counter(what for what, _ in (*self._steps, *self._under_way) if what != DELIVERY)
        return ", ".join(f"{count} {what}{'s' if count > 1 else ''}" for what, count in counts.items())

    @property
    def is_waiting(self) -> bool:
        """Whether something could not be written, and waits for the next try."""
        return bool(self._steps)

    async def write(self, what: str, step: Step) -> bool:
        """Write this now, or behind everything that waits; False when it waits too."""
        entry = (what, step)
        if self._steps:
            self._steps.append(entry)
            return False
        self._under_way.append(entry)
        done = False
        try:
            done = await self._done(what, step)
        finally:  # also where the caller is cancelled: what was said stays said
            self._under_way.remove(entry)
            if not done:
                self._steps.append(entry)
                self._waiting.set()
        return done

    def begin(self, what: str, step: Step) -> "asyncio.Task[bool]":
        """Write this beside what the caller does next, who waits for it in the end. Cancelled, it waits."""
        task = asyncio.create_task(self.write(what, step))
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)
        return task

    async def within(self, work: Awaitable[T]) -> T:
        """Wait for this no longer than an answer waits for the log; Busy when that is not enough. What the log was
        given by then may still be written.
        """
        try:
            async with self.limit():
                return await work
        except TimeoutError:
            raise Busy(_slow_words()) from None

    def keep(self, what: str, step: Step, reason: str = "") -> None:
        """Write this with the next try, behind everything that waits. `reason`: why it could not be written already."""
        if reason:
            self._waits(reason)
        self._steps.append((what, step))
        self._waiting.set()

    async def again(self) -> bool:
        """Try everything that waits; True when nothing waits any more."""
        if self._begun:
            await asyncio.wait(self._begun)
        async with self._one_at_a_time:
            while self._steps:
                if not await self._done(*self._steps[0]):
                    return False
                self._steps.popleft()
            if self.reason:
                self._tell(WRITTEN)
            self.reason = ""
            self._waiting.clear()
            return True

    @asynccontextmanager
    async def retrying(self, pause: Pause) -> AsyncIterator[None]:
        """Try again by itself, as long as the `async with` lasts."""
        async with alongside(self._keep_trying(pause), "trying to record what waits", self._tell):
            yield

    async def _keep_trying(self, pause: Pause) -> None:
        while True:
            await self._waiting.wait()
            await pause(RETRY_SECONDS)
            await self.again()

    async def _done(self, what: str, step: Step) -> bool:
        """Whether nothing is left to try of it: it is written, or it never can be."""
        try:
            async with self.limit():
                await step()
        except TimeoutError:
            self._waits(_slow_words())
            return False
        except Exception as error:  # noqa: BLE001 - memory never stands in an answer's way; the shell tells of it
            if may_pass(error):
                self._waits(str(error))
                return False
            self.lost.append(str(error))
            words = str(error) if isinstance(error, OWN_WORDS) else type(error).__name__
            self._tell(f"this can never be recorded: {what}: {words}")
        return True

    def _waits(self, reason: str) -> None:
        """It could not be written now, and this is why."""
        if reason != self.reason:
            self._tell(f"{WAITS}: {reason}")
        self.reason = reason


def _slow_words() -> str:
    return f"it takes more than {SLOW_SECONDS:g} s; does another program hold this memory?"


def may_pass(error: Exception) -> bool:
    """Whether a later try can succeed: disks get room and locks are let go, but what is refused stays refused."""
    return isinstance(error, LogError | OSError) and not isinstance(error, Refused)
