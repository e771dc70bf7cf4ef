"""What runs side by side and what one after the other: work on one person or one session is a chain.

A link begins when the links before it in all of its chains have ended. After the first failure no other one begins,
and it is raised by whoever waits.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable
from contextlib import AbstractAsyncContextManager

Work = Callable[[], Awaitable[None]]
Waiting = Callable[[], AbstractAsyncContextManager[None]]
Key = tuple[str, Hashable]
"""A chain: of what kind, and whose."""


class Chains:
    """Links that run, by the keys of the chains they belong to. `waiting` is entered as long as somebody waits."""

    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting
        self._last: dict[Key, asyncio.Task[None]] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._failure: BaseException | None = None

    def start(self, keys: Iterable[Key], work: Work) -> asyncio.Task[None]:
        """Begin a link behind those that its chains have by now. Raises what another one failed with."""
        self._raise()
        keys = tuple(keys)
        before = {self._last[key] for key in keys if key in self._last}
        task = asyncio.create_task(self._run(before, work))
        self._running.add(task)
        task.add_done_callback(self._ended)
        for key in keys:
            self._last[key] = task
        return task

    async def _run(self, before: set[asyncio.Task[None]], work: Work) -> None:
        if before:
            await asyncio.wait(before)
        if self._failure is None:
            await work()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and self._failure is None:
            self._failure = error

    def _raise(self) -> None:
        if self._failure is not None:
            raise self._failure

    def is_idle(self, key: Key) -> bool:
        """Whether no link of a chain is there."""
        last = self._last.get(key)
        return last is None or last.done()

    def names(self) -> list[Key]:
        """The chains that there are."""
        return list(self._last)

    async def wait(self, keys: Iterable[Key]) -> None:
        """Wait for the chains of these keys."""
        await self._wait({self._last[key] for key in keys if key in self._last})

    async def drain(self) -> None:
        """Wait for all of them."""
        await self._wait(set(self._running))
        self._last.clear()

    async def _wait(self, tasks: set[asyncio.Task[None]]) -> None:
        pending = {task for task in tasks if not task.done()}
        if pending:
            async with self._waiting():
                await asyncio.wait(pending)
        await asyncio.sleep(0)  # what a link failed with is told behind its end
        self._raise()

    async def room(self, most: int) -> None:
        """Wait until fewer links than that are there."""
        while len(self._running) >= most:
            async with self._waiting():
                await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.sleep(0)
            self._raise()

    async def stop(self, *, at_once: bool) -> None:
        """Begin nothing more, and wait for what is under way, or give it up at once."""
        self._failure = self._failure or asyncio.CancelledError()
        for task in self._running if at_once else ():
            task.cancel()
        if self._running:
            await asyncio.wait(self._running)
