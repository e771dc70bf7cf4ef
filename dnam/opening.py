"""An engine for as long as an `async with` lasts, opened and closed in threads.

A thread cannot be interrupted. So whoever is cancelled while one opens an engine waits until that is closed again, and
whoever is cancelled while one closes it waits until that is done: else the folder would stay open in this process, and
could not be opened in it any more. For another process that writes nobody waits then (`Waiting`). Cancelled once more
they do not wait, and the thread does the rest by itself.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TypeVar

from projections.quoting import line_name
from replay.engine import Engine
from replay.errors import Busy
from replay.lock import holder

TOLD_AFTER_SECONDS = 1.0
"""After how long it is told that another process is waited for."""
TOLD_AGAIN_SECONDS = 15.0
"""How long after that it is told once more."""
UNRECORDED = "nothing can be recorded: {why}. What is said waits, and is recorded once that is mended"
"""Told where a memory could be opened for reading alone."""
T = TypeVar("T")


class Waiting:
    """Waits for another process that writes to a memory which is being opened: says so after a second, and again now
    and then, and waits no more once it is told to. (`replay.lock.Waits`)
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._is_over = threading.Event()
        self._due = TOLD_AFTER_SECONDS
        self._waited = 0.0

    def __call__(self, path: Path, seconds: float) -> None:
        if self._is_over.is_set():
            raise Busy(f"told not to wait any more for {path}, which another process holds")
        if seconds < self._waited:  # it waits for the next time
            self._due = TOLD_AFTER_SECONDS
        self._waited = seconds
        if seconds >= self._due:
            self._due = seconds + TOLD_AGAIN_SECONDS
            self._tell(f"waiting for {path}, which {_who(path)} has held for {seconds:.0f} s and more")

    @property
    def is_over(self) -> bool:
        """Whether it was told to wait no more."""
        return self._is_over.is_set()

    def end(self) -> None:
        """Wait no more."""
        self._is_over.set()


def _who(path: Path) -> str:
    process = holder(path)
    if process is None:
        return "another process"
    with suppress(OSError):
        name = (Path("/proc") / str(process) / "comm").read_text(encoding="utf-8", errors="replace").strip()
        return f"process {process} ({line_name(name)})"
    return f"process {process}"


@asynccontextmanager
async def opened(opening: Callable[[], Engine], waiting: Waiting | None = None) -> AsyncIterator[Engine]:
    """What `opening` opens; it is called in a thread. `waiting` is what it waits with for another process."""
    engine = await in_thread(opening, waiting)
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


async def in_thread(open_engine: Callable[[], Engine], waiting: Waiting | None = None) -> Engine:
    """The same, for who closes it themselves."""
    opening = _Opening(open_engine)
    running = asyncio.ensure_future(asyncio.to_thread(opening.run))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        if waiting is not None:
            waiting.end()
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
