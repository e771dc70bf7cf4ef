"""Why an item is not told somewhere: which compartment it lives in, and what would open that. Pure questions."""

from collections.abc import Iterator
from typing import NamedTuple

from dnam.errors import Unknown
from dnam.finding import Whereabouts, compartment_class, compartment_words, place_words
from projections.events.values import Item
from projections.ids import NOBODY, Handle
from projections.lookup import find_items
from projections.people import name_of
from projections.policies.compartments import Opening, is_of_before, opened, readers_place
from projections.quoting import in_quotes
from projections.rows import Rows

WIDENED = ": all of its server can read the channel by now, which opens nothing old"


class WhyNot(NamedTuple):
    """An item, seen from a place: whether that opens it, `reasons` why it is not told there, what `opens_it`, and what
    to `do`, a command, where one would change it.
    """

    item: Item
    where: str
    is_open: bool
    reasons: tuple[str, ...]
    opens_it: tuple[str, ...]
    do: str = ""


def why_not(rows: Rows, person: Handle, text: str, there: Whereabouts, now: int) -> list[WhyNot]:
    """Every item of a person's, or of nobody's, that goes by this, seen from a place; `now` is in ms. Unknown when
    there is none.
    """
    found = [*find_items(rows, text, person), *find_items(rows, text, NOBODY)]
    if not found:
        raise Unknown(
            f"{name_of(rows, person)} has no item {in_quotes(text)}, nor is it lore. "
            "`dnam show USER --all` lists theirs"
        )
    here = frozenset(opened(rows, there.setting))
    return [_seen(rows, person, row.item, here, there, now) for row in found]


def _seen(rows: Rows, person: Handle, item: Item, here: frozenset[Opening], there: Whereabouts, now: int) -> WhyNot:
    is_open = Opening(item.owner, item.compartment) in here
    reasons = tuple(_reasons(rows, person, item, is_open, there, now))
    return WhyNot(
        item=item,
        where=compartment_words(rows, item.compartment),
        is_open=is_open,
        reasons=reasons,
        opens_it=tuple(openers(rows, person, item.compartment)),
        do=_do(item, is_open),
    )


def _reasons(rows: Rows, person: Handle, item: Item, is_open: bool, there: Whereabouts, now: int) -> Iterator[str]:
    lives = f"it lives {compartment_words(rows, item.compartment)}"
    asked_each_time = item.owner == person and readers_place(item.compartment) is not None
    if not is_open and asked_each_time and there.setting.audience.kind == "direct":
        name = name_of(rows, person)
        yield f"{lives}, and is told here only while {name} can read that, which the bot asks each time"
    elif not is_open:
        opened = is_of_before(rows, item.compartment)
        yield f"{lives}, and this place does not open that{WIDENED if opened else ''}"
    if item.status != "active":
        yield f"it is {item.status}"
    if item.valid_until is not None and item.valid_until < now:
        yield "it was valid until a day that is over"


def openers(rows: Rows, person: Handle, compartment: str) -> Iterator[str]:
    """The contexts that open a compartment, for people."""
    name, kind = name_of(rows, person), compartment_class(compartment)
    place, is_before = place_words(rows, compartment.rpartition(f"{kind}/")[2]), is_of_before(rows, compartment)
    match kind:
        case "guild":
            yield f"any channel of {place}"
            yield f"{name}'s own direct messages, as far as it is {name}'s"
        case "channel" if compartment.startswith("person/"):
            if not is_before:
                yield f"{place}, when {name} is answered there"
            yield f"{name}'s own direct messages, while {name} can read {place}"
        case "channel" if not is_before:
            yield place
        case "direct":
            yield f"{name}'s own direct messages"
        case "everywhere":
            yield f"any place where {name} is answered"
        case "owner":
            yield "the owner's own direct messages"
        case "self":
            yield "every place"
        case _:
            return


def _do(item: Item, is_open: bool) -> str:
    """The command by which its person would have it told here."""
    if item.status == "forgotten":
        return "restore"
    return "share" if not is_open and item.owner and item.status == "active" else ""
