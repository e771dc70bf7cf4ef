"""Who speaks in the chat, and where."""

from typing import TYPE_CHECKING

from projections.errors import BadRequest

if TYPE_CHECKING:
    from dnam.conversation import Spot
    from projections.decisions.meet import Account
    from projections.decisions.place import PlaceSeen
    from projections.ids import Handle, Ref
    from projections.rows import Rows

NAMELESS = "me"
"""Who chats where the system has no name for its user."""


def spot_of(rows: "Rows", user: str | None, place: str | None) -> "Spot":
    """Who speaks and where. Unknown and Ambiguous say what there is; an unknown user is somebody new."""
    from dnam.conversation import Spot
    from dnam.finding import the_person
    from projections.lookup import find_people

    name = _login_name() if user is None else user
    if find_people(rows, name):
        return _spot_of_known(rows, the_person(rows, name), place)
    who = _newcomer(name)
    return Spot(who, _place_of_newcomer(rows, who, place))


def _login_name() -> str:
    import getpass

    from projections.people import SOMEONE
    from projections.quoting import line_name

    try:
        name = line_name(getpass.getuser())
    except (OSError, KeyError, ImportError):  # a user id without an entry, as in a container
        return NAMELESS
    return NAMELESS if name == SOMEONE else name


def _newcomer(name: str) -> "Account":
    from dnam.finding import new_name
    from dnam.whereabouts import LOCAL
    from projections.decisions.meet import Account

    known = new_name(name)
    return Account(LOCAL, known, known)


def _place_of_newcomer(rows: "Rows", who: "Account", place: str | None) -> "PlaceSeen":
    from dnam.finding import DIRECT, the_session

    if place is None or place.strip().casefold() == DIRECT:
        return _direct(who, who.platform)
    card = the_session(rows, place)
    if card.audience.kind == "direct":
        raise BadRequest(f"{card.key} is a conversation between two: nobody else is in it")
    return _seen(rows, card.place.place)


def _spot_of_known(rows: "Rows", person: "Handle", place: str | None) -> "Spot":
    from dnam.conversation import Spot
    from dnam.finding import whereabouts

    there = whereabouts(rows, person, place)
    who = _account(rows, person, there.place.platform)
    if there.setting.audience.kind == "direct":
        return Spot(who, _direct(who, there.place.platform))
    return Spot(who, _seen(rows, there.place))


def _account(rows: "Rows", person: "Handle", platform: str) -> "Account":
    """A person's account, the one of this platform first, under its name as it is: speaking renames nobody."""
    from projections.decisions.meet import Account
    from projections.people import accounts_of

    accounts = [found.row for found in accounts_of(rows, person)]
    row = min(accounts, key=lambda each: each.platform != platform)
    return Account(row.platform, row.platform_id, row.name)


def _direct(who: "Account", platform: str) -> "PlaceSeen":
    from projections.decisions.place import PlaceSeen

    return PlaceSeen(platform, "", "direct", "", "direct", partner=who)


def _seen(rows: "Rows", place: "Ref") -> "PlaceSeen":
    """A place as it was last described."""
    from projections.decisions.place import PlaceSeen
    from projections.places import audience_of, find_place

    found, audience = find_place(rows, place), audience_of(rows, place)
    assert found is not None
    assert audience is not None
    row = found.row
    return PlaceSeen(place.platform, place.key, row.kind, row.name, audience.kind, guild=row.guild, parent=row.parent)
