"""Whom the assistant told that it learns from what they say to others: one row a person."""

import msgspec

from projections.events import NoticeGiven
from projections.fold import Change, Projection, Record
from projections.ids import EventId, Handle, Ref
from projections.rows import Rows


class NoticeRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """When (`said`, in ms) and where somebody was told."""

    event: EventId
    said: int
    place: Ref


def _notices(record: Record) -> list[Change[NoticeRow]]:
    match record.event:
        case NoticeGiven() as event:
            return [(event.person, NoticeRow(record.id, event.said, event.place))]
        case _:
            return []


NOTICES = Projection("notices", 1, NoticeRow, (NoticeGiven,), _notices, 16)


def notice_to(rows: Rows, person: Handle) -> NoticeRow | None:
    """What somebody was told; None when they were not."""
    return rows.get(NOTICES, person)
