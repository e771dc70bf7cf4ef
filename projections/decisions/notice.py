"""Somebody was told that the assistant learns from what they say to others."""

from typing import NamedTuple

from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.events import NoticeGiven
from projections.events.values import PLATFORM
from projections.ids import EventId, Handle, Ref
from projections.notices import notice_to
from projections.people import accounts_of
from projections.rows import Rows


class NoticeRequest(NamedTuple):
    """They were told in a place, as a message, at `said` (ms). `learned` is the extraction that set it off."""

    person: Handle
    place: Ref
    message: Ref | None
    learned: EventId
    said: int
    origin: Origin


def give_notice(rows: Rows, request: NoticeRequest) -> list[Draft]:
    """The event, once a person; nothing for somebody who is not known any more."""
    if decided_before(rows, request.origin) or notice_to(rows, request.person) is not None:
        return []
    if next(accounts_of(rows, request.person), None) is None:
        return []
    event = NoticeGiven(
        said=request.said,
        by=PLATFORM,
        person=request.person,
        place=request.place,
        message=request.message,
        learned=request.learned,
    )
    return [Minter(rows, request.origin).draft(event)]
