"""`share` and `keep-private`: where an item may be told is for its person to say. Each can be undone.

An item that says something else than what has its id there gets another id, which is told where the place shows both.
"""

from collections.abc import Sequence

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Arguments, Invocation, Reply
from dnam.commands.items import named_here
from dnam.commands.picking import plain, shown_id
from dnam.commands.undo import undoable
from dnam.placing import BOTH, is_beside
from projections.events.values import Item
from projections.policies.compartments import Opening, opened
from projections.quoting import one_line
from projections.rows import Rows

SHARED = "It may be told wherever I answer you, in front of whoever reads along there."
PRIVATE = "It stays in your direct messages."


async def share(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Let an item be told wherever its person is answered."""
    item_id = await named_here(assistant, asked, arguments["id"])
    items = await assistant.memory.share(asked.person, item_id, by=asked.by, setting=asked.sees, origin=asked.origin)
    if not items:
        return Reply(f"`{plain(item_id)}` is shared already.")
    beside = await _beside(assistant, asked, items, item_id)
    told = [_told("Shared", each, SHARED, "keep-private") for each in items]
    return await undoable(assistant, Reply("\n".join([*told, *beside]), tuple(items)))


async def keep_private(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Let an item be told in its person's direct messages alone."""
    item_id = await named_here(assistant, asked, arguments["id"])
    items = await assistant.memory.keep_private(
        asked.person, item_id, by=asked.by, setting=asked.sees, origin=asked.origin
    )
    if not items:
        return Reply(f"`{plain(item_id)}` is kept in your direct messages already.")
    beside = await _beside(assistant, asked, items, item_id)
    told = [_told("Kept private", each, PRIVATE, "share") for each in items]
    return await undoable(assistant, Reply("\n".join([*told, *beside]), tuple(items)))


async def _beside(assistant: Assistant, asked: Invocation, items: Sequence[Item], item_id: str) -> list[str]:
    """What is said where one of these got another id; nothing of what the place does not show."""

    def question(rows: Rows) -> bool:
        here = opened(rows, asked.sees)
        seen = (each for each in items if Opening(each.owner, each.compartment) in here)
        return any(is_beside(rows, each, item_id) for each in seen)

    return [BOTH.format(id=f"`{plain(item_id)}`")] if await assistant.memory.look(question) else []


def _told(done: str, item: Item, reach: str, back: str) -> str:
    return f"{done}: {one_line(item.text)}\n{reach} ({shown_id(item)}; `{PREFIX} {back}` is the other way)"
