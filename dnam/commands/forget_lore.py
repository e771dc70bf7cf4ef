"""Taking back what belongs to nobody, by its id or most of its words, and bringing it back by its id; who may is
`nobodys.py`'s to know.
"""

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Invocation, Reply
from dnam.commands.made_room import made_room
from dnam.commands.nobodys import forgettable, means, restorable, shown_with
from dnam.commands.picking import listed, shown_id
from dnam.commands.undo import undoable
from projections.events.values import Item
from projections.quoting import one_line
from projections.rows import Rows

NOT_EDITED = (
    "That is nobody's own, and is not edited: who may take it back can forget it, and keep it in other words with"
    f" `{PREFIX} lore <text>` or `{PREFIX} note <namespace> <text>`."
)


async def is_lore(assistant: Assistant, asked: Invocation, item_id: str) -> bool:
    """Whether this is the id of what is nobody's own and shown there."""
    return await assistant.memory.look(lambda rows: shown_with(rows, asked, item_id) is not None)


async def lore_to_forget(assistant: Assistant, asked: Invocation, what: str) -> list[Item]:
    """The active items of nobody's that the place opens and this id or these words mean, as far as whoever asks may
    take them back.
    """

    def question(rows: Rows) -> list[Item]:
        return [each.row.item for each in forgettable(rows, asked) if means(each.row.item, what)]

    return await assistant.memory.look(question)


async def lore_to_restore(assistant: Assistant, asked: Invocation, item_id: str) -> list[Item]:
    """The items of nobody's of this id that are gone, as far as whoever asks may bring them back."""

    def question(rows: Rows) -> list[Item]:
        return [each.row.item for each in restorable(rows, asked) if each.row.item.id == item_id]

    return await assistant.memory.look(question)


async def forget_lore(assistant: Assistant, asked: Invocation, items: list[Item]) -> Reply:
    """Take them back; it can be undone by whoever did it."""
    gone = await assistant.memory.forget_all(items, by=asked.by, origin=asked.origin)
    lines = [f"Forgot {len(gone)} item(s).", *listed(gone), f"To take it back: `{PREFIX} restore <id>`"]
    return await undoable(assistant, Reply("\n".join(lines), tuple(gone)))


async def restore_lore(assistant: Assistant, asked: Invocation, items: list[Item]) -> Reply:
    """Bring them back; it can be undone by whoever did it."""
    back = await assistant.memory.restore_all(items, by=asked.by, origin=asked.origin)
    lines = [f"Restored: {one_line(each.text)}\n({shown_id(each)})" for each in back]
    room = await made_room(assistant.memory, *back, asked=asked)
    return await undoable(assistant, Reply("\n".join(lines) + room, tuple(back)))
