"""The key ring's file: records of one size, each with a checksum, in two copies that are appended to and synced
together.

    0      1      2        4         20          52         68         80
    | type | kind | unused | vault   | payload   | label    | checksum |

A record that a crash cut short is written over by the next. What holds is the union of what is valid in both. A
writer that finds a copy that differs writes both anew from the union, in one rename each.
"""

import errno
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from replay.errors import CannotWrite, KeyRingUnreadable, LogFull
from replay.folder import make_private, replace_file, sync_folder
from replay.second_copy import SecondCopy, write_synced

SIZE = 80
COPIES = ("ring-a", "ring-b")

RecordType = Literal[1, 2, 3]
ID_KEY: RecordType = 1
VAULT: RecordType = 2
PERSON: RecordType = 3


class RingRecord(NamedTuple):
    """The id key; a vault with its key, kind and label; or a vault with one of its people."""

    type: int
    vault: bytes = bytes(16)
    payload: bytes = bytes(32)
    kind: int = 0
    label: bytes = bytes(16)


def pack(record: RingRecord) -> bytes:
    """80 bytes."""
    head = bytes((record.type, record.kind, 0, 0)) + record.vault + record.payload.ljust(32, b"\0") + record.label
    return head + hashlib.sha256(head).digest()[:12]


def unpack(data: bytes) -> Iterator[RingRecord]:
    """The valid records; a damaged one is passed over, since each stands for itself."""
    for start in range(0, len(data) - SIZE + 1, SIZE):
        head = data[start : start + 68]
        if hashlib.sha256(head).digest()[:12] == data[start + 68 : start + SIZE]:
            yield RingRecord(head[0], head[4:20], head[20:52], head[1], head[52:68])


class RingStore(Protocol):
    """Where a ring is kept."""

    def exists(self) -> bool: ...

    def create(self, records: Iterable[RingRecord]) -> None: ...

    def read(self) -> list[RingRecord]:
        """All valid records of both copies, each once, in order."""
        ...

    def news(self) -> list[RingRecord] | None:
        """Records appended since the last look, by whomever; None when the ring was written anew."""
        ...

    def append(self, records: list[RingRecord]) -> None:
        """Add records and make them last."""
        ...

    def rewrite(self, records: Iterable[RingRecord]) -> None:
        """Replace all records."""
        ...

    def damage(self) -> list[str]:
        """What is wrong with the copies, in words; empty when they agree."""
        ...

    def close(self) -> None: ...


class MemoryRingStore:
    """A ring that is gone with the process."""

    def __init__(self) -> None:
        self._records: list[RingRecord] = []

    def exists(self) -> bool:
        return bool(self._records)

    def create(self, records: Iterable[RingRecord]) -> None:
        self._records = list(records)

    def read(self) -> list[RingRecord]:
        return list(self._records)

    def news(self) -> list[RingRecord] | None:
        return []

    def append(self, records: list[RingRecord]) -> None:
        self._records.extend(records)

    def rewrite(self, records: Iterable[RingRecord]) -> None:
        self._records = list(records)

    def damage(self) -> list[str]:
        return []

    def close(self) -> None: ...


class FileRingStore:
    """Two copies in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths = [folder / name for name in COPIES]
        self._descriptors: list[int] = []
        self._second = SecondCopy()
        self._read_to = 0
        self._inode = 0

    def exists(self) -> bool:
        return any(path.exists() for path in self._paths)

    def create(self, records: Iterable[RingRecord]) -> None:
        make_private(self._folder)
        self.rewrite(records)
        sync_folder(self._folder.parent)

    def _load(self) -> list[bytes]:
        copies: list[bytes] = []
        for path in self._paths:
            try:
                copies.append(path.read_bytes())
            except FileNotFoundError:
                copies.append(b"")
            except OSError as error:
                raise KeyRingUnreadable(f"the key ring {path} cannot be read: {error.strerror}") from error
        return copies

    def read(self) -> list[RingRecord]:
        self._inode = self._first_inode()
        copies = self._load()
        self._read_to = _whole(len(copies[0]))
        if copies[0] == copies[1]:
            return list(unpack(copies[0]))
        return list(dict.fromkeys(record for copy in copies for record in unpack(copy)))

    def _first_inode(self) -> int:
        try:
            return self._paths[0].stat().st_ino
        except FileNotFoundError:
            return 0

    def news(self) -> list[RingRecord] | None:
        try:
            status = self._paths[0].stat()
        except FileNotFoundError:
            return None
        if status.st_ino != self._inode or status.st_size < self._read_to:
            return None
        if status.st_size == self._read_to:
            return []
        with self._paths[0].open("rb") as copy:
            copy.seek(self._read_to)
            data = copy.read()
        self._read_to += _whole(len(data))
        return list(unpack(data))

    def append(self, records: list[RingRecord]) -> None:
        data = b"".join(map(pack, records))
        try:
            copies = self._open()
            try:
                self._write_both(data, copies)
            except OSError:
                for descriptor, start in copies:
                    with suppress(OSError):
                        os.ftruncate(descriptor, start)
                raise
        except OSError as error:
            raise self._failure(error) from error

    def _failure(self, error: OSError) -> CannotWrite:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return LogFull(f"the disk of {self._folder} is full: make room; nothing that was acknowledged is lost")
        return CannotWrite(f"the key ring in {self._folder} cannot be written: {error.strerror}")

    def _open(self) -> list[tuple[int, int]]:
        """Both copies as they are called now, and where the next record goes: another process may have written them
        anew.
        """
        named = [path.stat() for path in self._paths]
        if [os.fstat(each).st_ino for each in self._descriptors] != [status.st_ino for status in named]:
            self._let_go()
            for path in self._paths:
                self._descriptors.append(os.open(path, os.O_WRONLY))
            named = [os.fstat(each) for each in self._descriptors]
        return [(each, _whole(status.st_size)) for each, status in zip(self._descriptors, named, strict=True)]

    def _write_both(self, data: bytes, copies: list[tuple[int, int]]) -> None:
        first, second = copies
        written = self._second.begin(data, second)
        try:
            write_synced(data, first)
        finally:
            error = written.get()
        if error is not None:
            raise error

    def rewrite(self, records: Iterable[RingRecord]) -> None:
        data = b"".join(map(pack, records))
        self._let_go()
        try:
            for path in self._paths:
                replace_file(path, data)
        except OSError as error:
            raise self._failure(error) from error
        self._inode = self._first_inode()
        self._read_to = len(data)

    def damage(self) -> list[str]:
        copies = self._load()
        found: list[str] = []
        damaged = over = 0
        for at, (path, copy) in enumerate(zip(self._paths, copies, strict=True)):
            if at == 0 or copy != copies[0]:  # what is equal has the same damage
                damaged, over = len(copy) // SIZE - len(list(unpack(copy))), len(copy) % SIZE
            if damaged or over:
                found.append(f"{path}: {damaged} damaged records, {over} bytes over")
        if copies[0] != copies[1]:
            found.append(f"the two copies in {self._folder} differ")
        return found

    def _let_go(self) -> None:
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = []

    def close(self) -> None:
        self._let_go()
        self._second.end()


def _whole(size: int) -> int:
    return size - size % SIZE
