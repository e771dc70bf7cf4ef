"""The lives of items: what happened to each, from the first event that made it to the last.

An item is followed through its moves: its life at an address begins with what it was elsewhere. Where a move made one
of two, both pasts are its own; where that move was taken back, each has its own again. What was absorbed by another
has a life that ends there. What was refused stands in the life of what it was held against, or else of the item
that it would have become.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from projections.events import (
    ItemClosed,
    ItemDeprecated,
    ItemEvent,
    ItemEvicted,
    ItemForgotten,
    ItemMerged,
    ItemMoved,
    ItemRedacted,
    ItemRefused,
    ItemRemembered,
    ItemRestored,
    ItemReverted,
)
from projections.events.items import ItemGone
from projections.events.values import Evidence, Item
from projections.fold import Record
from projections.ids import EventId, Handle
from projections.items import item_key
from projections.policies.item_ids import derive

Clock = Literal["recorded", "said"]
Happened = Literal[
    "remembered", "added", "changed", "confirmed", "revived", "deprecated", "merged", "evicted", "forgotten",
    "restored", "moved", "redacted", "reverted", "refused",
]  # fmt: skip
COMPARED = (
    "id", "compartment", "kind", "text", "status", "type", "about", "tags", "confidence", "supersedes", "valid_from",
    "valid_until",
)  # fmt: skip
"""The fields of an item that are told when they changed."""
ADOPTION = "adoption@"
"""How the policy of what an adoption records begins."""


class Address(NamedTuple):
    """Where an item lies."""

    owner: Handle
    compartment: str
    id: str


class Step(NamedTuple):
    """Something that happened to an item: the event, and the item before and after it.

    There is none before its beginning, and neither for what was refused.
    """

    record: Record
    before: Item | None
    after: Item | None

    @property
    def happened(self) -> Happened:
        """What it was, in a word."""
        kind = type(self.record.event)
        if kind in _HAPPENED:
            return _HAPPENED[kind]
        if self.before is None or self.after is None:
            return "remembered" if kind is ItemRemembered else "added"
        if self.before.status != "active":
            return "revived"
        return "confirmed" if self.before.text == self.after.text else "changed"

    @property
    def changed(self) -> tuple[str, ...]:
        """The fields that are not as they were."""
        return changed_fields(self.before, self.after)

    @property
    def new_evidence(self) -> tuple[Evidence, ...]:
        """The quotes that came with this event; all of them where it was adopted, or is again as it was: it rests on
        them anew.
        """
        event = self.record.event
        if isinstance(event, ItemRefused):
            return event.evidence
        is_adopted = isinstance(event, ItemEvent) and event.policy.startswith(ADOPTION)
        if self.after is not None and (is_adopted or isinstance(event, ItemReverted)):
            return self.after.evidence
        old = self.before.evidence if self.before else ()
        return tuple(each for each in (self.after.evidence if self.after else ()) if each not in old)


class Life(NamedTuple):
    """What happened to one item, in the order of a clock. `item` is as it was left, also where there is none any more,
    because all that had come of it was undone; None for what was only refused.
    """

    address: Address
    item: Item | None
    steps: tuple[Step, ...]

    @property
    def status(self) -> str:
        """How it is; `reverted` where it is no more, `refused` where it never was."""
        if self.is_gone:
            return "reverted"
        return self.item.status if self.item else "refused"

    @property
    def is_gone(self) -> bool:
        """Whether it ended: what had made it was undone."""
        events = [step.record.event for step in self.steps if step.after is not None]
        return bool(events) and isinstance(events[-1], ItemReverted) and events[-1].gone

    @property
    def events(self) -> tuple[EventId, ...]:
        """The events that it went through."""
        return tuple(step.record.id for step in self.steps)


_HAPPENED: Mapping[type, Happened] = {
    ItemDeprecated: "deprecated",
    ItemMerged: "merged",
    ItemEvicted: "evicted",
    ItemForgotten: "forgotten",
    ItemRestored: "restored",
    ItemMoved: "moved",
    ItemRedacted: "redacted",
    ItemReverted: "reverted",
    ItemRefused: "refused",
}


def changed_fields(before: Item | None, after: Item | None) -> tuple[str, ...]:
    """The compared fields in which two states of an item differ; none where one of them is missing."""
    if before is None or after is None:
        return ()
    return tuple(name for name in COMPARED if getattr(before, name) != getattr(after, name))


def address_of(item: Item) -> Address:
    """Where an item lies."""
    return Address(item.owner, item.compartment, item.id)


def key_of(address: Address) -> bytes:
    """The key of the row at an address."""
    return item_key(*address)


def moved_from(event: ItemMoved) -> Address:
    """Where an item was before it moved."""
    return Address(event.item.owner, event.from_compartment, event.from_id)


def absorbed_by(event: ItemMerged) -> tuple[Item, ...]:
    """The other items that became part of this one."""
    return tuple(each for each in event.absorbed if address_of(each) != address_of(event.item))


def ordered(records: Iterable[Record], clock: Clock) -> list[Record]:
    """Records in the order of a clock, each once."""
    once = {record.seq: record for record in records}.values()
    return sorted(once, key=lambda record: _at(record, clock))


def _at(record: Record, clock: Clock) -> tuple[int, int]:
    return (record.event.said if clock == "said" else 0), record.seq


def lives(records: Iterable[Record], keys: Container[bytes], clock: Clock = "recorded") -> list[Life]:
    """The lives that end at rows with these keys, from all records that touched them; the first to begin comes first.

    An item that moved is followed, so both of its keys must be among them.
    """
    lived: dict[bytes, list[Step]] = {}
    pasts: dict[EventId, list[Step]] = {}
    closed: tuple[int, bytes, list[Step]] | None = None
    before: Record | None = None
    for record in ordered(records, clock):
        if closed is not None and record.seq == closed[0] + 1 and closed[1] in _came_from(record):
            lived[closed[1]] = closed[2]  # it was closed ahead of this: the life goes on
        closed = None
        if isinstance(record.event, ItemGone):
            key = key_of(Address(record.event.owner, record.event.compartment, record.event.id))
            steps = lived.pop(key, None)
            if steps is not None and isinstance(record.event, ItemClosed):
                closed = record.seq, key, steps
        for came_from, item in _states(record):
            if came_from is not None or key_of(address_of(item)) in keys:
                _take(lived, pasts, record, came_from, item)
        if before is not None:
            _part(lived, pasts, before, record)
        before = record
    found = (
        Life(address_of(left), left, _sorted(steps, clock)) for steps in lived.values() if (left := steps[-1].after)
    )
    return in_order(found, clock)


def _sorted(steps: Iterable[Step], clock: Clock) -> tuple[Step, ...]:
    return tuple(sorted(steps, key=lambda step: _at(step.record, clock)))


def in_order(found: Iterable[Life], clock: Clock) -> list[Life]:
    """Lives by when they began."""
    return sorted(found, key=lambda life: (_at(life.steps[0].record, clock), life.address))


def _came_from(record: Record) -> set[bytes]:
    """The keys of the items that an event changes, as they were before it."""
    return {key_of(came_from or address_of(item)) for came_from, item in _states(record)}


def _states(record: Record) -> Iterator[tuple[Address | None, Item]]:
    """The items that an event leaves, as they are then, and where one of them came from."""
    match record.event:
        case ItemMoved(item=item) as event:
            yield moved_from(event), item
        case ItemMerged(item=item) as event:
            yield from ((None, each) for each in (*absorbed_by(event), item))
        case ItemEvent(item=item):
            yield None, item
        case _:
            return


def _take(
    lived: dict[bytes, list[Step]],
    pasts: dict[EventId, list[Step]],
    record: Record,
    came_from: Address | None,
    item: Item,
) -> None:
    """Where it moves onto an item that is there already, both pasts are its own; `pasts` has that one's alone."""
    elsewhere = [] if came_from is None else lived.pop(key_of(came_from), [])
    past = lived.setdefault(key_of(address_of(item)), [])
    if elsewhere and past:
        pasts[record.id] = list(past)
    past += elsewhere
    past.append(Step(record, past[-1].after if past else None, item))


