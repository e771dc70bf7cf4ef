"""Opening LMDB so that nothing it does surprises us: sizes checked first, errors translated, one set of options.

A truncated data file would be a SIGBUS when its missing pages are read, so its size is held against its own meta pages
before it is opened; it may be shorter by pages that are free (pages/free.py). A page that does not fit would be a
SIGABRT, so a small file is looked at page by page (pages/fitting.py), a large one where a writer opens it, and one that
is larger still by `dnam verify` alone. LMDB's meta page, little-endian: magic at 16, page size at 40, root of the free
list at 80, last page at 136, transaction at 144 (two of them, pages 0 and 1).
"""

import errno
import os
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import NamedTuple
from weakref import WeakValueDictionary

import lmdb

from replay.errors import CannotWrite, DamagedPages, InUse, LogError, LogFull, NotALog, ReadOnly, Truncated
from replay.pages.fitting import Flaw
from replay.pages.flaws import Whole, anything, flaws_of, told
from replay.pages.form import PAGE_SIZE
from replay.pages.free import FreePages

DATA = "data.mdb"
MAP_SIZE = 1 << 40
"""1 TiB of address space, set once and never grown."""
MOST_PAGES = 1024
"""Files of so many pages (4 MiB) are looked at whenever they are opened: that takes some ms."""
MOST_PAGES_OF_WRITERS = 65_536
"""Of so many (256 MiB), where a writer opens them: it stays, and the half ms for each MB comes once."""
LITTLE_ROOM = 1 << 20
"""A disk with fewer bytes left is full."""
MOST_TABLES = 64
MOST_READERS = 510
READERS_BYTES = 32_768
"""The table of readers: a cache line for each, and two in front; whole pages."""
NO_FOLDER_OF_OURS = (
    "dnam did not make this folder, or a part of it is lost. Put it back from where you keep it, or a log from its "
    "backup: with `dnam repair --from BACKUP`, which keeps what can be read of it, or with `dnam restore-backup BACKUP`"
)


class Remedies(NamedTuple):
    """What to do about a file, said behind what is wrong with it: one that is not LMDB's, and one that is damaged."""

    strange: str
    damaged: str


OF_A_LOG = Remedies(
    f": {NO_FOLDER_OF_OURS}",
    ". A log has to come from a backup (`dnam repair --from BACKUP`, or `dnam restore-backup BACKUP`), and must not be "
    "written to",
)
OF_VIEWS = Remedies("", ". Views are built again by `dnam replay`")
"""They follow from the log, and are in no backup."""
_MAGIC = 0xBEEFC0DE
_META = struct.Struct("<16xI20xI36xQ48xQQ")


class _Meta(NamedTuple):
    magic: int
    page_size: int
    free_root: int
    last_page: int
    transaction: int


def check_file(folder: Path, whole: Whole = anything, *, thorough: bool = False, remedies: Remedies = OF_A_LOG) -> None:
    """Refuse a data file that is not LMDB's, or shorter than it says; and DamagedPages where its pages do not fit, or a
    row is not `whole`. Files of more than MOST_PAGES are believed to be well; `thorough`: of those their rows alone,
    each of which is looked at when it is read, and files of more than MOST_PAGES_OF_WRITERS.
    """
    path = folder / DATA
    try:
        with path.open("rb", buffering=0) as file:
            _check(path, file, remedies)
            pages = os.fstat(file.fileno()).st_size // PAGE_SIZE
        if pages <= MOST_PAGES:
            refuse_flaws(path, flaws_of(path, whole), remedies)
        elif thorough and pages <= MOST_PAGES_OF_WRITERS:
            refuse_flaws(path, flaws_of(path), remedies)
    except FileNotFoundError:  # at any step: another process may remove it
        raise NotALog(f"{folder} has no data.mdb{remedies.strange}") from None
    except OSError as error:
        raise NotALog(f"{path} cannot be read: {error.strerror}") from error
    except Truncated as error:
        raise Truncated(f"{error}. {told(flaws_of(path))}") from None


def refuse_flaws(path: Path, flaws: Sequence[Flaw], remedies: Remedies = OF_A_LOG) -> None:
    """DamagedPages where there are any."""
    if flaws:
        raise DamagedPages(f"{path} is damaged. {told(flaws)}{remedies.damaged}")


def _check(path: Path, file: FileIO, remedies: Remedies = OF_A_LOG) -> None:
    meta = _newest(path, file, remedies)
    while not _whole(file, meta):
        again = _newest(path, file, remedies)
        if again == meta:
            raise Truncated(
                f"{path} has {os.fstat(file.fileno()).st_size} bytes and says that it should have "
                f"{(meta.last_page + 1) * meta.page_size}: it was cut short{remedies.damaged}"
            )
        meta = again  # somebody wrote meanwhile


def _newest(path: Path, file: FileIO, remedies: Remedies) -> _Meta:
    first = _meta_at(file, 0)
    if first is None or first.magic != _MAGIC:
        raise NotALog(f"{path} is not an LMDB file{remedies.strange}")
    second = _meta_at(file, first.page_size)
    if second is None or second.magic != _MAGIC:  # damaged: who looks at its pages says so
        return first
    return max(first, second, key=lambda meta: meta.transaction)


def _meta_at(file: FileIO, place: int) -> _Meta | None:
    file.seek(place)
    data = file.read(_META.size)
    return _Meta(*_META.unpack(data)) if len(data) == _META.size else None


def _whole(file: FileIO, meta: _Meta) -> bool:
    """Whether all pages are there, but for free ones."""
    there = os.fstat(file.fileno()).st_size // meta.page_size
    missing = max(meta.last_page + 1 - there, 0)
    try:
        free = FreePages(file, meta.page_size).under(meta.free_root) if missing else ()
        return len({page for page in free if there <= page <= meta.last_page}) == missing
    except (EOFError, RecursionError, struct.error, OverflowError, ValueError, OSError):  # numbers that are none
        return False


