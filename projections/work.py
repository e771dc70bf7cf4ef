"""How far extraction has come, per person and compartment."""

import msgspec

from projections.derived import effects_of
from projections.events import ExtractionAnswered, ExtractionFailed
from projections.fold import Change, Projection, Record
from projections.ids import EventId, Point
from projections.items import compartment_key
from projections.rows import Rows


class ExtractionRow(msgspec.Struct, frozen=True, array_like=True):
    """The last extraction: the messages up to `upto` have been read. `error` is empty when it worked."""

    event: EventId
    at: int
    compartment: str
    upto: Point
    error: str


def _done(record: Record) -> list[Change[ExtractionRow]]:
    match record.event:
        case ExtractionAnswered() as work:
            row = ExtractionRow(record.id, record.at, work.compartment, work.upto, "")
            return [(compartment_key(work.owner, work.compartment), row)]
        case _:
            return []


def _tried(record: Record) -> list[Change[ExtractionRow]]:
    match record.event:
        case ExtractionAnswered() as work:
            error = ""
        case ExtractionFailed() as work:
            error = work.error
        case _:
            return []
    row = ExtractionRow(record.id, record.at, work.compartment, work.upto, error)
    return [(compartment_key(work.owner, work.compartment), row)]


EXTRACTIONS = Projection("extractions", 1, ExtractionRow, (ExtractionAnswered,), _done, 32)
EXTRACTION_ATTEMPTS = Projection(
    "extraction_attempts", 1, ExtractionRow, (ExtractionAnswered, ExtractionFailed), _tried, 32
)


def was_read(rows: Rows, message: EventId) -> bool:
    """Whether an extraction that worked has read a message."""
    return any(tag == ExtractionAnswered.TAG for _, tag in effects_of(rows, message))


def was_tried(rows: Rows, message: EventId) -> bool:
    """Whether an extraction has read a message, whatever came of it."""
    return any(tag in (ExtractionAnswered.TAG, ExtractionFailed.TAG) for _, tag in effects_of(rows, message))
