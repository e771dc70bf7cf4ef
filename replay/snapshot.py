"""The rows of views as they are at one moment: each is looked at as it is read, and what is not whole is told."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, takewhile
from typing import Any
from zlib import crc32

from projections.rows import Stored
from replay.errors import DamagedViews
from replay.inspecting import summed, together
from replay.packing import WHOLE, damage_of, unpack, unpacked

LAST_KEY = b"\xff" * 64
"""Behind every key of every table."""
_COPIED = 8192
"""How many rows are copied at once, at the most."""


class Snapshot:
    """The rows of one read transaction."""

    def __init__(self, transaction: Any, tables: Mapping[str, Any], is_indexed: Callable[[Any], bool]) -> None:
        self._transaction = transaction
        self._tables = tables
        self._is_indexed = is_indexed

    @property
    def indexed(self) -> bool:
        """Whether the retrieval index is there."""
        return self._is_indexed(self._transaction)

    def get(self, table: str, key: bytes) -> Stored | None:
        data = self._transaction.get(key, db=self._tables[table])
        return None if data is None else unpack(table, key, data)

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, Stored]]:
        cursor = self._transaction.cursor(db=self._tables[table])
        rows = _backward(cursor, start, stop) if reverse else forward(cursor, start, stop)
        return unpacked(table, chain(rows, _ended(table, cursor)))

    def keys(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[bytes]:
        cursor = self._transaction.cursor(db=self._tables[table])
        if reverse:
            found = cursor.prev() if cursor.set_range(stop) else cursor.last()
            within = takewhile(start.__le__, cursor.iterprev(values=False))
        else:
            found = cursor.set_range(start) if start else cursor.first()
            within = takewhile(stop.__gt__, cursor.iternext(values=False))
        return chain(within, _ended(table, cursor)) if found else iter(())

    def ends_there(self, table: str, prefix: bytes, ends: Iterable[bytes]) -> Iterator[bytes]:
        """With which of these, given in order, any key of a table that is none of rows begins behind a prefix.

        Nothing lies between what was looked for last and the key that was found for it, so only what is behind that key
        is looked for.
        """
        cursor = self._transaction.cursor(db=self._tables[table])
        if not cursor.set_range(prefix):
            return
        found: bytes = cursor.key()
        for end in ends:
            wanted = prefix + end
            if found < wanted:
                if not cursor.set_range(wanted):
                    return
                found = cursor.key()
            if found.startswith(wanted):
                yield end

    def data_in(self, table: str, start: bytes, stop: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The rows of a range as they lie there, of such a table."""
        cursor = self._transaction.cursor(db=self._tables[table])
        return chain(forward(cursor, start, stop), _ended(table, cursor))

    def data_with(self, table: str, prefixes: Iterable[bytes]) -> list[list[tuple[bytes, bytes]]]:
        """The rows whose keys begin so, few of each, as they lie there, of such a table: sooner than `data_in`."""
        cursor = self._transaction.cursor(db=self._tables[table])
        return [_beginning(table, cursor, prefix) for prefix in prefixes]

    def batches(self, table: str) -> Iterator[list[tuple[bytes, bytes]]]:
        """Every row as it lies, in key order, some thousand at once; DamagedViews where one is not whole."""
        for rows in together(self._transaction, self._tables[table], _COPIED):
            if summed(rows):
                raise DamagedViews(damage_of(table))
            yield rows


def _beginning(table: str, cursor: Any, prefix: bytes) -> list[tuple[bytes, bytes]]:
    found: list[tuple[bytes, bytes]] = []
    if cursor.set_range(prefix):
        for row in cursor:
            if not row[0].startswith(prefix):
                _refuse_damaged(table, *row)
                break
            found.append(row)
    return found


def _ended(table: str, cursor: Any) -> Iterator[Any]:
    """Nothing: it looks at the row behind a range that was read to its end. A key that is damaged may lie behind it
    while rows of the range follow, which would be left out.
    """
    key, data = cursor.item()
    if key:
        _refuse_damaged(table, key, data)
    yield from ()


def _refuse_damaged(table: str, key: bytes, data: bytes) -> None:
    if crc32(data, crc32(key)) != WHOLE:
        raise DamagedViews(damage_of(table))


def forward(cursor: Any, start: bytes, stop: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The rows of a range as they lie there, in key order."""
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

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, Stored]]:  # noqa: ARG002 - as `get`
        return iter(())

    def keys(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[bytes]:  # noqa: ARG002 - as `get`
        return iter(())
