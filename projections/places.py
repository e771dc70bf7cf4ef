"""Places: what they are called, who can read them now, and which session is where."""

import msgspec

from projections.events import PlaceAudienceChanged, PlaceDescribed
from projections.events.heard import PlaceKind
from projections.events.values import Audience
from projections.fold import Change, Projection, Record
from projections.ids import EventId, Handle, Ref, digest16
from projections.rows import Found, Rows


class PlaceRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A guild, channel, thread or DM as it was last described."""

    event: EventId
    place: Ref
    kind: PlaceKind
    name: str
    session: str
    guild: Ref | None
    parent: Ref | None
    person: Handle


class AudienceRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Who can read a place now."""

    event: EventId
    audience: Audience


class SessionRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The place of a session."""

    session: str
    place: Ref


def place_key(place: Ref) -> bytes:
    """16 bytes for a place."""
    return digest16(place.platform, place.key)


def session_key(session: str) -> bytes:
    """16 bytes for a session."""
    return digest16(session)


def _places(record: Record) -> list[Change[PlaceRow]]:
    match record.event:
        case PlaceDescribed() as place:
            row = PlaceRow(
                record.id,
                place.place,
                place.kind,
                place.name,
                place.session,
                place.guild,
                place.parent,
                place.person,
            )
            return [(place_key(place.place), row)]
        case _:
            return []


def _audiences(record: Record) -> list[Change[AudienceRow]]:
    match record.event:
        case PlaceDescribed(place=place, audience=audience) | PlaceAudienceChanged(place=place, audience=audience):
            return [(place_key(place), AudienceRow(record.id, audience))]
        case _:
            return []


def _sessions(record: Record) -> list[Change[SessionRow]]:
    match record.event:
        case PlaceDescribed(session=session, place=place) if session:
            return [(session_key(session), SessionRow(session, place))]
        case _:
            return []


PLACES = Projection("places", 1, PlaceRow, (PlaceDescribed,), _places, 16)
AUDIENCES = Projection("audiences", 1, AudienceRow, (PlaceDescribed, PlaceAudienceChanged), _audiences, 16)
SESSIONS = Projection("sessions", 1, SessionRow, (PlaceDescribed,), _sessions, 16)


def find_place(rows: Rows, place: Ref) -> Found[PlaceRow] | None:
    """A place as it was last described."""
    return rows.kept(PLACES, place_key(place))


def audience_of(rows: Rows, place: Ref) -> Audience | None:
    """Who can read a place now, as far as is known."""
    row = rows.get(AUDIENCES, place_key(place))
    return None if row is None else row.audience


def place_of(rows: Rows, session: str) -> Found[PlaceRow] | None:
    """The place where a session is."""
    found = rows.kept(SESSIONS, session_key(session))
    return None if found is None else find_place(rows, found.row.place)


def epoch_of(rows: Rows, session: str) -> int:
    """The epoch that a session is in."""
    place = place_of(rows, session)
    audience = None if place is None else audience_of(rows, place.row.place)
    return 0 if audience is None else audience.epoch


def open_places(rows: Rows, guild: Ref) -> list[PlaceRow]:
    """The places of a guild that everyone there can read, as far as is known."""
    found = (each.row for each in rows.scan(PLACES))
    known = ((row, audience_of(rows, row.place)) for row in found if row.guild == guild)
    return [row for row, audience in known if audience is not None and audience.kind == "guild"]


def open_threads_in(rows: Rows, channel: Ref) -> list[tuple[PlaceRow, Audience]]:
    """The threads of a channel that everyone of its guild can read, as far as is known, and their audiences."""
    found = (each.row for each in rows.scan(PLACES) if each.row.parent == channel and each.row.kind == "thread")
    known = ((row, audience_of(rows, row.place)) for row in found)
    return [(row, audience) for row, audience in known if audience is not None and audience.kind == "guild"]


def channels_in(rows: Rows, guild: Ref) -> frozenset[Ref]:
    """The channels of a guild that are known, be it by a thread in them alone."""
    known = (each.row for each in rows.scan(PLACES) if each.row.guild == guild)
    found = (row.parent if row.kind == "thread" else row.place for row in known)
    return frozenset(each for each in found if each is not None)


def sessions_within(rows: Rows, place: Ref) -> list[str]:
    """The sessions of a channel or thread and of the threads in it, as far as they are known."""
    found = (each.row for each in rows.scan(PLACES))
    return [row.session for row in found if row.session and place in (row.place, row.parent)]
