"""A folder with a file CURRENT that names the folder in force, so that a whole database can be replaced at once.

    log/CURRENT      "000001\\n"
    log/000001/      data.mdb, lock.mdb

A builder makes a new folder beside it, holds a lock on it meanwhile, and replaces CURRENT in one rename. What is
neither CURRENT nor locked is an orphan of a broken-off build; only a writer removes it, and of logs only what the log
in force holds too (which_log.py). Making a folder with its lock, and removing orphans, exclude each other by a lock on
the folder above.
"""

import errno
import fcntl
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from replay.errors import Busy, CannotWrite, NotALog
from replay.lock import LONGEST_PAUSE, PATIENCE

BUILDING = "building.lock"
OURS = frozenset({BUILDING, "data.mdb", "lock.mdb"})
"""What there is in a folder of a database."""
A_FILE = "a file, and dnam keeps a folder there: move it away"
_NAME = re.compile(rb"\d*")


class Stamp(NamedTuple):
    """What tells one CURRENT from the next without reading it."""

    inode: int
    changed: int


class Folder:
    """A folder of databases of which one is in force."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._current = path / "CURRENT"
        self._named = str(self._current)

    def current(self) -> Path | None:
        """The folder in force, or None when there is none yet. NotALog when CURRENT holds anything but a name."""
        return self.in_force()[1]

    def in_force(self) -> tuple[Stamp | None, Path | None]:
        """The same, and the stamp of the very file that names it: asked for in turn, the stamp could be of one and the
        name of the next, which would be opened a second time at the next look.
        """
        try:
            with self._current.open("rb") as file:
                status, name = os.fstat(file.fileno()), file.read().strip()
        except (FileNotFoundError, NotADirectoryError):
            return None, None
        if not _NAME.fullmatch(name):
            raise NotALog(f"{self._current} does not name a folder: it is damaged, or not dnam's")
        return Stamp(status.st_ino, status.st_mtime_ns), self.path / name.decode() if name else None

    def stamp(self) -> Stamp | None:
        """Changes whenever CURRENT is replaced."""
        try:
            status = os.stat(self._named)  # noqa: PTH116 - every write group asks, and a Path takes as long again
        except (FileNotFoundError, NotADirectoryError):
            return None
        return Stamp(status.st_ino, status.st_mtime_ns)

    def new(self) -> Path:
        """A fresh folder beside the one in force."""
        taken = [int(each.name) for each in self.path.iterdir() if each.name.isdigit()]
        fresh = self.path / f"{max(taken, default=0) + 1:06}"
        fresh.mkdir(mode=0o700)
        return fresh

    def put_in_force(self, fresh: Path) -> None:
        """Replace CURRENT; after a crash either the old or the new folder is in force. Its name and those in it are
        made to last first: what CURRENT names must be there, and not be empty, when the power is back.
        """
        for each in (fresh, self.path):
            sync_folder(each)
        replace_file(self._current, f"{fresh.name}\n".encode())

    def forget(self) -> None:
        """Have none in force, also when the power is back; for what can be built again."""
        self._current.unlink(missing_ok=True)
        with suppress(FileNotFoundError):
            sync_folder(self.path)

    def strangers(self) -> list[Path]:
        """Databases that no builder made: its lock lies beside them until CURRENT names them, or they are gone.

        Whoever asks for CURRENT after this sees every folder that was put in force meanwhile.
        """
        return [each for each in self.path.rglob("*.mdb") if not (each.parent / BUILDING).exists() and each.exists()]

    def orphans(self) -> list[Path]:
        """Numbered folders that are neither in force nor being built, with nothing in them but what a builder makes.
        Any other was made by somebody else.
        """
        if not self.path.is_dir():
            return []
        current = self.current()
        others = sorted(
            each for each in self.path.iterdir() if each.name.isdigit() and each.is_dir() and each != current
        )
        return [each for each in others if _holds_only_ours(each) and not _is_being_built(each)]

    def remove_orphans(self, keep: Callable[[Path], bool] = lambda _: False) -> list[Path]:
        """Remove them, but for those to `keep`; what was removed. For writers only."""
        if not self.path.is_dir():
            return []
        with _held(self.path):
            current = self.current()
            if current is not None:
                (current / BUILDING).unlink(missing_ok=True)  # its builder ended just after it was put in force
            removed = [each for each in self.orphans() if not keep(each)]
            for each in removed:
                _remove(each)
        return removed

    def others(self) -> list[Path]:
        """Numbered folders that are not in force: being built now, or left behind by a build that broke off."""
        if not self.path.is_dir():
            return []
        with _held(self.path):  # whatever is there has its lock
            current = self.current()
            return sorted(each for each in self.path.iterdir() if each.name.isdigit() and each != current)

    def see_gone(self, others: Sequence[Path], patience: float = PATIENCE) -> None:
        """Wait until nobody builds these any more, and remove what is left of them. Busy after some seconds, OSError
        where something stays.
        """
        until = time.monotonic() + patience
        for each in others:
            while _is_being_built(each):
                if time.monotonic() > until:
                    raise Busy(
                        f"{each} has been built for {patience:g} seconds by somebody who hangs: end that process"
                    )
                time.sleep(LONGEST_PAUSE)
            if each != self.current():
                remove_for_good(each)

    def _is_in_force(self, fresh: Path) -> bool:
        try:
            return self.current() == fresh
        except NotALog:  # it is damaged: it names nothing
            return False

    @contextmanager
    def building(self) -> Iterator[Path]:
        """A fresh folder under a lock. It is removed again unless it was put in force."""
        make_private(self.path)
        with _held(self.path):
            fresh = self.new()
            lock = _locked(fresh)
        with lock:
            try:
                yield fresh
            finally:
                if self._is_in_force(fresh):
                    (fresh / BUILDING).unlink(missing_ok=True)  # another builder may have replaced it already
                else:
                    _remove(fresh)


def _locked(fresh: Path) -> BinaryIO:
    """The lock of a fresh folder, on the disk: no database lasts here without that by which it is known as a builder's.
    Where it cannot be had, nobody holds it, and the folder is gone: whoever keeps the error would else be taken for a
    builder who hangs.
    """
    try:
        lock = (fresh / BUILDING).open("wb")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            sync_folder(fresh)
        except BaseException:
            lock.close()
            raise
    except BaseException:
        _remove(fresh)
        raise
    return lock


@contextmanager
def _held(path: Path) -> Iterator[None]:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _holds_only_ours(folder: Path) -> bool:
    """Whether all that lies in a folder is a database and its locks."""
    try:
        return OURS.issuperset(each.name for each in folder.iterdir())
    except FileNotFoundError:  # somebody else removed it
        return False


def _is_being_built(folder: Path) -> bool:
    try:
        with (folder / BUILDING).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _remove(folder: Path) -> None:
    """Its lock goes last: until then a half-removed folder is still known as a builder's."""
    with suppress(OSError):  # what cannot be removed now is an orphan, which a later writer tries again
        for each in folder.iterdir():
            if each.name != BUILDING:
                each.unlink()
    shutil.rmtree(folder, ignore_errors=True)


