"""Work by session: one thing after the other in each, different sessions at the same time.

A session that has nothing to do takes no memory: its queue goes with its last piece of work.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")
Work = Callable[[], Awaitable[T]]


class Sessions:
    """The queues of all sessions that are busy."""

    def __init__(self) -> None:
        self._last: dict[str, asyncio.Task[object]] = {}
        self._all: set[asyncio.Task[object]] = set()

    def __len__(self) -> int:
        """How many sessions are busy."""
        return len(self._last)

    def submit(self, session: str, work: Work[T]) -> "asyncio.Task[T]":
        """Do this once everything that was given to the session before has ended, however it ended."""
        task = asyncio.create_task(_after(self._last.get(session), work))
        self._last[session] = task
        self._all.add(task)
        task.add_done_callback(lambda done: self._ended(session, done))
        return task

    def begin(self, work: Work[T]) -> "asyncio.Task[T]":
        """Do this beside all sessions; `settle` and `stop` are for it too."""
        task = asyncio.create_task(_after(None, work))
        self._all.add(task)
        task.add_done_callback(self._all.discard)
        return task

    async def run(self, session: str, work: Work[T]) -> T:
        """The same, and wait for what comes of it. Within work of the same session it would wait for itself."""
        return await asyncio.shield(self.submit(session, work))

    def is_busy(self, session: str) -> bool:
        """Whether something that was given to a session has not ended."""
        return session in self._last

    async def passed(self, session: str) -> None:
        """Wait until everything that was given to a session so far has ended, however it ended."""
        last = self._last.get(session)
        if last is not None:
            await asyncio.wait({last})

    def _ended(self, session: str, task: "asyncio.Task[object]") -> None:
        self._all.discard(task)
        if self._last.get(session) is task:
            del self._last[session]

    async def settle(self, seconds: float | None = None) -> bool:
        """Wait until nothing is under way, at most so long; whether that is so."""
        try:
            async with asyncio.timeout(seconds):
                while self._all:
                    await asyncio.wait(self._all)
        except TimeoutError:
            return False
        return True

    async def stop(self) -> None:
        """Give up what is under way."""
        for task in list(self._all):
            task.cancel()
        await self.settle()


async def _after(previous: "asyncio.Task[object] | None", work: Work[T]) -> T:
    if previous is not None:
        await asyncio.wait({previous})
    return await work()
