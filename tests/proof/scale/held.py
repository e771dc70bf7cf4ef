"""How much memory a process holds at the most, with its helper, without what is mapped of files: those pages are the
system's to take back.
"""

import threading
from contextlib import suppress
from pathlib import Path

EVERY = 0.05


class Held:
    """Looks every 50 ms, from a thread of its own. `most` is in MB; 0 where the system does not say."""

    def __init__(self) -> None:
        self.most = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._done.wait(EVERY):
            self.most = max(self.most, held_mb())

    def stop(self) -> float:
        """What was seen."""
        self._done.set()
        self._thread.join()
        self.most = max(self.most, held_mb())
        return self.most


def held_mb() -> float:
    """What this process and those that it started hold now."""
    return sum(_anonymous_mb(each) for each in ("self", *_children()))


def _children() -> list[str]:
    found: list[str] = []
    for each in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found += each.read_text(encoding="utf-8").split()
    return found


def _anonymous_mb(process: str) -> float:
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:  # another system, or it has ended
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon")), 0.0)
