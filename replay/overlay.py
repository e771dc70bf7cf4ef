"""Rows that changed since the views were last committed, in memory, above the views.

An entry keeps the seq at which it was made, also when it removes a row. Since a row is made by its last event alone,
the later entry is right, whoever wrote the other: that is how processes share one set of views.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Protocol

import msgspec
from sortedcontainers import SortedList

from projections.ids import Seq, VaultId
from projections.rows import RawRows, Stored, after_prefix

WHOSE = 16
"""So many bytes a key begins with that say whose it is: a person's, a session's, an event's."""
HISTORY = "history"
"""The table with one entry per row and event that touched it."""


TOUCHED = "touched"
"""The table that says which rows an event touched, so that they can be made again when its body goes."""


class Entry(msgspec.Struct, frozen=True, gc=False):
    """A row, or its removal when `body` is None. It refers to nothing that could refer to it, so that the collector of
    garbage need not look at it: between two commits of the views there are thousands.

    `seq` is the event that made the row. `changed` is when: the same, but for a row that was made again from an older
    event because a newer one was dropped.
    """

    seq: int
    body: bytes | None
    vault: VaultId
    changed: int


def visible(entry: Entry) -> Stored | None:
    """The row that an entry leaves to be seen."""
    return None if entry.body is None else Stored(Seq(entry.seq), entry.body, entry.vault)


def dropped_in(tables: Mapping[str, Mapping[bytes, Entry]], since: int) -> list[Seq]:
    """The events whose bodies were dropped behind a seq: their lists of rows are gone."""
    lists = tables.get(TOUCHED, {}).items()
    return [Seq(int.from_bytes(key, "big")) for key, each in lists if each.body is None and each.changed > since]


Written = tuple[str, bytes, bytes | None]
"""A row that an event makes: table, key, and the encoded row or None where it is removed."""


