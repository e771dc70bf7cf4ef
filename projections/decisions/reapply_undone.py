"""What was taken back of what a shadow has as it was recorded: an adoption that lies before the moment from which that
is derived anew, or a summary of then that the operator reverted. It goes there too.

    there                                             here
    ───────────────────────────────────────────────   ───────────────────────────────────────────────────────────────
    an item is as before the adoption, or gone        so it is, where it is the very same as the adoption had left it
    a summary is as before the adoption or the bad    so it is, where it says the very same as that had left it
    one, or is made anew

The event itself is taken over: what it says was before is what was recorded here too. What another model made of it
since is another matter.
"""

from collections.abc import Sequence

from projections.decisions.adopted import VERSION as ADOPTION
from projections.decisions.came_of import left_by
from projections.decisions.draft import Draft
from projections.decisions.reapply_reverted import told_of
from projections.decisions.revert import UNDO_VERSION, VERSION
from projections.decisions.revert_summaries import SEPARATOR, same_summary
from projections.events import Event, ItemReverted, SummaryReverted, SummaryWithheld
from projections.fold import Record
from projections.ids import EventId
from projections.items import ITEMS
from projections.lives import address_of, key_of
from projections.messages import unit
from projections.policies.by_people import is_by_people
from projections.rows import Rows
from projections.summaries import SUMMARIES

UNDOING = (ADOPTION, VERSION, UNDO_VERSION)
"""Who takes summaries back: the undoing of an adoption, a revert, and the undoing of one."""


def undoes(event: Event) -> tuple[EventId, ...]:
    """What an event takes back of an adoption, or of summaries; empty where it is anything else. What else the operator
    reverted of items is decided again (`reapply_reverted`).
    """
    match event:
        case ItemReverted(policy=policy, undoes=undone) if policy == ADOPTION:
            return undone
        case SummaryReverted(undoes=undone):
            return undone
        case SummaryWithheld(policy=policy, causes=causes) if policy.partition(SEPARATOR)[0] in UNDOING:
            return causes
        case _:
            return ()


def undo_again(rows: Rows, drafts: Sequence[Draft], undone: Record) -> Sequence[Draft]:
    """The event as it was recorded, behind what keeps out of force what it takes back (`policies/closing`): where that
    is so here; nothing where it is not, or is no more. `undone` is the last event that it took back.
    """
    event = drafts[-1].event
    if rows.ids.status(drafts[-1].id) != "unknown":
        return []
    if isinstance(event, ItemReverted):
        return drafts if _is_as_left(rows, event, undone) else []
    assert isinstance(event, SummaryReverted | SummaryWithheld)
    key = unit(event.session, event.audience.epoch)
    return drafts if same_summary(dict(SUMMARIES.rows(undone)).get(key), rows.get(SUMMARIES, key)) else []


def _is_as_left(rows: Rows, event: ItemReverted, undone: Record) -> bool:
    """Whether an item is the very same as what was taken back had left it, or gone as that is."""
    key = key_of(address_of(event.item))
    left, row = left_by(undone).get(key), rows.get(ITEMS, key)
    if left is None or row is None:
        return left is row
    return told_of(row.item) == told_of(left.item) and not is_by_people(row)
