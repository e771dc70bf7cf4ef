"""`share` and `keep-private`: where an item may be told is for its person to say. Each can be undone.

An item that says something else than what has its id there gets another id, which is told where the place shows both.
What is nobody's own is nobody's to share or to keep: the reply says who may be told.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dnam.assistant import Assistant
from dnam.commands.command import PREFIX, Arguments, Invocation, Reply
from dnam.commands.items import has_own, named_here
from dnam.commands.nobodys import shown_with
from dnam.commands.picking import in_each, of_id, plain, shown_id
from dnam.commands.undo import undoable
from dnam.finding import compartment_class
from dnam.placing import BOTH, is_beside
from projections.events.values import Item
from projections.policies.compartments import Opening, direct, everywhere, opened
from projections.quoting import one_line
from projections.rows import Rows

SHARED = "It may be told wherever I answer you, in front of whoever reads along there."
PRIVATE = "It stays in your direct messages."


class Way(NamedTuple):
    """Where an item goes: what was done in words, who may be told it then, and the command that takes it back."""

    done: str
    reach: str
    back: str


SHARE = Way("Shared", SHARED, "keep-private")
KEEP_PRIVATE = Way("Kept private", PRIVATE, "share")
NOT_SHARED = "It is nobody's own, so nobody shares it further."
NOT_KEPT = f"It is nobody's own, so nobody keeps it for themselves: who may take it back can `{PREFIX} forget` it."
TOLD: Mapping[str, str] = {
    "guild": "That is lore of this server: everybody in it may be told.",
    "channel": "That was kept for whoever can read this channel: they may be told.",
    "self": "That is what I know of myself: everybody may be told, everywhere.",
    "owner": "That is a note for you as my owner: it is told in your direct messages with me alone.",
}
"""Who may be told of what is nobody's own, by what kind of compartment it lies in."""


async def share(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Let an item be told wherever its person is answered."""
    if reach := await _told_anyway(assistant, asked, arguments["id"]):
        return Reply(f"{reach} {NOT_SHARED}", failed=True)
    item_id = await named_here(assistant, asked, arguments["id"])
    each = await _each(assistant, asked, item_id, everywhere(asked.person))
    items = await assistant.memory.share(asked.person, item_id, by=asked.by, setting=asked.sees, origin=asked.origin)
    if not items:
        return Reply(f"`{plain(item_id)}` is shared already.")
    beside = await _beside(assistant, asked, items, item_id)
    return await _replied(assistant, asked, SHARE, items, item_id, [*each, *beside])


async def keep_private(assistant: Assistant, asked: Invocation, arguments: Arguments) -> Reply:
    """Let an item be told in its person's direct messages alone."""
    if reach := await _told_anyway(assistant, asked, arguments["id"]):
        return Reply(f"{reach} {NOT_KEPT}", failed=True)
    item_id = await named_here(assistant, asked, arguments["id"])
    each = await _each(assistant, asked, item_id, direct(asked.person))
    items = await assistant.memory.keep_private(
        asked.person, item_id, by=asked.by, setting=asked.sees, origin=asked.origin
    )
    if not items:
        return Reply(f"`{plain(item_id)}` is kept in your direct messages already.")
    beside = await _beside(assistant, asked, items, item_id)
    return await _replied(assistant, asked, KEEP_PRIVATE, items, item_id, [*each, *beside])


async def _told_anyway(assistant: Assistant, asked: Invocation, item_id: str) -> str:
    """Who may be told of what has this id there and is nobody's own; empty where it is one of theirs, or nothing."""

    def question(rows: Rows) -> str:
        found = None if has_own(rows, asked, item_id) else shown_with(rows, asked, item_id)
        return "" if found is None else TOLD[compartment_class(found.compartment)]

    return await assistant.memory.look(question)


async def _each(assistant: Assistant, asked: Invocation, item_id: str, to: str) -> list[str]:
    """What is said where several items of the id move there."""
    return await assistant.memory.look(
        lambda rows: in_each(rows, (item for item in of_id(rows, asked, item_id) if item.compartment != to))
    )


async def _beside(assistant: Assistant, asked: Invocation, items: Sequence[Item], item_id: str) -> list[str]:
    """What is said where one of these got another id; nothing of what the place does not show."""

    def question(rows: Rows) -> bool:
        here = opened(rows, asked.sees)
        seen = (each for each in items if Opening(each.owner, each.compartment) in here)
        return any(is_beside(rows, each, item_id) for each in seen)

    return [BOTH.format(id=f"`{plain(item_id)}`")] if await assistant.memory.look(question) else []


async def _replied(
    assistant: Assistant, asked: Invocation, way: Way, items: Sequence[Item], item_id: str, more: Sequence[str]
) -> Reply:
    """What became of the items of an id. One that the place does not show any more may be one by now with what its
    person keeps elsewhere: of that no other id is told than the one that was given here.
    """
    here = await assistant.memory.look(asked.opens)
    told = [each for each in items if each.id == item_id or Opening(each.owner, each.compartment) in here]
    lines = [_told(way, each, shown_id(each) if each in told else "") for each in items]
    reply = await undoable(assistant, Reply("\n".join([*lines, *more]), tuple(items)))
    return reply._replace(items=tuple(told))


def _told(way: Way, item: Item, its_id: str) -> str:
    known = f"{its_id}; " if its_id else ""
    return f"{way.done}: {one_line(item.text)}\n{way.reach} ({known}`{PREFIX} {way.back}` is the other way)"
