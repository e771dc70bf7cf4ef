"""Recall in compiled loops, for a program that goes on answering: loaded beside what it does. Nobody misses it until
then, nor where it cannot be had: steps in numpy say the same.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dnam.failures import Tell
from dnam.settings import Settings

NO_FOLDER = "no locator available"
"""What numba says where it can write neither beside a module nor into the user's cache."""


@contextmanager
def quickened(settings: Settings, tell: Tell) -> Iterator[threading.Thread | None]:
    """Load them in a thread, and compile them if that was never done on this machine; not where nobody wants them. At
    the end of the `with` nothing more is begun. `tell` hears of what went wrong.
    """
    over = threading.Event()
    loading = threading.Thread(target=_load, args=(over.is_set, tell), name="compiling recall")
    if settings.recall_compiled:
        loading.start()
    try:
        yield loading if settings.recall_compiled else None
    finally:
        over.set()


def _load(stops: Callable[[], bool], tell: Tell) -> None:
    from projections.recall.reckoners import use_compiled

    try:
        use_compiled(stops)
    except Exception as error:  # noqa: BLE001 - whatever a compiler may fail at, recall goes on without it
        tell(f"recall is not compiled, and goes on without: {error}. {remedy(error)}")


def remedy(error: Exception) -> str:
    """What to do where compiling failed."""
    if NO_FOLDER in str(error):
        return "Name a folder that may be written to by NUMBA_CACHE_DIR."
    return (
        "If it says the same again, delete what numba keeps (*.nbi and *.nbc, in NUMBA_CACHE_DIR, in a __pycache__ of "
        "projections/recall or in ~/.cache/numba), or set DNAM_RECALL_COMPILED=0."
    )
