"""The views on disk: one LMDB table per projection and version, one for the history of all rows, and how far they are.

    items@1, …   key → vault (16) ‖ seq (8) ‖ row ‖ CRC-32
    history      table (4) ‖ key ‖ seq (8) → said (8)      what touched a row, in a row's envelope too
    touched      seq (8) → the keys of the rows it touched
    meta         "position" → [size, header digest, log id, tables]

The CRC covers the key too, so that a row in a wrong place is noticed. Views can be deleted at will: they are built
again.
"""

import hashlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import lmdb
import msgspec

from projections.fold import Fold
from projections.ids import Seq, VaultId, digest16
from projections.rows import RawRows, Stored
from replay import codec
from replay.errors import DamagedViews
from replay.lmdb_file import check_file, open_environment, translated
from replay.overlay import HISTORY, TOUCHED, Entry, visible

_ENVELOPE = 24
LAST_KEY = b"\xff" * 64
"""Behind every key of every table."""
META = "meta"
"""The table that says how far the views are."""
Changes = Mapping[str, Sequence[tuple[bytes, Entry]]]


class Position(NamedTuple):
    """How far views are: the events folded, the digest of the last one's header, and of which log."""

    size: int
    digest: bytes
    log: bytes


_POSITION = msgspec.msgpack.Decoder(tuple[int, bytes, bytes, tuple[str, ...]])


def tables_of(fold: Fold) -> tuple[str, ...]:
    """The tables of a set of projections, and the history."""
    return (*sorted(projection.table for projection in fold.projections), HISTORY, TOUCHED)


def history_prefix(table: str, key: bytes) -> bytes:
    """Where the past of a row lies: the table's four bytes, then the row's key; eight bytes of seq follow."""
    return digest16(table)[:4] + key


def history_key(table: str, key: bytes, seq: int) -> bytes:
    """The entry which says that the event `seq` touched a row."""
    return history_prefix(table, key) + seq.to_bytes(8, "big")


def seq_key(seq: int) -> bytes:
    """A seq as eight bytes that sort as numbers do."""
    return seq.to_bytes(8, "big")


def said_body(said: int) -> bytes:
    """The body of a history entry: eight bytes that sort as times do, also before 1970."""
    return (said + (1 << 63)).to_bytes(8, "big")


def said_of(body: bytes) -> int:
    """The `said` of a history entry, in ms."""
    return int.from_bytes(body, "big") - (1 << 63)


def pack(key: bytes, stored: Stored) -> bytes:
    """A row as it lies on disk."""
    value = stored.vault + stored.seq.to_bytes(8, "big") + stored.body
    return value + zlib.crc32(value, zlib.crc32(key)).to_bytes(4, "big")


def unpack(table: str, key: bytes, data: bytes) -> Stored:
    """The row in these bytes, or DamagedViews."""
    value, check = data[:-4], data[-4:]
    if len(data) < _ENVELOPE + 4 or zlib.crc32(value, zlib.crc32(key)).to_bytes(4, "big") != check:
        raise DamagedViews(f"a row of {table} is damaged; run `dnam replay` to build the views again")
    return Stored(Seq(int.from_bytes(value[16:24], "big")), value[24:], VaultId(value[:16]))


def _damage(table: str, key: bytes, data: bytes) -> str | None:
    try:
        unpack(table, key, data)
    except DamagedViews as error:
        return f"{error} (key {key.hex()})"
    return None


class Snapshot:
    """The rows of one read transaction."""

    def __init__(self, transaction: Any, tables: Mapping[str, Any]) -> None:
        self._transaction = transaction
        self._tables = tables

    def get(self, table: str, key: bytes) -> Stored | None:
        data = self._transaction.get(key, db=self._tables[table])
        return None if data is None else unpack(table, key, data)

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, Stored]]:
        cursor = self._transaction.cursor(db=self._tables[table])
        rows = _backward(cursor, start, stop) if reverse else _forward(cursor, start, stop)
        return ((key, unpack(table, key, data)) for key, data in rows)


def _forward(cursor: Any, start: bytes, stop: bytes) -> Iterator[tuple[bytes, bytes]]:
    if cursor.set_range(start) if start else cursor.first():
        for key, data in cursor:
            if key >= stop:
                return
            yield key, data


def _backward(cursor: Any, start: bytes, stop: bytes) -> Iterator[tuple[bytes, bytes]]:
    if cursor.prev() if cursor.set_range(stop) else cursor.last():
        for key, data in cursor.iterprev():
            if key < start:
                return
            yield key, data


