"""Places, as a platform describes them: what they are called in events, and when they are described anew."""

from typing import NamedTuple

from projections.decisions.draft import Draft, Minter, Origin
from projections.decisions.meet import Account
from projections.errors import BadRequest
from projections.events import PlaceDescribed
from projections.events.heard import PlaceKind
from projections.events.values import PLATFORM, Audience, AudienceKind
from projections.ids import NOBODY, Handle, Ref
from projections.places import audience_of, find_place
from projections.rows import Rows

NAMELESS: frozenset[PlaceKind] = frozenset({"group", "direct", "thread"})
"""Places whose names are not kept: platforms name them after the people in them, and a thread or forum post has for a
name what its author wrote over it, which would outlive their messages.
"""
UNSAID = "who could read it is unsaid, and its channel is known as open to more: say --audience"
"""Why something is not taken over a channel that others can read; what it is counted by."""
WIDER = "its channel is known as restricted: widening opens nothing old"
"""Why an audience that the operator told is not taken; what it is counted by."""

OTHER_GUILD = "its place is known as one of another guild: the key of a place is its own on its whole platform"
"""Why nothing is taken of a place; what it is counted by."""


class PlaceSeen(NamedTuple):
    """A place as the platform describes it. Its `key` is its own on the whole platform, whatever its guild. For a DM,
    `partner` is set and `key` is not used.

    `told`: somebody said who can read it, an adapter or the operator; where that are fewer than was known, it holds
    from now on. Where nobody did, the audience given is the narrowest, and what is new in a place that is known as
    wider is refused: it may be from a time when fewer could read there.

    `readers` is the place whose readers are its readers: the parent of a public thread. `above` is the parent as the
    platform describes it, where it does.
    """

    platform: str
    key: str
    kind: PlaceKind
    name: str
    audience: AudienceKind
    guild: Ref | None = None
    guild_name: str = ""
    parent: Ref | None = None
    partner: Account | None = None
    told: bool = True
    readers: Ref | None = None
    above: "PlaceSeen | None" = None


def refuse_other_guild(rows: Rows, seen: PlaceSeen) -> None:
    """BadRequest for a place that is known as another guild's: two places with one key would be one session, and what
    is said in the one would be told in the other.
    """
    known = None if seen.guild is None else find_place(rows, place_ref(seen))
    if known is not None and known.row.guild not in (None, seen.guild):
        raise BadRequest(OTHER_GUILD)


def session_of(place: PlaceSeen, person: Handle = NOBODY) -> str:
    """The session key of a place: `discord:channel:<id>`, `discord:thread:<id>`, `discord:dm:<handle>`."""
    if place.audience == "direct":
        return f"{place.platform}:dm:{person.hex()}"
    kind = "thread" if place.kind == "thread" else "channel"
    return f"{place.platform}:{kind}:{place.key}"


def place_ref(place: PlaceSeen, person: Handle = NOBODY) -> Ref:
    """The reference of a place; a DM is named after its person's handle, never after a platform's id."""
    return Ref(place.platform, f"dm:{person.hex()}" if place.audience == "direct" else place.key)


def seen_audience(seen: PlaceSeen, place: Ref, epoch: int = 0) -> Audience:
    """Who can read a place as it is seen. What is told to the few who read a channel, its public threads have too: it
    has the channel's name, and so its compartment.
    """
    return Audience(seen.audience, readers_of(seen, place), epoch)


def readers_of(seen: PlaceSeen, place: Ref) -> Ref:
    """After which place the readers of this one are named."""
    return place if seen.readers is None or seen.audience != "channel" else seen.readers


def as_read(rows: Rows, seen: PlaceSeen) -> PlaceSeen:
    """A place by the readers of its channel, where it has those and its platform does not say who they are: in a
    channel that is known as restricted no thread is open, and in an open one a thread that is restricted is so by
    itself.
    """
    if seen.readers is None or seen.above is not None:
        return seen
    parent = audience_of(rows, seen.readers)
    if parent is None:
        return seen
    return seen._replace(readers=None) if parent.kind == "guild" else seen._replace(audience="channel")


def widens(rows: Rows, seen: PlaceSeen) -> bool:
    """Whether the operator told of more readers than the place, or the channel whose readers it has, is known to have.
    That changes nothing; see `WIDER`.
    """
    if not seen.told or seen.audience != "guild":
        return False
    known = audience_of(rows, place_ref(seen))
    return as_read(rows, seen).audience == "channel" or (known is not None and known.kind == "channel")


