"""Opening LMDB so that nothing it does surprises us: sizes checked first, errors translated, one set of options.

A truncated data file would be a SIGBUS when its missing pages are read, so its size is held against its own meta
pages before it is opened. LMDB's meta page, little-endian: magic at 16, page size at 40, last page at 136,
transaction at 144 (two of them, pages 0 and 1).
"""

import errno
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import lmdb

from replay.errors import CannotWrite, LogError, LogFull, NotALog, ReadOnly, Truncated

MAP_SIZE = 1 << 40
"""1 TiB of address space, set once and never grown."""
MOST_TABLES = 64
MOST_READERS = 510
_MAGIC = 0xBEEFC0DE
_META = struct.Struct("<16xII8x8xI92xQQ")


def check_file(folder: Path) -> None:
    """Refuse a data file that is not LMDB's, or shorter than it says."""
    path = folder / "data.mdb"
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            first = file.read(_META.size)
            page_size = _page_size(path, first)
            file.seek(page_size)
            second = file.read(_META.size)
    except FileNotFoundError:
        raise NotALog(f"{folder} has no data.mdb: this is not a folder that dnam made") from None
    metas = [_META.unpack(each) for each in (first, second) if len(each) == _META.size]
    last_page = max(metas, key=lambda meta: meta[4])[3]
    if size < (last_page + 1) * page_size:
        raise Truncated(
            f"{path} has {size} bytes and says that it should have {(last_page + 1) * page_size}: it was cut short. "
            "Restore it from a backup; do not write to it"
        )


def _page_size(path: Path, meta: bytes) -> int:
    if len(meta) < _META.size or _META.unpack(meta)[0] != _MAGIC:
        raise NotALog(f"{path} is not an LMDB file: this is not a folder that dnam made")
    size: int = _META.unpack(meta)[2]
    return size


def open_environment(
    folder: Path, *, writable: bool, durable: bool, building: bool = False, map_size: int = MAP_SIZE
) -> lmdb.Environment:
    """An LMDB environment. `durable` commits survive a power cut; of others the last may go, whole (views only).

    `building` syncs nothing until the end: for a folder that is not in force yet.
    """
    if not writable or (folder / "data.mdb").exists():
        check_file(folder)
    with translated(folder):
        environment = lmdb.open(
            str(folder),
            map_size=map_size,
            max_dbs=MOST_TABLES,
            max_readers=MOST_READERS,
            readonly=not writable,
            create=writable,
            metasync=durable,
            sync=not building,
            lock=writable or can_register(folder),
            subdir=True,
        )
        if writable:
            environment.reader_check()
    return environment


def can_register(folder: Path) -> bool:
    """Whether a reader can make itself known to writers: not on a disk that is read-only, where there are none."""
    lock = folder / "lock.mdb"
    return os.access(lock if lock.exists() else folder, os.W_OK)


@contextmanager
def translated(folder: Path) -> Iterator[None]:
    """LMDB's and the system's errors as ours."""
    try:
        yield
    except lmdb.MapFullError as error:
        raise LogFull(
            f"{folder} has used up its map of {MAP_SIZE >> 30} GiB: compact it, or move old data away"
        ) from error
    except (lmdb.ReadonlyError, PermissionError) as error:
        raise ReadOnly(f"{folder} cannot be written to: {error}") from error
    except lmdb.InvalidError as error:
        raise NotALog(f"{folder} is not a folder that dnam made, or is damaged: {error}") from error
    except (lmdb.Error, OSError) as error:
        raise _by_number(folder, error) from error


def _by_number(folder: Path, error: Exception) -> LogError:
    text = str(error)
    if os.strerror(errno.ENOSPC) in text or os.strerror(errno.EDQUOT) in text:
        return LogFull(f"the disk of {folder} is full: make room; nothing that was acknowledged is lost")
    if os.strerror(errno.EROFS) in text or os.strerror(errno.EACCES) in text:
        return ReadOnly(f"{folder} cannot be written to: {text}")
    return CannotWrite(f"{folder}: {text}")
