"""What must be there when the power is back, and what must not; and a disk that refuses at the worst moment."""

import errno
import os
import shutil
from pathlib import Path

import lmdb
import pytest

from projections.registry import FOLD
from replay.builder import check, rebuild
from replay.engine import Engine
from replay.errors import CannotWrite, LogFull
from replay.folder import Folder, make_private, remove_for_good
from replay.lmdb_file import REFUSED, is_dead, translated
from replay.lmdb_log import LmdbLog
from replay.rewriting import rewrite
from replay.store import MOST_RETIRED, DiskStore
from tests.replay.keeping import backed_up, talk
from tests.replay.stage import FakeClock, says, texts


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders that are synced, each with the names in it, and the names that are replaced, in order."""
    if not Path("/proc/self/fd").exists():
        pytest.skip("what a descriptor is called is not told here")
    done: list[str] = []
    sync, replace = os.fsync, Path.replace

    def fsync(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").resolve()
        if path.is_dir():
            done.append(f"{path.name}: {' '.join(sorted(each.name for each in path.iterdir()))}")
        sync(descriptor)

    def renamed(path: Path, target: Path) -> Path:
        done.append(f"replace {target.name}")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", renamed)
    return done


def test_what_current_names_lasts_before_it_is_named(folder: Path, synced: list[str]) -> None:
    place = Folder(folder / "log")
    with place.building() as fresh:
        (fresh / "data.mdb").touch()
        place.put_in_force(fresh)
    assert synced[-4:] == ["000001: building.lock data.mdb", "log: 000001", "replace CURRENT", "log: 000001 CURRENT"]


def test_a_builder_s_lock_lasts_before_its_database(folder: Path, synced: list[str]) -> None:
    with Folder(folder / "log").building():
        assert synced[-1] == "000001: building.lock"


def test_the_name_of_a_new_folder_lasts(folder: Path, synced: list[str]) -> None:
    make_private(folder / "one" / "two")
    assert sorted(synced) == [f"{folder.name}: one", "one: two"]
    make_private(folder / "one" / "two")
    assert len(synced) == 2


def test_what_was_replaced_is_not_back_after_a_power_cut(data: Path, synced: list[str]) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1"))
        assert isinstance(engine.store, DiskStore)
        rebuild(engine.store, FOLD)
        assert synced[-1] == "views: 000002 CURRENT"
        rewrite(engine.store)
        assert synced[-1] == "log: 000002 CURRENT"


def test_what_lmdb_gave_up_is_opened_anew(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        store = engine.store
        assert isinstance(store, DiskStore)
        engine.record(says("m1"))
        engine.commit_views()
        assert store.views is not None
        for each in (store.log, store.views):
            each.close()  # nothing can be read from it nor written to it, as where its last write was refused
            REFUSED[each.folder] = "it is full"
        engine.record(says("m2"))
        assert len(texts(engine)) == 2
        assert check(store, FOLD).equal
        assert REFUSED.keys().isdisjoint({store.log.folder, store.views.folder})


def test_lmdb_s_panic_is_told_in_words_of_ours(folder: Path) -> None:
    with pytest.raises(CannotWrite, match="it goes on once the disk takes writes again"), translated(folder):
        raise lmdb.PanicError("mdb_txn_begin: MDB_PANIC")
    assert REFUSED.pop(folder) == ""
    full = "mdb_txn_commit: No space left on device"
    with pytest.raises(LogFull), translated(folder):
        raise lmdb.DiskError(full)
    with pytest.raises(CannotWrite, match=f"refused the end of a commit \\({full}\\): what was"), translated(folder):
        raise lmdb.PanicError("mdb_txn_begin: MDB_PANIC")
    assert REFUSED.pop(folder) == full


def test_whoever_reads_a_log_while_another_thread_s_commit_of_it_is_refused_is_told_in_words_of_ours(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Dead:
        def begin(self) -> None:
            raise lmdb.PanicError("mdb_txn_begin: MDB_PANIC")

    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1"))
        log = engine.store.log
        assert isinstance(log, LmdbLog)
        with monkeypatch.context() as patch:
            patch.setattr(log, "_environment", Dead())
            with pytest.raises(CannotWrite, match="refused the end of a commit"):
                log.get(1)
        assert log.get(1) is not None
    REFUSED.pop(log.folder, None)


def test_what_was_refused_something_and_lives_stays_as_it_is(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        store = engine.store
        assert isinstance(store, DiskStore)
        engine.record(says("m0"))
        log, views = store.log, store.views
        assert views is not None
        REFUSED.update({log.folder: "", views.folder: ""})
        engine.record(says("m1"))
        assert (store.log, store.views) == (log, views)
        assert REFUSED.keys().isdisjoint({log.folder, views.folder})


def test_what_was_replaced_often_is_let_go(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        store = engine.store
        assert isinstance(store, DiskStore)
        engine.record(says("m1"))
        logs = []
        for _ in range(MOST_RETIRED + 1):
            logs.append(store.log)
            rewrite(store)
        assert [is_dead(each.head) for each in logs] == [True] + [False] * MOST_RETIRED
        assert len(texts(engine)) == 1


def test_a_memory_that_lmdb_gave_up_is_closed_all_the_same(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        store = engine.store
        assert isinstance(store, DiskStore)
        engine.record(says("m1"))
        store.log.close()
        REFUSED[store.log.folder] = ""
    with Engine.open(data, clock=FakeClock()) as engine:
        assert len(texts(engine)) == 1


def test_a_folder_that_cannot_be_removed_is_told_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "old").mkdir()
    remove = shutil.rmtree
    answers = [FileNotFoundError("somebody else was quicker"), OSError(errno.EIO, "the disk fails")]

    def failing(path: Path) -> None:
        if answers:
            raise answers.pop(0)
        remove(path)

    monkeypatch.setattr(shutil, "rmtree", failing)
    with pytest.raises(OSError, match="the disk fails"):
        remove_for_good(folder / "old")
    assert (folder / "old").exists()
    remove_for_good(folder / "old")
    assert not (folder / "old").exists()


def test_a_backup_s_lock_lasts_before_anything_else_in_its_folder(folder: Path, synced: list[str]) -> None:
    talk(folder / "data")
    synced.clear()
    backed_up(folder / "data", folder / "usb")
    assert next(each for each in synced if each.startswith("usb: ")) == "usb: backup.lock"


def test_a_reader_who_opens_a_folder_that_is_being_removed_does_not_keep_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader makes its lock file where there is none: between the removal of the files and that of the folder."""
    (folder / "old").mkdir()
    remove, readers = shutil.rmtree, [1, 2]

    def late(path: Path) -> None:
        remove(path)
        if readers:
            readers.pop()
            path.mkdir()
            (path / "lock.mdb").write_bytes(b"a reader's")
            raise OSError(errno.ENOTEMPTY, "Directory not empty")

    monkeypatch.setattr(shutil, "rmtree", late)
    remove_for_good(folder / "old")
    assert not (folder / "old").exists()
    assert not readers
