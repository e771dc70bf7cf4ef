"""The shadows of a memory when something is taken back there: it is taken back in each at once. When the memory is
compacted, it leaves the disk in each as it does there. A guild that is erased is erased in each at once.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from dnam.rederiving.following import follow, gone_behind
from dnam.shadows.manifest import Manifest, exists, forget_erased, load, refuse_other_log
from projections.decisions.draft import Origin
from projections.decisions.erase_guild import EraseGuildRequest, erase_guild
from projections.errors import DnamError
from projections.events.values import By
from projections.ids import Ref
from replay.builder import Progress, rebuild, silent
from replay.chronicle import LogChronicle
from replay.engine import Engine
from replay.rewriting import dropped_at, rewrite
from replay.shadows.shadow import shadow_engine, shadows_in
from replay.store import DiskStore

_TURN = threading.Lock()
"""LMDB opens a file once in a process."""


class OneCompacted(NamedTuple):
    """A shadow, and how many of its events lost their words; `trouble` says why it could not be done."""

    name: str
    redacted: int = 0
    trouble: str = ""


def compact_shadows(engine: Engine, progress: Progress = silent) -> tuple[OneCompacted, ...]:
    """Bring every shadow in line, write its log anew and build its views anew. One that cannot be does not keep the
    others.
    """
    store = engine.store
    assert isinstance(store, DiskStore), "a memory without a folder has no shadows"
    done = tuple(_compacted(engine, store.path, name, progress) for name in shadows_in(store.path))
    forget_erased(store.path, store.ring)
    return done


def follow_in_shadows(engine: Engine) -> tuple[OneCompacted, ...]:
    """Take back in every shadow what was taken back in its memory: when this returns, no row holds it. What was written
    over lies in pages of the files that nobody reads until they are compacted. Those that cannot be brought in line do
    not keep the others.
    """
    store = engine.store
    assert isinstance(store, DiskStore), "a memory without a folder has no shadows"
    return tuple(_followed(engine, store.path, name) for name in shadows_in(store.path))


def _followed(engine: Engine, data: Path, name: str) -> OneCompacted:
    try:
        with _opened(engine, data, name, writable=True) as (shadow, upto):
            redacted = follow(engine, shadow, upto)
            shadow.commit_views()
            return OneCompacted(name, redacted)
    except (DnamError, OSError) as error:
        return OneCompacted(name, trouble=str(error))


def _compacted(engine: Engine, data: Path, name: str, progress: Progress) -> OneCompacted:
    try:
        with _opened(engine, data, name, writable=True) as (shadow, upto):
            redacted, store = follow(engine, shadow, upto), shadow.store
            assert isinstance(store, DiskStore)
            rewrite(store, progress)
            rebuild(store, shadow.fold, progress)
            if store.has_vectors:
                from dnam.meaning.texts_held import sweep_vectors  # it loads numpy

                sweep_vectors(shadow, store)
    except (DnamError, OSError) as error:
        return OneCompacted(name, trouble=str(error))
    return OneCompacted(name, redacted)


@contextmanager
def _opened(engine: Engine, data: Path, name: str, *, writable: bool) -> Iterator[tuple[Engine, int]]:
    """A shadow of an open memory, and how far it has walked that."""
    manifest = _manifest(engine, data, name)
    with _TURN, shadow_engine(data, name, writable=writable, clock=engine.recorder.clock, beside=engine) as shadow:
        yield shadow, 0 if manifest is None else manifest.upto


def _manifest(engine: Engine, data: Path, name: str) -> Manifest | None:
    """None where it was killed before it had one."""
    if not exists(data, name):
        return None
    manifest = load(data, name)
    refuse_other_log(manifest, engine.store.log)
    return manifest


def dropped_in_shadows(engine: Engine) -> int | None:
    """When (ms) something was first dropped, here or there, of which a shadow still holds the bytes; None when nothing
    was. What cannot be opened is passed over: `compact_shadows` says why.
    """
    store = engine.store
    assert isinstance(store, DiskStore), "a memory without a folder has no shadows"
    moments: list[int] = []
    for name in shadows_in(store.path):
        try:
            with _opened(engine, store.path, name, writable=False) as (shadow, upto):
                moments += _moments(engine, shadow, upto)
        except (DnamError, OSError):
            continue
    return min(moments, default=None)


def erase_guild_in_shadows(engine: Engine, guild: Ref, until: int, by: By) -> None:
    """Take back what was said and learned in a guild, up to then (ms), in every shadow too. It may be done again."""
    store = engine.store
    assert isinstance(store, DiskStore), "a memory without a folder has no shadows"
    for name in shadows_in(store.path):
        with (
            _TURN,
            shadow_engine(store.path, name, writable=True, clock=engine.recorder.clock, beside=engine) as shadow,
        ):
            while _erased_in(shadow, _request(engine, guild, until, by)):
                pass


def _erased_in(shadow: Engine, request: EraseGuildRequest) -> bool:
    """Whether a part of it was still there."""
    return bool(shadow.record(lambda rows: erase_guild(rows, LogChronicle(shadow.live), request)).records)


def _request(engine: Engine, guild: Ref, until: int, by: By) -> EraseGuildRequest:
    return EraseGuildRequest(guild, until, Origin(seed=os.urandom(32), now=engine.recorder.now()), by)


def _moments(engine: Engine, shadow: Engine, upto: int) -> Iterator[int]:
    assert isinstance(shadow.store, DiskStore)
    since, behind = dropped_at(shadow.store), next(gone_behind(engine, shadow, upto), None)
    if since is not None:
        yield since
    if behind is not None:
        yield behind.at
