"""An engine for as long as an `async with` lasts, opened and closed in threads.

A thread cannot be interrupted. So whoever is cancelled while one opens an engine waits until that is closed again, and
whoever is cancelled while one closes it waits until that is done: else the folder would stay open in this process, and
could not be opened in it any more. Cancelled once more they do not wait, and the thread does the rest by itself.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from replay.engine import Engine

T = TypeVar("T")


@asynccontextmanager
async def opened(opening: Callable[[], Engine]) -> AsyncIterator[Engine]:
    """What `opening` opens; it is called in a thread."""
    engine = await _opened(_Opening(opening))
    try:
        yield engine
    finally:
        await _to_the_end(engine.close)


class _Opening:
    """An opening that somebody may not wait for any more: then what it opened is closed again."""

    def __init__(self, opening: Callable[[], Engine]) -> None:
        self._opening = opening
        self._gate = threading.Lock()
        self._engine: Engine | None = None
        self._is_left = False

    def run(self) -> Engine:
        """Open it, and close it again where nobody waits. It takes as long as that takes."""
        engine = self._opening()
        with self._gate:
            self._engine = engine
            is_left = self._is_left
        if is_left:
            engine.close()
        return engine

    def leave(self) -> Engine | None:
        """Nobody waits any more. What is open already is to be closed by whoever says so."""
        with self._gate:
            self._is_left = True
            return self._engine


async def _opened(opening: _Opening) -> Engine:
    running = asyncio.ensure_future(asyncio.to_thread(opening.run))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        engine = opening.leave()
        if engine is not None:
            await _to_the_end(engine.close)
        await asyncio.wait({running})
        running.cancelled() or running.exception()  # nobody waits any more to hear why it could not be opened
        raise


async def _to_the_end(work: Callable[[], T]) -> T:
    """Do this in a thread; a cancellation is raised once it is done."""
    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait({running})
        raise
