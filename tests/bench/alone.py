"""One rebuild in a process of its own: `python -m tests.bench.alone FOLDER` prints what it took, as JSON."""

import json
import resource
import sys
import threading
from itertools import pairwise
from pathlib import Path
from time import perf_counter

from projections.registry import FOLD
from replay.builder import rebuild
from replay.store import DiskStore

TOGETHER = 8
"""Segments that make one rate: those that a helper folded are written in no time, and the others wait for them."""


class Watch:
    """The most memory that the process itself held, without mapped files; 0 where the system does not say."""

    def __init__(self) -> None:
        self.peak_mb = 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._done.wait(0.1):
            self.peak_mb = max(self.peak_mb, _own_mb())

    def stop(self) -> float:
        """The most so far, in MB."""
        self._done.set()
        self._thread.join()
        return self.peak_mb


def _own_mb() -> float:
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon")), 0.0)


def main() -> None:
    """Rebuild and report."""
    watch, marks = Watch(), [(0, perf_counter())]
    store = DiskStore(Path(sys.argv[1]), FOLD, writable=True)
    built = rebuild(store, FOLD, lambda done, _: marks.append((done, perf_counter())))
    store.close()
    rates = [(done - before) / (now - then) for (before, then), (done, now) in pairwise(marks[::TOGETHER])]
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)  # a helper's peak too, whenever it was
    peak = sum(resource.getrusage(each).ru_maxrss for each in whose) / 1024
    json.dump({"events": built.events, "rates": rates, "peak_mb": peak, "own_mb": watch.stop()}, sys.stdout)


if __name__ == "__main__":
    main()
