"""What had to go for what was just kept, told to whoever asked for it: nothing leaves unseen."""

from collections.abc import Sequence

from dnam.memory import Memory
from projections.counting import counted
from projections.derived import effects_of
from projections.events import ItemEvicted
from projections.events.values import Item
from projections.items import ITEMS, item_key, items_of
from projections.quoting import one_line
from projections.rows import Rows

MOST_TOLD = 3


async def made_room(memory: Memory, kept: Item) -> str:
    """The words for it, on a line of their own; empty where there was room."""
    gone = await memory.look(lambda rows: evicted_for(rows, kept))
    if not gone:
        return ""
    told = "; ".join(f"{one_line(each.text)} (`{each.id}`)" for each in gone[:MOST_TOLD])
    more = f"; and {len(gone) - MOST_TOLD} more" if len(gone) > MOST_TOLD else ""
    return f"\nTo make room for it, {counted(len(gone), 'older item')} went: {told}{more}. They can be restored."


def evicted_for(rows: Rows, kept: Item) -> Sequence[Item]:
    """The items that made room for another one when that was last changed."""
    row = rows.get(ITEMS, item_key(kept.owner, kept.compartment, kept.id))
    if row is None:
        return ()
    evictions = {effect for effect, tag in effects_of(rows, row.event) if tag == ItemEvicted.TAG}
    return [found.row.item for found in items_of(rows, kept.owner) if found.row.event in evictions] if evictions else ()
