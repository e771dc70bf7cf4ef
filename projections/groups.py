"""The groups that people are shown what is remembered in (seed 003, "Product language for scopes").

People           what is known of somebody, wherever it holds
Community        what belongs to nobody: what everybody in a place may know of it, and of the assistant itself
Owner Private    what is for the assistant's owner alone
"""

from collections.abc import Iterable
from typing import Literal, TypeVar

from projections.events.values import Item
from projections.policies.compartments import OWNER

Group = Literal["People", "Community", "Owner Private"]
GROUPS: tuple[Group, ...] = ("People", "Community", "Owner Private")
T = TypeVar("T")


def group_of(item: Item) -> Group:
    """The group that an item is shown in."""
    if item.owner:
        return "People"
    return "Owner Private" if item.compartment == OWNER else "Community"


def grouped(items: Iterable[tuple[Item, T]]) -> dict[Group, list[T]]:
    """What goes with items, by group, in the order in which it came; a group may have nothing."""
    found: dict[Group, list[T]] = {group: [] for group in GROUPS}
    for item, each in items:
        found[group_of(item)].append(each)
    return found
