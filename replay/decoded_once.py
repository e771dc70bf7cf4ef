"""Rows as the decisions of one group read them: what one of them decoded, none of the others decodes again."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from projections.events import Event
from projections.fold import Projection, Record
from projections.ids import EventId
from projections.rows import Found, R, RawRows, Rows
from replay.known import Ids
from replay.ranges import KEPT, Ranges

LEAST_KEPT = 128
"""A shorter row is decoded sooner than it is looked up, in bytes."""
MOST_KEPT = 4096
"""How many decoded rows are kept."""


class DecodedOnce(Rows):
    """Rows of which a long one is decoded once, whichever decisions of a group read it; so are those of one person."""

    def __init__(
        self,
        raw: RawRows,
        ids: Ids,
        kept: dict[tuple[str, bytes], Any],
        ranges: Ranges,
        events: Callable[[EventId], Event | None],
        touched: Callable[[str, bytes], list[Record]],
    ) -> None:
        super().__init__(raw, ids, events=events, touched=touched)
        self._kept = kept
        self._ranges = ranges

    def scan(
        self,
        projection: Projection[R],
        prefix: bytes = b"",
        *,
        start: bytes | None = None,
        stop: bytes | None = None,
        reverse: bool = False,
    ) -> Iterator[Found[R]]:
        if projection.table in KEPT and start is stop is None and not reverse:
            return self._ranges.rows(projection, prefix, partial(super().scan, projection))
        return super().scan(projection, prefix, start=start, stop=stop, reverse=reverse)

    def _decoded(self, projection: Projection[R], body: bytes) -> R:
        if len(body) < LEAST_KEPT:
            return projection.decode(body)
        known: R | None = self._kept.get((projection.table, body))
        if known is None:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            known = self._kept[projection.table, body] = projection.decode(body)
        return known
