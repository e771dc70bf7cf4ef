"""What a person did to items and has not taken back, as far as a place shows it: act by act, the last first.

Each item has a past of its own, in which

    a change of theirs           can be taken back, once nothing later is left to take back
    a confirmation of theirs     is no change: it goes with the item that it confirmed
    an undo of theirs            took the change before it back: neither counts any more
    a revert                     leaves what there was before what it reverts
    anything else, as a model's  leaves nothing before it to be taken back

The items that one act changed have one kind of event and one time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from projections.events import ItemForgotten, ItemMoved, ItemRemembered, ItemRestored, ItemReverted, ItemUpserted
from projections.events.items import ItemEvent
from projections.events.values import By, Intent, Item
from projections.ids import NOBODY, EventId, Handle
from projections.items import ItemRow, items_in
from projections.lives import Life, Step, address_of
from projections.policies.compartments import Opening, direct
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
NEVER = (0, 0)
"""Before everything."""


class Act(NamedTuple):
    """A change of an item, and how it was before: the item as it is now, what kind of event changed it, when (ms) and
    at which place of the log, what it was, where it moved from, and the command that changed it.
    """

    item: Item
    tag: str
    said: int
    seq: int
    before: Item | None
    came_from: str
    command: str

    @property
    def when(self) -> tuple[int, int]:
        """Which of two acts was later."""
        return self.said, self.seq

    @property
    def confirmed(self) -> bool:
        """Whether it left the item as it had been."""
        return self.tag != ItemMoved.TAG and _is_confirmed(self.before, self.item)


class LastActs(NamedTuple):
    """What the last act changed that is not taken back; and when, after that, something was only confirmed: what it
    changed, or anything else.
    """

    acts: tuple[Act, ...] = ()
    confirmed_it: tuple[int, int] = NEVER
    confirmed: tuple[int, int] = NEVER

    @property
    def when(self) -> tuple[int, int]:
        """When it was; before everything where there is none."""
        return self.acts[0].when if self.acts else NEVER


def last_acts(rows: Rows, reader: Reader, person: Handle, here: Sequence[Opening]) -> LastActs:
    """The last thing that a person did to what these compartments hold and has not taken back."""
    by = By("person", person)
    found: list[Act] = []
    confirming: list[Act] = []
    for each in sorted(_changed(rows, person, here), key=lambda each: (-each.row.said, -each.seq)):
        if found and each.row.said < max(found, key=lambda act: act.when).said:
            break
        for act in _left_to_undo(rows, reader, each, by):
            if _is_shown(act, here):
                (confirming if act.confirmed else found).append(act)
    last = max(found, key=lambda act: act.when, default=None)
    acts = tuple(act for act in found if last is not None and (act.tag, act.said) == (last.tag, last.said))
    items = [act.item for act in acts]
    since = [act for act in confirming if last is None or act.when > last.when]
    return LastActs(
        acts,
        max((act.when for act in since if act.item in items), default=NEVER),
        max((act.when for act in since if act.item not in items), default=NEVER),
    )


def acts_of_event(
    rows: Rows, reader: Reader, person: Handle, here: Sequence[Opening], change: EventId
) -> tuple[list[Act], bool]:
    """What this event and those of the same act changed, as far as it still stands, and whether it was an undo."""
    by = By("person", person)
    left = [each for each in _changed(rows, person, here) if each.row.by == by]
    one = next((each.row for each in left if each.row.event == change), None)
    if one is None:
        return _only_confirmed_since(rows, reader, left, change, by), False
    same = [each for each in left if (each.row.tag, each.row.said) == (one.tag, one.said)]
    return [_act_of(rows, reader, each) for each in same], _is_undo(one.intent)


def is_undone(rows: Rows, reader: Reader, person: Handle, here: Sequence[Opening], change: EventId) -> bool:
    """Whether the last that they did to an item was to take back what this event did."""
    for each in _changed(rows, person, here):
        if _is_undo(each.row.intent):
            life = life_at(rows, reader, address_of(each.row.item))
            if life is not None and [step.record.id for step in life.steps[-2:-1]] == [change]:
                return True
    return False


def _only_confirmed_since(
    rows: Rows, reader: Reader, left: Iterable[Found[ItemRow]], change: EventId, by: By
) -> list[Act]:
    """The act of an event since which its item was confirmed, and no more; none where there is no such item."""
    found = reader.find(change)
    record = None if found is None else found.record
    if record is None or not isinstance(record.event, ItemEvent):
        return []
    address = address_of(record.event.item)
    acts = [
        act for each in left if address_of(each.row.item) == address for act in _left_to_undo(rows, reader, each, by)
    ]
    return [act for act in acts[1:] if act.seq == record.seq]


def _changed(rows: Rows, person: Handle, here: Sequence[Opening]) -> Iterator[Found[ItemRow]]:
    """The rows that the person left as they are, of what these compartments hold, and what they took out of there into
    their direct messages.
    """
    by, mine = By("person", person), Opening(person, direct(person))
    openings = tuple(dict.fromkeys(each for each in here if each.owner in (person, NOBODY)))
    moved = () if mine in openings else (each for each in items_in(rows, *mine) if _may_come_back(each.row, openings))
    found = (*(each for opening in openings for each in items_in(rows, *opening)), *moved)
    return (each for each in found if each.row.by == by and each.row.tag in UNDOABLE)


def _may_come_back(row: ItemRow, here: Sequence[Opening]) -> bool:
    """Whether their last change of it, or one before that, may have been to take it out of there."""
    return _is_undo(row.intent) or (
        row.tag == ItemMoved.TAG and Opening(row.item.owner, _moved_out_of(row.intent)) in here
    )


def _moved_out_of(intent: Intent | None) -> str:
    """Where an item was that its person moved; empty where they did not."""
    return "" if intent is None or intent.saw is None else intent.saw.compartment


def _is_undo(intent: Intent | None) -> bool:
    return intent is not None and intent.undoes


def _is_shown(act: Act, here: Iterable[Opening]) -> bool:
    """Whether the place shows where the act left the item; or where it took it from."""
    owner = act.item.owner
    return any(Opening(owner, each) in here for each in (act.item.compartment, act.came_from))


def _left_to_undo(rows: Rows, reader: Reader, found: Found[ItemRow], by: By) -> Iterator[Act]:
    """The last change of an item that is not taken back: what left it as it is, or, where that was an undo, an older
    one. What only confirmed it comes before the change that it goes with.
    """
    if not _is_undo(found.row.intent):
        last = _act_of(rows, reader, found)
        yield last
        if not last.confirmed:
            return
    life = life_at(rows, reader, address_of(found.row.item))
    left = () if life is None else standing(life, by)
    older = _act_of_step(found.row.item, left[-1]) if left else None
    if older is not None:
        yield older


def standing(life: Life, by: By) -> tuple[Step, ...]:
    """The changes of an item that whoever made them can take back, the last of them first of all; see above."""
    left: tuple[Step, ...] = ()
    before: dict[EventId, tuple[Step, ...]] = {}
    for step in life.steps:
        before[step.record.id], event = left, step.record.event
        if isinstance(event, ItemReverted):
            left = next((before[each] for each in event.undoes if each in before), ())
        elif event.by != by or event.TAG not in UNDOABLE or not isinstance(event, ItemEvent):
            left = ()
        elif _is_undo(event.intent):
            left = left[:-1]
        elif event.TAG == ItemMoved.TAG or not _is_confirmed(step.before, event.item):
            left = (*left, step)
    return left


def _is_confirmed(before: Item | None, after: Item) -> bool:
    """Whether an item that somebody changed in its place is shown as it was before."""
    return before is not None and (before.status, before.text) == ("active", after.text) and after.status == "active"


def _act_of(rows: Rows, reader: Reader, found: Found[ItemRow]) -> Act:
    """What left an item as it is."""
    row = found.row
    came_from = _moved_out_of(row.intent) if row.tag == ItemMoved.TAG else ""
    life = None if came_from else life_at(rows, reader, address_of(row.item))
    before = None if life is None else _before_it(life, row)
    return Act(row.item, row.tag, row.said, found.seq, before, came_from, _command(row.tag, row.intent))


def _before_it(life: Life, row: ItemRow) -> Item | None:
    """What the item was before the person made it what it is; what came in between was reverted since."""
    steps = [step for step in life.steps if step.after == row.item and row.tag == step.record.event.TAG]
    return (steps or life.steps)[-1].before


def _act_of_step(item: Item, step: Step) -> Act | None:
    """An older change, where the item is again as that had left it."""
    event, after = step.record.event, step.after
    assert isinstance(event, ItemEvent)
    if after is None or _told(after) != _told(item):
        return None
    came_from = event.from_compartment if isinstance(event, ItemMoved) else ""
    return Act(item, event.TAG, event.said, step.record.seq, step.before, came_from, _command(event.TAG, event.intent))


def _told(item: Item) -> tuple[str, str, str]:
    return item.status, item.text, item.compartment


def _command(tag: str, intent: Intent | None) -> str:
    """The command that changed an item."""
    is_hidden = tag == ItemMoved.TAG and intent is not None and intent.action == "keep_private"
    return "keep-private" if is_hidden else UNDOABLE[tag]
