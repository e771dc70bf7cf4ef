"""A memory that was opened for reading alone, because the disk took nothing, and is written to once the disk does."""

import shutil
from pathlib import Path

import lmdb
import pytest

from projections.fold import Fold
from replay import engine as engines
from replay.engine import BETWEEN, Engine
from replay.errors import Busy, LogFull, NotALog, ReadOnly
from replay.lmdb_log import LmdbLog
from replay.lock import Waits, WriteLock
from replay.log import Head
from replay.store import DiskStore
from tests.replay.stage import FakeClock, digest, says, texts
from tests.world import NOW


@pytest.fixture
def reader(data: Path) -> Engine:
    """A memory of one message, open for reading."""
    with Engine.open(data, create=True, clock=FakeClock()) as writer:
        writer.record(says("m1", "one"))
    return Engine.open(data, writable=False, clock=FakeClock())


def takes_nothing(patch: pytest.MonkeyPatch, *, but_locks: bool = False, gone: bool = False) -> None:
    """The disk takes nothing; with `but_locks` that is noticed when the log itself is opened for writing. `gone`: nor
    can it be read any more.
    """
    really = DiskStore.__init__

    def refusing(store: DiskStore, path: Path, fold: Fold, *, writable: bool, **more: Waits) -> None:
        if writable:
            raise ReadOnly("the file system is read-only")
        if gone:
            raise NotALog("the log is gone")
        really(store, path, fold, writable=False, **more)  # type: ignore[arg-type]  # handed on as it is

    def refuses(_: WriteLock) -> None:
        raise ReadOnly("the file system is read-only")

    if not but_locks:
        patch.setattr(WriteLock, "refuse_unwritable", refuses)
    patch.setattr(DiskStore, "__init__", refusing)


def test_it_reads_on_and_records(reader: Engine, data: Path) -> None:
    with reader:
        assert texts(reader) == ["one"]
        reader.begin_writing()
        assert texts(reader) == ["one"]
        reader.record(says("m2", "two", said=NOW + 1))
        assert texts(reader) == ["one", "two"]
        expected = digest(reader)
    with Engine.open(data, writable=False) as later:
        assert digest(later) == expected


def begins_to_write(reader: Engine) -> None:
    """It does, and goes on behind what was there."""
    reader.begin_writing()
    reader.record(says("m2", "two", said=NOW + 1))
    assert texts(reader) == ["one", "two"]


@pytest.mark.parametrize("but_locks", [False, True])
def test_where_the_disk_takes_nothing_yet_it_reads_as_before(
    reader: Engine, monkeypatch: pytest.MonkeyPatch, but_locks: bool
) -> None:
    with reader:
        with monkeypatch.context() as patch:
            takes_nothing(patch, but_locks=but_locks)
            for _ in range(3):
                with pytest.raises(ReadOnly, match="the file system is read-only"):
                    reader.begin_writing()
                assert texts(reader) == ["one"]
                with pytest.raises(ReadOnly, match="for reading only"):
                    reader.record(says("m2"))
        begins_to_write(reader)


def test_where_it_cannot_even_be_read_any_more_that_is_said_and_it_is_tried_again(
    reader: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with reader:
        with monkeypatch.context() as patch:
            takes_nothing(patch, but_locks=True, gone=True)
            with pytest.raises(NotALog, match="the log is gone"):
                reader.begin_writing()
            with pytest.raises(ReadOnly, match="the file system is read-only"), reader.reading():
                pytest.fail("there is nothing to look at")
        reader.begin_writing()
        assert texts(reader) == ["one"]


def test_views_that_are_missing_are_built_and_what_could_not_be_built_is_once_it_can(
    reader: Engine, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(data / "views")
    with reader:
        with monkeypatch.context() as patch:
            patch.setattr(engines, "rebuild", full)
            with pytest.raises(LogFull):
                reader.begin_writing()
            assert texts(reader) == ["one"]
            with pytest.raises(ReadOnly, match="for reading only"):
                reader.record(says("m2"))
        begins_to_write(reader)
    assert (data / "views").exists()


def full(*_: object) -> None:
    raise LogFull("the disk is full")


def test_it_waits_for_nobody_who_writes(reader: Engine, data: Path) -> None:
    """Whoever looks meanwhile would wait as long."""
    with reader, WriteLock(data / "write.lock"):
        with pytest.raises(Busy, match="another process holds"):
            reader.begin_writing()
        assert texts(reader) == ["one"]


def test_what_waits_for_no_look_is_told_that_it_is_being_opened(
    reader: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = DiskStore.__init__
    met: list[str] = []

    def looked_at(store: DiskStore, *given: object, **named: object) -> None:
        with pytest.raises(Busy) as refused:
            reader.head()
        met.append(str(refused.value))
        really(store, *given, **named)  # type: ignore[arg-type]  # handed on as they are

    with reader:
        monkeypatch.setattr(DiskStore, "__init__", looked_at)
        reader.begin_writing()
        assert met == [BETWEEN]
        assert reader.head().size == 3

        def closed_behind(_: object) -> Head:
            reader.store = object.__new__(DiskStore)  # it was opened for writing meanwhile
            raise lmdb.Error("closed")

        store = reader.store
        monkeypatch.setattr(LmdbLog, "head", closed_behind)
        with pytest.raises(Busy, match=BETWEEN):
            reader.head()
        reader.store = store
        monkeypatch.undo()


def test_vectors_that_somebody_holds_are_the_same_ones_afterwards(reader: Engine, data: Path) -> None:
    with reader:
        assert isinstance(reader.store, DiskStore)
        vectors = reader.store.vectors
        assert vectors.in_force() == ""
        reader.begin_writing()
        assert reader.store.vectors is vectors
        vectors.swap("tiny@1")
        assert vectors.in_force() == "tiny@1"
