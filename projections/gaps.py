"""What came of what, by way of events whose words are gone: their own rows of it (`derived`) went with their bodies.

    message ──▶ item ──▶ item, whose words are gone ──▶ answer

A redaction says what the events that it drops had rested on (`message.redacted`). So whoever takes the message back
later finds the answer, whichever of the two messages behind it went first.
"""

from collections.abc import Iterator

import msgspec

from projections.derived import effects_of
from projections.events import MessageRedacted
from projections.fold import Change, Projection, Record
from projections.ids import EventId
from projections.rows import Rows

STOOD = ""
"""In place of a tag: what an item had gone through that stands. What came of that rests on the cause from now on."""


class GapRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The tag of the effect, which cannot be read any more."""

    tag: str


def _rows(record: Record) -> list[Change[GapRow]]:
    gaps = record.event.gaps if isinstance(record.event, MessageRedacted) else ()
    return [(cause + gap.event + record.id, GapRow(gap.tag)) for gap in gaps for cause in gap.causes]


GAPS = Projection("gaps", 1, GapRow, (MessageRedacted,), _rows, 48, history=False)
"""One row per cause, effect and redaction: there is a second one where an older copy of the log was brought back."""


def led_to(rows: Rows, cause: EventId) -> Iterator[tuple[EventId, str]]:
    """What an event was a cause of, read or not: the ids and tags of the effects."""
    yield from effects_of(rows, cause)
    for found in rows.scan(GAPS, cause):
        yield EventId(found.key[16:32]), found.row.tag
