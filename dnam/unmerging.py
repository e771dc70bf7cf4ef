"""What an item was before another was merged into it: read from the log, so that a person can take the two apart."""

from collections.abc import Sequence

from projections.decisions.apart import merged_into
from projections.events.values import Item
from projections.ids import Handle
from projections.items import items_of
from projections.lives import Address, address_of
from projections.policies.compartments import Opening
from projections.rows import Rows
from replay.audit import life_at
from replay.live import Live
from replay.reading import Reader


def before_merge(rows: Rows, live: Live, owner: Handle, item_id: str, openings: Sequence[Opening]) -> Item | None:
    """The item that the one with this id became part of, as it was until then; None where it was merged into none, or
    that has changed since, or cannot be read any more.
    """
    owned = [found.row for found in items_of(rows, owner)]
    here = {opening.compartment for opening in openings}
    named = (row for row in owned if row.item.id == item_id and row.item.compartment in here)
    whole = next((found for row in named if (found := merged_into(owned, row)) is not None), None)
    return None if whole is None else _before(rows, live, address_of(whole.item), whole.event)


def _before(rows: Rows, live: Live, address: Address, event: bytes) -> Item | None:
    life = life_at(rows, Reader(live), address)
    steps = () if life is None else life.steps
    return next((step.before for step in steps if step.record.id == event), None)
