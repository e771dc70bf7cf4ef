"""`share` and `keep-private`: where an item may be told is for its person to say. Each can be undone."""

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Arguments, Invocation, Reply
from dnam.commands.items import named_here
from dnam.commands.picking import plain, shown_id
from dnam.commands.undo import undoable
from projections.events.values import Item
from projections.quoting import one_line

SHARED = "It may be told wherever I answer you, in front of whoever reads along there."
PRIVATE = "It stays in your direct messages."


async def share(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Let an item be told wherever its person is answered."""
    item_id = await named_here(assistant, asked, arguments["id"])
    items = await assistant.memory.share(asked.person, item_id, by=asked.by, setting=asked.sees)
    if not items:
        return Reply(f"`{plain(item_id)}` is shared already.")
    return await undoable(assistant, Reply(_told("Shared", items[0], SHARED, "keep-private"), tuple(items)))


async def keep_private(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Let an item be told in its person's direct messages alone."""
    item_id = await named_here(assistant, asked, arguments["id"])
    items = await assistant.memory.keep_private(asked.person, item_id, by=asked.by, setting=asked.sees)
    if not items:
        return Reply(f"`{plain(item_id)}` is kept in your direct messages already.")
    return await undoable(assistant, Reply(_told("Kept private", items[0], PRIVATE, "share"), tuple(items)))


def _told(done: str, item: Item, reach: str, back: str) -> str:
    return f"{done}: {one_line(item.text)}\n{reach} ({shown_id(item)}; `{PREFIX} {back}` is the other way)"