def _part(
    lived: Mapping[bytes, list[Step]], pasts: Mapping[EventId, list[Step]], moved: Record, record: Record
) -> None:
    """Where a move that had made one of two is taken back, and the other one lies again where both lay: the past of
    that one is its own again, with what happened to both while they were one.
    """
    back = moved.event
    if not isinstance(back, ItemMoved) or record.seq != moved.seq + 1 or not isinstance(record.event, ItemEvent):
        return
    left = address_of(record.event.item)
    mine, its = lived.get(key_of(address_of(back.item)), []), lived.get(key_of(left), [])
    if left != moved_from(back) or not mine or mine[-1].record is not moved or not its:
        return
    at = next((at for at in reversed(range(len(mine))) if _is_undone(mine[at].record, pasts, back)), None)
    if at is None:
        return
    past, last = pasts[mine[at].record.id], its[-1]
    together = [mine[at]._replace(before=past[-1].after), *mine[at + 1 : -1]]
    its[:] = [*past, *together, last._replace(before=together[-1].after)]
    gone = {step.record.seq for step in past}
    mine[:] = [step for n, step in enumerate(mine) if n >= at or step.record.seq not in gone]


def _is_undone(record: Record, pasts: Mapping[EventId, list[Step]], back: ItemMoved) -> bool:
    """Whether a move that had made one of two is the one that another takes back."""
    event = record.event
    return (
        isinstance(event, ItemMoved)
        and record.id in pasts
        and address_of(event.item) == moved_from(back)
        and event.from_compartment == back.item.compartment
    )


# -- what was refused ----------------------------------------------------------------------------------------------


def with_refusals(found: Sequence[Life], refusals: Iterable[Record], clock: Clock = "recorded") -> list[Life]:
    """The lives with what was refused in them. What belongs to none is a life of its own, in which nothing else is."""
    by_address = {life.address: life for life in found}
    more: dict[Address, list[Step]] = {}
    for record in ordered(refusals, clock):
        for address in _held_against(record, by_address):
            more.setdefault(address, []).append(Step(record, None, None))
    touched = (_with(by_address.get(address, Life(address, None, ())), steps, clock) for address, steps in more.items())
    return in_order((by_address | {life.address: life for life in touched}).values(), clock)


def _with(life: Life, steps: Iterable[Step], clock: Clock) -> Life:
    return life._replace(steps=_sorted((*life.steps, *steps), clock))


def _held_against(record: Record, known: Mapping[Address, Life]) -> list[Address]:
    event = record.event
    assert isinstance(event, ItemRefused)
    against = [address for address in known if (address.owner, address.id) == (event.owner, event.against)]
    here = [address for address in against if address.compartment == event.compartment]
    return here or against or [would_be(event)]


def would_be(event: ItemRefused) -> Address:
    """Where the item would lie that this did not become."""
    return Address(event.owner, event.compartment, derive(event.kind, event.text))
