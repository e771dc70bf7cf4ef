"""What runs of a memory had read that is not said any more: messages that were edited or taken back, and answers.

Of a run that can be read still, its own events tell it. Of one whose words went as well, the redaction does that took
them: what was said before the run and lost its words with it. That is all there is to know of it.
"""

from collections.abc import Container, Iterable, Mapping, Sequence

from dnam.shadows.manifest import Lost
from projections.events import MessageEdited, MessageHeard, MessageRedacted, TurnAnswered
from projections.ids import EventId
from replay.codec import decode_header
from replay.engine import Engine
from replay.units import stored_with

SAID = frozenset(each.TAG for each in (MessageHeard, MessageEdited, TurnAnswered))
MOST_LOST = 50
"""So many inputs are noted of a run."""


def lost_by(live: Engine, runs: Mapping[EventId, Iterable[EventId]], withdrawn: Container[EventId]) -> list[Lost]:
    """What these runs cannot read any more, in recorded order. Each is given with what it is known to have lost."""
    gone = _gone_with(live, {run for run in runs if run in withdrawn})
    ordered = sorted(runs, key=lambda run: live.store.log.find(run) or 0)
    return [_lost(live, run, [*runs[run], *gone.get(run, ())]) for run in ordered]


def _lost(live: Engine, run: EventId, inputs: Iterable[EventId]) -> Lost:
    ordered = sorted(set(inputs), key=lambda each: live.store.log.find(each) or 0)
    return Lost(run.hex(), tuple(each.hex() for each in ordered[:MOST_LOST]), is_more=len(ordered) > MOST_LOST)


def _gone_with(live: Engine, runs: set[EventId]) -> Mapping[EventId, Sequence[EventId]]:
    """What was said before each of these runs and lost its words with it."""
    found: dict[EventId, Sequence[EventId]] = {}
    for stored in stored_with(live, (MessageRedacted.TAG,), 0, live.head().size) if runs else ():
        record = live.live.folding.record(stored)
        assert record is not None, "a redaction lies in the clear, and is dropped by none"
        assert isinstance(record.event, MessageRedacted)
        if not runs.isdisjoint(record.event.events):
            found |= _said_before(live, runs.intersection(record.event.events), record.event.events)
    return found


def _said_before(live: Engine, runs: Iterable[EventId], events: Iterable[EventId]) -> dict[EventId, Sequence[EventId]]:
    find = live.store.log.find
    said = [each for each in events if _is_said(live, each)]
    return {run: [each for each in said if (find(each) or 0) < (find(run) or 0)] for run in runs}


def _is_said(live: Engine, event: EventId) -> bool:
    seq = live.store.log.find(event)
    stored = None if seq is None else live.store.log.get(seq)
    return stored is not None and decode_header(stored.header).tag in SAID
