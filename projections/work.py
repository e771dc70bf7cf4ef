"""How far extraction has come, per person and compartment, and what every kept reply of a model took."""

import msgspec

from projections.derived import effects_of
from projections.events import (
    ExtractionAnswered,
    ExtractionFailed,
    MergeAnswered,
    MergeFailed,
    ReflectionAnswered,
    ReplyWithdrawn,
    SummaryAnswered,
    SummaryFailed,
    SummaryRefreshed,
)
from projections.events.event import Event
from projections.events.values import Audience, ModelUse
from projections.events.work import Asked, WorkEvent
from projections.fold import Change, Projection, Record
from projections.ids import NOBODY, EventId, Handle, Point
from projections.items import compartment_key
from projections.rows import Rows

WITHDRAWN = "what it was shown was taken back"
"""Why an extraction failed whose own words are gone."""


class ExtractionRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
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
        case ReplyWithdrawn(work="extraction", owner=owner, compartment=compartment, at=at, upto=Point() as upto):
            return [(compartment_key(owner, compartment), ExtractionRow(record.id, at, compartment, upto, ""))]
        case _:
            return []


def _tried(record: Record) -> list[Change[ExtractionRow]]:
    match record.event:
        case ExtractionAnswered() as work:
            error = ""
        case ExtractionFailed() as work:
            error = work.error
        case ReplyWithdrawn(work="extraction", owner=owner, compartment=compartment, at=at, tried=Point() as tried):
            error = WITHDRAWN if record.event.failed else ""
            return [(compartment_key(owner, compartment), ExtractionRow(record.id, at, compartment, tried, error))]
        case _:
            return []
    row = ExtractionRow(record.id, record.at, work.compartment, work.upto, error)
    return [(compartment_key(work.owner, work.compartment), row)]


ASKED: dict[type[Event], Asked] = {
    ExtractionAnswered: "extraction",
    ExtractionFailed: "extraction",
    MergeAnswered: "merge",
    MergeFailed: "merge",
    ReflectionAnswered: "reflection",
    SummaryAnswered: "summary",
}
"""Which events keep the raw reply of a model, and what it was asked for."""
FAILED = (ExtractionFailed, MergeFailed)


class WorkRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a model was asked for when it gave a reply that is kept, and what it took: all of the event but words.

    The fields are those of `reply.withdrawn`.
    """

    event: EventId
    work: Asked
    call: ModelUse
    at: int
    failed: bool
    owner: Handle
    compartment: str
    inputs: tuple[EventId, ...]
    session: str
    audience: Audience | None
    era: int
    person: Handle


def _work(record: Record) -> list[Change[WorkRow]]:
    event = record.event
    kind, failed = ASKED.get(type(event), "summary"), isinstance(event, FAILED)
    match event:
        case WorkEvent(owner=owner, compartment=compartment, inputs=inputs, call=call):
            row = WorkRow(record.id, kind, call, record.at, failed, owner, compartment, inputs, "", None, 0, NOBODY)
        case SummaryAnswered(session=session, audience=audience, era=era, person=person, call=call):
            row = WorkRow(record.id, kind, call, record.at, failed, NOBODY, "", (), session, audience, era, person)
        case _:
            return []
    return [(record.id, row)]


EXTRACTIONS = Projection("extractions", 1, ExtractionRow, (ExtractionAnswered, ReplyWithdrawn), _done, 32)
EXTRACTION_ATTEMPTS = Projection(
    "extraction_attempts", 1, ExtractionRow, (ExtractionAnswered, ExtractionFailed, ReplyWithdrawn), _tried, 32
)
WORK = Projection("work", 1, WorkRow, tuple(ASKED), _work, 16, history=False)

_READ = frozenset({ExtractionAnswered.TAG, ReplyWithdrawn.TAG})
"""A reply that was withdrawn names what it had read as its causes."""


def was_read(rows: Rows, message: EventId) -> bool:
    """Whether an extraction that worked has read a message."""
    return any(tag in _READ for _, tag in effects_of(rows, message))


def was_tried(rows: Rows, message: EventId) -> bool:
    """Whether an extraction has read a message, whatever came of it."""
    return any(tag in _READ or tag == ExtractionFailed.TAG for _, tag in effects_of(rows, message))


def was_summed_up(rows: Rows, message: EventId) -> bool:
    """Whether a summary was made of a reply that had read a message."""
    return any(tag == SummaryAnswered.TAG and _is_made(rows, effect) for effect, tag in effects_of(rows, message))


def _is_made(rows: Rows, reply: EventId) -> bool:
    """Whether a summary was made of a reply, or of a shorter one that it led to."""
    return any(
        tag == SummaryRefreshed.TAG or (tag == SummaryAnswered.TAG and _is_made(rows, effect))
        for effect, tag in effects_of(rows, reply)
    )


_DECIDED = frozenset({SummaryRefreshed.TAG, SummaryFailed.TAG})


def undecided_summary(rows: Rows, shown: EventId) -> EventId | None:
    """The last reply to be a summary of which this was in the prompt, if nothing came of it yet: neither a summary nor
    a failure.
    """
    replies = [effect for effect, tag in effects_of(rows, shown) if tag == SummaryAnswered.TAG]
    kept = [row for each in replies if (row := rows.get(WORK, each)) is not None]
    last = max(kept, key=lambda row: (row.at, row.event), default=None)
    return None if last is None or _is_decided(rows, last.event) else last.event


def _is_decided(rows: Rows, reply: EventId) -> bool:
    """Whether anything came of a reply, or of a shorter one that it led to."""
    return any(
        tag in _DECIDED or (tag == SummaryAnswered.TAG and _is_decided(rows, effect))
        for effect, tag in effects_of(rows, reply)
    )
