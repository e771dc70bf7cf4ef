"""Who and where is meant: people, sessions and places by what anybody would call them.

USER is a platform's id, a handle in hex, or a name, current or former; of namesakes a name with the account by which
they are told apart, as it is shown: `Kim (discord:42)`. SESSION is a session key or a channel's name.
How letters and their marks are composed does not matter: what looks the same is the same.
A session key that holds a handle (a DM's) is shown, and may be given, with the platform's id instead.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from projections.events.values import Audience
from projections.ids import Handle, Point, digest16
from projections.items import ITEMS, ItemRow, items_of, owner_key
from projections.messages import MESSAGES, key_point, spoken_in, unit, units_of
from projections.people import ACCOUNTS, AccountRow, NameRow, accounts_of, name_of, names_of, person_of
from projections.places import PLACES, PlaceRow, audience_of
from projections.policies.text import composed
from projections.quoting import line_name
from projections.rows import Rows, after_prefix
from projections.summaries import find_summary
from projections.turns import TURNS

HANDLE = re.compile(r"[0-9a-f]{32}")
_MARKED = re.compile(r"(.+) \((.+:.+)\)")
_NUMBERED = re.compile(r"(.+) \([0-9]+\)")


class PersonCard(NamedTuple):
    """A person as `people` lists them. `last_said` is in ms, None when they never said anything."""

    person: Handle
    name: str
    accounts: tuple[AccountRow, ...]
    names: tuple[NameRow, ...]
    messages: int
    items: int
    last_said: int | None


class SessionCard(NamedTuple):
    """A session as `sessions` lists it; `key` is what people may call it, `session` what events do. `closed` are the
    messages from before who can read it changed: they are no part of what is said there now. `last_said` is of all.
    """

    key: str
    session: str
    place: PlaceRow
    audience: Audience
    name: str
    messages: int
    turns: int
    last_said: int | None
    summarised: bool
    closed: int = 0


def people(rows: Rows) -> list[Handle]:
    """Everybody there is, in the order of their handles."""
    return list(dict.fromkeys(found.row.person for found in rows.scan(ACCOUNTS)))


def find_people(rows: Rows, text: str) -> list[Handle]:
    """Whoever goes by this: an exact platform id or handle wins over a name, a current name over a former one."""
    return _found(rows, text, (_exactly, _by_id, _by_name, _by_any_name, _marked))


def find_all_called(rows: Rows, text: str) -> list[Handle]:
    """The same, where no name wins over another: who is shown by what is another's account name is not meant alone."""
    return _found(rows, text, (_exactly, _by_id, _by_any_name, _marked))


def find_namesakes(rows: Rows, text: str) -> list[Handle]:
    """Who may be meant by a name with a number, as prompts and answers tell namesakes apart: who is the second in one
    of them is the first in another.
    """
    numbered = _NUMBERED.fullmatch(text.strip())
    return [] if numbered is None else find_all_called(rows, numbered[1])


def _found(rows: Rows, text: str, ways: Iterable[Callable[[Rows, str], Iterator[Handle]]]) -> list[Handle]:
    wanted = composed(text.strip().removeprefix("@"))
    for matches in ways:
        found = list(dict.fromkeys(matches(rows, wanted)))
        if found:
            return found
    return []


def _exactly(rows: Rows, wanted: str) -> Iterator[Handle]:
    """`platform:id` or a handle in hex: nothing is searched."""
    platform, _, platform_id = wanted.partition(":")
    account = person_of(rows, platform, platform_id)
    if account is not None:
        yield account.row.person
    elif HANDLE.fullmatch(wanted):
        yield from (found.row.person for found in accounts_of(rows, Handle(bytes.fromhex(wanted))))


def _by_id(rows: Rows, wanted: str) -> Iterator[Handle]:
    return (found.row.person for found in rows.scan(ACCOUNTS) if _goes_by(found.row, wanted))


def _goes_by(account: AccountRow, wanted: str) -> bool:
    """By its id, or with its platform: a person of this machine has their name for an id."""
    platform_id = composed(account.platform_id)
    return wanted in (platform_id, f"{account.platform}:{platform_id}")


def _by_name(rows: Rows, wanted: str) -> Iterator[Handle]:
    return (found.row.person for found in rows.scan(ACCOUNTS) if _same(found.row.name, wanted))


def _by_any_name(rows: Rows, wanted: str) -> Iterator[Handle]:
    return (person for person in people(rows) if any(_same(each.name, wanted) for each in names_of(rows, person)))


