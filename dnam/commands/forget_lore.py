"""Taking back what belongs to nobody, by its id or most of its words, and bringing it back by its id: by who may manage
the server, who wrote it down, or whose words it is made of, and by the owner. What somebody took back that is made of
words, only they bring back.
"""

from collections.abc import Iterator

from dnam.assistant import Assistant
from dnam.commands.command import Invocation, Reply
from dnam.commands.picking import listed, shown_id
from dnam.commands.undo import undoable
from projections.decisions.remember import RESTORABLE
from projections.events.values import OPERATOR, Item
from projections.ids import NOBODY, EventId, Handle
from projections.items import ItemRow, items_in, made_of
from projections.messages import spoken_in, units_of
from projections.policies.compartments import opened
from projections.policies.matching import covers
from projections.quoting import one_line
from projections.rows import Rows


async def lore_to_forget(assistant: Assistant, asked: Invocation, what: str) -> list[Item]:
    """The active items of nobody's that the place opens and this id or these words mean, as far as whoever asks may
    take them back.
    """

    def question(rows: Rows) -> list[Item]:
        found = (row for row in nobodys(rows, asked) if row.item.status == "active" and means(row.item, what))
        return [row.item for row in found if _may(rows, asked, row)]

    return await assistant.memory.look(question)


async def lore_to_restore(assistant: Assistant, asked: Invocation, item_id: str) -> list[Item]:
    """The items of nobody's of this id that are gone, as far as whoever asks may bring them back."""

    def question(rows: Rows) -> list[Item]:
        found = (row for row in nobodys(rows, asked) if row.item.status in RESTORABLE and row.item.id == item_id)
        return [row.item for row in found if _may(rows, asked, row) and _is_free(asked, row)]

    return await assistant.memory.look(question)


def nobodys(rows: Rows, asked: Invocation) -> Iterator[ItemRow]:
    """What belongs to nobody and is open there, of every status."""
    openings = (each for each in opened(rows, asked.setting) if each.owner == NOBODY)
    return (found.row for opening in openings for found in items_in(rows, *opening))


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


async def forget_lore(assistant: Assistant, asked: Invocation, items: list[Item]) -> Reply:
    """Take them back; it can be undone by whoever did it."""
    gone = await assistant.memory.forget_all(items, by=asked.by)
    return await undoable(assistant, Reply("\n".join([f"Forgot {len(gone)} item(s).", *listed(gone)]), tuple(gone)))


async def restore_lore(assistant: Assistant, asked: Invocation, items: list[Item]) -> Reply:
    """Bring them back; it can be undone by whoever did it."""
    back = await assistant.memory.restore_all(items, by=asked.by)
    lines = [f"Restored: {one_line(each.text)}\n({shown_id(each)})" for each in back]
    return await undoable(assistant, Reply("\n".join(lines), tuple(back)))
