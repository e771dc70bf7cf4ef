"""Hearing: what arrives from a platform becomes a message, once."""

from typing import NamedTuple

import msgspec

from projections.decisions.draft import Draft, Minter, Origin
from projections.decisions.meet import Account, Meeting, is_erased, is_opted_out
from projections.events import MessageDeleted, MessageEdited, MessageHeard, PlaceDescribed
from projections.events.heard import PlaceKind
from projections.events.values import (
    PLATFORM,
    Attachment,
    Audience,
    AudienceKind,
    AuthorKind,
    By,
    Medium,
    Message,
    Span,
    SpanKind,
)
from projections.ids import NOBODY, EventId, Handle, Identity, Point, Ref
from projections.messages import find_message
from projections.places import audience_of, find_place
from projections.rows import Rows
from projections.turns import SENT, sent_key


class Mention(NamedTuple):
    """Somebody named in a text, at code point `at` of the text without the mention itself."""

    at: int
    account: Account
    kind: SpanKind = "mention"


class PlaceSeen(NamedTuple):
    """A place as the platform describes it. For a DM, `partner` is set and `key` is not used."""

    platform: str
    key: str
    kind: PlaceKind
    name: str
    audience: AudienceKind
    guild: Ref | None = None
    guild_name: str = ""
    parent: Ref | None = None
    partner: Account | None = None


class HeardRequest(NamedTuple):
    """A message that arrived. `said` and `edited` are the platform's times in ms; `fresh` are unused random handles,
    at least one for each account that is named in it.
    """

    key: str
    place: PlaceSeen
    author: AuthorKind
    speaker: Account
    text: str
    said: int
    fresh: tuple[Handle, ...]
    mentions: tuple[Mention, ...] = ()
    edited: int | None = None
    reply_to: Ref | None = None
    attachments: tuple[Attachment, ...] = ()
    addressed: bool = False
    medium: Medium = "text"


class DeletedRequest(NamedTuple):
    """A message was deleted on its platform."""

    platform: str
    key: str
    session: str
    epoch: int
    heard_said: int
    said: int


def message_identity(platform: str, key: str, action: str, said: int) -> Identity:
    """What was done with a message, as the platform names it."""
    return Identity(platform, "message", key, action, said)


def accounts(request: HeardRequest) -> list[Account]:
    """Everybody a request names, once each; the shell hands in as many fresh handles."""
    partner = [request.place.partner] if request.place.partner else []
    return list(dict.fromkeys([request.speaker, *partner, *(mention.account for mention in request.mentions)]))


def session_of(place: PlaceSeen, person: Handle = NOBODY) -> str:
    """The session key of a place: `discord:channel:<id>`, `discord:thread:<id>`, `discord:dm:<handle>`."""
    if place.audience == "direct":
        return f"{place.platform}:dm:{person.hex()}"
    kind = "thread" if place.kind == "thread" else "channel"
    return f"{place.platform}:{kind}:{place.key}"


def place_ref(place: PlaceSeen, person: Handle = NOBODY) -> Ref:
    """The reference of a place; a DM is named after its person's handle, never after a platform's id."""
    return Ref(place.platform, f"dm:{person.hex()}" if place.audience == "direct" else place.key)


def hear(rows: Rows, request: HeardRequest) -> list[Draft]:
    """A message, with whom and what it brings to light for the first time; nothing when it is known as it is."""
    platform = request.place.platform
    identity = message_identity(platform, request.key, "heard", request.said)
    heard = rows.ids.event_id(identity)
    if request.author == "person" and (
        is_opted_out(rows, request.speaker) or is_erased(rows, request.speaker, request.said)
    ):
        return []
    if request.author == "self" and rows.get(SENT, sent_key(Ref(platform, request.key))) is not None:
        return []
    match rows.ids.status(heard):
        case "unknown":
            return _first(rows, request, identity)
        case "known" if request.edited is not None:
            return _again(rows, request, heard)
        case _:
            return []


def _first(rows: Rows, request: HeardRequest, identity: Identity) -> list[Draft]:
    minter = Minter(rows, Origin(identity))
    heard = minter.next()
    meeting = Meeting(rows, minter, request.fresh, request.said)
    places, message = _translate(rows, request, meeting, minter)
    event = MessageHeard(said=request.said, by=_by(message), message=message)
    return [*meeting.drafts, *places, Draft(heard, event, natural=True)]


