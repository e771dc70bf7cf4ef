"""What a model was shown and gave nothing usable for: one message that it refuses is not to stop all that come after.

    asked in vain    how many messages are shown next, from that one on
    0, 1 times       as many as find room
    2                32
    3                8
    4                2
    5, 6             1
    7                none: the message is passed over

So the message is found that is at fault, and what it was shown with is read all the same. A call that brought no reply
does not count: a service that is down is nobody's fault.
"""

from collections.abc import Callable, Iterable
from typing import Literal

import msgspec

from projections.events import ExtractionFailed, SummaryFailed
from projections.fold import Change, Projection, Record
from projections.ids import EventId
from projections.rows import Rows

Work = Literal["summary", "extraction"]
SHOWN: tuple[int, ...] = (10_000, 10_000, 32, 8, 2, 1, 1)
"""How many messages are shown, by how often the first of them was shown in vain."""
PASSED_OVER = "it is passed over from now on"


class FruitlessRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A message was in a prompt of which nothing came."""

    work: Work


def _rows(record: Record) -> list[Change[FruitlessRow]]:
    match record.event:
        case ExtractionFailed(call=call, inputs=shown) if call.version:
            return _each(record, "extraction", shown)
        case SummaryFailed(call=call, causes=shown) if call.version:
            return _each(record, "summary", shown)
        case _:
            return []


def _each(record: Record, work: Work, shown: Iterable[EventId]) -> list[Change[FruitlessRow]]:
    return [(message + record.id, FruitlessRow(work)) for message in dict.fromkeys(shown)]


FRUITLESS = Projection("fruitless", 1, FruitlessRow, (ExtractionFailed, SummaryFailed), _rows, 32, history=False)


def times_in_vain(rows: Rows, work: Work, message: EventId) -> int:
    """How often a message was shown for this work and nothing came of it."""
    return sum(1 for found in rows.scan(FRUITLESS, message) if found.row.work == work)


def most_shown(rows: Rows, work: Work, first: EventId) -> int:
    """How many messages are shown at most, when this is the first of them."""
    return SHOWN[min(times_in_vain(rows, work, first), len(SHOWN) - 1)]


def is_passed_over(rows: Rows, work: Work, message: EventId) -> bool:
    """Whether a message is shown no more for this work."""
    return times_in_vain(rows, work, message) >= len(SHOWN)


def passed_over(rows: Rows, work: Work) -> Callable[[EventId], bool]:
    """The same for many messages: where nothing was ever shown in vain, none is looked up."""
    if next(rows.keys(FRUITLESS, b""), None) is None:
        return lambda _: False
    return lambda message: is_passed_over(rows, work, message)


def is_last_try(rows: Rows, work: Work, messages: Iterable[EventId]) -> bool:
    """Whether these are one message that is passed over when nothing comes of it once more."""
    shown = tuple(messages)
    return len(shown) == 1 and times_in_vain(rows, work, shown[0]) == len(SHOWN) - 1
