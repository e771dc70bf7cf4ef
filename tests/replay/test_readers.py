"""Readers who died: their marks in LMDB's table would keep pages for them for ever. Opening strikes them, and a process
that stays up does so now and then.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from projections.registry import FOLD
from replay.folder import Folder
from replay.store import DiskStore, MemoryStore
from tests.hanging import HANGS
from tests.replay.stage import opened, says

READS = """
import os, sys, lmdb
environments = [lmdb.open(path, max_dbs=64, readonly=True) for path in sys.argv[2:]]
looks = [each.begin() for each in environments]
if sys.argv[1] == "dies":
    os._exit(0)
print("reads", flush=True)
sys.stdin.read()
"""


def folders(data: Path) -> list[str]:
    return [str(Folder(data / each).current()) for each in ("log", "views")]


def dies_reading(data: Path) -> int:
    """The number of a process that died while it read the log and the views."""
    with subprocess.Popen([sys.executable, "-c", READS, "dies", *folders(data)]) as reader:
        assert reader.wait(HANGS) == 0
        return reader.pid


@contextmanager
def reading(data: Path) -> Iterator[int]:
    """A process that reads them meanwhile: where nobody has them open, whoever opens them begins the tables anew."""
    command = [sys.executable, "-c", READS, "stays", *folders(data)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "reads\n"
        try:
            yield reader.pid
        finally:
            reader.communicate(timeout=HANGS)


def readers(store: DiskStore) -> list[set[int]]:
    """Who stands in the table of the log, and in that of the views."""
    assert store.views is not None
    tables = (store.log._environment.readers(), store.views._environment._environment.readers())
    return [{int(line.split()[0]) for line in table.splitlines()[1:]} for table in tables]


def test_a_writer_strikes_the_dead_when_it_opens_and_who_looks_leaves_them(data: Path, kept: bytes) -> None:
    with reading(data) as alive:
        dead = dies_reading(data)
        looking = DiskStore(data, FOLD, writable=False)
        assert all({alive, dead} <= each for each in readers(looking))
        looking.close()
        store = DiskStore(data, FOLD, writable=True)
        assert all(alive in each and dead not in each for each in readers(store))
        store.close()


def test_a_process_that_stays_up_strikes_them_when_it_writes_the_views(data: Path, kept: bytes) -> None:
    with opened(data) as engine:
        assert isinstance(engine.store, DiskStore)
        dead = dies_reading(data)
        engine.commit_views()  # nothing is new
        assert all(dead in each for each in readers(engine.store))
        engine.record(says("late"))
        engine.commit_views()
        assert all(dead not in each for each in readers(engine.store))


def test_without_views_those_of_the_log_are_struck(data: Path, kept: bytes) -> None:
    store = DiskStore(data, FOLD, writable=True)
    dead = dies_reading(data)
    assert store.views is not None
    assert all(dead in each for each in readers(store))
    store.views.close()
    store.views = None
    store.check_readers()
    assert str(dead) not in store.log._environment.readers()
    store.close()
    MemoryStore().check_readers()
