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

It is counted by reader, which is a model with a prompt's version: what one of them could do nothing with is shown to
another as if it had been shown to nobody.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

import msgspec

from projections.events import ExtractionFailed, SummaryFailed
from projections.events.values import ModelUse
from projections.fold import Change, Projection, Record
from projections.ids import EventId
from projections.models import undated
from projections.rows import Found, Rows
from projections.work import was_read, was_summed_up

Work = Literal["summary", "extraction"]
SHOWN: tuple[int, ...] = (10_000, 10_000, 32, 8, 2, 1, 1)
"""How many messages are shown, by how often the first of them was shown in vain."""
PASSED_OVER = "it is passed over from now on, until another model or prompt is to read it or somebody asks for it"


class Reader(NamedTuple):
    """Who is shown messages for this work: a model, by its own name, and a prompt with its version. Without them it is
    whoever there was.
    """

    work: Work
    model: str = ""
    prompt: str = ""


class FruitlessRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A message was in a prompt of which nothing came: which prompt, and which model was asked."""

    work: Work
    model: str
    prompt: str


def _rows(record: Record) -> list[Change[FruitlessRow]]:
    match record.event:
        case ExtractionFailed(call=call, inputs=shown) if call.version:
            return _each(record, "extraction", call, shown)
        case SummaryFailed(call=call, causes=shown) if call.version:
            return _each(record, "summary", call, shown)
        case _:
            return []


def _each(record: Record, work: Work, call: ModelUse, shown: Iterable[EventId]) -> list[Change[FruitlessRow]]:
    row = FruitlessRow(work, call.model, call.prompt)
    return [(message + record.id, row) for message in dict.fromkeys(shown)]


FRUITLESS = Projection("fruitless", 2, FruitlessRow, (ExtractionFailed, SummaryFailed), _rows, 32, history=False)


def times_in_vain(rows: Rows, reader: Reader, message: EventId) -> int:
    """How often a message was shown to a reader and nothing came of it."""
    return sum(1 for found in rows.scan(FRUITLESS, message) if _is_theirs(found, reader))


def was_tried_behind(rows: Rows, reader: Reader, message: EventId, seq: int) -> bool:
    """Whether a message was shown to a reader in vain behind an event."""
    return any(found.seq > seq and _is_theirs(found, reader) for found in rows.scan(FRUITLESS, message))


def _is_theirs(found: Found[FruitlessRow], reader: Reader) -> bool:
    is_anybody = not reader.model and not reader.prompt
    return found.row.work == reader.work and (is_anybody or _reader(found.row) == _undated(reader))


def _reader(row: FruitlessRow) -> Reader:
    return _undated(Reader(row.work, row.model, row.prompt))


def _undated(reader: Reader) -> Reader:
    """The API may answer by a model's name with a date or without."""
    return reader._replace(model=undated(reader.model))


def most_shown(rows: Rows, reader: Reader, first: EventId) -> int:
    """How many messages are shown at most, when this is the first of them."""
    return SHOWN[min(times_in_vain(rows, reader, first), len(SHOWN) - 1)]


def is_passed_over(rows: Rows, reader: Reader, message: EventId) -> bool:
    """Whether a message is shown to this reader no more."""
    return times_in_vain(rows, reader, message) >= len(SHOWN)


def passed_over(rows: Rows, reader: Reader) -> Callable[[EventId], bool]:
    """The same for many messages: where nothing was ever shown in vain, none is looked up."""
    if next(rows.keys(FRUITLESS, b""), None) is None:
        return lambda _: False
    return lambda message: is_passed_over(rows, reader, message)


def is_last_try(rows: Rows, reader: Reader, messages: Iterable[EventId]) -> bool:
    """Whether these are one message that is passed over when nothing comes of it once more."""
    shown = tuple(messages)
    return len(shown) == 1 and times_in_vain(rows, reader, shown[0]) >= len(SHOWN) - 1


def left_by(rows: Rows, message: EventId) -> list[Reader]:
    """The readers that passed a message over, as long as none has read it since."""
    counts = Counter(_reader(found.row) for found in rows.scan(FRUITLESS, message))
    return [reader for reader, count in counts.items() if count >= len(SHOWN) and not _has_read(rows, reader, message)]


def left_behind(rows: Rows) -> list[tuple[EventId, Reader]]:
    """Everything that is passed over and that none has read since, each with the readers that did."""
    messages = dict.fromkeys(EventId(key[:16]) for key in rows.keys(FRUITLESS, b""))
    return [(message, reader) for message in messages for reader in left_by(rows, message)]


def _has_read(rows: Rows, reader: Reader, message: EventId) -> bool:
    return was_read(rows, message) if reader.work == "extraction" else was_summed_up(rows, message)
