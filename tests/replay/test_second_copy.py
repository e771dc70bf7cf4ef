"""The second copy of the key ring is made to last beside the log's commit, and a disk that refuses it is believed."""

import errno
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import pytest

from replay.engine import Engine
from replay.errors import CannotWrite
from replay.lmdb_log import LmdbLog
from replay.log import Commit, Head, Syncing, untold
from replay.ring.file import COPIES, FileRingStore
from replay.ring.records import ID_KEY, SIZE, VAULT, RingRecord
from replay.ring.second_copy import SecondCopy
from replay.ring.store import MemoryRingStore
from replay.store import DiskStore
from tests.replay.stage import KIM, FakeClock, says

NO_FILE = 1 << 20
"""A descriptor that nothing is open under."""
ID = RingRecord(ID_KEY, payload=b"k" * 32)


def record(number: int) -> RingRecord:
    return RingRecord(VAULT, bytes([number]) * 16, bytes([number]) * 32)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FileRingStore]:
    store = FileRingStore(tmp_path / "keys")
    store.create([ID])
    store.append([record(1)])  # from here on both copies are open
    store.settle()
    yield store
    store.close()


def copies(folder: Path) -> list[bytes]:
    return [(folder / "keys" / name).read_bytes() for name in COPIES]


class Synced(NamedTuple):
    """A sync that was asked for: of which file, and how long it was by then."""

    name: str
    size: int


@contextmanager
def syncs(refused: Callable[[str], bool] = lambda _: False) -> Iterator[list[Synced]]:
    """What is synced meanwhile, in order; `refused` files are not."""
    sync, done = os.fdatasync, list[Synced]()

    def synced(descriptor: int) -> None:
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        if refused(name):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        sync(descriptor)
        done.append(Synced(name, os.fstat(descriptor).st_size))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fdatasync", synced)
        yield done


# -- the thread --------------------------------------------------------------------------------------------------------


def test_it_is_on_the_disk_when_its_outcome_is_there(tmp_path: Path) -> None:
    descriptor, second = os.open(tmp_path / "copy", os.O_WRONLY | os.O_CREAT), SecondCopy()
    with syncs() as done:
        for expected, text in enumerate((b"one", b"two"), 1):
            os.write(descriptor, text)
            assert second.begin(descriptor).get() is None
            assert done[expected - 1 :] == [Synced("copy", 3 * expected)]
    second.end()
    os.close(descriptor)


def test_what_goes_wrong_is_told_and_the_next_is_synced(tmp_path: Path) -> None:
    second = SecondCopy()
    error = second.begin(NO_FILE).get()
    assert isinstance(error, OSError)
    assert error.errno == errno.EBADF
    with (tmp_path / "copy").open("wb") as copy:
        assert second.begin(copy.fileno()).get() is None
    second.end()


def test_its_thread_ends() -> None:
    before = threading.active_count()
    second = SecondCopy()
    second.end()
    assert threading.active_count() == before, "none was begun"
    second.begin(NO_FILE).get()
    assert threading.active_count() == before + 1
    second.end()
    second.end()
    assert threading.active_count() == before


# -- the ring's file ---------------------------------------------------------------------------------------------------


