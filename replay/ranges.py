"""Rows of one person, decoded once for all decisions of a group, and kept up with what these record.

Whoever decides many times about somebody reads all that they have each time, and changes little of it.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator
from typing import Any

from projections.fold import AnyProjection
from projections.ids import Seq
from projections.items import FORGOTTEN, ITEMS
from projections.rows import Found, after_prefix
from replay.overlay import WHOSE, Entry, Layer

KEPT = frozenset({ITEMS.table, FORGOTTEN.table})
"""The tables of which a person's part is asked for by every decision about them, and is not long."""


class Owned:
    """The rows of one person in one table, in order."""

    def __init__(self, projection: AnyProjection, found: Iterator[Found[Any]]) -> None:
        self._decode = projection.decode
        self._rows = {each.key: each for each in found}
        self._keys = list(self._rows)

    def rows(self, prefix: bytes) -> list[Found[Any]]:
        """Those whose key has a prefix, which is no shorter than what says whose they are."""
        keys = self._keys
        if len(prefix) > WHOSE:
            keys = keys[bisect_left(keys, prefix) : bisect_left(keys, after_prefix(prefix))]
        return [self._rows[key] for key in keys]

    def put(self, key: bytes, entry: Entry) -> None:
        """A row changes, comes or goes."""
        was_there = self._rows.pop(key, None) is not None
        if entry.body is None:
            if was_there:
                del self._keys[bisect_left(self._keys, key)]
            return
        self._rows[key] = Found(key, Seq(entry.seq), self._decode(entry.body))
        if not was_there:
            insort(self._keys, key)


class Ranges:
    """What a group keeps so: of whom more than one question is asked."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, bytes], Owned | None] = {}

    def rows(
        self, projection: AnyProjection, prefix: bytes, scan: Callable[[bytes], Iterator[Found[Any]]]
    ) -> Iterator[Found[Any]]:
        """The rows of a range, in key order; `scan` reads those with a prefix where they lie."""
        if len(prefix) < WHOSE:
            return scan(prefix)
        place = projection.table, prefix[:WHOSE]
        if place not in self._of:
            self._of[place] = None
            return scan(prefix)
        owned = self._of[place]
        if owned is None:
            owned = self._of[place] = Owned(projection, scan(prefix[:WHOSE]))
        return iter(owned.rows(prefix))

    def changed(self, layer: Layer) -> None:
        """Take over what a decision made of these rows."""
        for table in KEPT & layer.tables.keys():
            for key, entry in layer.tables[table].items():
                owned = self._of.get((table, key[:WHOSE]))
                if owned is not None:
                    owned.put(key, entry)