def _marked(rows: Rows, wanted: str) -> Iterator[Handle]:
    marked = _MARKED.fullmatch(wanted)
    if marked is not None:
        yield from (each for each in _found(rows, marked[2], (_exactly, _by_id)) if _is_called(rows, each, marked[1]))


def _is_called(rows: Rows, person: Handle, wanted: str) -> bool:
    """Whether a name is theirs, be it as it is shown, without what cannot stand in a line."""
    return any(_same(shown, wanted) for each in names_of(rows, person) for shown in (each.name, line_name(each.name)))


def _same(name: str, wanted: str) -> bool:
    return bool(wanted) and composed(name).casefold() == wanted.casefold()


def person_card(rows: Rows, person: Handle) -> PersonCard:
    """A person with counts."""
    units = units_of(rows, person)
    points = [point for where in units for point in spoken_in(rows, person, where)]
    return PersonCard(
        person=person,
        name=name_of(rows, person),
        accounts=tuple(found.row for found in accounts_of(rows, person)),
        names=tuple(names_of(rows, person)),
        messages=len(points),
        items=sum(1 for found in items_of(rows, person) if found.row.item.status == "active"),
        last_said=max((point.said for point in points), default=None),
    )


def sessions(rows: Rows) -> list[SessionCard]:
    """Every session there is, by the name that people call it."""
    return _cards(rows, (found.row for found in rows.scan(PLACES) if found.row.session))


def _card(rows: Rows, place: PlaceRow) -> SessionCard:
    audience = audience_of(rows, place.place) or Audience("channel", place.place)
    *before, where = (unit(place.session, epoch) for epoch in range(audience.epoch + 1))
    summary = find_summary(rows, place.session, audience.epoch)
    return SessionCard(
        key=shown_session(rows, place.session, place.person),
        session=place.session,
        place=place,
        audience=audience,
        name=place.name or (name_of(rows, place.person) if place.person else place.place.key),
        messages=sum(1 for _ in rows.keys(MESSAGES, where)),
        turns=sum(1 for _ in rows.keys(TURNS, where)),
        last_said=max((each.said for at in (*before, where) for each in _last(rows, at)), default=None),
        summarised=summary is not None and bool(summary.row.text),
        closed=sum(1 for at in before for _ in rows.keys(MESSAGES, at)),
    )


def _last(rows: Rows, where: bytes) -> Iterator[Point]:
    for projection in (MESSAGES, TURNS):
        for key, _ in rows.raw.scan(projection.table, where, after_prefix(where), reverse=True):
            yield key_point(key)
            break


def shown_session(rows: Rows, session: str, person: Handle) -> str:
    """A session key as people write it: a DM's with the platform's id of its person."""
    if not person or person.hex() not in session:
        return session
    platform = session.partition(":")[0]
    own = (found.row for found in accounts_of(rows, person))
    account = next((each for each in own if each.platform == platform), None)
    return session if account is None else session.replace(person.hex(), account.platform_id)


def find_sessions(rows: Rows, text: str) -> list[SessionCard]:
    """Sessions that go by this: an exact key wins over a channel's name."""
    wanted = text.strip()
    places = [found.row for found in rows.scan(PLACES) if found.row.session]
    exact = [
        each
        for each in places
        if wanted in (each.session, each.place.key, shown_session(rows, each.session, each.person))
    ]
    return _cards(rows, exact or [each for each in places if _same(each.name, composed(wanted.removeprefix("#")))])


def sessions_with(rows: Rows, person: Handle) -> list[SessionCard]:
    """The direct conversations with a person, one a platform."""
    return _cards(rows, (found.row for found in rows.scan(PLACES) if found.row.session and found.row.person == person))


def _cards(rows: Rows, places: Iterable[PlaceRow]) -> list[SessionCard]:
    """Counting takes time, so only what was asked for is counted."""
    return sorted((_card(rows, place) for place in places), key=lambda card: card.key)


def find_items(rows: Rows, text: str, owner: Handle | None = None) -> list[ItemRow]:
    """Items that go by this: an id, or a compartment and an id as `guild/discord:1/durable-9f86d081`; of anybody, or of
    one owner. Of the others only the keys are read.
    """
    wanted = text.strip()
    parts = wanted.split("/")
    names = {digest16("/".join(parts[first:])) for first in range(len(parts))}
    keys = (key for key in rows.keys(ITEMS, b"" if owner is None else owner_key(owner)) if key[32:] in names)
    found = [row for key in keys if (row := rows.get(ITEMS, key)) is not None]
    return [row for row in found if wanted in (row.item.id, f"{row.item.compartment}/{row.item.id}")]
