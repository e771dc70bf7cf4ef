"""Turns: what was answered, whether it arrived, and to whom.

Counters are range queries over these rows ("turns of this session since the last refresh"), so they survive a restart.
"""

from collections.abc import Iterator
from typing import Protocol

import msgspec

from projections.events import TurnAnswered, TurnDelivered, TurnFailed, TurnWithdrawn
from projections.events.values import Audience, ItemUse, Limits, ModelUse, PassageUse, Span
from projections.fold import Change, Projection, Record
from projections.ids import EventId, Handle, Identity, Point, Ref, digest16
from projections.messages import MESSAGES, key_point, point_key, unit
from projections.rows import Found, Rows

NONCE_CHARS = 25
"""How many characters Discord takes as a message's nonce."""


class TurnRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An answer. `event` is the turn's id, `answers` the message it answers. What its prompt left out stands in its
    event alone: no row is read as often as those of a window.
    """

    event: EventId
    said: int
    session: str
    audience: Audience
    era: int
    asker: Handle
    answers: EventId
    text: str
    assistant: str
    call: ModelUse
    limits: Limits
    spans: tuple[Span, ...]
    items: tuple[ItemUse, ...]
    guild: Ref | None = None
    passages: tuple[PassageUse, ...] = ()


class TurnPlaceRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where an answer was given, and when (ms)."""

    session: str
    epoch: int
    said: int


class AskedRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where a person was answered, and which message of theirs."""

    answers: EventId
    session: str
    audience: Audience


class FailedTurnRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A question that got no answer: `error` says why, `told` what the asker was told instead."""

    event: EventId
    said: int
    error: str
    told: str


class DeliveryRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The messages as which an answer arrived."""

    event: EventId
    messages: tuple[Ref, ...]


class SentRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A message as which an answer arrived, so that it is not heard again as somebody's words."""

    turn: EventId


def sent_key(message: Ref) -> bytes:
    """16 bytes for a message."""
    return digest16(message.platform, message.key)


def _turns(record: Record) -> list[Change[TurnRow]]:
    match record.event:
        case TurnAnswered() as turn:
            key = unit(turn.session, turn.audience.epoch) + point_key(Point(turn.said, record.id))
            return [
                (
                    key,
                    TurnRow(
                        record.id,
                        turn.said,
                        turn.session,
                        turn.audience,
                        turn.era,
                        turn.asker,
                        turn.answers,
                        turn.text,
                        turn.assistant,
                        turn.call,
                        turn.limits,
                        turn.spans,
                        turn.items,
                        turn.guild,
                        turn.passages,
                    ),
                )
            ]
        case TurnWithdrawn(turn=event, session=session, audience=audience, turn_said=said):
            return [(unit(session, audience.epoch) + point_key(Point(said, event)), None)]
        case _:
            return []


def _asked(record: Record) -> list[Change[AskedRow]]:
    match record.event:
        case TurnAnswered() as turn if turn.asker:
            key = turn.asker + point_key(Point(turn.said, record.id))
            return [(key, AskedRow(turn.answers, turn.session, turn.audience))]
        case _:
            return []


def _turn_places(record: Record) -> list[Change[TurnPlaceRow]]:
    match record.event:
        case TurnAnswered() as turn:
            return [(record.id, TurnPlaceRow(turn.session, turn.audience.epoch, turn.said))]
        case _:
            return []


def _deliveries(record: Record) -> list[Change[DeliveryRow]]:
    match record.event:
        case TurnDelivered(turn=turn, messages=messages):
            return [(turn, DeliveryRow(record.id, messages))]
        case _:
            return []


TURNS = Projection("turns", 4, TurnRow, (TurnAnswered, TurnWithdrawn), _turns, 40)
TURN_PLACES = Projection("turn_places", 1, TurnPlaceRow, (TurnAnswered,), _turn_places, 16, history=False)
ASKED = Projection("asked", 1, AskedRow, (TurnAnswered,), _asked, 40, history=False)


