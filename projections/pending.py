"""What is still to be done of a conversation: answers that did not arrive, and messages without an answer.

All of it is read from rows, so it is the same after a crash.
"""

from collections.abc import Iterator
from typing import NamedTuple

from projections.caller import with_names
from projections.consent import is_out
from projections.events.values import Message
from projections.ids import FIRST, LAST, EventId, Handle, Point, Ref
from projections.messages import MESSAGES, key_point, point_key, unit
from projections.people import name_of
from projections.places import PLACES, epoch_of
from projections.rows import Rows
from projections.turns import DELIVERIES, TURNS, TurnRow, answer_id, failure_of


class Undelivered(NamedTuple):
    """An answer that is not known to have arrived, its words as they were to be sent, and the message it answers."""

    turn: TurnRow
    text: str
    question: Message


def is_settled(rows: Rows, question: Point) -> bool:
    """Whether a message was answered, or got no answer and was told so."""
    return rows.ids.status(answer_id(rows.ids, question)) != "unknown" or failure_of(rows, question.id) is not None


def undelivered(rows: Rows, session: str, since: int) -> list[Undelivered]:
    """Answers given since a time (ms) that are not known to have arrived, oldest first, whoever could read the session
    then: whether those who can now may read one shows by the audience of its turn.

    Whose question is gone took it back. Who opted out, before or since, is not sent anything a second time.
    """
    epochs = range(epoch_of(rows, session) + 1)
    unknown = (row for each in epochs for row in _given(rows, session, each, since) if not _arrived(rows, row))
    waiting = sorted((row for row in unknown if not is_out(rows, row.asker)), key=lambda row: row.said)
    questions: dict[EventId, Message] = {}
    for each in epochs if waiting else ():
        questions |= _messages(rows, session, each, waiting[0].said)
    return [
        Undelivered(row, with_names(row.text, row.spans, lambda person: _name(rows, person)), questions[row.answers])
        for row in waiting
        if row.answers in questions
    ]


def open_threads(rows: Rows, guild: Ref, since: int) -> list[Ref]:
    """Threads of a guild in which a message said to the assistant since a time (ms) has no answer, or an answer given
    since then is not known to have arrived.
    """
    threads = (found.row for found in rows.scan(PLACES) if found.row.kind == "thread" and found.row.guild == guild)
    return [each.place for each in threads if each.session and _is_open(rows, each.session, since)]


def _is_open(rows: Rows, session: str, since: int) -> bool:
    units = (unit(session, epoch) for epoch in range(epoch_of(rows, session) + 1))
    start = point_key(Point(since, FIRST))
    said = (found for each in units for found in rows.scan(MESSAGES, each, start=each + start))
    asked = (key_point(each.key) for each in said if each.row.message.addressed)
    return any(not is_settled(rows, each) for each in asked) or bool(undelivered(rows, session, since))


def _given(rows: Rows, session: str, epoch: int, since: int) -> Iterator[TurnRow]:
    prefix = unit(session, epoch)
    start = prefix + point_key(Point(since, FIRST))
    return (each.row for each in rows.scan(TURNS, prefix, start=start))


def _arrived(rows: Rows, turn: TurnRow) -> bool:
    """Whether an answer arrived, or is nobody's."""
    return not turn.asker or rows.get(DELIVERIES, turn.event) is not None


REACH = 200
"""How many messages before an answer its question is looked for."""


def _messages(rows: Rows, session: str, epoch: int, said: int) -> dict[EventId, Message]:
    """The messages of a session by the event that first recorded each, from a little before a time on."""
    prefix = unit(session, epoch)
    stop = prefix + point_key(Point(said, LAST))
    found: dict[EventId, Message] = {}
    for each in rows.scan(MESSAGES, prefix, stop=stop, reverse=True):
        found[each.row.heard] = each.row.message
        if len(found) == REACH:
            break
    for each in rows.scan(MESSAGES, prefix, start=stop):
        found[each.row.heard] = each.row.message
    return found


def _name(rows: Rows, person: Handle) -> str:
    return name_of(rows, person)
