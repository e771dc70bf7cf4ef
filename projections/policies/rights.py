"""Who may configure what, while the program runs.

the owner                      every key of every scope
who manages a guild            every key of that guild, and of the channels in it
everybody                      of their own scope: `learn` and `retention_days`, which concern what they say alone
"""

from typing import NamedTuple

from projections.config import Scope
from projections.ids import NOBODY, Handle, Ref
from projections.places import find_place
from projections.rows import Rows

ONE_S_OWN = frozenset({"learn", "retention_days"})
FOR_MANAGERS = "what holds there is for the owner of this bot, and for members who may manage that server"
NO_CHANNEL = (
    "I see no such channel in this server; what holds in another one is for the owner of this bot, and for members who "
    "may manage that"
)
OF_OTHERS = "what holds for somebody else is for the owner of this bot alone"


class Asker(NamedTuple):
    """Who asks. `manages` is the guild whose settings the platform lets them change, if any; `listed` are channels that
    the platform lists in it, of which nothing may be known yet.
    """

    person: Handle = NOBODY
    is_owner: bool = False
    manages: Ref | None = None
    listed: frozenset[Ref] = frozenset()


def objection(rows: Rows, asker: Asker, scope: Scope, key: str) -> str:
    """Why somebody may not configure a key of a scope, or look at it where no key is given; empty where they may."""
    if asker.is_owner:
        return ""
    match scope.kind:
        case "person":
            return _of_person(asker, scope, key)
        case "guild":
            return "" if scope.ref is not None and scope.ref == asker.manages else FOR_MANAGERS
        case "channel":
            return _of_channel(rows, asker, scope)
        case _:
            return "what holds everywhere is for the owner of this bot alone"


def _of_person(asker: Asker, scope: Scope, key: str) -> str:
    if asker.person == NOBODY or asker.person != scope.person:
        return OF_OTHERS
    if key and key not in ONE_S_OWN:
        return f"of your own you may set {' and '.join(sorted(ONE_S_OWN))}; {key} is for the owner"
    return ""


def _of_channel(rows: Rows, asker: Asker, scope: Scope) -> str:
    if asker.manages is None:
        return FOR_MANAGERS
    return "" if scope.ref in asker.listed or _guild_of(rows, scope) == asker.manages else NO_CHANNEL


def _guild_of(rows: Rows, scope: Scope) -> Ref | None:
    """The guild that a channel is in, as far as it is known."""
    found = None if scope.ref is None else find_place(rows, scope.ref)
    return None if found is None else found.row.guild
