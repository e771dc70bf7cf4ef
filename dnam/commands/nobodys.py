"""What belongs to nobody and is open in a place, and who may take it back and bring it back: who may manage the server,
who wrote it down, or whose words it is made of, and the owner. What somebody took back that is made of words, only they
bring back.
"""

from collections.abc import Iterator

from dnam.commands.command import Invocation
from projections.decisions.remember import RESTORABLE
from projections.events.values import OPERATOR, Item
from projections.ids import NOBODY, EventId, Handle
from projections.items import ItemRow, items_in, made_of
from projections.messages import spoken_in, units_of
from projections.policies.compartments import opened
from projections.policies.matching import covers
from projections.rows import Found, Rows


def forgettable(rows: Rows, asked: Invocation) -> Iterator[Found[ItemRow]]:
    """What is there that whoever asks may take back."""
    return (each for each in nobodys(rows, asked) if each.row.item.status == "active" and _may(rows, asked, each.row))


def restorable(rows: Rows, asked: Invocation) -> Iterator[Found[ItemRow]]:
    """What is gone that whoever asks may bring back."""
    gone = (each for each in nobodys(rows, asked) if each.row.item.status in RESTORABLE)
    return (each for each in gone if _may(rows, asked, each.row) and _is_free(asked, each.row))


def nobodys(rows: Rows, asked: Invocation) -> Iterator[Found[ItemRow]]:
    """What belongs to nobody and is open there, of every status."""
    openings = (each for each in opened(rows, asked.setting) if each.owner == NOBODY)
    return (found for opening in openings for found in items_in(rows, *opening))


def shown_with(rows: Rows, asked: Invocation, item_id: str) -> Item | None:
    """What is shown there under this id and is nobody's own."""
    found = (each.row.item for each in nobodys(rows, asked))
    return next((item for item in found if item.id == item_id and item.status == "active"), None)


def means(item: Item, what: str) -> bool:
    """Whether it is this id, or words that cover it, or what it quotes."""
    return item.id == what or any(covers(what, each) for each in (item.text, *(each.quote for each in item.evidence)))


def _is_free(asked: Invocation, row: ItemRow) -> bool:
    """Whether it was not somebody else who took back what is made of words that somebody said."""
    return row.by in (asked.by, OPERATOR) or not made_of(row.item)


def _may(rows: Rows, asked: Invocation, row: ItemRow) -> bool:
    if asked.is_owner or row.by == asked.by:
        return True
    if asked.setting.guild is not None and asked.manages_guild:
        return row.item.about == "guild"
    messages = made_of(row.item)
    return bool(messages) and messages <= _said_by(rows, asked.person, messages)


def _said_by(rows: Rows, person: Handle, messages: frozenset[EventId]) -> set[EventId]:
    """Those of the messages that are a person's."""
    said = (point.id for where in units_of(rows, person) for point in spoken_in(rows, person, where))
    return {each for each in said if each in messages}
