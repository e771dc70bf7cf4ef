"""Disks that fill up and maps that end: the caller hears of it, nothing is half written, and it goes on afterwards."""

import os
from pathlib import Path

import lmdb
import pytest

from projections.events import PersonNoted
from projections.events.values import OPERATOR
from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.errors import CannotWrite, LogFull, NotALog, ReadOnly
from replay.folding import Folding
from replay.lmdb_file import translated
from replay.lmdb_log import LmdbLog
from replay.log import Commit, Head, Syncing, untold
from replay.store import DiskStore
from replay.verify import verify
from tests.replay.mounting import mounting
from tests.replay.stage import FakeClock, child, digest, drafts, finished, says, together
from tests.replay.test_log import entry
from tests.world import NOW, handle


def sound(data: Path) -> None:
    with Engine.open(data, clock=FakeClock()) as engine:
        store = engine.store
        assert isinstance(store, DiskStore)
        assert check(store, FOLD).equal
        assert verify(store, Folding(FOLD, store), opened=True).problems == ()


def note(name: str, size: int = 10) -> PersonNoted:
    return PersonNoted(said=NOW, by=OPERATOR, person=handle(name), note="x" * size)


def test_a_full_map_is_told_and_nothing_is_written(folder: Path) -> None:
    log = LmdbLog.create(folder, b"i" * 16, b"c" * 16, map_size=1 << 18)

    def fill() -> None:
        while True:
            log.append(Commit([entry(log.head().size + 1, b"x" * 5000)], 1), log.head())

    with pytest.raises(LogFull, match="has used up its map"):
        fill()
    head = log.head()
    assert head.size > 5
    assert log.get(head.size + 1) is None
    assert len(list(log.read(0))) == head.size
    log.close()
    again = LmdbLog(folder)
    assert again.append(Commit([entry(head.size + 1, b"x" * 5000)], 9), head).size == head.size + 1
    again.close()


def test_a_file_that_may_not_grow_is_told_and_it_goes_on_afterwards(data: Path) -> None:
    error, done, *rest = " ".join(finished(child("fills", data, 300_000))).split()
    assert error in ("LogFull", "CannotWrite")
    assert int(done) > 10
    size, after = map(int, rest)
    assert (size, after) == (int(done), int(done) + 3)
    sound(data)


class Failing(LmdbLog):
    """The next append fails as a full disk does."""

    full = False

    def append(self, commit: Commit, expected: Head, syncing: Syncing = untold) -> Head:
        if self.full:
            raise LogFull("the disk is full")
        return super().append(commit, expected, syncing)


def test_a_commit_that_fails_fails_its_group_and_nothing_else(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1"))
        store, before = engine.store, digest(engine)
        assert isinstance(store, DiskStore)
        folder = store.log.folder
        store.log.close()
        store.log = log = Failing(folder)
        log.full = True
        futures = together(engine, [says("m2"), drafts(note("somebody new")), says("m3")])
        assert [type(future.exception()) for future in futures] == [LogFull] * 3
        assert digest(engine) == before
        assert engine.head().size == 3
        log.full = False
        engine.record(says("m2"))
        engine.record(drafts(note("somebody new")))
        assert engine.head().size == 5
    sound(data)


@pytest.mark.parametrize("copy", ["ring-a", "ring-b"])
def test_a_ring_that_cannot_be_written_fails_the_group_before_the_log(data: Path, copy: str) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(drafts(note("P"), name="first"))
        vaults, ring = dict(engine.store.ring.vaults), data / "keys" / copy
        whole = ring.read_bytes()
        ring.unlink()
        ring.mkdir()
        with pytest.raises(CannotWrite, match="the key ring"):
            engine.record(drafts(note("Q"), name="second"))
        assert engine.head().size == 1
        assert engine.store.ring.vaults == vaults
        assert engine.record(drafts(note("P", 20), name="third")).records
        ring.rmdir()
        ring.write_bytes(whole)
        engine.record(drafts(note("Q"), name="second"))
        assert {path.read_bytes() for path in (data / "keys").iterdir()} == {ring.read_bytes()}
    sound(data)


def test_an_era_does_not_list_whom_a_failed_commit_would_have_added(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        ring = engine.store.ring
        era = ring.era_vault("era", frozenset({handle("P")}))
        ring.flush()
        copy = data / "keys" / "ring-b"
        copy.rename(data / "keys" / "away")
        ring.era_vault("era", frozenset({handle("Q")}))
        with pytest.raises(CannotWrite):
            ring.flush()
        ring.undo(0)
        (data / "keys" / "away").rename(copy)
        ring.reload()
        assert ring.people(era) == {handle("P")}


SMALL_DISK = """
import subprocess, sys
from pathlib import Path
path = Path(sys.argv[1])
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", path]).returncode:
    sys.exit(77)
from replay.engine import Engine
from replay.errors import LogFull, CannotWrite
from tests.replay.stage import digest, drafts, says
from tests.replay.test_faults import note, sound
data = path / "data"
with Engine.open(data, create=True, view_commit_events=20) as engine:
    acknowledged = 0
    try:
        while True:
            engine.record(drafts(note(f"person {acknowledged}", 2000), name=f"{acknowledged}"))
            acknowledged += 1
    except CannotWrite as error:
        print(type(error).__name__)
    for n in range(20):
        try:
            engine.record(drafts(note(f"more {n}", 9000), name=f"more {n}"))
            acknowledged += 1
        except CannotWrite:
            pass
    assert engine.head().size == acknowledged, (engine.head().size, acknowledged)
subprocess.run(["mount", "-o", "remount,size=60m", path], check=True)
with Engine.open(data) as engine:
    engine.record(says("afterwards"))
    assert engine.head().size == acknowledged + 3
sound(data)
print("sound", acknowledged)
"""


def test_a_disk_that_is_full_is_told_and_it_goes_on_when_there_is_room(folder: Path) -> None:
    told = mounting(SMALL_DISK, folder)
    first, last = told.splitlines()
    assert first == "LogFull"
    assert last.startswith("sound ")


def test_a_new_folder_that_cannot_be_made_is_told(folder: Path) -> None:
    (folder / "file").write_text("in the way")
    with pytest.raises(CannotWrite):
        Engine.open(folder / "file" / "data", create=True)


ERRORS = [
    (lmdb.MapFullError("full"), LogFull),
    (lmdb.ReadonlyError("no"), ReadOnly),
    (lmdb.InvalidError("not a database"), NotALog),
    (PermissionError(13, "Permission denied"), ReadOnly),
    (OSError(28, os.strerror(28)), LogFull),
    (OSError(122, os.strerror(122)), LogFull),
    (OSError(30, os.strerror(30)), ReadOnly),
    (lmdb.Error("mdb_txn_commit: No space left on device"), LogFull),
    (lmdb.Error("mdb_env_open: Permission denied"), ReadOnly),
    (lmdb.Error("mdb_txn_commit: Input/output error"), CannotWrite),
    (OSError(5, os.strerror(5)), CannotWrite),
]


@pytest.mark.parametrize(("error", "ours"), ERRORS, ids=str)
def test_errors_of_the_system_become_ours(error: Exception, ours: type[Exception], folder: Path) -> None:
    for place in (folder, folder / "gone"):
        with pytest.raises(ours) as caught, translated(place):
            raise error
        assert type(caught.value) is ours
        assert caught.value.__cause__ is error
