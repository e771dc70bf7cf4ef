"""`!memory undo`: the last thing that a person did to their items here is taken back, by doing its opposite; asked for
once more, the thing before it.

    what they did           undone by
    ─────────────────────   ──────────────────────────────────────────
    remembered (new)        forgetting it
    remembered (was gone)   forgetting it
    restored                forgetting it
    edited                  editing it back to what it said
    shared, kept private    moving it back to where it was
    forgot                  restoring it

So an undo is a change like any other, recorded with who did it and that it undoes something. Its own button takes it
back; of several changes of one item the last can be undone. What only confirmed an item changed nothing that could be
taken back; a summary that was cleared was made of what is no longer at hand.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from dnam.assistant import Assistant
from dnam.commands.command import Arguments, Invocation, Reply
from dnam.commands.picking import listed, own_rows
from projections.events import ItemForgotten, ItemMoved, ItemRemembered, ItemRestored, ItemUpserted
from projections.events.values import Item
from projections.ids import EventId
from projections.items import ITEMS, ItemRow, item_key, items_in
from projections.lives import Life, address_of
from projections.policies.compartments import Opening, direct, opened
from projections.rows import Found, Rows
from replay.audit import life_at
from replay.reading import Reader

UNDOABLE: Mapping[str, str] = {
    ItemRemembered.TAG: "remember",
    ItemUpserted.TAG: "edit",
    ItemForgotten.TAG: "forget",
    ItemRestored.TAG: "restore",
    ItemMoved.TAG: "share",
}
"""What can be undone, as the command that did it."""
NOTHING = (
    "There is nothing to undo here: of each thing that is kept in this place the last change alone can be undone, "
    "where you made it and it was no undo."
)
OUTDATED = "That was changed again since, so it cannot be undone from here."


Verb = Literal["forgotten", "restored", "put back as it was", "moved back"]
NOW: Mapping[Verb, str] = {
    "forgotten": "this is forgotten",
    "restored": "this is remembered again",
    "put back as it was": "this says again what it said before",
    "moved back": "this is told again where it was told before, and nowhere else",
}


class Opposite(NamedTuple):
    """What takes a change back: what becomes of which item, what it said before and where it was, and the command that
    changed it.
    """

    done: Verb
    item: Item
    text: str
    act: str
    compartment: str = ""


async def undo(assistant: Assistant, asked: Invocation, _: Arguments) -> Reply:
    """Take back the last thing that the person did to their items here, and has not taken back."""
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
    acts = " and ".join(dict.fromkeys(f"`{each.act}`" for each in opposites))
    now = " and ".join(dict.fromkeys(NOW[each.done] for each in opposites))
    return await undoable(assistant, Reply("\n".join([f"Undone {acts}: {now}.", *listed(items)]), tuple(items)))


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
    """The rows that the person themself left as they are, of what the place opens, and what they took out of it: their
    own, and what they wrote down as nobody's.
    """
    here = tuple(dict.fromkeys((*opened(rows, asked.setting), *opened(rows, asked.sees))))
    nobodys = (each for opening in here if not opening.owner for each in items_in(rows, *opening))
    found = (*own_rows(rows, asked.sees), *nobodys, *_taken_out(rows, asked, here))
    return (each for each in found if each.row.by == asked.by and each.row.tag in UNDOABLE)


def _taken_out(rows: Rows, asked: Invocation, here: Sequence[Opening]) -> Iterator[Found[ItemRow]]:
    """What the person keeps in their direct messages and could be told here until then."""
    mine = Opening(asked.person, direct(asked.person))
    for each in () if mine in here else items_in(rows, *mine):
        if each.row.tag == ItemMoved.TAG and Opening(asked.person, _before(each.row)) in here:
            yield each


def _before(row: ItemRow) -> str:
    """Where an item was that its person moved; empty where they did not."""
    saw = None if row.intent is None else row.intent.saw
    return "" if saw is None else saw.compartment


def _last_change(rows: Rows, asked: Invocation) -> EventId | None:
    done = (each for each in _own_changes(rows, asked) if each.row.intent is None or not each.row.intent.undoes)
    last = max(done, key=lambda each: (each.row.said, each.seq), default=None)
    return None if last is None else last.row.event


def _changed_by(rows: Rows, asked: Invocation, change: EventId) -> Sequence[ItemRow]:
    """What one act changed and nothing has changed since: its events are of one kind and one millisecond."""
    own = [each.row for each in _own_changes(rows, asked)]
    one = next((row for row in own if row.event == change), None)
    return [] if one is None else [row for row in own if (row.tag, row.said) == (one.tag, one.said)]


def _opposites(rows: Rows, reader: Reader, changed: Iterable[ItemRow]) -> Iterator[Opposite]:
    for row in changed:
        if row.tag == ItemMoved.TAG:
            yield Opposite("moved back", row.item, row.item.text, _moved_by(row), _before(row))
            continue
        life = life_at(rows, reader, address_of(row.item))
        opposite = _opposite(row, None if life is None else _before_the_act(life, row))
        if opposite is not None:
            yield opposite


def _before_the_act(life: Life, row: ItemRow) -> Item | None:
    """What the item was before the person made it what it is; what came in between was reverted since."""
    steps = [step for step in life.steps if step.after == row.item and row.tag == step.record.event.TAG]
    return (steps or life.steps)[-1].before


def _moved_by(row: ItemRow) -> str:
    """The command that moved an item."""
    return "keep-private" if row.intent is not None and row.intent.action == "keep_private" else "share"


def _opposite(row: ItemRow, before: Item | None) -> Opposite | None:
    """None where the change left the item as it was before."""
    item, act = row.item, UNDOABLE[row.tag]
    if item.status == "forgotten":
        return Opposite("restored", item, item.text, act)
    if before is None or before.status != "active":
        return Opposite("forgotten", item, item.text, act)
    return None if before.text == item.text else Opposite("put back as it was", item, before.text, act)


async def _taken_back(assistant: Assistant, asked: Invocation, opposites: Sequence[Opposite]) -> list[Item]:
    """The items as they are afterwards."""
    memory, by = assistant.memory, asked.by
    gone = [each.item for each in opposites if each.done == "forgotten"]
    back = [each.item for each in opposites if each.done == "restored"]
    forgotten = await memory.forget_all(gone, by=by, undoes=True)
    restored = await memory.restore_all(back, by=by, undoes=True)
    edited = [
        item
        for each in opposites
        if each.done == "put back as it was"
        for item in await memory.reword(each.item, each.text, by=by)
    ]
    moved = [
        item
        for each in opposites
        if each.done == "moved back"
        for item in await memory.move_back(each.item, each.compartment, by=by)
    ]
    return [*forgotten, *restored, *edited, *moved]