class NoRows:
    """Views of nothing: where there are none on disk."""

    def get(self, table: str, key: bytes) -> Stored | None:  # noqa: ARG002 - the protocol's words
        return None

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, Stored]]:  # noqa: ARG002
        return iter(())


class Views:
    """Views in a folder. Where a table of this program's is `lacking`, they are of another version, and not used."""

    def __init__(self, folder: Path, fold: Fold, *, writable: bool, building: bool = False) -> None:
        self.folder = folder
        if not building:
            check_file(folder)
        self._environment = open_environment(folder, writable=writable, durable=False, building=building)
        self._names = tables_of(fold)
        self._versions = {projection.name: projection.version for projection in fold.projections}
        names = (*self._names, META)
        with translated(folder):
            self.lacking = frozenset() if building else frozenset(names) - self._names_on_disk()
            self._tables = {
                name: self._environment.open_db(name.encode(), create=building)
                for name in names
                if name not in self.lacking
            }
        self._meta = self._tables.pop(META, None)
        self.newer_tables = self._newer_tables()

    def _names_on_disk(self) -> frozenset[str]:
        with self._environment.begin() as transaction:
            return frozenset(key.decode() for key in transaction.cursor().iternext(values=False))

    def _newer_tables(self) -> frozenset[str]:
        """Tables of projections or versions that this program does not know.

        A newer program builds a folder of its own, so this one need look only when it opens one.
        """
        extra = self._names_on_disk() - {*self._names, META}
        return frozenset(name for name in extra if self._is_newer(*name.partition("@")[::2]))

    def _is_newer(self, name: str, version: str) -> bool:
        return not version.isdigit() or int(version) > self._versions.get(name, 0)

    @contextmanager
    def reading(self) -> Iterator[tuple[Position | None, Snapshot]]:
        """How far the views are, and their rows, of one moment."""
        with self._environment.begin() as transaction:
            yield self._position(transaction), Snapshot(transaction, self._tables)

    def _position(self, transaction: lmdb.Transaction) -> Position | None:
        data = transaction.get(b"position", db=self._meta)
        if data is None:
            return None
        try:
            return Position(*_POSITION.decode(data)[:3])
        except codec.UNREADABLE as error:
            raise DamagedViews(f"{self.folder}: how far the views are cannot be read: {error}") from error

    def position(self) -> Position | None:
        """How far the views are; None before the first commit, and for views of another version."""
        if self.lacking:
            return None
        with self._environment.begin() as transaction:
            return self._position(transaction)

    def commit(self, changes: Changes, position: Position, *, since: int) -> bool:
        """Write changes that lead from `since` events to `position`.

        False where the views are elsewhere by now: another process wrote them, and what was folded above the old ones
        need not fit the new.
        """
        with translated(self.folder), self._environment.begin(write=True) as transaction:
            stands = self._position(transaction)
            reached = 0 if stands is None else stands.size
            if reached != since:
                return False
            for table in sorted(changes):
                self._put(transaction, table, changes[table])
            record = msgspec.msgpack.encode((*position, self._names))
            transaction.put(b"position", record, db=self._meta)
        return True

    def _put(self, transaction: lmdb.Transaction, table: str, rows: Sequence[tuple[bytes, Entry]]) -> None:
        database = self._tables[table]
        for key, entry in rows:
            stored = visible(entry)
            if stored is None:
                transaction.delete(key, db=database)
            else:
                transaction.put(key, pack(key, stored), db=database)

    def inspect(self) -> Iterator[str | None]:
        """Every row: None where it is whole, else what is wrong with it."""
        with self._environment.begin() as transaction:
            for table, database in self._tables.items():
                cursor: Any = transaction.cursor(db=database)
                for key, data in cursor:
                    yield _damage(table, key, data)

    def sync(self) -> None:
        """Make a build last before it is put in force."""
        with translated(self.folder):
            self._environment.sync(True)

    def close(self) -> None:
        """Let the environment go."""
        self._environment.close()


def digest_rows(rows: RawRows, tables: Sequence[str]) -> bytes:
    """SHA-256 over every row and its history, by a scan in table and key order: equal views, equal digest."""
    sha = hashlib.sha256()
    for table in tables:
        sha.update(b"table " + table.encode())
        for key, stored in rows.scan(table, b"", LAST_KEY):
            sha.update(key + pack(key, stored))
    return sha.digest()