def test_an_append_lasts_in_the_first_copy_and_once_settled_in_both(
    store: FileRingStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = SimpleQueue[Exception | None]()
    begun: list[int] = []

    def begin(_: SecondCopy, descriptor: int) -> "SimpleQueue[Exception | None]":
        begun.append(os.fstat(descriptor).st_size)
        return held

    monkeypatch.setattr(SecondCopy, "begin", begin)
    with syncs() as done:
        store.append([record(2)])
    assert (done, begun) == ([Synced("ring-a", 3 * SIZE)], [3 * SIZE]), "the second was whole when its sync began"
    assert copies(tmp_path)[0] == copies(tmp_path)[1]
    held.put(None)
    store.settle()
    assert held.empty(), "it was waited for"
    assert (store.read(), store.damage()) == ([ID, record(1), record(2)], [])


@pytest.mark.parametrize("then", ["append", "rewrite", "close"])
def test_nothing_is_done_with_the_copies_before_they_are_settled(
    store: FileRingStore, then: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[str] = []
    wait = FileRingStore._await_second

    def awaited(self: FileRingStore) -> None:
        waited.append(then)
        wait(self)

    monkeypatch.setattr(FileRingStore, "_await_second", awaited)
    store.append([record(2)])
    waited.clear()
    {"append": lambda: store.append([record(3)]), "rewrite": lambda: store.rewrite([ID]), "close": store.close}[then]()
    assert waited == [then]


def test_a_first_copy_that_cannot_be_synced_refuses_the_append(store: FileRingStore, tmp_path: Path) -> None:
    before = store.read()
    with syncs(lambda name: name == "ring-a") as done, pytest.raises(CannotWrite, match="Input/output error"):
        store.append([record(2)])
    assert done == [Synced("ring-b", 3 * SIZE)], "the second was waited for before both were cut"
    assert store.settle() is None, "what it was refused for is in its error"
    assert [len(each) for each in copies(tmp_path)] == [2 * SIZE] * 2
    assert (store.read(), store.damage()) == (before, [])


def test_a_second_copy_that_cannot_be_synced_is_written_anew_by_the_next_append(
    store: FileRingStore, tmp_path: Path
) -> None:
    """What was read of it since does not show what is on the disk."""
    first = (tmp_path / "keys" / COPIES[0]).stat().st_ino
    with syncs(lambda name: name == "ring-b"):
        store.append([record(2)])
        assert isinstance(refusal := store.settle(), CannotWrite)
    assert str(refusal) == f"the disk refused to sync {tmp_path / 'keys' / COPIES[1]}: [Errno 5] Input/output error"
    assert store.settle() is None, "it is told once"
    assert store.read() == [ID, record(1), record(2)]
    assert (tmp_path / "keys" / COPIES[0]).stat().st_ino == first
    store.append([record(3)])
    assert (tmp_path / "keys" / COPIES[0]).stat().st_ino != first, "both were written anew"
    assert (store.read(), store.damage()) == ([ID, record(1), record(2), record(3)], [])
    again = (tmp_path / "keys" / COPIES[0]).stat().st_ino
    store.append([record(4)])
    assert (tmp_path / "keys" / COPIES[0]).stat().st_ino == again, "and once is enough"


@pytest.mark.parametrize("then", ["append", "rewrite", "the first refused as well"])
def test_a_refusal_that_nobody_waited_for_is_told_later(store: FileRingStore, then: str) -> None:
    """Between an append and its waiting the log may have failed."""
    if then == "the first refused as well":
        with syncs(lambda _: True), pytest.raises(CannotWrite):
            store.append([record(2)])
    else:
        with syncs(lambda name: name == "ring-b"):
            store.append([record(2)])
            store.stand()
            {"append": lambda: store.append([record(3)]), "rewrite": lambda: store.rewrite([ID])}[then]()
    assert "ring-b" in str(store.settle())
    assert store.settle() is None


def test_as_long_as_it_cannot_be_written_anew_nothing_is_appended(
    store: FileRingStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with syncs(lambda name: name == "ring-b"):
        store.append([record(2)])
        store.settle()

    def refused(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr("replay.ring.file.replace_file", refused)
        for _ in range(2):
            with pytest.raises(CannotWrite, match="Input/output error"):
                store.append([record(3)])
    store.append([record(3)])
    assert (store.read(), store.damage()) == ([ID, record(1), record(2), record(3)], [])


def test_a_ring_in_memory_has_nothing_to_wait_for() -> None:
    store = MemoryRingStore()
    store.create([ID])
    store.append([record(1)])
    assert store.settle() is None
    assert store.read() == [ID, record(1)]


def test_what_was_never_read_has_no_news(store: FileRingStore, tmp_path: Path) -> None:
    """All of it is to be read."""
    other = FileRingStore(tmp_path / "keys")
    assert other.news() is None
    assert (other.read(), other.news()) == ([ID, record(1)], [])
    other.close()


# -- the engine --------------------------------------------------------------------------------------------------------


def test_keys_last_once_before_the_commit_and_twice_before_anybody_hears_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    append, settle = LmdbLog.append, FileRingStore.settle

    def appended(log: LmdbLog, commit: Commit, expected: Head, syncing: Syncing = untold) -> Head:
        steps.append("commit")
        return append(log, commit, expected, syncing)

    def settled(store: FileRingStore) -> CannotWrite | None:
        refusal = settle(store)
        steps.append("settled")
        return refusal

    with Engine.open(tmp_path / "data", create=True, clock=FakeClock()) as engine:
        engine.record(says("m0"))
        monkeypatch.setattr(LmdbLog, "append", appended)
        monkeypatch.setattr(FileRingStore, "settle", settled)
        with syncs() as done:
            engine.record(says("m1", who=KIM))
        assert {each.name for each in done} == {"ring-a", "ring-b"}
        assert steps[-2:] == ["commit", "settled"]


def test_what_was_committed_stands_where_the_second_copy_was_refused(tmp_path: Path) -> None:
    """Its key is in the first copy, and the next writer has two again."""
    with Engine.open(tmp_path, create=True, clock=FakeClock()) as engine:
        engine.record(says("m0"))
        with syncs(lambda name: name == "ring-b"):
            assert KIM.name in str(engine.record(says("m1", who=KIM)).events)
        ring = engine.store.ring
        assert [str(each) for each in ring.errors] == [
            f"the disk refused to sync {tmp_path / 'keys' / COPIES[1]}: [Errno 5] Input/output error"
        ]
        size = engine.head().size
        vaults = set(engine.store.ring.vaults)
        (tmp_path / "keys" / COPIES[1]).write_bytes(copies(tmp_path)[1][: -2 * SIZE])  # what was not synced is gone
    with Engine.open(tmp_path, clock=FakeClock()) as engine:
        assert (engine.head().size, engine.stopped(), set(engine.store.ring.vaults)) == (size, None, vaults)
        assert isinstance(engine.store, DiskStore)
        assert [each.mended for each in engine.store.findings if "key ring" in each.what] == [True]
        assert engine.store.ring.damage() == []
