"""What was made of ranges of rows, kept until one of their rows changes.

The items of whoever is talking are asked for with every message, and change with few: decoding them and taking their
texts apart would be half of a prompt's time.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple

from replay.overlay import Layer

MOST_KEPT = 2048
"""How many rows' worth is kept; what was not asked for the longest goes first."""


class _Made(NamedTuple):
    """Something that was made, and of how many rows."""

    made: Any
    rows: int


class Kept:
    """Made values by range of keys. Gone with an erasure, as the rows are: the engine then begins a new one."""

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[str, bytes], dict[Callable[..., Any], _Made]] = OrderedDict()
        self._lengths: dict[str, set[int]] = {}
        self._rows = 0

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

    def changed(self, layer: Layer) -> None:
        """Let go of every range in which a row of this layer lies."""
        for table, lengths in self._lengths.items():
            for key in layer.tables.get(table, ()):
                for length in lengths:
                    self._forget((table, key[:length]))

    def clear(self) -> None:
        """Let go of everything."""
        self._made.clear()
        self._rows = 0

    def _forget(self, place: tuple[str, bytes]) -> None:
        self._rows -= sum(each.rows for each in self._made.pop(place, {}).values())
