"""The names of what an adoption records, so that one which broke off can go on, and be taken back.

Nothing keeps a list of adoptions: their ids follow from the shadow's log id and from how many there were before, and
the ids of what each recorded follow from its own. So whether there is one, and what it did, is asked of the id table.

    adoption n of a shadow           the n-th id, from 0
      of an owner, or a session      decisions 0, 1, …
        in each                      events 0, 1, …
    its undoing                      one id, made of the adoption's; it records as an adoption does. Once it counts, the
                                     next one may take back what it had to leave
"""

from collections.abc import Iterator
from itertools import count, takewhile
from typing import NamedTuple

from projections.decisions.draft import Origin
from projections.ids import EventId, Handle, digest16, seeded_id
from projections.items import ItemRow, owner_key
from projections.rows import Rows

VERSION = "adoption@1"

Whose = bytes
"""For whom a decision of an adoption is made: an owner, or the unit of a session."""


class Adoption(NamedTuple):
    """An adoption, or the undoing of one: the id of the event that makes it count. `made` (ms) is when the shadow was
    begun, which gives all of its ids their minute: they must be the same whenever it goes on.
    """

    id: EventId
    made: int

    def origin(self, whose: Whose, number: int) -> Origin:
        """What the ids of one of its decisions for somebody are made of; they are numbered from 0."""
        return Origin(seed=digest16(self.id, whose, _number(number)), now=self.made)

    def free(self, rows: Rows, whose: Whose) -> Origin:
        """That of the next decision that is not recorded yet."""
        return self.origin(whose, len(self.decisions(rows, whose)))

    def decisions(self, rows: Rows, whose: Whose) -> list[tuple[EventId, ...]]:
        """The events of each decision that it recorded for somebody, in order."""
        return list(takewhile(len, (_recorded(rows, self.origin(whose, number)) for number in count())))

    def undoing(self, number: int = 0) -> "Adoption":
        """What takes this one back; after the first, what takes back some of what that left."""
        names = (self.id, _number(number)) if number else (self.id,)
        return Adoption(seeded_id(digest16("undo", *names), 0, self.made), self.made)

    def undoings(self, rows: Rows) -> "list[Adoption]":
        """Those undoings of it that count, in order."""
        return list(takewhile(lambda each: each.counts(rows), map(self.undoing, count())))

    def counts(self, rows: Rows) -> bool:
        """Whether the event that makes it count is recorded."""
        return rows.ids.status(self.id) != "unknown"


def next_adoption(rows: Rows, shadow: bytes, made: int) -> Adoption:
    """The adoption of a shadow that is under way, or else the next one; `shadow` is the id of its log."""
    return next(each for each in _adoptions(shadow, made) if not each.counts(rows))


def that_count(rows: Rows, shadow: bytes, made: int) -> list[Adoption]:
    """The adoptions of a shadow that count, taken back or not, the last one first."""
    return list(takewhile(lambda each: each.counts(rows), _adoptions(shadow, made)))[::-1]


def is_adopted(row: ItemRow) -> bool:
    """Whether an item is what an adoption made of it."""
    return row.policy.startswith(VERSION)


def of_owner(owner: Handle) -> Whose:
    """For whose items."""
    return b"items" + owner_key(owner)


def of_session(unit: bytes) -> Whose:
    """For the summary of which session, in which epoch."""
    return b"summary" + unit


def _adoptions(shadow: bytes, made: int) -> Iterator[Adoption]:
    names = (digest16("adoption", shadow, _number(number)) for number in count())
    return (Adoption(seeded_id(name, 0, made), made) for name in names)


def _recorded(rows: Rows, origin: Origin) -> tuple[EventId, ...]:
    """The events of one decision, as far as they are in the log."""
    events = (seeded_id(origin.seed, ordinal, origin.now) for ordinal in count())
    return tuple(takewhile(lambda event: rows.ids.status(event) != "unknown", events))


def _number(number: int) -> bytes:
    return number.to_bytes(4, "big")
