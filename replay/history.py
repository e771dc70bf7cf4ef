"""Where the past of a row lies: a key for every event that touched it.

table (4) ‖ key ‖ seq (8) → said (8)
"""

from collections.abc import Iterator
from functools import cache

from projections.ids import digest16


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


@cache
def _names(tables: tuple[str, ...]) -> dict[bytes, str]:
    return {digest16(table)[:4]: table for table in tables}


def touched_keys(body: bytes, tables: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """The rows of these tables in a list of the rows that an event touched."""
    names = _names(tables)
    start = 0
    while start < len(body):
        end = start + 5 + body[start + 4]
        table = names.get(body[start : start + 4])
        if table is not None:
            yield table, body[start + 5 : end]
        start = end
