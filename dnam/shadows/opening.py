"""Opening a shadow beside the memory that it is of, once it was seen to be of it and whole: whoever cannot use one says
so in the same words.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from dnam.errors import ShadowUnusable
from dnam.shadows.manifest import FILE, Manifest, refuse_other_log
from replay.clock import Clock
from replay.engine import Engine
from replay.errors import (
    Damaged,
    ForeignKeyRing,
    KeyMissing,
    LogError,
    NotALog,
    NothingHere,
    Truncated,
    UnknownEvent,
)
from replay.shadows.shadow import shadow_engine

LATEST = 256
"""How many of a shadow's last events are read whole before it is believed."""
HARMED = (Damaged, ForeignKeyRing, NotALog, NothingHere, Truncated)
"""What opening a log raises that nothing but making it anew puts right, where it is a shadow's."""


@contextmanager
def open_shadow(
    live: Engine, data: Path, manifest: Manifest, *, writable: bool = False, clock: Clock | None = None
) -> Iterator[Engine]:
    """A shadow of an open memory; one that has no log yet is begun by a writer. ShadowUnusable where it is of another
    log, or where its own is damaged, gone, or not the one that it was made in.
    """
    refuse_other_log(manifest, live.store.log)
    with ExitStack() as opened:
        create = writable and not manifest.log
        shadow = shadow_engine(data, manifest.name, writable=writable, create=create, clock=clock, beside=live)
        try:
            engine = opened.enter_context(shadow)
            _look_over(live, engine, manifest)
        except HARMED as error:
            raise ShadowUnusable(manifest.name, _why(error)) from error
        yield engine


def refuse_unusable(live: Engine, data: Path, manifest: Manifest) -> None:
    """ShadowUnusable where `open_shadow` would say so. Nothing is changed."""
    if manifest.log:
        with open_shadow(live, data, manifest):
            pass


def _look_over(live: Engine, shadow: Engine, manifest: Manifest) -> None:
    """Whether it is the log that the manifest names, its keys are there, and its end can be read."""
    if manifest.log not in ("", shadow.store.log.id.hex()):
        raise ShadowUnusable(manifest.name, "its log is not the one that it was made in")
    with shadow.reading():
        stopped = shadow.stopped()
    if isinstance(stopped, Damaged):
        raise stopped
    if isinstance(stopped, KeyMissing) and live.stopped() is None:  # else they are lost there as well, and are put back
        live.store.ring.refuse_cut(live.store.log.ring())
        what, _, _ = str(stopped).partition(". ")
        raise ShadowUnusable(manifest.name, what)
    size = shadow.head().size
    if size and not manifest.log:
        raise ShadowUnusable(manifest.name, f"{FILE} says nothing of what is in its log")
    for stored in shadow.store.log.read(max(size - LATEST, 0), size):
        with suppress(KeyMissing, UnknownEvent):  # not its own fault: whoever needs it says so
            shadow.live.folding.record(stored)


def _why(error: LogError) -> str:
    match error:
        case NothingHere():
            return "its log is gone"
        case ForeignKeyRing():
            return "it was made beside another memory"
        case _:
            what, _, _ = str(error).partition(". ")  # what else there is tells how a live log is put right
            return f"its log is damaged: {what}"