def _sent(record: Record) -> list[Change[SentRow]]:
    match record.event:
        case TurnDelivered(turn=turn, messages=messages):
            return [(sent_key(message), SentRow(turn)) for message in messages]
        case _:
            return []


def _failed(record: Record) -> list[Change[FailedTurnRow]]:
    match record.event:
        case TurnFailed(answers=question, said=said, error=error, told=told):
            return [(question, FailedTurnRow(record.id, said, error, told))]
        case _:
            return []


FAILED = Projection("failed_turns", 1, FailedTurnRow, (TurnFailed,), _failed, 16)
DELIVERIES = Projection("deliveries", 1, DeliveryRow, (TurnDelivered,), _deliveries, 16)
SENT = Projection("sent", 1, SentRow, (TurnDelivered,), _sent, 16)


def turns_after(rows: Rows, session: str, epoch: int, after: Point | None) -> Iterator[Found[TurnRow]]:
    """Answers in a session behind a point, oldest first."""
    prefix = unit(session, epoch)
    start = None if after is None else prefix + point_key(after) + b"\x00"
    return rows.scan(TURNS, prefix, start=start)


def was_answered(rows: Rows, session: str, epoch: int) -> bool:
    """Whether anything was answered in a session; no row is read."""
    return next(rows.keys(TURNS, unit(session, epoch)), None) is not None


def last_said(rows: Rows, session: str, epoch: int, before: int) -> int | None:
    """When the last thing was said in a session before a time (both ms)."""
    where = unit(session, epoch)
    stop = where + point_key(Point(before, EventId(b"")))
    messages = rows.keys(MESSAGES, where, stop=stop, reverse=True)
    answers = rows.keys(TURNS, where, stop=stop, reverse=True)
    last = (next(each, None) for each in (messages, answers))
    return max((key_point(key).said for key in last if key is not None), default=None)


def find_turn(rows: Rows, turn: EventId) -> TurnRow | None:
    """An answer, if it is there and can be read."""
    where = rows.get(TURN_PLACES, turn)
    if where is None:
        return None
    return rows.get(TURNS, unit(where.session, where.epoch) + point_key(Point(where.said, turn)))


def answer_called(rows: Rows, session: str, epoch: int, ref: Ref, before: Point | None = None) -> Found[TurnRow] | None:
    """The answer that arrived as what its platform calls so, if it was given there, and before a point."""
    sent = rows.get(SENT, sent_key(ref))
    place = None if sent is None else rows.get(TURN_PLACES, sent.turn)
    if sent is None or place is None:
        return None
    point = Point(place.said, sent.turn)
    is_before = before is None or point < before
    return rows.find(TURNS, unit(session, epoch) + point_key(point)) if is_before else None


def failure_of(rows: Rows, question: EventId) -> FailedTurnRow | None:
    """Why a question got no answer; None when it was answered, or nobody has tried yet."""
    return rows.get(FAILED, question)


def asked_after(rows: Rows, person: Handle, after: Point | None) -> Iterator[tuple[Point, AskedRow]]:
    """Answers that a person was given behind a point, oldest first."""
    prefix = person or bytes(16)
    start = None if after is None else prefix + point_key(after) + b"\x00"
    for found in rows.scan(ASKED, prefix, start=start):
        yield key_point(found.key), found.row


class EventIds(Protocol):
    """Makes ids of events: whatever has the id key."""

    def event_id(self, identity: Identity) -> EventId: ...


def answer_identity(question: Point) -> Identity:
    """What the id of an answer is made from: the question, so that there is one answer to it."""
    return Identity("dnam", "turn", question.id.hex(), "answered", question.said)


def answer_id(ids: EventIds, question: Point) -> EventId:
    """The id that the answer to this message has, or will have."""
    return ids.event_id(answer_identity(question))


def nonce_of(turn: EventId) -> str:
    """What goes with the message as which an answer is sent, so that it is known again."""
    return turn.hex()[-NONCE_CHARS:]
