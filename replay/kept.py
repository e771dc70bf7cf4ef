"""What was made of ranges of rows, kept until one of their rows changes.

The items of whoever is talking are asked for with every message, and change with few: decoding them and taking their
texts apart would be half of a prompt's time.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from projections.order import Order, RowAt
from projections.rows import Found
from replay.overlay import Entry, Layer

MOST_KEPT = 2048
"""How many rows' worth is kept; what was not asked for the longest goes first."""
MOST_ROWS = 2048
"""How many rows are kept besides, each by its own key; then they are begun anew."""
LONGEST_ROW = 2048
"""How long a row is in bytes that is kept so."""
MOST_ORDERED = 1 << 15
"""How many keys are kept in order, some 90 bytes each; what is longer is read where it lies."""
OFTEN = 64
"""From how many questions on the keys of a range are read and kept: for the first few they are read as they are asked
for.
"""
MOST_ASKED = 4096
"""Of how many ranges it is known how often they were asked for; then they are counted anew."""


class _Made(NamedTuple):
    """Something that was made, and of how many rows."""

    made: Any
    rows: int


class _Orders:
    """The keys of ranges in order, by tables and prefix; None for a range that is too long."""

    def __init__(self) -> None:
        self._of: OrderedDict[tuple[tuple[str, ...], bytes], Order | None] = OrderedDict()
        self._lengths: set[tuple[tuple[str, ...], int]] = set()
        self._asked: Counter[tuple[tuple[str, ...], bytes]] = Counter()
        self._size = 0

    def get(self, tables: tuple[str, ...], prefix: bytes, keys: Callable[[str], Iterator[bytes]]) -> Order | None:
        """See `Kept.order`."""
        of_range = tables, prefix
        if of_range in self._of:
            self._of.move_to_end(of_range)
            return self._of[of_range]
        if len(self._asked) >= MOST_ASKED:
            self._asked.clear()
        self._asked[of_range] += 1
        if self._asked[of_range] < OFTEN:
            return None
        del self._asked[of_range]
        places = (RowAt(key, table) for table in tables for key in islice(keys(table), MOST_ORDERED + 1))
        order = self._of[of_range] = Order(tables, places)
        self._size += len(order)
        self._lengths.add((tables, len(prefix)))
        self._keep_to_size()
        return self._of[of_range]

    def _keep_to_size(self) -> None:
        """Let go of what was not asked for the longest; a range that is too long alone is remembered as such."""
        while self._size > MOST_ORDERED:
            of_range, order = self._of.popitem(last=False)
            self._size -= len(order or ())
            if order is not None and len(order) > MOST_ORDERED:
                self._of[of_range] = None

    def changed(self, changes: Mapping[str, Mapping[bytes, Entry]]) -> None:
        """Put in what came, and take out what went."""
        for tables, length in self._lengths:
            for table in tables:
                for key, entry in changes.get(table, {}).items():
                    order = self._of.get((tables, key[:length]))
                    if order is not None:
                        self._size += order.set(RowAt(key, table), there=entry.body is not None)
        self._keep_to_size()


class Kept:
    """Made values by range of keys. Gone with an erasure, as the rows are: the engine then begins a new one."""

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[str, bytes], dict[Callable[..., Any], _Made]] = OrderedDict()
        self._lengths: dict[str, set[int]] = {}
        self._rows = 0
        self._found: dict[tuple[str, bytes], Found[Any]] = {}
        self._orders = _Orders()

    def get(self, table: str, prefix: bytes, make: Callable[..., Any]) -> Any | None:
        """What was made of a range, or None."""
        of_range = self._made.get((table, prefix))
        if of_range is None:
            return None
        self._made.move_to_end((table, prefix))
        kept = of_range.get(make)
        return None if kept is None else kept.made

    def put(self, table: str, prefix: bytes, make: Callable[..., Any], made: Any, rows: int) -> None:
        """Keep what was made of a range that has so many rows; that there are none counts as one."""
        rows = max(rows, 1)
        self._made.setdefault((table, prefix), {})[make] = _Made(made, rows)
        self._lengths.setdefault(table, set()).add(len(prefix))
        self._rows += rows
        while self._rows > MOST_KEPT:
            self._forget(next(iter(self._made)))

    def row(self, table: str, key: bytes) -> Found[Any] | None:
        """The row under a key, if it is kept."""
        return self._found.get((table, key))

    def keep(self, table: str, found: Found[Any], size: int) -> None:
        """Keep a row that has so many bytes, unless it is a long one."""
        if size > LONGEST_ROW:
            return
        if len(self._found) >= MOST_ROWS:
            self._found.clear()
        self._found[table, found.key] = found

    def order(self, tables: tuple[str, ...], prefix: bytes, keys: Callable[[str], Iterator[bytes]]) -> Order | None:
        """The keys with a prefix of some tables together, in order: of a range that is asked for often and not too
        long, else None. They are kept up with what changes. `keys` are those of one table.
        """
        return self._orders.get(tables, prefix, keys)

    def changed(self, layer: Layer) -> None:
        """Let go of every range in which a row of this layer lies."""
        self._orders.changed(layer.tables)
        if self._found:
            for table, rows in layer.tables.items():
                for key in rows:
                    self._found.pop((table, key), None)
        for table, lengths in self._lengths.items():
            for key in layer.tables.get(table, ()):
                for length in lengths:
                    self._forget((table, key[:length]))

    def clear(self) -> None:
        """Let go of everything."""
        self._made.clear()
        self._found.clear()
        self._orders = _Orders()
        self._rows = 0

    def _forget(self, place: tuple[str, bytes]) -> None:
        self._rows -= sum(each.rows for each in self._made.pop(place, {}).values())
