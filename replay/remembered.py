"""What was read of one commit of the views, so that it is not looked up again before the next."""

from collections.abc import Iterator
from typing import NamedTuple

from projections.rows import RawRows, Stored
from replay.snapshot import LAST_KEY

MOST_KNOWN = 4096
"""How many rows of the views are remembered between two of their commits."""
LONGEST_KNOWN = 2048
"""How long a remembered row may be, in bytes."""


class Known(NamedTuple):
    """What was read of one commit of the views: rows by table and key, and which tables have none at all."""

    rows: dict[tuple[str, bytes], Stored | None]
    empty: dict[str, bool]


class Remembered:
    """Raw rows, and what was read of them by key, from one commit of the views to the next.

    The same few rows are asked for by every message: who opted out, what a place is called. Looking them up in LMDB and
    checking their CRC would take half of a decision's time.
    """

    def __init__(self, below: RawRows, known: Known) -> None:
        self._below = below
        self._known = known.rows
        self._empty = known.empty

    def get(self, table: str, key: bytes) -> Stored | None:
        place = table, key
        stored = self._known.get(place)
        if stored is not None or place in self._known:
            return stored
        stored = self._below.get(table, key)
        if stored is None or len(stored.body) <= LONGEST_KNOWN:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[place] = stored
        return stored

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, Stored]]:
        if self._is_empty(table):
            return iter(())
        return self._below.scan(table, start, stop, reverse=reverse)

    def keys(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[bytes]:
        return self._below.keys(table, start, stop, reverse=reverse)

    def _is_empty(self, table: str) -> bool:
        """Whether a table has no rows at all, as most have who opted out at some time, or were erased."""
        empty = self._empty.get(table)
        if empty is None:
            empty = self._empty[table] = next(self._below.keys(table, b"", LAST_KEY), None) is None
        return empty
