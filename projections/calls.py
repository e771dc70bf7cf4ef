"""Calls of models: one row for each, so that what a day, a person or a model cost is a sum over a range.

A call stands in exactly one event that counts here. A summary's call is its `summary.answered`: the `summary.refreshed`
that follows names it once more, and so does a `summary.failed` whose reply was there and was empty.
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
    SummaryAnswered,
    SummaryFailed,
    TurnAnswered,
    TurnFailed,
)
from projections.events.values import ModelUse
from projections.events.work import WorkEvent
from projections.fold import Change, Projection, Record
from projections.ids import Handle
from projections.rows import Rows

DAY_MS = 86_400_000
"""A day of UTC, in ms."""
Work = Literal["answer", "summary", "extraction", "merge", "reflection"]
WORK: dict[type[Event], Work] = {
    TurnAnswered: "answer",
    TurnFailed: "answer",
    SummaryAnswered: "summary",
    SummaryFailed: "summary",
    ExtractionAnswered: "extraction",
    ExtractionFailed: "extraction",
    MergeAnswered: "merge",
    MergeFailed: "merge",
    ReflectionAnswered: "reflection",
}
"""Which events tell of a call, and what it was for."""
FAILED = (TurnFailed, SummaryFailed, ExtractionFailed, MergeFailed)


class CallRow(msgspec.Struct, frozen=True, array_like=True):
    """A call: when it was recorded (ms), for what, for whom (NOBODY where it was for many), and what it took.

    `failed` says that nothing came of it. `cost_micros` is in 10⁻⁶ USD.
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
        case TurnAnswered(asker=person, call=call) | TurnFailed(asker=person, call=call):
            return (person, call) if call.model else None
        case SummaryFailed(call=call) if call.version:  # the reply was there: its `summary.answered` counts
            return None
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
    row = CallRow(
        at=record.at,
        work=WORK[type(record.event)],
        person=person,
        model=call.model,
        version=call.version,
        tokens_in=call.tokens_in,
        tokens_out=call.tokens_out,
        tokens_cached=call.tokens_cached,
        latency_ms=call.latency_ms,
        cost_micros=call.cost_micros,
        failed=isinstance(record.event, FAILED),
    )
    return [(moment_key(record.at) + record.id, row)]


CALLS = Projection("calls", 1, CallRow, tuple(WORK), _rows, 24, history=False)


def calls(rows: Rows, since: int | None = None, until: int | None = None) -> Iterator[CallRow]:
    """Every call recorded from `since` on and before `until` (ms), oldest first."""
    start = None if since is None else moment_key(since)
    stop = None if until is None else moment_key(until)
    return (found.row for found in rows.scan(CALLS, start=start, stop=stop))


class Spent(NamedTuple):
    """What a day of UTC cost, as far as it was read: `day` counts from 1970, `upto` is the last row's key."""

    day: int
    micros: int = 0
    upto: bytes = b""


def spent_on(rows: Rows, now: int, before: Spent | None = None) -> Spent:
    """What the day of a moment (ms) has cost by now. `before` is an earlier answer: only what came since is read."""
    day = now // DAY_MS
    spent = before if before is not None and before.day == day else Spent(day)
    start = spent.upto + b"\x00" if spent.upto else moment_key(day * DAY_MS)
    found = list(rows.scan(CALLS, start=start, stop=moment_key((day + 1) * DAY_MS)))
    if not found:
        return spent
    return Spent(day, spent.micros + sum(each.row.cost_micros for each in found), found[-1].key)
