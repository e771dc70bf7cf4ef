"""A shadow, open as a memory is (store.py says what one is)."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from projections.registry import FOLD
from replay.clock import Clock
from replay.engine import Engine
from replay.shadows.store import SHADOWS, ShadowStore, remove_shadow, shadow_folder, shadows_in
from replay.store import DiskStore

VIEWS_BEHIND = 16_384
"""How many events the views of a shadow may lack while it is written, as many as a rebuild takes at a time: what is
derived is looked up in memory, and is written once. Whoever opens it after a crash folds them.
"""
__all__ = ["SHADOWS", "ShadowStore", "remove_shadow", "shadow_engine", "shadow_folder", "shadows_in"]


@contextmanager
def shadow_engine(
    data: Path,
    name: str,
    *,
    writable: bool = False,
    create: bool = False,
    clock: Clock | None = None,
    beside: Engine | None = None,
) -> Iterator[Engine]:
    """A shadow, open as a memory is: rows to read and, with `writable`, decisions to record. `beside` is the memory
    that it is of, where this process has it open.
    """
    live = None if beside is None else beside.store
    assert live is None or isinstance(live, DiskStore), "a memory without a folder has no shadows"
    store = ShadowStore(data, name, FOLD, writable=writable, create=create, beside=live)
    try:
        engine = Engine(store, clock=clock, view_commit_events=VIEWS_BEHIND)
    except BaseException:
        store.close()
        raise
    with engine:
        yield engine
