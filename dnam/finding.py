"""Finding what a command names, and saying in words where a memory lives: pure questions to the rows."""

import unicodedata
from typing import NamedTuple

from dnam.errors import Ambiguous, Unknown
from dnam.nearest import or_near
from dnam.whereabouts import LOCAL, in_direct, the_one
from projections.counting import counted
from projections.errors import BadRequest
from projections.events.values import By, Source
from projections.ids import Handle, Ref
from projections.items import items_of
from projections.lookup import SessionCard, find_all_called, find_people, find_sessions, sessions_with
from projections.people import name_of
from projections.places import PLACES, find_place
from projections.policies.compartments import Setting, is_of_before
from projections.policies.text import composed
from projections.quoting import NAME_CHARS, in_quotes, line_name
from projections.rows import Rows

DIRECT = "dm"
UNREADABLE = "\ufffd"


class Whereabouts(NamedTuple):
    """A session, where it is, and the setting in which a person is there."""

    session: str
    place: Ref
    setting: Setting


def the_person(rows: Rows, user: str, *, says_near: bool = True) -> Handle:
    """Who is meant by a platform's id, a handle or a name. Unknown and Ambiguous say what there is; `says_near`: also
    whose name is most like this one.
    """
    return the_one(rows, user, find_people(rows, user), says_near=says_near)


def the_only_person(rows: Rows, user: str) -> Handle:
    """The same for what cannot be undone: a name that somebody else has or had, if only their account, is Ambiguous."""
    return the_one(rows, user, find_all_called(rows, user))


def the_session(rows: Rows, text: str) -> SessionCard:
    """Which session is meant by a key or a channel's name."""
    found = find_sessions(rows, text)
    if not found and text.strip().casefold() == DIRECT:
        raise Unknown(
            f"`{DIRECT}` is somebody's direct messages: say whose, with --user where there is that option, or by the "
            "session's key (`dnam sessions` lists them)"
        )
    if not found:
        near = or_near(text.strip().removeprefix("#"), _session_names(rows))
        raise Unknown(f"there is no session {in_quotes(text)}{near} `dnam sessions` lists them")
    if len(found) > 1:
        raise Ambiguous(f"{in_quotes(text)} may be any of", tuple(map(_described, found)))
    return found[0]


def _session_names(rows: Rows) -> list[str]:
    """What sessions are called: of a key that is mistyped by a digit, another says nothing."""
    return [found.row.name for found in rows.scan(PLACES) if found.row.session and found.row.name]


def _described(card: SessionCard) -> str:
    where = f" in {card.place.guild}" if card.place.guild else ""
    return f"{card.key}  {card.name}{where}  ({counted(card.messages, 'message')})"


def whereabouts(rows: Rows, person: Handle, place: str | None) -> Whereabouts:
    """Where a person is when they speak in a place; without one, or with `dm`, in their direct messages."""
    if place is None or place.strip().casefold() == DIRECT:
        return _in_direct(rows, person)
    card = the_session(rows, place)
    if card.audience.kind == "direct" and card.place.person != person:
        raise BadRequest(f"{card.key} is a conversation with {name_of(rows, card.place.person)}: nobody else is in it")
    return _there(card, person)


def _in_direct(rows: Rows, person: Handle) -> Whereabouts:
    """The DM with a person in which was spoken last; one that has not begun when there is none."""
    cards = sessions_with(rows, person)
    if cards:
        return _there(max(cards, key=lambda card: (card.last_said or 0, card.key)), person)
    setting = in_direct(person)
    return Whereabouts(f"{LOCAL}:dm:{person.hex()}", setting.audience.place, setting)


def _there(card: SessionCard, person: Handle) -> Whereabouts:
    return Whereabouts(card.session, card.place.place, Setting(person, card.audience, card.place.guild))


def is_item(rows: Rows, person: Handle, text: str) -> bool:
    """Whether this is the id of one of a person's items, of whatever status."""
    return any(found.row.item.id == text for found in items_of(rows, person))


def new_name(text: str) -> str:
    """The name of somebody who is met now, as it may stand in prompts and be typed again."""
    name = composed(text.strip().removeprefix("@"))
    why = _why_not_new(name)
    if why:
        raise BadRequest(f"a new name is 1 to {NAME_CHARS} characters on one line, without colons and brackets: {why}")
    return name


def _why_not_new(name: str) -> str:
    """What of a name nobody can go by; empty where somebody can."""
    if not name:
        return "there is none"
    if len(name) > NAME_CHARS:
        return f"this one has {len(name)}"
    if UNREADABLE in name:
        return "there are bytes in it that are no UTF-8, or U+FFFD, which stands for such"
    refused = next((each for each in name if line_name(f"a{each}b") != f"a{each}b"), None)
    if refused is not None:
        return f"{_character(refused)} cannot stand in one"
    return "" if name == line_name(name) else "of this one nothing shows, or there are spaces in a row"


def _character(character: str) -> str:
    """A character by its number and name, and itself where it shows."""
    number = f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()
    return f"{character!r} ({number})" if character.isprintable() else number


# -- in words ------------------------------------------------------------------------------------------------------


def compartment_class(compartment: str) -> str:
    """What kind of compartment it is: direct, everywhere, channel, guild, self, owner."""
    parts = compartment.split("/", 3)
    return parts[2] if parts[0] == "person" and len(parts) > 2 else parts[0]


AS_BEFORE = "as it was when fewer could read it"


def compartment_words(rows: Rows, compartment: str) -> str:
    """Where a memory holds, for people."""
    words = {
        "direct": "in direct messages",
        "everywhere": "everywhere",
        "self": "everywhere, about the assistant itself",
        "owner": "for the owner",
    }
    kind = compartment_class(compartment)
    place = compartment.rpartition(f"{kind}/")[2]
    before = f" {AS_BEFORE}" if is_of_before(rows, compartment) else ""
    return words.get(kind) or f"in {kind} {place_words(rows, place)}{before}"


def place_option(compartment: str) -> str:
    """What `--in` takes to mean a compartment of somebody's: `dm`, or the channel as its platform names it; empty for a
    guild's, which is no one place.
    """
    if compartment.endswith("/direct"):
        return DIRECT
    return "" if compartment.startswith("guild/") else compartment.rpartition(":")[2]


def place_words(rows: Rows, place: str) -> str:
    """A place by its name, or as its platform names it."""
    found = find_place(rows, Ref(*place.partition(":")[::2]))
    return place if found is None or not found.row.name else found.row.name


def source_words(rows: Rows, source: Source) -> str:
    """How an item came, and from where, by the name that the place has now."""
    if source.type == "manual" or (source.type == "import" and source.message is None):
        return source.type
    return f"{source.type} {_source_place(rows, source)}".strip()


def _source_place(rows: Rows, source: Source) -> str:
    """A DM is keyed by a handle, which says nothing to anybody."""
    if source.place is None:
        return ""
    if source.place.key.startswith("dm:"):
        return DIRECT
    found = find_place(rows, source.place)
    return source.place.key if found is None or not found.row.name else found.row.name


def by_words(rows: Rows, by: By) -> str:
    """Who did it."""
    match by.kind:
        case "person":
            return name_of(rows, by.person)
        case "operator" | "platform":
            return f"the {by.kind}"
        case _:
            return " ".join(part for part in (by.kind, by.name, by.version) if part)
