"""One rebuild in a process of its own: `python -m tests.bench.alone FOLDER` prints what it took, as JSON."""

import json
import sys
import threading
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from time import perf_counter

from projections.registry import FOLD
from replay.builder import rebuild
from replay.store import DiskStore

TOGETHER = 8
"""Segments that make one rate: those that a helper folded are written in no time, and the others wait for them."""


class Watch:
    """The most memory that was held, in MB; 0 where the system does not say.

    `peak` is with every mapped page, this process's and its helper's together; `own` is this one's without mapped
    files. The system's peaks are read while both run: what `getrusage` says begins with what the parent had.
    """

    def __init__(self) -> None:
        self.own = self._mine = self._helpers = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    @property
    def peak(self) -> float:
        return self._mine + self._helpers

    def _look(self) -> None:
        while not self._done.wait(0.05):
            self.own = max(self.own, _mb("self", "RssAnon"))
            self._mine = max(self._mine, _mb("self", "VmHWM"))
            self._helpers = max(self._helpers, sum(_mb(each, "VmHWM") for each in _children()))

    def stop(self) -> None:
        """What was seen so far stands."""
        self._done.set()
        self._thread.join()


def rss_mb() -> float:
    """What this process holds now, without mapped files, in MB."""
    return _mb("self", "RssAnon")


def _mb(process: str, field: str) -> float:
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:  # another system, or it has ended
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(field)), 0.0)


def _children() -> list[str]:
    found: list[str] = []
    for each in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found += each.read_text(encoding="utf-8").split()
    return found


def main() -> None:
    """Rebuild and report."""
    watch, marks = Watch(), [(0, perf_counter())]
    store = DiskStore(Path(sys.argv[1]), FOLD, writable=True)
    built = rebuild(store, FOLD, lambda done, _: marks.append((done, perf_counter())))
    store.close()
    rates = [(done - before) / (now - then) for (before, then), (done, now) in pairwise(marks[::TOGETHER])]
    watch.stop()
    json.dump({"events": built.events, "rates": rates, "peak_mb": watch.peak, "own_mb": watch.own}, sys.stdout)


if __name__ == "__main__":
    main()
