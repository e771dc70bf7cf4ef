"""Messages and windows: what was heard, by session and by person.

A message lies under its unit (its session in one epoch of its audience), in the order in which things were said. So a
window is one range read backwards, and nothing has to be filtered out of it afterwards.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from heapq import merge
from itertools import groupby
from types import MappingProxyType

import msgspec

from projections.events import MessageDeleted, MessageEdited, MessageHeard
from projections.events.values import Audience, Message
from projections.fold import Change, Projection, Record
from projections.ids import MINUTE_MS, NOBODY, EventId, Handle, Point, Ref, digest16, moment_of
from projections.remembered import of_people
from projections.rows import Found, Rows


class MessageRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A message as it now is. `event` made this version, `heard` recorded it first."""

    event: EventId
    heard: EventId
    message: Message


class SpokenRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where a person said something; the words are in the message's own row."""

    session: str
    audience: Audience
    guild: Ref | None


@of_people
@lru_cache(4096)
def unit(session: str, epoch: int) -> bytes:
    """The address of what was said in a session while its audience stayed the same: 16 bytes."""
    return digest16(session, epoch.to_bytes(4, "big"))


def point_key(point: Point) -> bytes:
    """A point as 24 bytes that sort as points do, also before 1970."""
    return (point.said + (1 << 63)).to_bytes(8, "big") + point.id


def key_point(key: bytes) -> Point:
    """The point at the end of a row key; the inverse of `point_key`."""
    return Point(int.from_bytes(key[-24:-16], "big") - (1 << 63), EventId(key[-16:]))


def said_at(key: bytes) -> int:
    """When that was said which lies under a key of a unit, in ms: unit ‖ said ‖ …"""
    return int.from_bytes(key[16:24], "big") - (1 << 63)


def message_key(message: Message, heard: EventId) -> bytes:
    """unit ‖ said ‖ id."""
    return unit(message.session, message.audience.epoch) + point_key(Point(message.said, heard))


def _rows(record: Record) -> list[Change[MessageRow]]:
    match record.event:
        case MessageHeard(message=message):
            return [(message_key(message, record.id), MessageRow(record.id, record.id, message))]
        case MessageEdited(message=message, heard=heard):
            return [(message_key(message, heard), MessageRow(record.id, heard, message))]
        case MessageDeleted(session=session, audience=audience, heard=heard, heard_said=said):
            return [(unit(session, audience.epoch) + point_key(Point(said, heard)), None)]
        case _:
            return []


def _spoken(record: Record) -> list[Change[SpokenRow]]:
    match record.event:
        case MessageHeard(message=message) if message.speaker != NOBODY:
            return [_where(message, record.id)]
        case _:
            return []


def _respoken(record: Record) -> list[Change[SpokenRow]]:
    match record.event:
        case MessageEdited(message=message, heard=heard) if message.speaker != NOBODY:
            return [_where(message, heard)]
        case _:
            return []


def _where(message: Message, heard: EventId) -> Change[SpokenRow]:
    row = SpokenRow(message.session, message.audience, message.guild)
    return message.speaker + message_key(message, heard), row


MESSAGES = Projection("messages", 1, MessageRow, (MessageHeard, MessageEdited, MessageDeleted), _rows, 40)
SPOKEN = Projection("spoken", 1, SpokenRow, (MessageHeard,), _spoken, 56, history=False)
RESPOKEN = Projection("respoken", 1, SpokenRow, (MessageEdited,), _respoken, 56)
"""The same of what was edited: what was said at first is gone then, and its row with it."""


def find_message(rows: Rows, session: str, epoch: int, point: Point) -> Found[MessageRow] | None:
    """The message at a point of a session, if it is there and can be read."""
    return rows.find(MESSAGES, unit(session, epoch) + point_key(point))


