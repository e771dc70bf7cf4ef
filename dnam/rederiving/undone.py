"""What was taken back of what a shadow has as it was recorded, told by the log: `decisions/reapply_undone`."""

from projections.decisions.reapply_undone import undoes
from projections.events import Event
from projections.fold import Record
from projections.ids import EventId
from replay.engine import Engine


def is_undoing(live: Engine, event: Event, since: int) -> bool:
    """Whether an event takes back what was recorded up to `since`, or what took back that."""
    return since > 0 and any(_is_there(live, each, since) for each in undoes(event))


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
