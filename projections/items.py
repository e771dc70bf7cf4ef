"""Durable items, what was refused, and what went quiet with a forgotten one.

An item's address is (owner, compartment, id), and its key is that address, so that a compartment of a person is one
range.
"""

from collections.abc import Callable, Iterator

import msgspec

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
    ItemUpserted,
    ItemWithdrawn,
    TurnQuieted,
)
from projections.events.items import ItemGone
from projections.events.values import By, Evidence, Intent, Item, ItemUse
from projections.fold import Change, Projection, Record
from projections.ids import EventId, Handle, digest16
from projections.rows import Found, Rows

ITEM_EVENTS = (
    ItemRemembered,
    ItemUpserted,
    ItemDeprecated,
    ItemMerged,
    ItemEvicted,
    ItemForgotten,
    ItemRestored,
    ItemMoved,
    ItemRedacted,
    ItemReverted,
)


class ItemRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An item as its last event left it, and what that event says of itself."""

    event: EventId
    tag: str
    said: int
    by: By
    item: Item
    reason: str
    policy: str
    intent: Intent | None


class RefusalRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Something that was not allowed to become an item."""

    event: EventId
    said: int
    owner: Handle
    compartment: str
    kind: str
    text: str
    reason: str
    policy: str
    evidence: tuple[Evidence, ...]
    against: str


class QuietRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A message or an answer that left recall together with a forgotten item; `item` is empty for one that was given
    when it had been forgotten already.
    """

    event: EventId
    item: str


class ForgottenRow(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a person took back. It stands after the item itself was evicted, so that it is not learned again.

    `was` are the events that had made the item before: what answers had before them.
    """

    event: EventId
    id: str
    compartment: str
    kind: str
    text: str
    evidence: tuple[Evidence, ...]
    was: tuple[EventId, ...]


def owner_key(owner: Handle) -> bytes:
    """The owner's part of a key: the handle, or sixteen zeros for what belongs to no person."""
    return owner or bytes(16)


def item_key(owner: Handle, compartment: str, item_id: str) -> bytes:
    """owner ‖ compartment ‖ id, 48 bytes."""
    return compartment_key(owner, compartment) + digest16(item_id)


def compartment_key(owner: Handle, compartment: str) -> bytes:
    """The prefix of an owner's items in one compartment."""
    return owner_key(owner) + digest16(compartment)


def forgotten_key(item: Item) -> bytes:
    """owner ‖ the item's address within the owner, 32 bytes."""
    return forgotten_at(item.owner, item.compartment, item.id)


def forgotten_at(owner: Handle, compartment: str, item_id: str) -> bytes:
    """The same of an address."""
    return owner_key(owner) + digest16(compartment, item_id)


def _row(record: Record, event: ItemEvent, item: Item) -> Change[ItemRow]:
    row = ItemRow(record.id, event.TAG, event.said, event.by, item, event.reason, event.policy, event.intent)
    return item_key(item.owner, item.compartment, item.id), row


def _as_it_was(record: Record, event: ItemReverted, item: Item) -> Change[ItemRow]:
    was, key = event.was, item_key(item.owner, item.compartment, item.id)
    row = ItemRow(record.id, was.tag, was.said, was.by, item, was.reason, was.policy, was.intent)
    return key, None if event.gone else row


def _items(record: Record) -> list[Change[ItemRow]]:
    match record.event:
        case ItemMerged(item=item, absorbed=absorbed) as event:
            return [_row(record, event, each) for each in (*absorbed, item)]
        case ItemMoved(item=item, from_compartment=compartment, from_id=item_id) as event:
            return [(item_key(item.owner, compartment, item_id), None), _row(record, event, item)]
        case ItemGone(owner=owner, compartment=compartment, id=item_id):
            return [(item_key(owner, compartment, item_id), None)]
        case ItemReverted(item=item) as event:
            return [_as_it_was(record, event, item)]
        case ItemEvent(item=item) as event:
            return [_row(record, event, item)]
        case _:
            return []


def _refusals(record: Record) -> list[Change[RefusalRow]]:
    match record.event:
        case ItemRefused() as refused:
            row = RefusalRow(
                record.id,
                refused.said,
                refused.owner,
                refused.compartment,
                refused.kind,
                refused.text,
                refused.reason,
                refused.policy,
                refused.evidence,
                refused.against,
            )
            return [(owner_key(refused.owner) + record.id, row)]
        case _:
            return []


def _quiet(record: Record) -> list[Change[QuietRow]]:
    match record.event:
        case ItemForgotten(item=item, quiet=quiet):
            return [(event, QuietRow(record.id, item.id)) for event in quiet]
        case ItemRedacted(item=item, quiet=quiet, refuses=True):
            return [(event, QuietRow(record.id, item.id)) for event in quiet]
        case ItemGone(id=item_id, quiet=quiet):
            return [(event, QuietRow(record.id, item_id)) for event in quiet]
        case ItemRestored(returns=returns) | ItemRemembered(returns=returns):
            return [(event, None) for event in returns]
        case TurnQuieted(quiet=quiet):
            return [(event, QuietRow(record.id, "")) for event in quiet]
        case _:
            return []


