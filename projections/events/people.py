"""People. Only these events hold a platform's id or a name, and they lie in that person's own vault."""

from typing import ClassVar

from projections.events.event import Event
from projections.ids import Handle


class PersonEvent(Event, frozen=True, kw_only=True):
    """Something about one person."""

    person: Handle


class PersonSeen(PersonEvent, frozen=True, kw_only=True):
    """A platform's account belongs to this person, under this name."""

    TAG: ClassVar[str] = "person.seen"
    platform: str
    platform_id: str
    name: str


class PersonRenamed(PersonEvent, frozen=True, kw_only=True):
    """The account goes by another name now."""

    TAG: ClassVar[str] = "person.renamed"
    platform: str
    platform_id: str
    name: str
    previous: str


class PersonNoted(PersonEvent, frozen=True, kw_only=True):
    """The operator wrote a note on this person."""

    TAG: ClassVar[str] = "person.noted"
    note: str
