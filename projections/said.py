"""What was said in a session, in order: people's messages, and the assistant's answers.

Messages and answers lie in two tables under the same unit, both in the order in which things were said. They are read
side by side, and never further than somebody asks for.

What was said before a message is what lies before its point, and what was answered to that::

    Ada asks ── Kim asks ── Ada is answered      in Kim's prompt: Ada's question, and the answer to her
                   ▲ the point

An answer was said when it was finished, so it may lie behind a message that waited for its turn meanwhile; or it seems
to, where this clock is ahead of the platform's. It stands above the answer to come, and so in its prompt, by when it
was said, as everything does. An answer to the message itself, or to one behind it, does not.
"""

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from projections.events.values import Message
from projections.fold import AnyProjection
from projections.ids import FIRST, LAST, MINUTE_MS, Point, Ref, Seq
from projections.messages import MESSAGES, MessageRow, key_point, messages_after, point_key, unit, was_said_before
from projections.order import Order, RowAt
from projections.rows import Found, Rows
from projections.turns import DELIVERIES, TURNS, TurnRow, turns_after

SAID: Mapping[str, AnyProjection] = {MESSAGES.table: MESSAGES, TURNS.table: TURNS}
"""What was said, by table."""
SAID_TABLES = tuple(SAID)
END = Point(2**62, LAST)
"""Behind everything that was ever said."""
LATE_MS = 24 * 60 * MINUTE_MS
"""How far behind a message lies what may be an answer to something before it: nobody is answered later than that."""


class Entry(NamedTuple):
    """A message or an answer with its key and the event that made it."""

    key: bytes
    seq: Seq
    row: MessageRow | TurnRow


def leading_to(rows: Rows, session: str, epoch: int, point: Point) -> Iterator[Entry]:
    """What was said in a session before a point and what was answered to that, newest first."""
    behind = (Entry(*found) for found in answers_behind(rows, session, epoch, point))
    return chain(behind, backwards(rows, session, epoch, point))


def answers_behind(rows: Rows, session: str, epoch: int, point: Point) -> Iterator[Found[TurnRow]]:
    """Answers that lie behind a point and answer what lies before it, newest first. Live there is hardly ever one: who
    is answered now said the last thing, or something shortly before it.
    """
    where = unit(session, epoch)
    start, stop = where + point_key(point), where + point_key(Point(point.said + LATE_MS, END.id))
    order = rows.order(SAID_TABLES, where)
    if order is None:
        turns = rows.scan(TURNS, where, start=start, stop=stop, reverse=True)
    else:
        turns = _kept_turns(rows, order.between(order.find(start), order.find(stop)))
    return (
        each for each in turns if says_something(each.row) and was_said_before(rows, where, each.row.answers, point)
    )


def _kept_turns(rows: Rows, places: Sequence[RowAt]) -> Iterator[Found[TurnRow]]:
    """The answers among what lies there, newest first."""
    found = (rows.kept(TURNS, key) for key, table in reversed(places) if table == TURNS.table)
    return (each for each in found if each is not None)


def backwards(rows: Rows, session: str, epoch: int, before: Point) -> Iterator[Entry]:
    """What was said in a session strictly before a point, newest first; what has nothing to show is passed over."""
    prefix = unit(session, epoch)
    stop = prefix + point_key(before)
    order = rows.order(SAID_TABLES, prefix)
    if order is not None:
        return _kept_backwards(rows, order, stop)
    messages = (Entry(*found) for found in rows.scan(MESSAGES, prefix, stop=stop, reverse=True))
    turns = (Entry(*found) for found in rows.scan(TURNS, prefix, stop=stop, reverse=True))
    merged = heapq.merge(messages, turns, key=lambda entry: entry.key, reverse=True)
    return (entry for entry in merged if says_something(entry.row))


def _kept_backwards(rows: Rows, order: Order, stop: bytes) -> Iterator[Entry]:
    for at in range(order.find(stop) - 1, -1, -1):
        key, table = order.at(at)
        found: Found[Any] | None = rows.kept(SAID[table], key)
        if found is not None and says_something(found.row):
            yield Entry(*found)


def forwards(rows: Rows, session: str, epoch: int, after: Point | None) -> Iterator[Entry]:
    """What was said in a session behind a point, oldest first; what has nothing to show is passed over."""
    messages = (Entry(*found) for found in messages_after(rows, session, epoch, after))
    turns = (Entry(*found) for found in turns_after(rows, session, epoch, after))
    first = next(turns, None)  # where nothing is answered, there is nothing to put in order
    said = messages if first is None else heapq.merge(messages, chain((first,), turns), key=lambda entry: entry.key)
    return (entry for entry in said if says_something(entry.row))


def said_between(rows: Rows, session: str, epoch: int, first: int, last: int) -> list[Message]:
    """The messages of a session that were said in a span of time (ms, both ends included)."""
    prefix = unit(session, epoch)
    start = prefix + point_key(Point(first, FIRST))
    found: list[Message] = []
    for each in rows.scan(MESSAGES, prefix, start=start):
        if key_point(each.key).said > last:
            break
        found.append(each.row.message)
    return found


def latest_said(rows: Rows, session: str, epoch: int, most: int) -> list[Message]:
    """The last messages of a session, so many at most, the latest first."""
    return [each.row.message for each in islice(rows.scan(MESSAGES, unit(session, epoch), reverse=True), most)]


def sent_between(rows: Rows, session: str, epoch: int, first: int, last: int) -> list[Ref]:
    """The messages as which answers of a session arrived that were given in a span of time (ms, both ends included)."""
    prefix = unit(session, epoch)
    start, stop = (prefix + point_key(Point(said, FIRST)) for said in (first, last + 1))
    given = (rows.get(DELIVERIES, each.row.event) for each in rows.scan(TURNS, prefix, start=start, stop=stop))
    return [message for delivery in given if delivery is not None for message in delivery.messages]


def of_era(entries: Iterable[Entry], era: int) -> Iterator[Entry]:
    """What was said, without the assistant's answers of eras before this one."""
    return (entry for entry in entries if is_of_era(entry.row, era))


def is_of_era(row: MessageRow | TurnRow, era: int) -> bool:
    """Whether something is no answer of an era before this one."""
    return isinstance(row, MessageRow) or row.era >= era


def says_something(row: MessageRow | TurnRow) -> bool:
    """Whether there is anything in it to show."""
    if isinstance(row, TurnRow):
        return bool(row.text.strip() or row.spans)
    return bool(row.message.text.strip() or row.message.spans or row.message.attachments)
