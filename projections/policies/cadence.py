"""When a loop is due: every so many turns, counted in the rows since its last attempt, so that a restart loses nothing.

A turn is a message that the assistant answered. Where it learns from talk that it does not answer (an import), it is
every message of the person (design §10). A failed attempt counts as one: the next cycle tries again.
"""

from collections.abc import Iterator
from itertools import islice

from projections.ids import Handle, Point
from projections.items import owner_key
from projections.messages import spoken_in, unit, units_of
from projections.rows import Rows
from projections.summaries import SUMMARY_ATTEMPTS
from projections.turns import asked_after, turns_after
from projections.work import EXTRACTION_ATTEMPTS

VERSION = "cadence@1"
ON_REQUEST = "on request"
"""What stands in an event in place of the version where somebody asked for it, whatever the cadence."""


def summary_due(rows: Rows, session: str, epoch: int, every: int) -> bool:
    """Whether a session has had as many turns since its summary was last tried."""
    attempt = rows.get(SUMMARY_ATTEMPTS, unit(session, epoch))
    after = None if attempt is None else attempt.upto
    return _reaches(turns_after(rows, session, epoch, after), every)


def extraction_due(rows: Rows, person: Handle, every: int) -> bool:
    """Whether a person has had as many turns since they were last tried to be learned from.

    An answer is always later than what it answers: the one to the last message that was read is no new turn.
    """
    after = last_attempt(rows, person)
    turns = (row for _, row in asked_after(rows, person, after))
    if after is None:
        return _reaches(turns, every)
    said_since = {point.id for where in units_of(rows, person) for point in spoken_in(rows, person, where, after)}
    return _reaches((row for row in turns if row.answers in said_since), every)


def last_attempt(rows: Rows, person: Handle) -> Point | None:
    """How far the last extraction of a person reached, in whichever compartment."""
    attempts = rows.scan(EXTRACTION_ATTEMPTS, owner_key(person))
    return max((found.row.upto for found in attempts), default=None)


def _reaches(turns: Iterator[object], every: int) -> bool:
    return sum(1 for _ in islice(turns, every)) >= every