_OPEN: WeakValueDictionary[tuple[int, int], lmdb.Environment] = WeakValueDictionary()
"""What this process has opened, by the number of its file: no other gets that as long as it is open."""


def open_environment(
    folder: Path, *, writable: bool, durable: bool, building: bool = False, map_size: int = MAP_SIZE
) -> lmdb.Environment:
    """An LMDB environment. `durable` commits survive a power cut; of others the last may go, whole (views only). InUse
    for one that this process has open.

    `building` syncs nothing until the end: for a folder that is not in force yet.
    """
    lock = writable or can_register(folder)
    with translated(folder):
        _refuse_open(folder)
        if lock:
            _make_room_for_readers(folder)
        environment = lmdb.open(
            str(folder),
            map_size=map_size,
            max_dbs=MOST_TABLES,
            max_readers=MOST_READERS,
            readonly=not writable,
            create=writable,
            metasync=durable,
            sync=not building,
            lock=lock,
            subdir=True,
            mode=0o600,  # views are clear text
        )
        _OPEN[_number(folder / DATA)] = environment
        if writable:
            environment.reader_check()
    return environment


def _refuse_open(folder: Path) -> None:
    """InUse for what this process has open, before anything of it is touched: LMDB refuses that too, but by then its
    file of locks was opened and closed, and with that the system gives up the locks by which others see who reads.
    """
    known = _OPEN.get(_number(folder / DATA)) if (folder / DATA).exists() else None
    if known is not None and not is_dead(known.flags):
        raise InUse(f"{folder} is open in this process already: share what opened it, or close that first")


def _number(file: Path) -> tuple[int, int]:
    """By what the system knows a file, whatever its path."""
    status = file.stat()
    return status.st_dev, status.st_ino


def _make_room_for_readers(folder: Path) -> None:
    """Take the blocks of the table of readers from the disk: LMDB maps it with holes, and a full disk would end the
    process when a reader first writes there.
    """
    descriptor = os.open(folder / "lock.mdb", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if os.fstat(descriptor).st_blocks * 512 < READERS_BYTES:
            os.posix_fallocate(descriptor, 0, READERS_BYTES)
    finally:
        os.close(descriptor)


def can_register(folder: Path) -> bool:
    """Whether a reader can make itself known to writers: not on a disk that is read-only, where there are none."""
    lock = folder / "lock.mdb"
    return os.access(lock if lock.exists() else folder, os.W_OK)


REFUSED: dict[Path, str] = {}
"""Folders in which the disk refused LMDB something, and what it said. Where it was the last write of a commit, LMDB
gives the environment up: neither reading nor writing works any more until it is opened anew. Whoever has it open looks
(`is_dead`).
"""

GivenUp = lmdb.PanicError
"""What is raised by looking into an environment that was given up."""


def is_dead(look: Callable[[], object]) -> bool:
    """Whether an environment was given up, or was closed for that; `look` reads something from it."""
    try:
        look()
    except lmdb.Error:
        return True
    return False


class translated:  # noqa: N801 - it reads as what it does
    """LMDB's and the system's errors as ours. Every commit stands in one."""

    __slots__ = ("_folder",)

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, (lmdb.Error, OSError)):
            if not isinstance(error, GivenUp):  # which is what came of an earlier one, and says nothing of it
                REFUSED[self._folder] = str(error)
            raise _translation(self._folder, error) from error


def _translation(folder: Path, error: Exception) -> LogError:
    match error:
        case lmdb.MapFullError():
            return LogFull(f"{folder} has used up its map of {MAP_SIZE >> 30} GiB: compact it, or move old data away")
        case lmdb.ReadonlyError() | PermissionError():
            return ReadOnly(f"{folder} cannot be written to: {error}")
        case lmdb.PanicError():
            return CannotWrite(given_up(folder, REFUSED.setdefault(folder, "")))
        case lmdb.InvalidError():
            return NotALog(f"{folder} is not a folder that dnam made, or is damaged: {error}")
        case _:
            return _by_number(folder, error)


def given_up(folder: Path, said: str) -> str:
    """What there is to say of a folder that LMDB gave up, and what the disk had said."""
    why = f" ({said})" if said else ""
    return (
        f"the disk of {folder} refused the end of a commit{why}: what was acknowledged is there, and it goes "
        "on once the disk takes writes again"
    )


def _by_number(folder: Path, error: Exception) -> LogError:
    text = str(error)
    short = os.strerror(errno.EIO) in text and _has_no_room(folder)  # what LMDB calls a write that was cut short
    if short or os.strerror(errno.ENOSPC) in text or os.strerror(errno.EDQUOT) in text:
        return _full(folder)
    if os.strerror(errno.EROFS) in text or os.strerror(errno.EACCES) in text:
        return ReadOnly(f"{folder} cannot be written to: {text}")
    return CannotWrite(f"{folder}: {text}")


def _full(folder: Path) -> LogFull:
    return LogFull(f"the disk of {folder} is full: make room; nothing that was acknowledged is lost")


def _has_no_room(folder: Path) -> bool:
    try:
        disk = os.statvfs(folder)
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < LITTLE_ROOM


def refuse_full(folder: Path) -> None:
    """LogFull where a disk is full, or so nearly that it may not take what is to come: for whoever pays for that. A
    disk that does not say how large it is is taken for one that has room.
    """
    with suppress(OSError):
        if os.statvfs(folder).f_blocks and _has_no_room(folder):
            raise _full(folder)
