"""What is said where nothing was forgotten: why, what may have been meant, and whose it is where it is not theirs."""

from collections.abc import Iterator

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Invocation, Reply
from dnam.commands.nobodys import means, nobodys
from dnam.commands.picking import BEFORE, is_opened_since, listed
from projections.events.values import About, Item
from projections.policies.text import normalise
from projections.rows import Rows

NONE = "No matching items found."
RULE = f"I look for an id, or for words as they stand there, at least 60 % of all: `{PREFIX} show` lists what there is."
MENU = "`/memory forget` lets you pick from a menu."
ALL = frozenset({"all", "everything", "me", "all about me", "everything about me"})
EVERYTHING = f"To have me forget everything of you: `{PREFIX} erase`. It says first what it does."
MOST_MEANT = 3
TAKEN_BACK_BY: dict[About, str] = {
    "guild": "That is lore of this server: it is taken back by who wrote it, whose words it is, or who may manage it.",
    "self": "That is what I know of myself: my owner takes it back.",
}
"""By whom something is taken back that is nobody's own."""


async def unmatched(assistant: Assistant, asked: Invocation, what: str) -> Reply:
    """That nothing is meant by this id or these words."""
    if normalise(what) in ALL:
        return Reply(EVERYTHING, failed=True)
    others = await assistant.memory.look(lambda rows: next(_nobodys(rows, asked, what), None))
    if others is not None:
        return Reply(f"{NONE} {TAKEN_BACK_BY[others.about]}")
    hits = await assistant.memory.search(asked.person, what, setting=asked.sees)
    meant = listed(hit.item for hit in hits[:MOST_MEANT])
    more = (RULE, *([f"{BEFORE}."] if is_opened_since(asked) else []), *([MENU] if asked.has_buttons else []))
    lines = [" ".join((NONE, *more)), *(["Did you mean:"] if meant else []), *meant]
    return Reply("\n".join(lines))


def _nobodys(rows: Rows, asked: Invocation, what: str) -> Iterator[Item]:
    """What this id or these words mean of what is shown there, and is nobody's own."""
    found = (each.row.item for each in nobodys(rows, asked) if each.row.item.about in TAKEN_BACK_BY)
    return (item for item in found if item.status == "active" and means(item, what))
