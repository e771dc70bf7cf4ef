"""What is not remembered any more and can be brought back, listed with its ids: for whoever asks alone. Where others
read along it is not listed, since they may never have read it.
"""

from collections.abc import Iterator

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, SLASH, Arguments, Invocation, Reply
from dnam.commands.picking import listed, within_reach
from projections.events.values import Item, Status
from projections.ids import NOBODY
from projections.rows import Rows

HOW: dict[Status, str] = {
    "forgotten": "forgotten",
    "deprecated": "no longer so",
    "evicted": "made room for something newer",
    "merged": "part of another one",
}
"""How an item came to be remembered no more."""
NOTHING = "There is nothing here to bring back."
ALONE = (
    f"What was forgotten is listed for you alone: `{PREFIX} show all` in your direct messages with me, or "
    f"`{SLASH} show` with `all`, or pick it with `{SLASH} restore`."
)
BACK = f"`{PREFIX} restore <id>` brings one back."


def only_looks(given: Arguments) -> bool:
    """Whether nothing is to be brought back yet."""
    return not given


def where_listed(asked: Invocation) -> str:
    """What lists the ids of what is gone, where somebody asks for one."""
    return f"`{PREFIX} show all`" if asked.is_alone else f"`{PREFIX} show all` in your direct messages with me"


async def gone(assistant: Assistant, asked: Invocation) -> str:
    """What can be brought back there, or where that is told."""
    if not asked.is_alone:
        return ALONE
    found = await assistant.memory.look(lambda rows: _gone(rows, asked))
    if not found:
        return NOTHING
    lines = (f"{line}, {HOW[item.status]}" for item in found for line in listed([item]))
    return "\n".join([f"**Not remembered any more:** {len(found)}", *lines, BACK])


def _gone(rows: Rows, asked: Invocation) -> list[Item]:
    """The newest first."""
    return sorted(_reach(rows, asked), key=lambda item: (-item.updated, item.id))


def _reach(rows: Rows, asked: Invocation) -> Iterator[Item]:
    if asked.person != NOBODY:
        yield from (each.row.item for each in within_reach(rows, asked, "restore"))


async def list_gone(assistant: Assistant, asked: Invocation) -> Reply:
    """What can be brought back, for who named nothing."""
    return Reply(await gone(assistant, asked))
