"""What a shadow was asked to derive anew, for the walk, the difference and the adoption: of the rest it has what was
recorded, which is no difference.

Where people are named, it is what is theirs and the summaries of their direct messages; where guilds are named, what is
of them. Where both are, it is of both: no summary is, since no guild has direct messages.

    what                      is of a guild
    ───────────────────────   ─────────────────────────────────────────────────────────────────────────────────────────
    a summary                 by the place of its session
    a run, what came of it    by where it learned: a compartment of the guild, or of a channel in it; what follows its
                              person everywhere by where it came from
    an item                   by where it lies, and by where it came from, wherever it lies now
    what a person decided     always: what they keep, correct or take back holds in all that they own, and what they
                              move was elsewhere before
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple

from projections.events import Event, ItemEvent, ItemMoved, ItemRefused
from projections.events.items import ItemGone
from projections.events.summaries import SummaryEvent
from projections.events.values import Item
from projections.events.work import WorkEvent
from projections.ids import Handle, Ref
from projections.places import find_place, place_of
from projections.policies.compartments import is_portable, readers_place
from projections.rederiving.roles import role_of
from projections.rederiving.schedule import Run
from projections.rows import Rows

GUILD = "guild/"
"""How the compartment of a guild begins."""
GuildOf = Callable[[Ref], Ref | None]
"""Tells in which guild a place is."""


class Scope(NamedTuple):
    """People, and guilds as their platform names them (`platform:id`); where there are none, all of them."""

    people: frozenset[Handle] = frozenset()
    guilds: frozenset[str] = frozenset()

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return not self.people and not self.guilds


def has_item(rows: Rows, scope: Scope, item: Item) -> bool:
    """Whether an item is of what was to be derived anew; `rows` are the live ones."""
    guild_of = partial(_guild_of, rows)
    guilds = chain(_lies_in(item.compartment, guild_of), _came_from(item, guild_of))
    return _has_person(scope, item.owner) and _has_any(scope, guilds)


def has_summary(rows: Rows, scope: Scope, session: str) -> bool:
    """Whether a session's summary is; `rows` are the live ones."""
    if scope.is_whole:
        return True
    place = place_of(rows, session)
    return place is not None and _has_person(scope, place.row.person) and _has_any(scope, _named(place.row.guild))


def has_run(scope: Scope, run: Run, guild_of: GuildOf) -> bool:
    """Whether a run of a loop is made anew."""
    if run.audience is not None:
        return _has_session(scope, run.person, run.audience.place, guild_of)
    return _has_learned(scope, run.owner, run.compartment, guild_of)


def has_event(scope: Scope, event: Event, guild_of: GuildOf) -> bool:
    """Whether what an event tells of is done anew: made by a run, or applied again."""
    match event:
        case ItemEvent() if role_of(event) == "decided":
            return _has_person(scope, event.item.owner)
        case ItemEvent(item=item):
            where = event.from_compartment if isinstance(event, ItemMoved) else item.compartment
            if not is_portable(where):
                return _has_learned(scope, item.owner, where, guild_of)
            return _has_person(scope, item.owner) and _has_any(scope, _came_from(item, guild_of))
        case ItemRefused() | ItemGone() | WorkEvent():
            return _has_learned(scope, event.owner, event.compartment, guild_of)
        case SummaryEvent(person=person, audience=audience):
            return _has_session(scope, person, audience.place, guild_of)
        case _:
            return True


def _has_learned(scope: Scope, owner: Handle, compartment: str, guild_of: GuildOf) -> bool:
    return _has_person(scope, owner) and _has_any(scope, _lies_in(compartment, guild_of))


def _has_session(scope: Scope, person: Handle, place: Ref, guild_of: GuildOf) -> bool:
    return _has_person(scope, person) and _has_any(scope, _named(guild_of(place)))


def _has_person(scope: Scope, person: Handle) -> bool:
    return not scope.people or person in scope.people


def _has_any(scope: Scope, guilds: Iterator[str]) -> bool:
    return not scope.guilds or not scope.guilds.isdisjoint(guilds)


def _lies_in(compartment: str, guild_of: GuildOf) -> Iterator[str]:
    """The guild that a compartment is of, if it is of one."""
    place = readers_place(compartment)
    if compartment.startswith(GUILD):
        yield compartment.removeprefix(GUILD)
    elif place is not None:
        yield from _named(guild_of(place))


def _came_from(item: Item, guild_of: GuildOf) -> Iterator[str]:
    """The guild in which it was learned, or asked for: as it says, else by the place."""
    source = item.source
    yield from _named(source.guild or (None if source.place is None else guild_of(source.place)))


def _named(guild: Ref | None) -> Iterator[str]:
    if guild is not None:
        yield str(guild)


def _guild_of(rows: Rows, place: Ref) -> Ref | None:
    found = find_place(rows, place)
    return None if found is None else found.row.guild
