"""What a shadow was asked to derive anew: of the rest it has nothing, which is no difference.

Where people are named, it is their items and the summaries of their direct messages. Where guilds are named, it is what
lies or was learned there: items of the guild and its channels, items that came from there and hold elsewhere now, and
the summaries of its sessions. Where both are, an item is of both.
"""

from typing import NamedTuple

from projections.events.values import Item
from projections.ids import Handle
from projections.places import find_place, place_of
from projections.policies.compartments import readers_place
from projections.rows import Rows

GUILD = "guild/"
"""How the compartment of a guild begins."""


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
    return (not scope.people or item.owner in scope.people) and (
        not scope.guilds or not scope.guilds.isdisjoint(_guilds_of(rows, item))
    )


def has_summary(rows: Rows, scope: Scope, session: str) -> bool:
    """Whether a session's summary is; `rows` are the live ones."""
    if scope.is_whole:
        return True
    place = place_of(rows, session)
    if place is None:
        return False
    return place.row.person in scope.people or str(place.row.guild) in scope.guilds


def _guilds_of(rows: Rows, item: Item) -> frozenset[str]:
    """The guild in which an item holds, and the one that it came from."""
    readers = readers_place(item.compartment)
    place = None if readers is None else find_place(rows, readers)
    found = (item.source.guild, None if place is None else place.row.guild)
    own = {item.compartment.removeprefix(GUILD)} if item.compartment.startswith(GUILD) else set()
    return frozenset(str(each) for each in found if each is not None) | own
