"""What is taken back in a memory is taken back in its shadows behind it: their rows go as its own do.

A task of its own looks every second whether something was redacted, by whichever process, and once more when the memory
is closed: so a command has done it when it ends, and no answer waits for it. Where a shadow cannot be followed it is
told, and tried again. What a process that was killed has left undone, the next compaction or derivation does.
"""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

from dnam.access import Access, once_written
from dnam.alongside import alongside
from dnam.failures import Tell
from projections.errors import DnamError
from projections.events import MessageRedacted
from replay.engine import Engine
from replay.shadows.store import shadows_in
from replay.store import DiskStore
from replay.units import stored_with

if TYPE_CHECKING:
    from dnam.rederiving.compacting import OneCompacted

PAUSE_SECONDS = 1.0
"""How long it rests between two looks at the log."""
RETRY_SECONDS = 60.0
"""How long it rests after a shadow could not be followed."""
_log = logging.getLogger("dnam")


class ShadowsFollowed:
    """Follows the redactions of an engine from now on. `tell` hears why it cannot, once."""

    def __init__(self, engine: Engine, tell: Tell) -> None:
        self._engine = engine
        self._tell = tell
        self._turn = threading.Lock()
        self._done = engine.head().size
        self._troubles: tuple[str, ...] = ()
        self._failed_at = 0.0

    async def keep_up(self) -> None:
        """Look and follow until cancelled."""
        while True:
            await asyncio.sleep(PAUSE_SECONDS)
            await asyncio.to_thread(self.step)

    def step(self, *, last: bool = False) -> None:
        """Follow what was redacted since; `last` tries also right after a failure."""
        with self._turn:
            if self._troubles and not last and time.monotonic() < self._failed_at + RETRY_SECONDS:
                return
            size = self._engine.head().size
            troubles = self._follow(size) if size > self._done else ()
            if troubles:
                self._failed_at = time.monotonic()
            else:
                self._done = size
            for each in troubles:
                if each not in self._troubles:
                    self._tell(f"what was taken back is not yet out of {each}")
            self._troubles = troubles

    def _follow(self, upto: int) -> tuple[str, ...]:
        """Why it could not, of each shadow."""
        store = self._engine.store
        assert isinstance(store, DiskStore)
        try:
            if not shadows_in(store.path) or not _has_redactions(self._engine, self._done, upto):
                return ()
            done = _followed(self._engine)
        except (DnamError, OSError) as error:
            return (f"the shadows: {error}",)
        return tuple(f"the shadow {each.name}: {each.trouble}" for each in done if each.trouble)


def _has_redactions(engine: Engine, after: int, upto: int) -> bool:
    return next(iter(stored_with(engine, (MessageRedacted.TAG,), after, upto)), None) is not None


def _followed(engine: Engine) -> "tuple[OneCompacted, ...]":
    from dnam.rederiving.compacting import follow_in_shadows  # it loads all of a derivation

    return follow_in_shadows(engine)


@asynccontextmanager
async def shadows_followed(memory: Access, tell: Tell = _log.warning, *, meanwhile: bool = True) -> AsyncIterator[None]:
    """As long as the `async with` lasts, or without `meanwhile` when it ends: a command may have a shadow open."""
    if not isinstance(memory.engine.store, DiskStore):
        yield
        return
    async with once_written(memory, lambda: _followed_in(memory, tell, meanwhile=meanwhile)):
        yield


@asynccontextmanager
async def _followed_in(memory: Access, tell: Tell, *, meanwhile: bool) -> AsyncIterator[None]:
    followed = ShadowsFollowed(memory.engine, tell)
    try:
        async with alongside(followed.keep_up(), "following in shadows", tell) if meanwhile else nullcontext():
            yield
    finally:
        await asyncio.to_thread(followed.step, last=True)
