"""In which contexts a search looks. A context opens compartments (design §7), and a search sees what it opens: nothing
is fetched and then left out.

    --user U --in PLACE    what U may be told in PLACE: of the people in the room too
    --user U               what U may be told in their direct messages
    --in PLACE             what anybody may be told in PLACE: of each person their own besides
    neither                what anybody may be told anywhere

What was said lies open to whoever reads a place, so it is looked for in a context for each place; what is known of
people, in one for each person. All of it is open to whoever searches so, and counted as one (`hits`).
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dnam.finding import whereabouts
from dnam.memory import Memory
from dnam.standing import settings_say, taught_in_channels
from dnam.whereabouts import Heard, in_direct
from projections.context import told_of
from projections.ids import NOBODY, Handle, Point
from projections.items import items_of
from projections.lookup import people
from projections.places import PLACES, PlaceRow, audience_of, place_of
from projections.policies.compartments import Setting, opened
from projections.rows import Rows


class Context(NamedTuple):
    """Somebody who is answered in a session. `said`, `known`: what was said there is looked at, and what is known.
    `room` are the others of whom something may be told in the answer.
    """

    session: str
    setting: Setting
    said: bool = True
    known: bool = True
    room: tuple[Handle, ...] = ()


def of_person(now: Rows, then: Rows, person: Handle, place: str | None, owner_ids: tuple[str, ...]) -> list[Context]:
    """What a person may be told in a place, or in their direct messages. People and places go by their names of today
    (`now`); who could read along is as it was (`then`).
    """
    where = whereabouts(now, person, place)
    setting = where.setting._replace(audience=audience_of(then, where.place) or where.setting.audience)
    return [Context(where.session, settings_say(then, setting, owner_ids))]


def with_room(rows: Rows, memory: Memory, context: Context, point: Point) -> Context:
    """The context with those others of whom something may be told in it at a point: as a prompt has it there."""
    found = place_of(rows, context.session)
    place = context.setting.audience.place if found is None else found.row.place
    heard = Heard(point, context.session, place, context.setting, "", "")
    request = memory.request(heard)._replace(limits=memory.limits_in(rows, heard))
    return context._replace(room=told_of(rows, request))


def in_place(then: Rows, place: PlaceRow) -> list[Context]:
    """What anybody may be told in a place."""
    audience = audience_of(then, place.place)
    if audience is None:
        return []
    if audience.kind == "direct":
        return [Context(place.session, Setting(place.person, audience))]
    here = Context(place.session, Setting(NOBODY, audience, place.guild))
    theirs = (here.setting._replace(person=each) for each in people(then) if _has_items(then, each))
    return [here, *(Context(place.session, each, said=False) for each in theirs)]


def everywhere(then: Rows, owner_ids: tuple[str, ...]) -> list[Context]:
    """What anybody may be told anywhere."""
    places = (each.row for each in then.scan(PLACES) if each.row.session)
    told = [context for place in places for context in _told_in(then, place)]
    known = (_own(then, each, owner_ids) for each in people(then) if _has_items(then, each))
    return [*_once(then, told), *known]


def _told_in(then: Rows, place: PlaceRow) -> Iterator[Context]:
    audience = audience_of(then, place.place)
    if audience is not None:
        person = place.person if audience.kind == "direct" else NOBODY
        yield Context(place.session, Setting(person, audience, place.guild))


def _once(then: Rows, contexts: Iterable[Context]) -> Iterator[Context]:
    """Everybody's places in a guild open the same: one of them is looked at."""
    seen: set[object] = set()
    for each in contexts:
        setting = each.setting
        opens = opened(then, setting), setting.guild if _is_everybodys(setting) else setting.audience.place
        if opens not in seen:
            seen.add(opens)
            yield each


def _is_everybodys(setting: Setting) -> bool:
    return setting.audience.kind == "guild" and setting.guild is not None


def _own(then: Rows, person: Handle, owner_ids: tuple[str, ...]) -> Context:
    """All that is known of a person: what their own direct messages open where they can read every channel."""
    setting = settings_say(then, in_direct(person), owner_ids)
    besides = (*setting.besides, *taught_in_channels(then, person))
    return Context("", setting._replace(besides=besides), said=False)


def _has_items(then: Rows, person: Handle) -> bool:
    return next(iter(items_of(then, person)), None) is not None
