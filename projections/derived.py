"""What came of what: one row per cause and effect."""

from collections.abc import Iterator
from functools import cache

import msgspec

from projections.events import EVENTS
from projections.fold import Change, Projection, Record
from projections.ids import EventId
from projections.rows import Rows


class DerivedRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The tag of the effect."""

    tag: str


@cache
def _row(tag: str) -> DerivedRow:
    return DerivedRow(tag)


def _rows(record: Record) -> list[Change[DerivedRow]]:
    row = _row(record.event.TAG)
    return [(cause + record.id, row) for cause in dict.fromkeys(record.event.causes)]


DERIVED = Projection("derived", 1, DerivedRow, EVENTS, _rows, 32, history=False)


def effects_of(rows: Rows, cause: EventId) -> Iterator[tuple[EventId, str]]:
    """What an event was a cause of: the ids and tags of the effects."""
    for found in rows.scan(DERIVED, cause):
        yield EventId(found.key[16:]), found.row.tag
