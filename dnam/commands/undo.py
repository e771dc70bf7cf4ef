"""`!memory undo`: the last thing that a person did to their items here is taken back, by doing its opposite.

    what they did           undone by
    ─────────────────────   ──────────────────────────────────────────
    remembered (new)        forgetting it
    remembered (was gone)   forgetting it
    restored                forgetting it
    edited                  editing it back to what it said
    forgot                  restoring it

So an undo is a change like any other, recorded with who did it, and undone again by the next. What only confirmed an
item changed nothing that could be taken back; a summary that was cleared was made of what is no longer at hand.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from dnam.assistant import Assistant
from dnam.commands.command import Arguments, Invocation, Reply
from dnam.commands.picking import listed, own_rows
from projections.events import ItemForgotten, ItemRemembered, ItemRestored, ItemUpserted
from projections.events.values import Item
from projections.ids import EventId
from projections.items import ITEMS, ItemRow, item_key
from projections.lives import address_of
from projections.rows import Found, Rows
from replay.audit import life_at
from replay.reading import Reader

UNDOABLE = frozenset(each.TAG for each in (ItemRemembered, ItemUpserted, ItemForgotten, ItemRestored))
NOTHING = "There is nothing to undo here: you changed none of what is kept in this place."
OUTDATED = "That was changed again since, so it cannot be undone from here."


Verb = Literal["forgotten", "restored", "put back as it was"]


class Opposite(NamedTuple):
    """What takes a change back: what becomes of which item, and what it said before."""

    done: Verb
    item: Item
    text: str


async def undo(assistant: Assistant, asked: Invocation, _: Arguments) -> Reply:
    """Take back the last thing that the person did to their items here."""
    last = await assistant.memory.look(lambda rows: _last_change(rows, asked))
    return Reply(NOTHING, failed=True) if last is None else await undo_change(assistant, asked, last)


async def undo_change(assistant: Assistant, asked: Invocation, change: EventId) -> Reply:
    """Take back what this event and those of the same act did, as far as it still stands."""
    memory = assistant.memory
    reader = Reader(memory.engine.live)

    def question(rows: Rows) -> list[Opposite] | None:
        changed = _changed_by(rows, asked, change)
        return list(_opposites(rows, reader, changed)) if changed else None

    opposites = await memory.look(question)
    if opposites is None:
        return Reply(OUTDATED, failed=True)
    items = await _taken_back(assistant, asked, opposites)
    if not items:
        return Reply("That only confirmed what was kept already: there is nothing to take back.", failed=True)
    done = " and ".join(dict.fromkeys(each.done for each in opposites))
    return await undoable(assistant, Reply("\n".join([f"Undone: {done}.", *listed(items)]), tuple(items)))


async def undoable(assistant: Assistant, reply: Reply) -> Reply:
    """The reply with what a button can take back: the event that left the first of its items as it is."""
    if reply.failed or not reply.items:
        return reply
    item = reply.items[0]
    return reply._replace(undo=await assistant.memory.look(lambda rows: event_of(rows, item)))


def event_of(rows: Rows, item: Item) -> EventId | None:
    """The event that left an item as it is."""
    row = rows.get(ITEMS, item_key(item.owner, item.compartment, item.id))
    return None if row is None else row.event


def _own_changes(rows: Rows, asked: Invocation) -> Iterator[Found[ItemRow]]:
    """The rows that the person themself left as they are, of what the place opens."""
    return (each for each in own_rows(rows, asked.setting) if each.row.by == asked.by and each.row.tag in UNDOABLE)


def _last_change(rows: Rows, asked: Invocation) -> EventId | None:
    last = max(_own_changes(rows, asked), key=lambda each: each.seq, default=None)
    return None if last is None else last.row.event


def _changed_by(rows: Rows, asked: Invocation, change: EventId) -> Sequence[ItemRow]:
    """What one act changed and nothing has changed since: its events are of one kind and one millisecond."""
    own = [each.row for each in _own_changes(rows, asked)]
    one = next((row for row in own if row.event == change), None)
    return [] if one is None else [row for row in own if (row.tag, row.said) == (one.tag, one.said)]


def _opposites(rows: Rows, reader: Reader, changed: Iterable[ItemRow]) -> Iterator[Opposite]:
    for row in changed:
        life = life_at(rows, reader, address_of(row.item))
        opposite = _opposite(row.item, life.steps[-1].before if life is not None else None)
        if opposite is not None:
            yield opposite


def _opposite(item: Item, before: Item | None) -> Opposite | None:
    """None where the change left the item as it was before."""
    if item.status == "forgotten":
        return Opposite("restored", item, item.text)
    if before is None or before.status != "active":
        return Opposite("forgotten", item, item.text)
    return None if before.text == item.text else Opposite("put back as it was", item, before.text)


async def _taken_back(assistant: Assistant, asked: Invocation, opposites: Sequence[Opposite]) -> list[Item]:
    """The items as they are afterwards."""
    memory, by = assistant.memory, asked.by
    forgotten = await memory.forget_all((each.item for each in opposites if each.done == "forgotten"), by=by)
    restored = await memory.restore_all((each.item for each in opposites if each.done == "restored"), by=by)
    edited = [
        item
        for each in opposites
        if each.done == "put back as it was"
        for item in await memory.reword(each.item, each.text, by=by)
    ]
    return [*forgotten, *restored, *edited]
