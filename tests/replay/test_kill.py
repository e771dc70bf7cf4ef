"""kill -9 at random moments: what was acknowledged is there, and views equal a rebuild.

`DNAM_KILLS=100` kills a hundred times. The child marks in a shared file when a commit begins and ends, so that the
kills which hit one in flight can be counted. On a disk, where a commit takes its time.
"""

import mmap
import os
import threading
import time
from pathlib import Path
from random import Random

from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.folding import Folding
from replay.store import DiskStore
from replay.verify import verify
from tests.replay.stage import FakeClock, child, event_id

ROUNDS = int(os.environ.get("DNAM_KILLS", "20"))


class Writer:
    """A writer in another process, and what it has acknowledged so far."""

    def __init__(self, data: Path, mark: Path) -> None:
        self._process = child("writes", data, mark)
        self._mark = mark
        self._enough = threading.Event()
        self._wanted = 0
        self.acknowledged: list[str] = []
        self._reader = threading.Thread(target=self._read)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for each in self._process.stdout:
            if each.endswith("\n"):
                self.acknowledged.append(each.strip())
            if len(self.acknowledged) >= self._wanted:
                self._enough.set()

    def kill(self, after: int, within: float) -> bool:
        """Kill it after so many events, and so long (s) after a commit began; whether one was in flight."""
        self._wanted = after
        self._reader.start()
        assert self._enough.wait(60), "it wrote nothing"
        with self._mark.open("r+b") as file, mmap.mmap(file.fileno(), 1) as mark:
            while mark[0] == 0 and self._process.poll() is None:
                pass
            deadline = time.perf_counter() + within
            while time.perf_counter() < deadline:
                pass
            self._process.kill()
            self._process.wait()
            self._reader.join()
            for pipe in (self._process.stdout, self._process.stdin):
                assert pipe is not None
                pipe.close()
            return mark[0] == 1


def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    chance, data, mark, in_flight = Random(9), tmp_path / "data", tmp_path / "mark", 0
    everything: list[str] = []
    for _ in range(ROUNDS):
        mark.write_bytes(b"\x00")
        writer = Writer(data, mark)
        in_flight += writer.kill(after=chance.randrange(1, 40), within=chance.random() * 0.002)
        everything += writer.acknowledged
        with Engine.open(data, clock=FakeClock()) as engine:
            store = engine.store
            assert isinstance(store, DiskStore)
            assert all(store.log.find(event_id(f"{name} 0")) for name in writer.acknowledged)
            assert verify(store, Folding(FOLD, store), opened=True).problems == ()
            assert check(store, FOLD).equal
    with Engine.open(data, writable=False) as engine:
        assert len(set(everything)) == len(everything)
        assert all(engine.store.log.find(event_id(f"{name} 0")) for name in everything)
    print(f"\n{ROUNDS} kills, {in_flight} with a commit in flight, {len(everything)} events acknowledged")
    assert in_flight >= ROUNDS // 2
