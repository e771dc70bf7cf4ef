"""People. Only these events hold a platform's id or a name, and they lie in that person's own vault."""

from typing import ClassVar

from projections.events.event import Event
from projections.ids import EventId, Handle, Ref


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
    """The account goes by another name now, or by another than its own, under which it was seen first."""

    TAG: ClassVar[str] = "person.renamed"
    platform: str
    platform_id: str
    name: str
    previous: str


class PersonNoted(PersonEvent, frozen=True, kw_only=True):
    """The operator wrote a note on this person."""

    TAG: ClassVar[str] = "person.noted"
    note: str


class NoticeGiven(PersonEvent, frozen=True, kw_only=True):
    """They were told, once, that the assistant learns from what they say to others: where, and as which message.

    `learned` is the extraction that set it off. It is no cause: its other people have no part in this.
    """

    TAG: ClassVar[str] = "notice.given"
    place: Ref
    message: Ref | None = None
    learned: EventId = EventId(b"")


class SnapshotPosted(PersonEvent, frozen=True, kw_only=True):
    """What is known of this person stands in the transparency channel `place`, as this message.

    `digest` is SHA-256 of its text; `pinned` is False where the platform has no room for another pin.
    """

    TAG: ClassVar[str] = "snapshot.posted"
    place: Ref
    message: Ref
    digest: bytes
    pinned: bool = True