def is_unsaid(rows: Rows, seen: PlaceSeen) -> bool:
    """Whether nobody said who could read a place, and it is known as open to everyone of its guild."""
    known = None if seen.told else audience_of(rows, place_ref(seen))
    return known is not None and (known.kind, seen.audience) == ("guild", "channel")


def places_news(rows: Rows, seen: PlaceSeen, audience: Audience, partner: Handle, said: int) -> list[PlaceDescribed]:
    """The descriptions of a place, of its guild and of the channel that it hangs on, as far as they are not known yet.

    A channel in which nothing was said has no session: it is described again, with one, once something is.
    """
    above = [] if seen.above is None else _above_news(rows, seen.above, said)
    described = [*_guild_news(rows, seen, said), *above]
    place, name = place_ref(seen, partner), "" if partner else _kept_name(seen)
    session = session_of(seen, partner)
    if _is_news(rows, place, name, session):
        described.append(_described(seen, place, name, audience, session, said, partner))
    return described


def _guild_news(rows: Rows, seen: PlaceSeen, said: int) -> list[PlaceDescribed]:
    if seen.guild is None or not seen.guild_name or not _is_news(rows, seen.guild, seen.guild_name):
        return []
    return [
        PlaceDescribed(
            said=said,
            by=PLATFORM,
            place=seen.guild,
            kind="guild",
            name=seen.guild_name,
            audience=Audience("guild", seen.guild),
        )
    ]


def _above_news(rows: Rows, above: PlaceSeen, said: int) -> list[PlaceDescribed]:
    """Of a channel nothing changes but its name: who can read it is compared elsewhere (`decisions.audience`)."""
    place, name = place_ref(above), _kept_name(above)
    if not _is_news(rows, place, name):
        return []
    known = find_place(rows, place)
    audience = audience_of(rows, place) or seen_audience(above, place)
    return [_described(above, place, name, audience, "" if known is None else known.row.session, said)]


def _described(
    seen: PlaceSeen, place: Ref, name: str, audience: Audience, session: str, said: int, partner: Handle = NOBODY
) -> PlaceDescribed:
    """The description of a place that was seen."""
    return PlaceDescribed(
        said=said,
        by=PLATFORM,
        place=place,
        kind=seen.kind,
        name=name,
        audience=audience,
        session=session,
        guild=seen.guild,
        parent=seen.parent,
        person=partner,
    )


def _kept_name(seen: PlaceSeen) -> str:
    return "" if seen.kind in NAMELESS else seen.name


def describe(rows: Rows, seen: PlaceSeen, partner: Handle, said: int, origin: Origin) -> list[Draft]:
    """A place becomes known without a message: an import brought its summary alone. A DM with nobody is no place.
    BadRequest where it is known as another guild's.
    """
    refuse_other_guild(rows, seen)
    if seen.audience == "direct" and not partner:
        return []
    ref = place_ref(seen, partner)
    audience = audience_of(rows, ref) or seen_audience(seen, ref)
    minter = Minter(rows, origin)
    return [minter.draft(each) for each in places_news(rows, seen, audience, partner, said)]


def describe_unheard(rows: Rows, seen: PlaceSeen, said: int, origin: Origin) -> list[Draft]:
    """A channel of a guild becomes known by name, and to which guild it belongs; it has no session yet."""
    minter = Minter(rows, origin)
    return [minter.draft(each) for each in (*_guild_news(rows, seen, said), *_above_news(rows, seen, said))]


def heard_of(rows: Rows, audience: Audience, guild: Ref | None, said: int) -> list[PlaceDescribed]:
    """A place of a guild of which nothing is known but that everyone there can read it: something comes to rest on it,
    and has to move when fewer can. What else there is to say of it is said once it is seen (`places_news`).
    """
    if guild is None or audience.kind != "guild" or audience_of(rows, audience.place) is not None:
        return []
    return [
        PlaceDescribed(
            said=said, by=PLATFORM, place=audience.place, kind="unknown", name="", audience=audience, guild=guild
        )
    ]


def _is_news(rows: Rows, place: Ref, name: str, session: str = "") -> bool:
    """A place is described when it is first seen, when its name changed, and when only its readers were known."""
    known = find_place(rows, place)
    return known is None or bool(name and name != known.row.name) or bool(session and not known.row.session)
