"""The views of shadows after an erasure: their rows lie in the clear, as those of the live memory do.

A shadow that cannot be opened, or whose views can neither be thinned out nor be made anew, loses them: whoever opens it
next makes them, or folds its log.
"""

import shutil
from pathlib import Path

from projections.fold import Fold
from replay.builder import Progress, silent, thin_out
from replay.errors import Busy, LogError
from replay.folder import sync_folder
from replay.lock import WriteLock
from replay.shadows.store import SHADOWS, lent, shadow_folder
from replay.store import VECTORS, DiskStore


def thin_out_shadows(live: DiskStore, fold: Fold, progress: Progress = silent) -> None:
    """Take what was destroyed out of the views and the vectors of every shadow of an open memory. Busy, and OSError,
    where that cannot be done now: it is to be tried again.
    """
    for name in _folders(live.path):
        try:
            with lent(live, name, fold) as shadow:
                thin_out(shadow, fold, progress)
                if shadow.has_vectors:
                    shadow.vectors.drop(shadow.log.erased_vaults())
        except Busy:
            raise
        except LogError:
            _remove_rows(shadow_folder(live.path, name))


def _folders(data: Path) -> list[str]:
    """Whatever lies where shadows do, be it broken."""
    folder = data / SHADOWS
    return sorted(each.name for each in folder.iterdir() if each.is_dir()) if folder.is_dir() else []


def _remove_rows(folder: Path) -> None:
    """Remove all that is made of a log and can be made again."""
    lock = WriteLock(folder / "write.lock")
    try:
        with lock:
            for each in ("views", VECTORS):
                if (folder / each).exists():
                    shutil.rmtree(folder / each)
    finally:
        lock.close()
    sync_folder(folder)
