"""A folder with a CURRENT: replaced in one step, orphans told from builds, files written whole."""

import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from replay.errors import CannotWrite, NotALog
from replay.folder import BUILDING, Folder, make_private, replace_file
from replay.lock import ThreadLock, WriteLock
from tests.replay.test_ring_file import no_file_over


def test_nothing_is_in_force_at_first(folder: Path) -> None:
    place = Folder(folder / "views")
    assert place.current() is None
    assert place.stamp() is None
    assert place.orphans() == []
    assert place.remove_orphans() == []
    assert not (folder / "views").exists()


def test_what_is_in_force_and_its_stamp_are_of_one_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it is replaced between a look at the one and a look at the other: nobody opens it twice then."""
    place = Folder(folder / "views")
    assert place.in_force() == (None, None)
    with place.building() as first:
        place.put_in_force(first)
    stamp = place.stamp()
    real = os.fstat

    def replaced(descriptor: int) -> os.stat_result:
        monkeypatch.setattr(os, "fstat", real)
        found = os.fstat(descriptor)
        with place.building() as second:
            place.put_in_force(second)
        return found

    monkeypatch.setattr(os, "fstat", replaced)
    assert place.in_force() == (stamp, first)
    assert place.stamp() != stamp
    assert place.in_force() == (place.stamp(), first.with_name("000002"))


def test_a_build_is_put_in_force(folder: Path) -> None:
    place = Folder(folder / "views")
    with place.building() as fresh:
        assert fresh.name == "000001"
        assert place.current() is None
        assert place.orphans() == []
        place.put_in_force(fresh)
    assert place.current() == fresh
    assert not (fresh / BUILDING).exists()
    first = place.stamp()
    with place.building() as second:
        place.put_in_force(second)
    assert (second.name, place.current()) == ("000002", second)
    assert place.stamp() != first
    assert place.remove_orphans() == [fresh]
    assert not fresh.exists()


def test_a_build_that_fails_leaves_nothing(folder: Path) -> None:
    place = Folder(folder / "views")

    def fails() -> None:
        with place.building():
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert list((folder / "views").iterdir()) == []


@pytest.mark.parametrize("failing", ["the sync", "the lock"])
def test_who_keeps_the_error_of_a_build_that_never_began_is_no_builder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    place = Folder(folder / "views")

    def refused(path: Path, *_: str) -> None:
        if path.name in (BUILDING, "000001"):
            raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patched:
        if failing == "the sync":
            patched.setattr("replay.folder.sync_folder", refused)
        else:
            patched.setattr(Path, "open", refused)
        with pytest.raises(OSError, match="Too many open files") as kept, place.building():
            raise AssertionError
    assert kept.value.__traceback__ is not None, "its frames hold what they held"
    assert place.others() == []
    with place.building() as fresh:
        place.put_in_force(fresh)
    place.see_gone([folder / "views" / "000001"], patience=0)


def test_where_no_folder_can_be_made_is_said_in_words(folder: Path) -> None:
    (folder / "file").touch()
    with pytest.raises(CannotWrite, match="new cannot be made there: choose another place"):
        make_private(folder / "file" / "new")


def test_an_empty_current_names_nothing(folder: Path) -> None:
    (folder / "CURRENT").write_text("\n")
    assert Folder(folder).current() is None


@pytest.mark.parametrize("content", [b"\xff\n", bytes(7), b"../elsewhere", b"000001 000002"])
def test_a_current_that_names_no_folder_is_damaged(folder: Path, content: bytes) -> None:
    (folder / "CURRENT").write_bytes(content)
    with pytest.raises(NotALog, match="does not name a folder"):
        Folder(folder).current()


def test_a_build_whose_builder_died_is_an_orphan(folder: Path) -> None:
    place = Folder(folder)
    with place.building() as fresh:
        (folder / "000009").mkdir()
        (folder / "000009" / BUILDING).touch()
        assert place.orphans() == [folder / "000009"]
        assert place.remove_orphans() == [folder / "000009"]
        assert fresh.exists()


def test_a_numbered_folder_with_anything_else_in_it_is_somebody_else_s(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs, gone = folder / "000007", folder / "000008"
    theirs.mkdir()
    (theirs / "data.mdb").touch()
    (theirs / "photo.jpg").touch()
    gone.mkdir()
    listed = Path.iterdir

    def vanishing(path: Path) -> Iterator[Path]:
        if path == gone:
            gone.rmdir()
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", vanishing)
    assert Folder(folder).remove_orphans() == []
    assert (theirs / "photo.jpg").exists()


def test_a_database_beside_its_lock_is_a_builder_s_until_current_names_it(folder: Path) -> None:
    place = Folder(folder)
    with place.building() as fresh:
        (fresh / "data.mdb").touch()
        assert place.strangers() == []
        place.put_in_force(fresh)
    assert place.strangers() == [fresh / "data.mdb"]
    assert place.current() == fresh


def test_a_removal_that_breaks_off_leaves_the_lock(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Folder(folder)
    begun = folder / "000001"
    begun.mkdir()
    (begun / BUILDING).touch()
    (begun / "data.mdb").touch()
    with monkeypatch.context() as broken:
        broken.setattr("shutil.rmtree", lambda *_args, **_options: None)
        place.remove_orphans()
    assert [each.name for each in begun.iterdir()] == [BUILDING]


def test_a_file_is_replaced_whole(folder: Path) -> None:
    path = folder / "file"
    (folder / "file.new").write_text("left by a crash")
    replace_file(path, b"first")
    replace_file(path, b"second")
    assert path.read_bytes() == b"second"
    assert [each.name for each in folder.iterdir()] == ["file"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_part_that_was_written_is_an_error(folder: Path) -> None:
    with no_file_over(10), pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        replace_file(folder / "file", b"more than ten bytes")
    assert not (folder / "file").exists()
    replace_file(folder / "file", b"more than ten bytes")
    assert (folder / "file").read_bytes() == b"more than ten bytes"


def taken_by_another_thread(lock: WriteLock | ThreadLock) -> bool:
    taken = threading.Event()

    def take() -> None:
        with lock:
            taken.set()

    thread = threading.Thread(target=take)
    thread.start()
    thread.join(0.05)
    waited = not taken.is_set()
    if waited:
        lock.__exit__(None, None, None)
        thread.join()
        lock.__enter__()
    return not waited


@pytest.mark.parametrize("kind", ["file", "threads"])
def test_the_write_lock_keeps_threads_apart_too(folder: Path, kind: str) -> None:
    lock = WriteLock(folder / "write.lock") if kind == "file" else ThreadLock()
    with lock:
        assert not taken_by_another_thread(lock)
    assert taken_by_another_thread(lock)
    lock.close()
    with lock:
        pass
    lock.close()
    lock.close()


def test_a_lock_that_cannot_be_taken_is_free_for_the_next(folder: Path) -> None:
    lock = WriteLock(folder / "missing" / "write.lock")
    for _ in range(2):
        with pytest.raises(Exception, match="No such file"), lock:
            pass
    (folder / "missing").mkdir()
    with lock:
        assert (folder / "missing" / "write.lock").exists()
    lock.close()


def test_a_builder_whose_folder_was_replaced_and_removed_meanwhile_ends_in_peace(folder: Path) -> None:
    place = Folder(folder / "views")
    with place.building() as first:
        place.put_in_force(first)
        (first / BUILDING).unlink()  # as the next builder does with the whole folder
    assert place.current() == first
