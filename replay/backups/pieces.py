"""The files that hold a backup's events: frames one behind the other, in the order of the log.

    0          4        8                               + header
    | header   | body   | header bytes | body bytes     |
    | length   | length |              | none: dropped  |

Lengths are big-endian; a body's length of 0xFFFFFFFF says that there is none. A piece is full at 4,096 events or 4 MiB.
Only the last one is ever appended to, and how far it counts is what the manifest says of its length: what a crash left
behind that is no part of it.
"""

import os
import struct
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from types import TracebackType

import msgspec

from projections.counting import counted
from projections.ids import Seq
from replay.errors import DamagedBackup
from replay.folder import write_all
from replay.log import StoredEvent

MOST_EVENTS, MOST_BYTES = 4096, 1 << 22
"""When a piece is full."""
_LENGTHS = struct.Struct(">II")
_NO_BODY = 0xFFFFFFFF


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a backup: which events, how many bytes, and their SHA-256 in hex."""

    name: str
    first: int
    last: int
    length: int
    sha256: str

    @property
    def full(self) -> bool:
        """Whether what comes next goes into another piece."""
        return _is_full(self.last - self.first + 1, self.length)


def _is_full(events: int, length: int) -> bool:
    return events >= MOST_EVENTS or length >= MOST_BYTES


def packed(stored: StoredEvent) -> bytes:
    """An event as a frame."""
    body = b"" if stored.body is None else stored.body
    length = _NO_BODY if stored.body is None else len(body)
    return _LENGTHS.pack(len(stored.header), length) + stored.header + body


def unpacked(data: bytes, first: int) -> Iterator[StoredEvent]:
    """The events of a piece. DamagedBackup when the frames do not fill it exactly."""
    seq, start = first, 0
    while start < len(data):
        try:
            lengths = _LENGTHS.unpack_from(data, start)
        except struct.error:
            raise DamagedBackup(f"event #{seq} is cut short in the backup") from None
        middle = start + _LENGTHS.size + lengths[0]
        start = middle if lengths[1] == _NO_BODY else middle + lengths[1]
        if start > len(data):
            raise DamagedBackup(f"event #{seq} is cut short in the backup")
        header = data[middle - lengths[0] : middle]
        yield StoredEvent(Seq(seq), header, None if lengths[1] == _NO_BODY else data[middle:start])
        seq += 1


def content_of(folder: Path, piece: Piece) -> bytes:
    """A piece's bytes, as far as the manifest counts them. DamagedBackup when they are not what was written."""
    path = folder / piece.name
    try:
        with path.open("rb") as file:
            data = file.read(piece.length)
    except OSError as error:
        raise DamagedBackup(f"{path} cannot be read: {error.strerror}; it holds {_span(piece)}") from error
    if len(data) < piece.length:
        raise DamagedBackup(f"{path} was cut to {len(data)} of {piece.length} bytes; it holds {_span(piece)}")
    if sha256(data).hexdigest() != piece.sha256:
        raise DamagedBackup(f"{path} is not what was written; it holds {_span(piece)}")
    return data


def refuse_cut(folder: Path, piece: Piece) -> None:
    """DamagedBackup when a piece is gone or shorter than the manifest says: that much is seen without reading it."""
    path = folder / piece.name
    try:
        length = path.stat().st_size
    except OSError as error:
        raise DamagedBackup(f"{path} cannot be read: {error.strerror}; it holds {_span(piece)}") from error
    if length < piece.length:
        raise DamagedBackup(f"{path} was cut to {length} of {piece.length} bytes; it holds {_span(piece)}")


def events_of(folder: Path, piece: Piece) -> list[StoredEvent]:
    """The events of a piece, once its bytes are seen to be whole."""
    events = list(unpacked(content_of(folder, piece), piece.first))
    if len(events) != piece.last - piece.first + 1:
        raise DamagedBackup(f"{folder / piece.name} has {counted(len(events), 'event')}; it should hold {_span(piece)}")
    return events


def _span(piece: Piece) -> str:
    return f"#{piece.first} to #{piece.last}"


class PieceWriter:
    """Writes one piece: a new one from an event on, or the last one further. Used in a `with`, which syncs it."""

    def __init__(self, folder: Path, first: int, run: int, before: Piece | None = None, suffix: str = "") -> None:
        self._folder = folder
        self._first = first if before is None else before.first
        self._name = f"{first:012}-{run:06}{suffix}" if before is None else before.name
        self._last = first - 1 if before is None else before.last
        old = b"" if before is None else content_of(folder, before)
        self._hash = sha256(old)
        self._length = len(old)
        self.written = 0
        flags = os.O_WRONLY | (os.O_CREAT | os.O_TRUNC if before is None else 0)
        self._descriptor = os.open(folder / self._name, flags, 0o600)
        os.ftruncate(self._descriptor, self._length)

    def add(self, stored: StoredEvent) -> None:
        """Append an event."""
        data = packed(stored)
        write_all(self._descriptor, data, self._length)
        self._hash.update(data)
        self._length += len(data)
        self._last = stored.seq
        self.written += len(data)

    @property
    def full(self) -> bool:
        """Whether what comes next goes into another piece."""
        return _is_full(self._last - self._first + 1, self._length)

    def piece(self) -> Piece:
        """What the manifest says of it, as it is now."""
        return Piece(
            name=self._name,
            first=self._first,
            last=self._last,
            length=self._length,
            sha256=self._hash.hexdigest(),
        )

    def __enter__(self) -> "PieceWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                os.fsync(self._descriptor)
        finally:
            os.close(self._descriptor)
