"""What did not work is done later: after a minute, and then after longer and longer, until it works or is too old."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator

from dnam.unwritten import Pause

AGAIN_SECONDS = 60.0
"""How long after something went wrong it is tried once more."""
LONGEST_SECONDS = 3600.0
"""How long at the most between two tries."""
Try = Callable[[], Awaitable[bool]]
"""Whether nothing is left to try. It does not raise."""


class Later:
    """What is tried later, each under a name, once at a time."""

    def __init__(self, pause: Pause = asyncio.sleep) -> None:
        self._pause = pause
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._closed = False

    def keep_trying(self, name: str, attempt: Try, waits: Iterable[float]) -> None:
        """Try this after each of these waits (seconds), until nothing is left to try."""
        if not self._closed and name not in self._tasks:
            self._tasks[name] = asyncio.create_task(self._trying(name, attempt, waits))

    async def _trying(self, name: str, attempt: Try, waits: Iterable[float]) -> None:
        for seconds in waits:
            await self._pause(seconds)
            if await attempt():
                break
        del self._tasks[name]

    async def close(self) -> None:
        """Give up whatever is to be tried later, and try nothing more."""
        self._closed = True
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)


def longer_and_longer(most: float) -> Iterator[float]:
    """Waits of which each is twice as long as the one before, as many as fit into so many seconds."""
    wait, passed = AGAIN_SECONDS, 0.0
    while passed + wait <= most:
        yield wait
        passed += wait
        wait = min(wait * 2, LONGEST_SECONDS)
