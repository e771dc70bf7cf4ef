"""Taking back what belongs to nobody, by its id: by who may manage the server, who wrote it down, or whose words it is
made of, and by the owner.
"""

from collections.abc import Iterator

from dnam.assistant import Assistant
from dnam.commands.command import Invocation, Reply
from dnam.commands.picking import listed
from dnam.commands.undo import undoable
from projections.events.values import Item
from projections.ids import NOBODY, EventId, Handle
from projections.items import ItemRow, items_in
from projections.messages import spoken_in, units_of
from projections.policies.compartments import opened
from projections.rows import Rows


async def lore_to_forget(assistant: Assistant, asked: Invocation, item_id: str) -> list[Item]:
    """The active items of nobody's of this id that the place opens, as far as whoever asks may take them back."""
    return await assistant.memory.look(lambda rows: [row.item for row in _theirs(rows, asked, item_id)])


def _theirs(rows: Rows, asked: Invocation, item_id: str) -> Iterator[ItemRow]:
    openings = (each for each in opened(rows, asked.setting) if each.owner == NOBODY)
    for found in (each for opening in openings for each in items_in(rows, *opening)):
        item = found.row.item
        if item.id == item_id and item.status == "active" and _may(rows, asked, found.row):
            yield found.row


def _may(rows: Rows, asked: Invocation, row: ItemRow) -> bool:
    if asked.is_owner or row.by == asked.by:
        return True
    if asked.setting.guild is not None and asked.manages_guild:
        return row.item.about == "guild"
    messages = {each.message for each in row.item.evidence if each.message}
    return bool(messages) and messages <= _said_by(rows, asked.person, messages)


def _said_by(rows: Rows, person: Handle, messages: set[EventId]) -> set[EventId]:
    """Those of the messages that are a person's."""
    said = (point.id for where in units_of(rows, person) for point in spoken_in(rows, person, where))
    return {each for each in said if each in messages}


async def forget_lore(assistant: Assistant, asked: Invocation, items: list[Item]) -> Reply:
    """Take them back; it can be undone by whoever did it."""
    gone = await assistant.memory.forget_all(items, by=asked.by)
    return await undoable(assistant, Reply("\n".join([f"Forgot {len(gone)} item(s).", *listed(gone)]), tuple(gone)))