def _again(rows: Rows, request: HeardRequest, heard: EventId) -> list[Draft]:
    assert request.edited is not None
    action = f"edited {request.edited}"
    identity = message_identity(request.place.platform, request.key, action, request.said)
    minter = Minter(rows, Origin(identity))
    edited = minter.next()
    meeting = Meeting(rows, minter, request.fresh, request.edited)
    places, message = _translate(rows, request, meeting, minter)
    old = find_message(rows, message.session, message.audience.epoch, Point(request.said, heard))
    if old is None or request.edited <= (old.row.message.edited or 0):
        return []
    event = MessageEdited(
        said=request.edited,
        by=_by(message),
        causes=(heard,),
        heard=heard,
        message=_addressed_as(message, old.row.message),
    )
    return [*meeting.drafts, *places, Draft(edited, event, natural=True)]


def _addressed_as(message: Message, old: Message) -> Message:
    """An edit changes the words, not to whom they were said."""
    return msgspec.structs.replace(message, addressed=old.addressed, audience=old.audience)


def _by(message: Message) -> By:
    return By("person", message.speaker) if message.author == "person" else PLATFORM


def _translate(rows: Rows, request: HeardRequest, meeting: Meeting, minter: Minter) -> tuple[list[Draft], Message]:
    """The message with handles for accounts, and the places it brings to light."""
    partner = meeting.handle(request.place.partner) if request.place.partner else NOBODY
    speaker = meeting.handle(request.speaker) if request.author == "person" else NOBODY
    place = place_ref(request.place, partner)
    session = session_of(request.place, partner)
    audience = audience_of(rows, place) or Audience(request.place.audience, place)
    message = Message(
        ref=Ref(request.place.platform, request.key),
        place=place,
        session=session,
        audience=audience,
        author=request.author,
        said=request.said,
        text=request.text,
        speaker=speaker,
        author_name="" if request.author == "person" else request.speaker.name,
        guild=request.place.guild,
        spans=tuple(Span(each.at, meeting.handle(each.account), each.kind) for each in request.mentions),
        reply_to=request.reply_to,
        attachments=request.attachments,
        addressed=request.addressed,
        medium=request.medium,
        edited=request.edited,
    )
    return [minter.draft(each) for each in _places(rows, request, message, partner)], message


def _places(rows: Rows, request: HeardRequest, message: Message, partner: Handle) -> list[PlaceDescribed]:
    return places_news(rows, request.place, message.audience, partner, request.said)


def places_news(rows: Rows, seen: PlaceSeen, audience: Audience, partner: Handle, said: int) -> list[PlaceDescribed]:
    """The descriptions of a place and of its guild that are not known yet."""
    described: list[PlaceDescribed] = []
    if seen.guild is not None and seen.guild_name:
        described.append(
            PlaceDescribed(
                said=said,
                by=PLATFORM,
                place=seen.guild,
                kind="guild",
                name=seen.guild_name,
                audience=Audience("guild", seen.guild),
            )
        )
    described.append(
        PlaceDescribed(
            said=said,
            by=PLATFORM,
            place=place_ref(seen, partner),
            kind=seen.kind,
            name="" if partner else seen.name,
            audience=audience,
            session=session_of(seen, partner),
            guild=seen.guild,
            parent=seen.parent,
            person=partner,
        )
    )
    return [each for each in described if _is_news(rows, each)]


def describe(rows: Rows, seen: PlaceSeen, partner: Handle, said: int, origin: Origin) -> list[Draft]:
    """A place becomes known without a message: an import brought its summary alone."""
    ref = place_ref(seen, partner)
    audience = audience_of(rows, ref) or Audience(seen.audience, ref)
    minter = Minter(rows, origin)
    return [minter.draft(each) for each in places_news(rows, seen, audience, partner, said)]


def _is_news(rows: Rows, described: PlaceDescribed) -> bool:
    """A place is described when it is first seen and when its name changed."""
    known = find_place(rows, described.place)
    return known is None or bool(described.name and described.name != known.row.name)


def delete(rows: Rows, request: DeletedRequest) -> list[Draft]:
    """A message is gone; nothing when it was never heard or is gone already."""
    heard = rows.ids.event_id(message_identity(request.platform, request.key, "heard", request.heard_said))
    found = find_message(rows, request.session, request.epoch, Point(request.heard_said, heard))
    if found is None:
        return []
    identity = message_identity(request.platform, request.key, "deleted", request.heard_said)
    event = MessageDeleted(
        said=request.said,
        by=PLATFORM,
        causes=(heard,),
        heard=heard,
        session=request.session,
        audience=found.row.message.audience,
        heard_said=request.heard_said,
    )
    return [Minter(rows, Origin(identity)).draft(event)]