def refuse_file(path: Path) -> None:
    """NotALog where something else than a folder lies, or where a link leads nowhere."""
    if os.path.lexists(path) and not path.is_dir():
        raise NotALog(f"{path} is {A_FILE}")


def make_private(path: Path) -> None:
    """A folder that only its owner can enter, and whose name lasts. NotALog where a file lies in its place, CannotWrite
    where there can be no folders.
    """
    missing = [each for each in (path, *path.parents) if not each.exists()]
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except FileExistsError as error:
        raise NotALog(f"{path} is {A_FILE}") from error
    except (FileNotFoundError, NotADirectoryError) as error:  # in /proc, below a file
        raise CannotWrite(f"the folder {path} cannot be made there: choose another place") from error
    for each in missing:
        with suppress(PermissionError):  # one may make folders in some that one may not read
            sync_folder(each.parent)


def sync_folder(path: Path) -> None:
    """Make a rename or a new file in this folder last."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_for_good(folder: Path) -> None:
    """Remove a folder, so that it is not back after a power cut: it may hold what nobody is to find any more. OSError
    where something of it stays.
    """
    while folder.exists():
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            pass  # somebody else removes it too
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:  # a reader who was opening it made its file anew meanwhile
                raise
    sync_folder(folder.parent)


def write_all(descriptor: int, data: bytes, start: int) -> None:
    """Write all of it. A disk that fills up takes a part and says nothing: that is an error here."""
    if os.pwrite(descriptor, data, start) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def replace_file(path: Path, data: bytes) -> None:
    """Write a file in one step: whoever reads sees the old or the new bytes, also after a power cut."""
    fresh = path.with_name(path.name + ".new")
    with suppress(FileNotFoundError):
        fresh.unlink()
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        write_all(descriptor, data, 0)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    fresh.replace(path)
    sync_folder(path.parent)
