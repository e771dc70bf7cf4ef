"""What was heard, and where: messages and places."""

from typing import ClassVar, Literal

from projections.events.event import Event
from projections.events.values import Audience, Message
from projections.ids import NOBODY, EventId, Handle, Ref

PlaceKind = Literal["guild", "channel", "thread", "forum", "voice", "stage", "group", "direct", "unknown"]


class MessageHeard(Event, frozen=True, kw_only=True):
    """A message that the assistant could see, addressed to it or not.

    `era` is of a message of the assistant's own: it lies with the session's answers, and its causes are what stood
    before it. A forward's cause is what it forwards, where that was heard.
    """

    TAG: ClassVar[str] = "message.heard"
    message: Message
    era: int = 0


class MessageEdited(Event, frozen=True, kw_only=True):
    """A message as it now is, whole. `heard` is the event that first recorded it; `era` as in `message.heard`."""

    TAG: ClassVar[str] = "message.edited"
    heard: EventId
    message: Message
    era: int = 0


class MessageDeleted(Event, frozen=True, kw_only=True):
    """A message was deleted on its platform, or rewritten there by somebody who had opted out: what it says now is not
    recorded. The row's key: session, audience, the message's own `said` and id.
    """

    TAG: ClassVar[str] = "message.deleted"
    heard: EventId
    session: str
    audience: Audience
    heard_said: int


class PlaceDescribed(Event, frozen=True, kw_only=True):
    """A guild, channel, thread or DM as it was first seen or renamed. `session` is empty for a guild, and for a channel
    that was only seen above a thread; `name` for a group or a DM, which platforms name after the people in them, and
    for a thread or forum post, whose author named it.
    """

    TAG: ClassVar[str] = "place.described"
    place: Ref
    kind: PlaceKind
    name: str
    audience: Audience
    session: str = ""
    guild: Ref | None = None
    parent: Ref | None = None
    person: Handle = NOBODY


class PlaceAudienceChanged(Event, frozen=True, kw_only=True):
    """Who can read a place changed: `audience` has a new epoch, and a fresh window and summary begin."""

    TAG: ClassVar[str] = "place.audience_changed"
    place: Ref
    audience: Audience
    previous: Audience
    session: str = ""
    guild: Ref | None = None
