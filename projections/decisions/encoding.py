"""Recording what an encoder took: once for each time that it was asked, and nothing of what it was asked with."""

from typing import NamedTuple

from projections.consent import is_out
from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.events import TextsEncoded
from projections.events.upkeep import EncodedKind
from projections.events.values import PLATFORM, ModelUse
from projections.ids import NOBODY, EventId, Handle
from projections.rows import Rows


class EncodingRequest(NamedTuple):
    """An encoder was asked at `said` (ms), with so many texts; for one `person`, where it was. `causes` is what set it
    off: the question, where a query was encoded.
    """

    call: ModelUse
    kind: EncodedKind
    texts: int
    said: int
    origin: Origin
    person: Handle = NOBODY
    causes: tuple[EventId, ...] = ()
    failed: bool = False


def record_encoding(rows: Rows, request: EncodingRequest) -> list[Draft]:
    """The event, once. Who opted out meanwhile is nobody in it."""
    if decided_before(rows, request.origin):
        return []
    event = TextsEncoded(
        said=request.said,
        by=PLATFORM,
        causes=request.causes,
        call=request.call,
        kind=request.kind,
        texts=request.texts,
        person=NOBODY if request.person and is_out(rows, request.person) else request.person,
        failed=request.failed,
    )
    return [Minter(rows, request.origin).draft(event)]