def _forgotten(record: Record) -> list[Change[ForgottenRow]]:
    match record.event:
        case ItemForgotten() as event:
            return [_taken_back(record, event, event.causes)]
        case ItemRedacted(refuses=True) as event:
            return [_taken_back(record, event, event.was)]
        case ItemRestored(item=item) | ItemRemembered(item=item):
            return [(forgotten_key(item), None)]
        case ItemWithdrawn(owner=owner, compartment=compartment, id=item_id):
            return [(forgotten_at(owner, compartment, item_id), None)]
        case ItemMoved(item=item) as event if item.status != "evicted":  # of an evicted one the old row stands
            old = msgspec.structs.replace(item, compartment=event.from_compartment, id=event.from_id)
            gone = _taken_back(record, event, event.causes)
            return [(forgotten_key(old), None), gone if item.status == "forgotten" else (forgotten_key(item), None)]
        case _:
            return []


def _taken_back(record: Record, event: ItemEvent, was: tuple[EventId, ...]) -> Change[ForgottenRow]:
    item = event.item
    row = ForgottenRow(record.id, item.id, item.compartment, item.kind, item.text, item.evidence, was)
    return forgotten_key(item), row


ITEMS = Projection("items", 1, ItemRow, (*ITEM_EVENTS, ItemWithdrawn, ItemClosed), _items, 48)
REFUSALS = Projection("refusals", 1, RefusalRow, (ItemRefused,), _refusals, 32, history=False)
FORGOTTEN = Projection(
    "forgotten",
    1,
    ForgottenRow,
    (ItemForgotten, ItemRestored, ItemRemembered, ItemMoved, ItemRedacted, ItemWithdrawn),
    _forgotten,
    32,
)
QUIET = Projection(
    "quiet",
    2,
    QuietRow,
    (ItemForgotten, ItemRestored, ItemRemembered, ItemRedacted, ItemWithdrawn, ItemClosed, TurnQuieted),
    _quiet,
    16,
)


def items_in(rows: Rows, owner: Handle, compartment: str) -> Iterator[Found[ItemRow]]:
    """An owner's items in one compartment, of every status."""
    return rows.scan(ITEMS, compartment_key(owner, compartment))


def items_of(rows: Rows, owner: Handle) -> Iterator[Found[ItemRow]]:
    """All of an owner's items, in every compartment and of every status."""
    return rows.scan(ITEMS, owner_key(owner))


def item_use(row: ItemRow) -> ItemUse:
    """An item as it stands in a prompt."""
    return ItemUse(row.item.owner, row.item.compartment, row.item.id, row.event)


def made_of(item: Item) -> frozenset[EventId]:
    """The messages whose words an item is: the one that somebody kept as nobody's, or else all that it rests on."""
    kept = {each.message for each in item.evidence if item.kept and each.ref and each.ref == item.source.message}
    return frozenset(kept or (each.message for each in item.evidence if each.message))


def forgotten_of(rows: Rows, owner: Handle) -> Iterator[Found[ForgottenRow]]:
    """What an owner took back, in every compartment."""
    return rows.scan(FORGOTTEN, owner_key(owner))


def is_quiet(rows: Rows, event: EventId) -> bool:
    """Whether a message or an answer left recall with what a person took back."""
    return rows.get(QUIET, event) is not None


def quiet_among(rows: Rows) -> Callable[[EventId], bool]:
    """The same for many: where nothing ever left so, none is looked up."""
    if next(rows.keys(QUIET, b""), None) is None:
        return lambda _: False
    return lambda event: is_quiet(rows, event)


def compartments_of(rows: Rows, owner: Handle) -> list[str]:
    """The compartments in which an owner has items; reads one row of each."""
    return [each.row.item.compartment for each in _first_of_each(rows, owner_key(owner))]


def _first_of_each(rows: Rows, owner: bytes) -> Iterator[Found[ItemRow]]:
    order = rows.order((ITEMS.table,), owner)
    if order is None:
        start = owner
        while (first := next(rows.scan(ITEMS, owner, start=start), None)) is not None:
            yield first
            start = _behind_compartment(first.key)
        return
    at = 0
    while at < len(order):
        kept = rows.kept(ITEMS, order.at(at).key)
        assert kept is not None, "it is among the keys in order, of the same rows"
        yield kept
        at = order.find(_behind_compartment(kept.key))


def _behind_compartment(key: bytes) -> bytes:
    """Behind all keys of items of the same owner and compartment."""
    return key[:32] + b"\xff" * 17
