"""Calls of models: one row for each, so that what a day, a person or a model cost is a sum over a range. An answer or
other work is one call, however many requests its model was sent for it: its event has what all of them took.

A call stands in exactly one event that counts here. A summary's call is its `summary.answered`: the `summary.refreshed`
that follows names it once more, and so does a `summary.failed` whose reply was there and was empty. An answer's call is
its `turn.answered`. A `turn.withdrawn` or a `reply.withdrawn` takes words away, and tells of the call from then on.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from projections.events import (
    Event,
    ExtractionAnswered,
    ExtractionFailed,
    MergeAnswered,
    MergeFailed,
    ReflectionAnswered,
    ReplyWithdrawn,
    SummaryAnswered,
    SummaryFailed,
    TextsEncoded,
    TurnAnswered,
    TurnFailed,
    TurnInterrupted,
    TurnWithdrawn,
)
from projections.events.values import ModelUse
from projections.events.work import WorkEvent
from projections.fold import Change, Projection, Record
from projections.ids import Handle
from projections.rows import Rows
from projections.times import DAY_MS

"""A day of UTC, in ms."""
Work = Literal["answer", "summary", "extraction", "merge", "reflection", "encoding"]
WORK: dict[type[Event], Work] = {
    TurnAnswered: "answer",
    TurnFailed: "answer",
    TurnInterrupted: "answer",
    TurnWithdrawn: "answer",
    SummaryAnswered: "summary",
    SummaryFailed: "summary",
    ExtractionAnswered: "extraction",
    ExtractionFailed: "extraction",
    MergeAnswered: "merge",
    MergeFailed: "merge",
    ReflectionAnswered: "reflection",
    TextsEncoded: "encoding",
}
"""Which events tell of a call, and what it was for."""
FAILED = (TurnFailed, TurnInterrupted, SummaryFailed, ExtractionFailed, MergeFailed)


class CallRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A call: when it was recorded (ms), for what, for whom (NOBODY where it was for many), and what it took.

    `failed` says that nothing came of it. `cost_micros` is in 10⁻⁶ USD. Of an answer that was withdrawn, `at` is when
    it was finished: it stays on the same day's bill.
    """

    at: int
    work: Work
    person: Handle
    model: str
    version: str
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    latency_ms: int
    cost_micros: int
    failed: bool


def moment_key(at: int) -> bytes:
    """When a call was recorded, as 8 bytes that sort as times do."""
    return (at + (1 << 63)).to_bytes(8, "big")


def _call(event: Event) -> tuple[Handle, ModelUse] | None:
    """Whose call an event tells of, and the call; None where none was made, or another event tells of it."""
    match event:
        case (
            TurnAnswered(asker=person, call=call)
            | TurnFailed(asker=person, call=call)
            | TurnInterrupted(asker=person, call=call)
            | TurnWithdrawn(asker=person, call=call)
        ):
            return (person, call) if call.model else None
        case ReplyWithdrawn(owner=owner, person=person, call=call):
            return owner or person, call
        case SummaryFailed(call=call) if call.version:  # the reply was there: its `summary.answered` counts
            return None
        case TextsEncoded(person=person, call=call):
            return person, call
        case SummaryAnswered(person=person, call=call) | SummaryFailed(person=person, call=call):
            return person, call
        case WorkEvent(owner=person, call=call):
            return person, call
        case _:
            return None


def _rows(record: Record) -> list[Change[CallRow]]:
    found = _call(record.event)
    if found is None:
        return []
    person, call = found
    event, at = record.event, _recorded(record)
    row = CallRow(
        at=at,
        work=event.work if isinstance(event, ReplyWithdrawn) else WORK[type(event)],
        person=person,
        model=call.model,
        version=call.version,
        tokens_in=call.tokens_in,
        tokens_out=call.tokens_out,
        tokens_cached=call.tokens_cached,
        latency_ms=call.latency_ms,
        cost_micros=call.cost_micros,
        failed=event.failed if isinstance(event, ReplyWithdrawn | TextsEncoded) else isinstance(event, FAILED),
    )
    return [(moment_key(at) + record.id, row)]


def _recorded(record: Record) -> int:
    """Under which moment a call counts: also where its words were taken away later."""
    match record.event:
        case TurnWithdrawn(turn_said=at) | ReplyWithdrawn(at=at):
            return at
        case _:
            return record.at


CALLS = Projection("calls", 1, CallRow, (*WORK, ReplyWithdrawn), _rows, 24, history=False)


def calls_made(record: Record) -> list[CallRow]:
    """The calls that were made with an event. That of an answer or a reply whose words go was made before."""
    made = [] if isinstance(record.event, TurnWithdrawn | ReplyWithdrawn) else _rows(record)
    return [row for _, row in made if row is not None]


def calls(rows: Rows, since: int | None = None, until: int | None = None) -> Iterator[CallRow]:
    """Every call recorded from `since` on and before `until` (ms), oldest first."""
    start = None if since is None else moment_key(since)
    stop = None if until is None else moment_key(until)
    return (found.row for found in rows.scan(CALLS, start=start, stop=stop))


class Spent(NamedTuple):
    """What a day of UTC cost, as far as it was read: `day` counts from 1970. The last call that was read was recorded
    at `at` (ms), and what was recorded before that cost `settled`: in the same millisecond there may still come others.
    """

    day: int
    micros: int = 0
    settled: int = 0
    at: int = 0


def spent_on(rows: Rows, now: int, before: Spent | None = None) -> Spent:
    """What the day of a moment (ms) has cost by now. `before` is an earlier answer: only what came since is read, and
    the last millisecond once more.
    """
    day = now // DAY_MS
    spent = before if before is not None and before.day == day else Spent(day)
    found = list(calls(rows, max(spent.at, day * DAY_MS), (day + 1) * DAY_MS))
    if not found:
        return spent
    last = found[-1].at
    settled = spent.settled + sum(each.cost_micros for each in found if each.at < last)
    return Spent(day, settled + sum(each.cost_micros for each in found if each.at == last), settled, last)
