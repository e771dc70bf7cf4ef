"""Looking at every row of a table as it lies in the views: many at once, since each has a sum of its own."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple
from zlib import crc32

import lmdb

from replay.packing import WHOLE, damage_of

ANEW = bytes.fromhex("81d59d4c")
"""Four bytes that lead a CRC from `WHOLE` back to 0, where it begins: rows with these between them are one sum."""
_AT_ONCE = 512
"""How many rows are summed at once when they are looked at, at the most."""
_BYTES = 1 << 20
"""About how many bytes are held for that, and three times as many while they are summed. A row of the search index may
have a megabyte.
"""


class Inspected(NamedTuple):
    """How many rows there are, and what is wrong with those that are not whole."""

    rows: int
    damage: list[str]


def summed(rows: list[tuple[bytes, bytes]]) -> int:
    """0 where each of these rows is whole."""
    return crc32(ANEW, crc32(ANEW.join(map(b"".join, rows))))


def together(transaction: lmdb.Transaction, database: Any, most: int) -> Iterator[list[tuple[bytes, bytes]]]:
    """Every row of a table, so many together, and fewer where some have pages of their own: those come to `_BYTES`."""
    cursor: Iterator[Any] = iter(transaction.cursor(db=database))
    if not transaction.stat(database)["overflow_pages"]:
        while rows := list(islice(cursor, most)):
            yield rows
        return
    rows, size = [], 0
    for row in cursor:
        rows.append(row)
        size += len(row[1])
        if size >= _BYTES or len(rows) == most:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


def inspect_table(transaction: lmdb.Transaction, table: str, database: Any) -> Inspected:
    """Look at every row of one table: some hundred at once, and one by one where their sum says that one is broken."""
    damage: list[str] = []
    for rows in together(transaction, database, _AT_ONCE):
        if summed(rows):
            broken = [key for key, data in rows if crc32(data, crc32(key)) != WHOLE]
            damage += [f"{damage_of(table)} (key {key.hex()})" for key in broken]
    return Inspected(transaction.stat(database)["entries"], damage)