def message_called(rows: Rows, session: str, epoch: int, ref: Ref, before: Point) -> Found[MessageRow] | None:
    """The message that its platform calls so, if it was said there before a point: it is looked for where it lies by
    when it was said, which its platform's name for it tells.
    """
    said = moment_of(ref)
    if said is None:
        return None
    where = unit(session, epoch)
    start, stop = (where + point_key(Point(moment, EventId(b""))) for moment in (said, said + 1))
    found = rows.scan(MESSAGES, where, start=start, stop=min(stop, where + point_key(before)))
    return next((each for each in found if each.row.message.ref == ref), None)


def was_said_before(rows: Rows, where: bytes, heard: EventId, point: Point) -> bool:
    """Whether a message lies before a point of its unit, by its id alone: that tells in which minute it was said, and
    the keys of this minute are looked through.
    """
    begins = int.from_bytes(heard[:4], "big") * MINUTE_MS
    start, end = (where + point_key(Point(said, EventId(b""))) for said in (begins, begins + MINUTE_MS))
    stop = min(end, where + point_key(point))
    return start < stop and any(key[-16:] == heard for key in rows.keys(MESSAGES, where, start=start, stop=stop))


def worded(message: Message) -> int:
    """When the words of a message came to be as they are now: when it was said, or last edited."""
    return max(message.said, message.edited or message.said)


def as_heard(record: Record) -> Found[MessageRow]:
    """A message that was heard just now, as it will lie there. ValueError for any other event."""
    if not isinstance(record.event, MessageHeard):
        raise ValueError(f"a {record.event.TAG} is no message that was heard")
    (key, row), *_ = _rows(record)
    assert row is not None
    return Found(key, record.seq, row)


def messages_after(rows: Rows, session: str, epoch: int, after: Point | None) -> Iterator[Found[MessageRow]]:
    """Messages of a session behind a point, oldest first."""
    prefix = unit(session, epoch)
    start = None if after is None else prefix + point_key(after) + b"\x00"
    return rows.scan(MESSAGES, prefix, start=start)


def ids_in(
    rows: Rows, session: str, epochs: int, absent: Mapping[EventId, bytes] = MappingProxyType({})
) -> frozenset[EventId]:
    """The messages of a session in its first epochs; no row is read. `absent` are messages that have no row here, by
    the units in which they were said.
    """
    units = [unit(session, epoch) for epoch in range(epochs)]
    found = frozenset(EventId(key[-16:]) for each in units for key in rows.keys(MESSAGES, each))
    return found.union(message for message, where in absent.items() if where in units)


def units_of(rows: Rows, person: Handle) -> list[SpokenRow]:
    """Every unit in which a person said something; reads one row of each."""
    found = {key: row for table in (SPOKEN, RESPOKEN) for key, row in _units(rows, table, person or bytes(16))}
    return [row for _, row in sorted(found.items())]


def _units(rows: Rows, table: Projection[SpokenRow], prefix: bytes) -> Iterator[tuple[bytes, SpokenRow]]:
    start = prefix
    while (first := next(rows.scan(table, prefix, start=start), None)) is not None:
        yield first.key[:32], first.row
        start = first.key[:32] + b"\xff" * 25


def spoken_in(rows: Rows, person: Handle, where: SpokenRow, after: Point | None = None) -> Iterator[Point]:
    """What a person said in a unit behind a point, oldest first."""
    prefix = person + unit(where.session, where.audience.epoch)
    start = None if after is None else prefix + point_key(after) + b"\x00"
    keys = (rows.keys(table, prefix, start=start) for table in (SPOKEN, RESPOKEN))
    return map(key_point, _once(merge(*keys)))


def spoken_before(rows: Rows, person: Handle, where: SpokenRow, point: Point) -> Iterator[Point]:
    """What a person said in a unit up to a point, newest first."""
    prefix = person + unit(where.session, where.audience.epoch)
    stop = prefix + point_key(point) + b"\x00"
    found = (rows.scan(table, prefix, stop=stop, reverse=True) for table in (SPOKEN, RESPOKEN))
    keys = ((each.key for each in table) for table in found)
    return map(key_point, _once(merge(*keys, reverse=True)))


def _once(keys: Iterable[bytes]) -> Iterator[bytes]:
    """Keys in order, each once: what was edited before its first words could be taken away stands in both tables."""
    return (key for key, _ in groupby(keys))