class Layer:
    """Rows of a decision, a group, or some thousand events: plain dictionaries, sorted only where a range is read."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[bytes, Entry]] = {}

    def put(self, table: str, key: bytes, entry: Entry) -> None:
        """Write an entry; an older one gives way."""
        rows = self.tables.get(table)
        if rows is None:
            rows = self.tables[table] = {}
        rows[key] = entry

    def write(self, rows: Iterable[Written], seq: int, vault: VaultId) -> None:
        """Write the rows that one event makes."""
        for table, key, body in rows:
            self.put(table, key, Entry(seq, body, vault, seq))

    def has(self, table: str) -> bool:
        """Whether there is any entry of a table."""
        return bool(self.tables.get(table))

    def get(self, table: str, key: bytes) -> Entry | None:
        """The entry under a key; its body is None where a row was removed."""
        rows = self.tables.get(table)
        return None if rows is None else rows.get(key)

    def entries(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, Entry]]:
        """Entries of a range, in key order."""
        rows = self.tables.get(table, {})
        return ((key, rows[key]) for key in sorted((key for key in rows if start <= key < stop), reverse=reverse))


class Order:
    """The keys of a table in order. Nearly every range that is read is of one person, session or event, so only theirs
    are sorted for it; those whose keys begin otherwise are put in order when a range goes over several of them.
    """

    def __init__(self, keys: Iterable[bytes]) -> None:
        self._keys: dict[bytes, list[bytes]] = {}
        self._unsorted: set[bytes] = set()
        self._heads: SortedList[bytes] | None = None
        self._new_heads: list[bytes] = []
        self.add(keys)

    def add(self, keys: Iterable[bytes]) -> None:
        """Take in keys that are not among them."""
        for key in keys:
            head = key[:WHOSE]
            mine = self._keys.get(head)
            if mine is None:
                self._keys[head] = [key]
                self._new_heads.append(head)
            else:
                mine.append(key)
                self._unsorted.add(head)

    def between(self, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[bytes]:
        """The keys of a range, as they are by now."""
        head = start[:WHOSE]
        if len(head) == WHOSE and (stop[:WHOSE] == head or stop == after_prefix(head)):
            return iter(self._some(head, start, stop, reverse=reverse))
        heads = self._sorted_heads().irange(head, stop, inclusive=(True, False), reverse=reverse)
        return chain.from_iterable(self._some(each, start, stop, reverse=reverse) for each in heads)

    def _some(self, head: bytes, start: bytes, stop: bytes, *, reverse: bool) -> list[bytes]:
        mine = self._keys.get(head, [])
        if head in self._unsorted:
            mine.sort()
            self._unsorted.remove(head)
        found = mine[bisect_left(mine, start) : bisect_left(mine, stop)]
        return found[::-1] if reverse else found

    def _sorted_heads(self) -> "SortedList[bytes]":
        if self._heads is None:
            self._heads = SortedList(self._keys)
        else:
            self._heads.update(self._new_heads)
        self._new_heads = []
        return self._heads


class Overlay(Layer):
    """Changed rows and history entries since the views' last commit.

    The keys of a table are kept in order from when a range of it was first read: most tables' never are, and ordering
    every row as it comes is what recording would wait for. What came since a range was last read is put in order when
    the next one is.
    """

    def __init__(self) -> None:
        super().__init__()
        self._order: dict[str, Order] = {}

    def put(self, table: str, key: bytes, entry: Entry) -> None:
        """Write an entry; an older one gives way."""
        if table in self._order and key not in self.tables[table]:
            self._order[table].add((key,))
        super().put(table, key, entry)

    def entries(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, Entry]]:
        """Entries of a range, in key order."""
        rows = self.tables.get(table)
        if rows is None:
            return iter(())
        order = self._order.get(table)
        if order is None:
            order = self._order[table] = Order(rows)
        return ((key, rows[key]) for key in order.between(start, stop, reverse=reverse))

    def absorb(self, other: Layer) -> None:
        """Take over every entry of a newer layer."""
        for table, rows in other.tables.items():
            mine = self.tables.setdefault(table, {})
            if table in self._order:
                self._order[table].add(key for key in rows if key not in mine)
            mine.update(rows)

    def drop_upto(self, seq: int) -> None:
        """Let go of what the views hold by now."""
        for table, rows in self.tables.items():
            self.tables[table] = {key: entry for key, entry in rows.items() if entry.changed > seq}
        self._order = {}

    def changes(self, upto: int) -> dict[str, list[tuple[bytes, Entry]]]:
        """A copy of all entries up to a seq, in key order, to be committed."""
        return {
            table: [(key, entry) for key in sorted(rows) if (entry := rows[key]).changed <= upto]
            for table, rows in self.tables.items()
        }


class Upper(Protocol):
    """What can lie above other rows: an overlay, or a segment of a rebuild."""

    def has(self, table: str) -> bool: ...

    def get(self, table: str, key: bytes) -> Entry | None: ...

    def entries(
        self, table: str, start: bytes, stop: bytes, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, Entry]]: ...


class Layered:
    """Raw rows under others, read as one."""

    def __init__(self, overlay: Upper, below: RawRows) -> None:
        deeper = below if isinstance(below, Layered) else None
        self._uppers: tuple[Upper, ...] = (overlay, *(deeper._uppers if deeper else ()))
        self._lowest: RawRows = deeper._lowest if deeper else below

    def get(self, table: str, key: bytes) -> Stored | None:
        for upper in self._uppers:
            entry = upper.get(table, key)
            if entry is not None:
                return visible(entry)
        return self._lowest.get(table, key)

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, Stored]]:
        rows = self._lowest.scan(table, start, stop, reverse=reverse)
        for upper in reversed(self._uppers):
            if upper.has(table):  # of most ranges that a decision asks for, nothing lies above
                entries = upper.entries(table, start, stop, reverse=reverse)
                first = next(entries, None)
                if first is not None:
                    rows = _as_one(chain((first,), entries), rows, reverse=reverse)
        return rows

    def keys(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[bytes]:
        keys = self._lowest.keys(table, start, stop, reverse=reverse)
        for upper in reversed(self._uppers):
            if upper.has(table):
                entries = upper.entries(table, start, stop, reverse=reverse)
                first = next(entries, None)
                if first is not None:
                    keys = _keys_as_one(chain((first,), entries), keys, reverse=reverse)
        return keys


def _as_one(
    entries: Iterator[tuple[bytes, Entry]], rows: Iterator[tuple[bytes, Stored]], *, reverse: bool
) -> Iterator[tuple[bytes, Stored]]:
    """Both in key order; what lies above hides what is below."""
    below = next(rows, None)
    for key, entry in entries:
        while below is not None and (below[0] > key if reverse else below[0] < key):
            yield below
            below = next(rows, None)
        if below is not None and below[0] == key:
            below = next(rows, None)
        stored = visible(entry)
        if stored is not None:
            yield key, stored
    if below is not None:
        yield below
        yield from rows


def _keys_as_one(entries: Iterator[tuple[bytes, Entry]], keys: Iterator[bytes], *, reverse: bool) -> Iterator[bytes]:
    """The same of keys alone."""
    below = next(keys, None)
    for key, entry in entries:
        while below is not None and (below > key if reverse else below < key):
            yield below
            below = next(keys, None)
        if below == key:
            below = next(keys, None)
        if entry.body is not None:
            yield key
    if below is not None:
        yield below
        yield from keys
