"""Which compartment a memory is put into, and which ones a context opens (design §7).

place           opens
─────────────   ───────────────────────────────────────────────────────────────
guild           guild/G · person/P/everywhere · self
channel         channel/C · person/P/channel/C · guild/G · person/P/everywhere · self
direct          person/P/direct · person/P/everywhere · P's own items in guild/* · self
"""

from typing import NamedTuple

from projections.events.values import Audience
from projections.ids import NOBODY, Handle, Ref
from projections.items import compartments_of
from projections.rows import Rows

VERSION = "compartments@1"
SELF = "self"
OWNER = "owner"


class Setting(NamedTuple):
    """A context: who is being answered, who can read the answer, and in which guild."""

    person: Handle
    audience: Audience
    guild: Ref | None = None


class Opening(NamedTuple):
    """One owner's items in one compartment, which a context may read."""

    owner: Handle
    compartment: str


def in_guild(guild: Ref) -> str:
    """What all of a guild can read."""
    return f"guild/{guild}"


def in_channel(place: Ref) -> str:
    """What was said in a restricted channel."""
    return f"channel/{place}"


def of_person_in(person: Handle, place: Ref) -> str:
    """What was learned from a person in a restricted channel."""
    return f"person/{person.hex()}/channel/{place}"


def direct(person: Handle) -> str:
    """A person's DMs."""
    return f"person/{person.hex()}/direct"


def everywhere(person: Handle) -> str:
    """A person's portable items."""
    return f"person/{person.hex()}/everywhere"


def place_item(setting: Setting) -> str:
    """Where an item that a person teaches in this context lives: among those who could hear it, no wider."""
    match setting.audience.kind:
        case "direct":
            return direct(setting.person)
        case "guild" if setting.guild is not None:
            return in_guild(setting.guild)
        case _:
            return of_person_in(setting.person, setting.audience.place)


def opened(rows: Rows, setting: Setting) -> tuple[Opening, ...]:
    """The person's own items that a context opens, and what belongs to nobody there."""
    person = setting.person
    own = [Opening(person, compartment) for compartment in _own(rows, setting)]
    return (*own, Opening(NOBODY, SELF))


def _own(rows: Rows, setting: Setting) -> list[str]:
    person, guild = setting.person, setting.guild
    if person == NOBODY:
        return []
    if setting.audience.kind == "direct":
        taught = [each for each in compartments_of(rows, person) if each.startswith("guild/")]
        return [direct(person), everywhere(person), *taught]
    here = [in_guild(guild)] if guild is not None else []
    if setting.audience.kind == "channel":
        here.append(of_person_in(person, setting.audience.place))
    return [*here, everywhere(person)]
