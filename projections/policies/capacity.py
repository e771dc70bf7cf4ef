"""How many items an owner may have, and which make room for a new one."""

from collections.abc import Iterable
from heapq import nsmallest
from typing import NamedTuple

from projections.events.values import Item, Status
from projections.ids import NOBODY
from projections.items import ItemRow

VERSION = "capacity@1"
COUNTED: frozenset[Status] = frozenset({"active", "deprecated", "forgotten"})
"""What is merged or evicted is history and takes no room."""


class Capacity(NamedTuple):
    """`items` is the most that one person has over all compartments; what belongs to nobody counts by compartment."""

    items: int = 200


class Eviction(NamedTuple):
    """An item that makes room, and why it is this one."""

    row: ItemRow
    reason: str


def address(item: Item) -> tuple[str, str]:
    """Where an item lies among its owner's: compartment and id."""
    return item.compartment, item.id


def evictions(rows: Iterable[ItemRow], added: Item, capacity: Capacity) -> list[Eviction]:
    """What leaves, first to last, so that no more than the cap remain; never the item just added.

    `rows` are the owner's, with the added one. Deprecated and forgotten ones go before active ones, oldest first.
    """
    counted = [row for row in rows if row.item.status in COUNTED and _shares_room(row.item, added)]
    over = len(counted) - capacity.items
    others = (row for row in counted if address(row.item) != address(added))
    return [Eviction(row, _reason(row, capacity)) for row in nsmallest(over, others, key=_order)]


def _shares_room(item: Item, added: Item) -> bool:
    return added.owner != NOBODY or item.compartment == added.compartment


def _order(row: ItemRow) -> tuple[bool, int, str, str]:
    item = row.item
    return item.status == "active", item.updated, item.id, item.compartment


def _reason(row: ItemRow, capacity: Capacity) -> str:
    return f"more than {capacity.items} items, and this was the oldest {row.item.status} one"
