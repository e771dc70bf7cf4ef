"""When a loop is due: every so many turns, counted in the rows since its last attempt, so that a restart loses nothing.

A turn is a message that the assistant answered. Where it learns from talk that it does not answer (`learn` is `heard`,
or an import), it is every message of the person (design §10). A failed attempt counts as one: the next cycle tries
again.

    summary       every N turns of a session; at once where it is withheld, and was not tried since
    extraction    every M turns of a person; when the person has been quiet for a while; and, by `overflow`, before
                  words that were not read yet fall out of the window
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from projections.ids import Handle, Point
from projections.items import owner_key
from projections.messages import spoken_in, unit, units_of
from projections.policies.learned_from import Learn, Learns, addressed
from projections.rows import Rows
from projections.summaries import SUMMARY_ATTEMPTS, find_summary, is_withheld
from projections.turns import AskedRow, asked_after, turns_after
from projections.work import EXTRACTION_ATTEMPTS, was_tried

VERSION = "cadence@1"
QUIET = f"{VERSION} after a while of quiet"
"""What stands there where it was because the person had been quiet."""
ON_REQUEST = "on request"
"""What stands in an event in place of the version where somebody asked for it, whatever the cadence."""


def summary_due(rows: Rows, session: str, epoch: int, every: int) -> bool:
    """Whether a session has had as many turns since its summary was last tried, or is without the one it had."""
    attempt = rows.get(SUMMARY_ATTEMPTS, unit(session, epoch))
    found = find_summary(rows, session, epoch)
    if attempt is not None and found is not None and is_withheld(found.row) and attempt.event == found.row.event:
        return True
    after = None if attempt is None else attempt.upto
    return _reaches(turns_after(rows, session, epoch, after), every)


def extraction_due(rows: Rows, person: Handle, every: int, learns: Learns = addressed) -> bool:
    """Whether a person has had as many turns since they were last tried to be learned from."""
    return _reaches(turns_since(rows, person, learns), every)


def turns_since(rows: Rows, person: Handle, learns: Learns) -> Iterator[object]:
    """The turns of a person since they were last tried to be learned from, as they count in each place."""
    after = last_attempt(rows, person)
    units = {unit(where.session, where.audience.epoch): learns(person, where) for where in units_of(rows, person)}
    for where in units_of(rows, person):
        if units[unit(where.session, where.audience.epoch)] == "heard":
            yield from spoken_in(rows, person, where, after)
    answered = (row for _, row in asked_after(rows, person, after))
    yield from _since(rows, person, after, (row for row in answered if _how(units, row) == "addressed"))


def _how(units: dict[bytes, Learn], row: AskedRow) -> Learn:
    return units.get(unit(row.session, row.audience.epoch), "addressed")


def _since(rows: Rows, person: Handle, after: Point | None, turns: Iterator[AskedRow]) -> Iterator[AskedRow]:
    """An answer is always later than what it answers: the one to the last message that was read is no new turn. The
    one to a message that came in late is.
    """
    if after is None:
        return turns
    said_since = {point.id for where in units_of(rows, person) for point in spoken_in(rows, person, where, after)}
    return (row for row in turns if row.answers in said_since or not was_tried(rows, row.answers))


def last_attempt(rows: Rows, person: Handle) -> Point | None:
    """How far the last extraction of a person reached, in whichever compartment."""
    attempts = rows.scan(EXTRACTION_ATTEMPTS, owner_key(person))
    return max((found.row.upto for found in attempts), default=None)


def _reaches(turns: Iterable[object], every: int) -> bool:
    return sum(1 for _ in islice(turns, every)) >= every


def quiet_since(rows: Rows, person: Handle, learns: Learns = addressed) -> int | None:
    """When a person last said something that is to be learned from and was not read yet, in ms; None where there is
    nothing of the kind.
    """
    if next(turns_since(rows, person, learns), None) is None:
        return None
    after = last_attempt(rows, person)
    said = [
        point.said
        for where in units_of(rows, person)
        if learns(person, where) != "none"
        for point in spoken_in(rows, person, where, after)
    ]
    return max(said, default=None if after is None else after.said)
