"""Rows as bytes: what a row is on disk, and the rows of a rebuild on their way there.

    vault (16) ‖ seq (8) ‖ row ‖ CRC-32

The CRC (least byte first) covers the key too, so that a row in a wrong place is noticed.
"""

from collections.abc import Iterable, Iterator, Mapping
from struct import Struct
from zlib import crc32

import msgspec

from projections.ids import UNSEALED, Seq, VaultId
from projections.rows import Stored
from replay.errors import DamagedViews
from replay.history import seq_key
from replay.overlay import Entry, Written, visible

_ENVELOPE = 24
_CRC = Struct("<I").pack
WHOLE = crc32(bytes(4))
"""The CRC of whatever ends with its own CRC, least byte first."""


class PackedRows(msgspec.Struct, frozen=True, array_like=True):
    """Rows of a table as they lie on disk, in key order: keys, and as many rows, None where one is removed.

    Two lists and no pairs: between two processes, and on the way to the disk, there are millions.
    """

    keys: list[bytes]
    rows: list[bytes | None]

    @classmethod
    def of(cls, pairs: Iterable[tuple[bytes, bytes | None]]) -> "PackedRows":
        """Those that come key by key."""
        packed = cls([], [])
        for key, row in pairs:
            packed.keys.append(key)
            packed.rows.append(row)
        return packed

    def part(self, start: int, stop: int) -> "PackedRows":
        """Some of them, by their places."""
        return PackedRows(self.keys[start:stop], self.rows[start:stop])

    def removed(self) -> list[bytes]:
        """The keys of rows that are removed. A row is never empty."""
        return [] if all(self.rows) else [key for key, row in zip(self.keys, self.rows, strict=True) if row is None]

    def left(self) -> "PackedRows":
        """What is there."""
        if all(self.rows):
            return self
        pairs = zip(self.keys, self.rows, strict=True)
        return PackedRows.of((key, row) for key, row in pairs if row is not None)


Packed = Mapping[str, PackedRows]
"""Rows by table."""


def pack(key: bytes, stored: Stored) -> bytes:
    """A row as it lies on disk."""
    value = stored.vault + seq_key(stored.seq) + stored.body
    return value + crc32(value, crc32(key)).to_bytes(4, "little")


def unpack(table: str, key: bytes, data: bytes) -> Stored:
    """The row in these bytes, or DamagedViews."""
    if len(data) < _ENVELOPE + 4 or crc32(data, crc32(key)) != WHOLE:
        raise DamagedViews(damage_of(table))
    return Stored(Seq(int.from_bytes(data[16:24], "big")), data[24:-4], VaultId(data[:16]))


def damage_of(table: str) -> str:
    """What to say of a row that is not whole."""
    return f"a row of {table} is damaged; run `dnam replay` to build the views again"


def _packed(key: bytes, entry: Entry) -> bytes | None:
    stored = visible(entry)
    return None if stored is None else pack(key, stored)


def packed_all(rows: Iterable[tuple[bytes, Entry]]) -> PackedRows:
    """What `_packed` makes of each, without a call for each: a commit is some thousand rows."""
    packed = PackedRows([], [])
    for key, entry in rows:
        body = entry.body
        if body is not None:
            body = entry.vault + entry.seq.to_bytes(8, "big") + body
            body += _CRC(crc32(body, crc32(key)))
        packed.keys.append(key)
        packed.rows.append(body)
    return packed


class Segment:
    """Rows of some thousand events of a rebuild: packed as soon as they are made, sorted when they are written."""

    def __init__(self, tables: Iterable[str]) -> None:
        self._tables: dict[str, dict[bytes, bytes | None]] = {table: {} for table in tables}

    def put(self, table: str, key: bytes, entry: Entry) -> None:
        """Write an entry; an older one gives way."""
        self._tables[table][key] = _packed(key, entry)

    def write(self, rows: Iterable[Written], seq: int, vault: VaultId) -> None:
        """Write the rows that one event makes. Every row of a rebuild comes through here: no detour through Stored."""
        head, tables = vault + seq.to_bytes(8, "big"), self._tables
        last, value = None, b""
        for table, key, body in rows:
            if body is None:
                tables[table][key] = None
                continue
            if body is not last:  # the row of a cause stands under each of them
                last, value = body, head + body
            tables[table][key] = value + _CRC(crc32(value, crc32(key)))

    def has(self, table: str) -> bool:
        """Whether there is any entry of a table."""
        return bool(self._tables[table])

    def get(self, table: str, key: bytes) -> Entry | None:
        """The entry under a key; its body is None where a row was removed."""
        rows = self._tables[table]
        return _entry(table, key, rows[key]) if key in rows else None

    def entries(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, Entry]]:
        """Entries of a range, in key order."""
        rows = self._tables[table]
        keys = sorted((key for key in rows if start <= key < stop), reverse=reverse)
        return ((key, _entry(table, key, rows[key])) for key in keys)

    def packed(self) -> dict[str, PackedRows]:
        """Everything, in key order."""
        return {table: _in_order(rows) for table, rows in self._tables.items() if rows}


def _in_order(rows: Mapping[bytes, bytes | None]) -> PackedRows:
    keys = sorted(rows)
    return PackedRows(keys, [rows[key] for key in keys])


def _entry(table: str, key: bytes, data: bytes | None) -> Entry:
    """What was packed, or removed, as an entry to be read under others."""
    if data is None:
        return Entry(0, None, UNSEALED, 0)
    seq, body, vault = unpack(table, key, data)
    return Entry(seq, body, vault, seq)


def unpacked(table: str, rows: Iterable[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, Stored]]:
    """What `unpack` makes of each, without a call for each: all reading of ranges waits for this."""
    number = int.from_bytes
    for key, data in rows:
        if len(data) < _ENVELOPE + 4 or crc32(data, crc32(key)) != WHOLE:
            raise DamagedViews(damage_of(table))
        yield key, Stored(Seq(number(data[16:24], "big")), data[24:-4], VaultId(data[:16]))
