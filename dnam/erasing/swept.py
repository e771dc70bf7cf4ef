"""The data folder swept of who was erased: exports that hold them go, DiscoClaw's files are written anew, and no shadow
says any more that it was asked for them.

data/swept says for which log and up to which of its erasures that was done. So an erasure that was killed before it,
came with an export, or was made by another program is followed by whoever opens the folder for writing next.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from dnam.access import Access
from dnam.exports.kept import exports_with, file_sets_in, remove, write_anew
from dnam.shadows.manifest import forget_erased
from projections.errors import DnamError
from replay.engine import Engine
from replay.folder import replace_file
from replay.store import DiskStore

FILE = "swept"
Tell = Callable[[str], None]


class Swept(NamedTuple):
    """The exports that went, and the folders of DiscoClaw's files that another process was writing."""

    exports: tuple[Path, ...] = ()
    left: tuple[Path, ...] = ()


def sweep(memory: Access) -> Swept:
    """Follow every erasure so far, in the folder of the memory if it has one. OSError where the disk refuses."""
    folder = folder_of(memory)
    if folder is None:
        return Swept()
    done = _stamp(memory.engine)
    exports = exports_with(folder, memory.engine.store.log.erased_vaults())
    remove(exports)
    with memory.engine.store.lock:  # two who erase write the same files
        forget_erased(folder, memory.engine.store.ring)
    left = memory.look_here(lambda rows: write_anew(rows, file_sets_in(folder)))
    with memory.engine.store.lock:
        replace_file(folder / FILE, done)
    return Swept(tuple(exports), tuple(left))


def sweep_what_is_left(memory: Access, tell: Tell) -> None:
    """The same where an erasure was not followed to its end, when a folder is opened. `tell` is told why it cannot be:
    then the next to open it tries again.
    """
    folder = folder_of(memory)
    if folder is None or not memory.engine.store.writable or not is_due(memory.engine, folder):
        return
    try:
        sweep(memory)
    except (OSError, DnamError) as error:
        tell(f"exports of people who were erased may be left in {folder}, and it is tried again: {error}")


def folder_of(memory: Access) -> Path | None:
    """The data folder; None of a memory that is in memory only."""
    store = memory.engine.store
    return store.path if isinstance(store, DiskStore) else None


def is_due(engine: Engine, folder: Path) -> bool:
    """Whether an erasure was not followed in the folder yet."""
    said = b""
    with suppress(OSError):
        said = (folder / FILE).read_bytes()
    return engine.head().epoch > 0 and said != _stamp(engine)


def _stamp(engine: Engine) -> bytes:
    """Which log, and how many erasures it knows."""
    return f"{engine.store.log.id.hex()} {engine.head().epoch}\n".encode()
