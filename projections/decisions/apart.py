"""Taking two items apart that were merged: what the one had absorbed comes back, and it says again what it said before.

What it said before is no row any more, so whoever asks reads it from the log and hands it in.
"""

from collections.abc import Iterable
from typing import NamedTuple

from projections.decisions.shelf import changed, saw
from projections.events import ItemUpserted
from projections.events.values import By, Intent, Item
from projections.items import ItemRow


class Apart(NamedTuple):
    """Who asked for the absorbed item, by its id, when (`said`, in ms), and why in words; `policy` is the rule."""

    id: str
    by: By
    said: int
    reason: str
    policy: str


def merged_into(owned: Iterable[ItemRow], row: ItemRow) -> ItemRow | None:
    """The item that this one became part of, if it still is as the merge left it. `owned` are all of the owner's."""
    if row.item.status != "merged":
        return None
    return next((each for each in owned if each.event == row.event and each.item.status == "active"), None)


def apart(whole: ItemRow, before: Item, asked: Apart) -> ItemUpserted:
    """The item that had absorbed the other, as it was before."""
    return ItemUpserted(
        said=max(asked.said, whole.said),
        by=asked.by,
        causes=(whole.event,),
        item=changed(before, asked.said, status="active"),
        reason=f"{asked.reason}; {asked.id} is an item of its own again",
        policy=asked.policy,
        intent=Intent("restore", chosen=asked.id, saw=saw(whole.item)),
    )
