"""What a decision returns: events with their ids, not yet recorded."""

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from projections.decisions.given import Given
from projections.events.event import Event
from projections.ids import EventId, Identity, seeded_id
from projections.rows import Rows

MOST_EVENTS = 1000
"""The most events one decision may yield."""


class Draft(NamedTuple):
    """An event that a decision wants recorded. `natural` ids come from a platform: the first one recorded wins.

    `given` is set where the event was recorded before, in another log, and comes back as it was.
    """

    id: EventId
    event: Event
    natural: bool = False
    given: Given | None = None


class Origin(NamedTuple):
    """What a request's event ids are made from: the platform's name of what was asked, or 32 random bytes.

    `now` is the shell's clock in ms; it gives random ids their minute.
    """

    identity: Identity | None = None
    seed: bytes = b""
    now: int = 0


Decision = Callable[[Rows], Sequence[Draft]]
"""A decision with its request already bound."""


class Minter:
    """Gives the events of one decision their ids, in order. The same request mints the same ids."""

    def __init__(self, rows: Rows, origin: Origin) -> None:
        self.rows = rows
        self._origin = origin
        self._count = 0

    def next(self) -> EventId:
        """The id of the next event."""
        ordinal = self._count
        self._count += 1
        identity = self._origin.identity
        if identity is None:
            return seeded_id(self._origin.seed, ordinal, self._origin.now)
        if ordinal:
            identity = identity._replace(action=f"{identity.action} {ordinal}")
        return self.rows.ids.event_id(identity)

    def draft(self, event: Event) -> Draft:
        """The event with the next id."""
        return Draft(self.next(), event, natural=self._origin.identity is not None)


def part(origin: Origin, number: int) -> Origin:
    """The origin of one of several decisions that a request comes to: the first one, 0, goes by the request's own."""
    if not number:
        return origin
    if origin.identity is None:
        return origin._replace(seed=hashlib.sha256(origin.seed + f"part {number}".encode()).digest())
    return origin._replace(identity=origin.identity._replace(action=f"{origin.identity.action}, part {number}"))


def first_id(origin: Origin) -> EventId:
    """The id of the first event of an origin that no platform names."""
    return seeded_id(origin.seed, 0, origin.now)


def decided_before(rows: Rows, origin: Origin) -> bool:
    """Whether this very request was decided already: its first id is in the log."""
    return rows.ids.status(Minter(rows, origin).next()) != "unknown"


def as_many(first: Callable[[int], list[Draft]], most: int) -> list[Draft]:
    """What comes of the first so many things, of fewer where a decision has no room for all that comes of them."""
    drafts = first(most)
    while len(drafts) > MOST_EVENTS and most > 1:
        most //= 2
        drafts = first(most)
    return drafts
