"""What a shorter `retention_days` takes away, counted before it is set: it goes by itself, and for good.

The value is tried on rows above those that there are, so that what is narrower or shorter counts as it will.
"""

from typing import NamedTuple

from dnam.access import Access
from dnam.retention import KEY, plans
from projections.config import Scope
from projections.counting import counted, listed
from projections.decisions.retention import RetentionRequest, overdue
from projections.events import ConfigSet
from projections.events.values import OPERATOR
from projections.fold import Record
from projections.ids import FIRST, UNSEALED, Seq
from projections.rows import Rows
from replay.overlay import Layered, Overlay


class Overdue(NamedTuple):
    """How much is not kept any longer."""

    messages: int
    answers: int

    def __str__(self) -> str:
        kinds = ((self.messages, "message"), (self.answers, "answer"))
        return listed([counted(count, word) for count, word in kinds if count]) or "nothing"


async def taken_by(memory: Access, scope: Scope, key: str, value: str | None) -> Overdue:
    """What stands now and goes once a key of this scope has this value; None unsets it."""
    if key != KEY:
        return Overdue(0, 0)
    return await memory.look(lambda rows: _taken_by(memory, rows, scope, value))


def _taken_by(memory: Access, rows: Rows, scope: Scope, value: str | None) -> Overdue:
    now = memory.now()
    event = ConfigSet(said=now, by=OPERATOR, scope=str(scope), key=KEY, value=value, person=scope.person)
    record = Record(Seq(memory.engine.head().size + 1), FIRST, now, event)
    tried = Overlay()
    changes = memory.engine.fold.changes(record)
    tried.write(((table, at, body) for table, at, body, _ in changes), record.seq, UNSEALED)
    after = _overdue(memory, Rows(Layered(tried, rows.raw), rows.ids), now)
    before = _overdue(memory, rows, now)
    return Overdue(max(0, after.messages - before.messages), max(0, after.answers - before.answers))


def _overdue(memory: Access, rows: Rows, now: int) -> Overdue:
    requests = (
        RetentionRequest(plan.session, plan.until, now, memory.origin(), plan.own)
        for plan in plans(rows, memory.settings, now)
    )
    found = [overdue(rows, request) for request in requests]
    return Overdue(sum(messages for messages, _ in found), sum(answers for _, answers in found))
