"""`share` and `keep-private`: where an item may be told is for its person to say. Each can be undone."""

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Arguments, Invocation, Reply
from dnam.commands.picking import not_here, own, plain, shown_id
from dnam.commands.undo import undoable
from projections.errors import BadRequest
from projections.events.values import Item
from projections.quoting import one_line

SHARED = "It may be told wherever I answer you, in front of whoever reads along there."
PRIVATE = "It stays in your direct messages."


async def share(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Let an item be told wherever its person is answered."""
    item_id = await _named(assistant, asked, arguments["id"])
    items = await assistant.memory.share(asked.person, item_id, by=asked.by, setting=asked.sees)
    if not items:
        return Reply(f"`{plain(item_id)}` is shared already.")
    return await undoable(assistant, Reply(_told("Shared", items[0], SHARED, "keep-private"), tuple(items)))


async def keep_private(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Let an item be told in its person's direct messages alone."""
    item_id = await _named(assistant, asked, arguments["id"])
    items = await assistant.memory.keep_private(asked.person, item_id, by=asked.by, setting=asked.sees)
    if not items:
        return Reply(f"`{plain(item_id)}` is kept in your direct messages already.")
    return await undoable(assistant, Reply(_told("Kept private", items[0], PRIVATE, "share"), tuple(items)))


def _told(done: str, item: Item, reach: str, back: str) -> str:
    return f"{done}: {one_line(item.text)}\n{reach} ({shown_id(item)}; `{PREFIX} {back}` is the other way)"


async def _named(assistant: Assistant, asked: Invocation, item_id: str) -> str:
    """The id, where the place opens an item of theirs with it; else BadRequest."""
    found = await assistant.memory.look(lambda rows: any(each.id == item_id for each in own(rows, asked.sees)))
    if not found:
        raise BadRequest(not_here(item_id))
    return item_id
