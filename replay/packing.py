"""Rows as bytes: what a row is on disk, and the rows of a rebuild on their way there.

    vault (16) ‖ seq (8) ‖ row ‖ CRC-32

The CRC (least byte first) covers the key too, so that a row in a wrong place is noticed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from struct import Struct
from zlib import crc32

from projections.ids import UNSEALED, Seq, VaultId
from projections.rows import Stored
from replay.errors import DamagedViews
from replay.history import seq_key
from replay.overlay import Entry, Written, visible

_ENVELOPE = 24
_CRC = Struct("<I").pack
_KEY = itemgetter(0)
WHOLE = crc32(bytes(4))
"""The CRC of whatever ends with its own CRC, least byte first."""
Packed = Mapping[str, Sequence[tuple[bytes, bytes | None]]]
"""Rows as they lie on disk, by table and in key order; None where a row is removed."""


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


def packed_all(rows: Sequence[tuple[bytes, Entry]]) -> list[tuple[bytes, bytes | None]]:
    """What `_packed` makes of each, without a call for each: a commit is some thousand rows."""
    packed: list[tuple[bytes, bytes | None]] = []
    for key, entry in rows:
        body = entry.body
        if body is not None:
            body = entry.vault + entry.seq.to_bytes(8, "big") + body
            body += _CRC(crc32(body, crc32(key)))
        packed.append((key, body))
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
        for table, key, body in rows:
            if body is not None:
                body = head + body
                body += _CRC(crc32(body, crc32(key)))
            tables[table][key] = body

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

    def packed(self) -> dict[str, list[tuple[bytes, bytes | None]]]:
        """Everything, in key order."""
        return {table: sorted(rows.items(), key=_KEY) for table, rows in self._tables.items() if rows}


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
