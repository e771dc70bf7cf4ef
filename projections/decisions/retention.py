"""Retention: what was said longer ago than a place keeps it is redacted, in pieces.

Nobody deleted it on its platform, so no deletion is recorded: its words go, with what a model made of it alone, as if
it had been deleted (`redact`). Answers go like messages, by the person who asked. What a person asked to keep stands.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from projections.decisions.draft import Draft, Minter, Origin, as_many, decided_before
from projections.decisions.redact import Redaction, redacted, redaction_of
from projections.decisions.shelf import policy_by
from projections.decisions.withdraw import turn_withdrawn
from projections.events.values import PLATFORM, By
from projections.ids import FIRST, Handle, Point
from projections.messages import MESSAGES, MessageRow, point_key, unit
from projections.places import epoch_of
from projections.rows import Rows
from projections.times import DAY_MS
from projections.turns import TURNS, TurnRow

VERSION = "retention@1"
MOST_EXPIRED = 400
"""How many messages and how many answers one decision takes at most; it drops a body or more for each."""


class RetentionRequest(NamedTuple):
    """What was said in a session before `until` (ms) is not kept any longer; None keeps everything. `own` is the same
    for those who have set it for themselves; the shorter one holds. `said` is now.
    """

    session: str
    until: int | None
    said: int
    origin: Origin
    own: Mapping[Handle, int | None] = {}


def until(days: int, now: int) -> int | None:
    """Before when what was said has been kept for so many days, in ms; 0 days are for ever."""
    return now - days * DAY_MS if days > 0 else None


def expire(rows: Rows, request: RetentionRequest) -> list[Draft]:
    """The first of what is not kept any longer; nothing when there is nothing of the kind. To be decided again, under
    another origin, until nothing comes of it.
    """
    if decided_before(rows, request.origin):
        return []

    def first(most: int) -> list[Draft]:
        messages = list(islice(_messages(rows, request), most))
        turns = list(islice(_turns(rows, request), most))
        return _redaction(rows, request, messages, turns)

    return as_many(first, MOST_EXPIRED)


def overdue(rows: Rows, request: RetentionRequest) -> tuple[int, int]:
    """How many messages and how many answers are not kept any longer."""
    return sum(1 for _ in _messages(rows, request)), sum(1 for _ in _turns(rows, request))


def _redaction(rows: Rows, request: RetentionRequest, messages: list[MessageRow], turns: list[TurnRow]) -> list[Draft]:
    taken = redaction_of(rows, messages, request.said, answers=turns)
    whole = with_answers(taken, turns, request.said, VERSION)
    return redacted(Minter(rows, request.origin), whole, request.said, policy_by(VERSION))


def with_answers(
    taken: Redaction, turns: Iterable[TurnRow], said: int, policy: str = "", by: By = PLATFORM
) -> Redaction:
    """A redaction, and these answers that go with it, in its last part; `policy` is the rule where nobody (`by`) asked
    for it.
    """
    if taken.first is not None:
        return taken
    others = [turn for turn in turns if turn.event not in taken.bodies]
    return taken._replace(
        events=(*taken.events, *(turn_withdrawn(turn, said, policy, by) for turn in others)),
        bodies=(*taken.bodies, *(turn.event for turn in others)),
    )


def _last(request: RetentionRequest) -> int | None:
    """Before when something may not be kept any longer."""
    return max((each for each in (request.until, *request.own.values()) if each is not None), default=None)


def _messages(rows: Rows, request: RetentionRequest) -> Iterator[MessageRow]:
    for start, stop in _spans(rows, request):
        for found in rows.scan(MESSAGES, start, stop=stop):
            if _is_over(request, found.row.message.speaker, found.row.message.said):
                yield found.row


def _turns(rows: Rows, request: RetentionRequest) -> Iterator[TurnRow]:
    for start, stop in _spans(rows, request):
        for found in rows.scan(TURNS, start, stop=stop):
            if _is_over(request, found.row.asker, found.row.said):
                yield found.row


def _spans(rows: Rows, request: RetentionRequest) -> Iterator[tuple[bytes, bytes]]:
    last = _last(request)
    for epoch in range(epoch_of(rows, request.session) + 1) if last is not None else ():
        where = unit(request.session, epoch)
        yield where, where + point_key(Point(last or 0, FIRST))


def _is_over(request: RetentionRequest, person: Handle, said: int) -> bool:
    limits = (request.until, request.own.get(person))  # the shorter one holds, whoever set it
    return any(limit is not None and said < limit for limit in limits)
