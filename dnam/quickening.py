"""Recall in compiled loops, for a program that goes on answering: loaded beside what it does. Nobody misses it until
then, nor where it cannot be had: steps in numpy say the same.
"""

import threading

from dnam.failures import Tell
from dnam.settings import Settings


def quicken(settings: Settings, tell: Tell) -> threading.Thread | None:
    """Load them, and compile them if that was never done on this machine; None where nobody wants them. `tell` hears of
    what went wrong.
    """
    if not settings.recall_compiled:
        return None
    loading = threading.Thread(target=_load, args=(tell,), name="compiling recall")
    loading.start()
    return loading


def _load(tell: Tell) -> None:
    from projections.recall.reckoners import use_compiled

    try:
        use_compiled()
    except Exception as error:  # noqa: BLE001 - whatever a compiler may fail at, recall goes on without it
        tell(f"recall is not compiled, and goes on without: {error}")
