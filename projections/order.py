"""Where rows of some tables lie, in the order of their keys."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple


class RowAt(NamedTuple):
    """A key, and in which table."""

    key: bytes
    table: str


class Order:
    """The keys of some tables together, in order; of the same key the table whose name comes first. A key takes some
    hundred bytes here, and is a `RowAt` only for whoever asks: there may be a hundred for one that is asked for.
    """

    def __init__(self, tables: Sequence[str], places: Iterable[RowAt]) -> None:
        self._tables = sorted(tables)
        self._number = {table: number for number, table in enumerate(self._tables)}
        in_order = sorted(places)
        self._keys = [key for key, _ in in_order]
        self._of = bytearray(self._number[table] for _, table in in_order)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[RowAt]:
        return iter(self.between(0, len(self)))

    def at(self, place: int) -> RowAt:
        """What lies at a place."""
        return RowAt(self._keys[place], self._tables[self._of[place]])

    def between(self, start: int, stop: int) -> list[RowAt]:
        """What lies at the places from `start` on and before `stop`."""
        tables = [self._tables[number] for number in self._of[start:stop]]
        return list(map(RowAt, self._keys[start:stop], tables))

    def find(self, key: bytes) -> int:
        """The place of the first key that is not before this one."""
        return bisect_left(self._keys, key)

    def beginning(self, start: bytes) -> list[RowAt]:
        """Where the keys begin with these bytes."""
        keys, at, found = self._keys, self.find(start), list[RowAt]()
        while at < len(keys) and keys[at].startswith(start):
            found.append(self.at(at))
            at += 1
        return found

    def set(self, place: RowAt, *, there: bool) -> int:
        """Put a key in or take it out, unless that is so already; how many more there are by that."""
        number, at = self._number[place.table], self.find(place.key)
        while at < len(self) and self._keys[at] == place.key and self._of[at] < number:
            at += 1
        is_there = at < len(self) and self.at(at) == place
        if is_there and not there:
            del self._keys[at], self._of[at]
        elif there and not is_there:
            self._keys.insert(at, place.key)
            self._of.insert(at, number)
        return int(there) - int(is_there)
