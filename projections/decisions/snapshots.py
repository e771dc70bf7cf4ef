"""A person's memory stands in a transparency channel: as which message, and whether it is pinned."""

from typing import NamedTuple

from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.events import SnapshotPosted
from projections.events.values import PLATFORM
from projections.ids import Handle, Ref
from projections.people import accounts_of
from projections.rows import Rows


class PostRequest(NamedTuple):
    """It was written at `said` (ms); `digest` is SHA-256 of its text."""

    person: Handle
    place: Ref
    message: Ref
    digest: bytes
    pinned: bool
    said: int
    origin: Origin


def post_snapshot(rows: Rows, request: PostRequest) -> list[Draft]:
    """The event; nothing for somebody who is not known any more, and nothing a second time."""
    if decided_before(rows, request.origin) or next(accounts_of(rows, request.person), None) is None:
        return []
    event = SnapshotPosted(
        said=request.said,
        by=PLATFORM,
        person=request.person,
        place=request.place,
        message=request.message,
        digest=request.digest,
        pinned=request.pinned,
    )
    return [Minter(rows, request.origin).draft(event)]
