"""What was taken back of what a shadow has as it was recorded, told by the log: `decisions/reapply_undone`."""

from collections.abc import Iterator

from projections.decisions.draft import Draft
from projections.decisions.reapply_undone import undo_again, undoes
from projections.events import Event, ItemReverted, SummaryReverted, SummaryWithheld
from projections.fold import Record
from projections.ids import EventId
from projections.rows import Rows
from replay.engine import Engine
from replay.units import stored_with

TAGS = (ItemReverted.TAG, SummaryReverted.TAG, SummaryWithheld.TAG)
"""What takes something back so."""


def is_undoing(live: Engine, event: Event, since: int) -> bool:
    """Whether an event takes back what was recorded up to `since`, or what took back that."""
    return since > 0 and any(_is_there(live, each, since) for each in undoes(event))


def undoings_behind(live: Engine, after: int, since: int) -> Iterator[Record]:
    """What was taken back behind `after` of what was recorded up to `since`."""
    for stored in stored_with(live, TAGS, after, live.head().size) if since else ():
        record = live.live.folding.record(stored)
        if record is not None and is_undoing(live, record.event, since):
            yield record


def is_as_undone(live: Engine, there: Rows, undoing: Record) -> bool:
    """Whether a shadow has it still as what was taken back had left it: brought up to now, it would not."""
    undone = last_undone(live, undoing.event)
    return undone is not None and bool(undo_again(there, [Draft(undoing.id, undoing.event)], undone))


def last_undone(live: Engine, event: Event) -> Record | None:
    """The last event that it took back; None where that cannot be read any more."""
    undone = undoes(event)
    return _record(live, undone[-1]) if undone else None


def _is_there(live: Engine, event: EventId, since: int) -> bool:
    seq = live.store.log.find(event)
    if seq is None or seq <= since:
        return seq is not None
    record = _record(live, event)
    return record is not None and is_undoing(live, record.event, since)


def _record(live: Engine, event: EventId) -> Record | None:
    seq = live.store.log.find(event)
    return None if seq is None else live.live.folding.record_at(seq)
