"""Compacting: what was dropped leaves the disk. The log is written anew without it, the views are built anew, and the
vectors of what no row holds any more are left behind. So it is done with every shadow, and before the log: a compaction
that is broken off is still due.

A body that was redacted is deleted in LMDB at once, and its bytes stay in pages that nobody reads until something else
is written there; rows that were replaced stay in the same way in the views, where they are in the clear. A running bot
does this at night, where something was dropped.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta, tzinfo
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dnam.access import Access
from dnam.alongside import alongside
from dnam.erasing.copies import older_logs
from dnam.failures import Tell
from dnam.times import zone_of
from dnam.unwritten import Pause
from projections.counting import counted
from projections.errors import DnamError
from replay.backups.restore import REPLACED
from replay.builder import rebuild, silent
from replay.engine import Engine
from replay.erasure import finish_erasures
from replay.rewriting import Rewritten, dropped_at, rewrite
from replay.shadows.store import shadows_in
from replay.store import DiskStore

if TYPE_CHECKING:
    from dnam.rederiving.compacting import OneCompacted

NIGHT_HOUR = 4
"""The hour, in the operator's time zone, at which a running bot compacts."""
LONGEST_MS = 36 * 3_600_000
"""How long what was dropped may stay on the disk: a bot that never runs at night does it at its start."""
Progress = Callable[[int, int], None]


class Compacted(NamedTuple):
    """Events, bodies left behind that no key opens any more, and the bytes of log and views before and after; and what
    was done with each shadow.
    """

    events: int
    left_behind: int
    bytes_before: int
    bytes_after: int
    shadows: "tuple[OneCompacted, ...]" = ()

    @property
    def troubles(self) -> list[str]:
        """Why a shadow could not be compacted, in words."""
        return [f"the shadow {each.name}: {each.trouble}" for each in self.shadows if each.trouble]


def compact(engine: Engine, progress: Progress = silent) -> Compacted:
    """Write the log anew and build the views anew; `progress` is told of the one and then of the other. Erasures that
    broke off are finished first.
    """
    store = engine.store
    assert isinstance(store, DiskStore), "a memory without a folder leaves nothing on a disk"
    finish_erasures(engine)
    shadows = _compact_shadows(engine, store, progress)
    views_before = _views_bytes(store)
    done: Rewritten = rewrite(store, progress)
    rebuild(store, engine.fold, progress)
    if store.has_vectors:
        from dnam.meaning.texts_held import sweep_vectors  # it loads numpy

        sweep_vectors(engine, store)
    before, after = done.bytes_before + views_before, done.bytes_after + _views_bytes(store)
    return Compacted(done.events, done.left_behind, before, after, shadows)


def _compact_shadows(engine: Engine, store: DiskStore, progress: Progress) -> "tuple[OneCompacted, ...]":
    if not shadows_in(store.path):
        return ()
    from dnam.rederiving.compacting import compact_shadows  # it loads all of a derivation

    return compact_shadows(engine, progress)


def _views_bytes(store: DiskStore) -> int:
    current = store.views_folder().current()
    file = None if current is None else current / "data.mdb"
    return file.stat().st_size if file is not None and file.exists() else 0


def until_night(now: int, zone: tzinfo) -> float:
    """How many seconds it is until the next NIGHT_HOUR; `now` is in ms."""
    here = datetime.fromtimestamp(now / 1000, zone)
    night = here.replace(hour=NIGHT_HOUR, minute=0, second=0, microsecond=0)
    if night <= here:
        night += timedelta(days=1)
    return (night - here).total_seconds()


@asynccontextmanager
async def compacting(memory: Access, tell: Tell, pause: Pause = asyncio.sleep) -> AsyncIterator[None]:
    """Compact at night, as long as the `async with` lasts. `tell` hears what was done, and what went wrong. What is
    under way at the end is given up: nothing of it was in force.
    """
    ended = threading.Event()
    async with alongside(_nights(memory, tell, pause, ended), "the nightly compaction", tell):
        try:
            yield
        finally:
            ended.set()


class _Ended(Exception):
    """The program ends."""


async def _nights(memory: Access, tell: Tell, pause: Pause, ended: threading.Event) -> None:
    await in_thread(partial(_tend, memory, tell, ended, LONGEST_MS))
    while True:
        await pause(until_night(memory.now(), zone_of(memory.settings.timezone)))
        await in_thread(partial(_tend, memory, tell, ended))


async def in_thread(work: Callable[[], None]) -> None:
    """Do it off the event loop. Who is cancelled waits for its end: the memory is closed after that."""
    working = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait({working})
        raise


def _tend(memory: Access, tell: Tell, ended: threading.Event, at_least_ms: int = 0) -> None:
    """Compact where something was dropped at least so long ago."""

    def progress(_: int, __: int) -> None:
        if ended.is_set():
            raise _Ended

    store = memory.engine.store
    if not isinstance(store, DiskStore) or not store.writable:
        return
    try:
        since = _dropped_at(memory.engine, store)
        if since is None or since > memory.now() - at_least_ms:
            return
        done = compact(memory.engine, progress)
    except _Ended:
        return
    except (DnamError, OSError) as error:
        tell(f"what was taken back could not be taken off the disk, and is tried again the next night: {error}")
    else:
        aside = len(older_logs(store.path))
        but = f", but for {counted(aside, 'older log')} in {store.path / REPLACED}" if aside else ""
        tell(f"what was taken back is off the disk{but}: {done.bytes_before} bytes are {done.bytes_after}")
        for trouble in done.troubles:
            tell(f"but not what of it is in {trouble}")


def _dropped_at(engine: Engine, store: DiskStore) -> int | None:
    """When (ms) something was first dropped that is still on the disk, here or in a shadow; None when nothing was."""
    since = dropped_at(store)
    if since is not None or not shadows_in(store.path):
        return since
    from dnam.rederiving.compacting import dropped_in_shadows

    return dropped_in_shadows(engine)
