"""What the operator reverted, where a memory is made anew: what the same model replied then is decided anew from the
same reply, and comes to the very same item. That one goes here too; what another model makes of it is another matter.

    there                                              here, where the item is the very same
    ────────────────────────────────────────────────   ──────────────────────────────────────────────────────────────
    what was added goes (`item.deprecated`)            it goes (`take_back`)
    what was changed is again as it was                what changed it here is reverted, and it is again as it was here
    (`item.reverted`)                                  before that (`revert_again`)
    a revert is taken back (`item.reverted`)           so is what was reverted here

It is told by the item, since the event does not say which model had made it: the same id, words and messages, and no
person has decided on it.
"""

from typing import NamedTuple

from projections.decisions.came_of import Chronicle
from projections.decisions.draft import Draft, Origin
from projections.decisions.reapplying import POLICY, Reapplying
from projections.decisions.revert import (
    REASON,
    UNDO_REASON,
    UNDO_VERSION,
    VERSION,
    RevertRequest,
    revert,
    undo_revert,
)
from projections.decisions.shelf import changed
from projections.events import Event, ItemDeprecated, ItemReverted
from projections.events.values import Item
from projections.items import ITEMS, ItemRow, item_key
from projections.policies.by_people import is_by_people
from projections.policies.rephrasing import Rephrasing
from projections.policies.text import normalise
from projections.rows import Rows

THE_SAME = "the very same was made here"


def is_reverted(event: Event) -> bool:
    """Whether this says that what a model had added was taken back by the operator."""
    return isinstance(event, ItemDeprecated) and event.policy == VERSION


def is_again_as_it_was(event: Event) -> bool:
    """Whether this says that an item is as it was before something that was reverted, or before the revert."""
    return isinstance(event, ItemReverted) and event.policy in (VERSION, UNDO_VERSION)


def take_back(act: Reapplying) -> None:
    """The very same item holds no more."""
    row = act.own_row()
    if row is None or row.item.status != "active" or is_by_people(row) or not act.is_here_as_seen():
        return
    act.apply(act.made(ItemDeprecated, row, changed(row.item, act.at, status="deprecated"), THE_SAME))


class RevertAgainRequest(NamedTuple):
    """An `item.reverted` as it was recorded, and the item as it was `until` then. `cap` is the most items that one
    person has; `known` is as in `RevertRequest`.
    """

    event: ItemReverted
    until: Item
    origin: Origin
    cap: int = 200
    known: Rephrasing | None = None


def revert_again(rows: Rows, chronicle: Chronicle, request: RevertAgainRequest) -> list[Draft]:
    """What made the very same item so here is undone here too; nothing where there is no such item."""
    event, until = request.event, request.until
    row = rows.get(ITEMS, item_key(until.owner, until.compartment, until.id))
    undoes = event.policy == UNDO_VERSION
    if (
        row is None
        or told_of(row.item) != told_of(until)
        or not (_is_left_by(row, chronicle) if undoes else _is_made(row))
    ):
        return []
    what = event.reason.removeprefix(UNDO_REASON if undoes else REASON)
    again = RevertRequest(
        until.owner, (row.event,), what, event.said, request.origin, request.cap, event.by, request.known
    )
    return (undo_revert if undoes else revert)(rows, chronicle, again)


def _is_made(row: ItemRow) -> bool:
    """Whether a model made it so."""
    return not is_by_people(row)


def _is_left_by(row: ItemRow, chronicle: Chronicle) -> bool:
    """Whether a revert left it so."""
    record = chronicle.find(row.event)
    event = None if record is None else record.event
    return isinstance(event, ItemReverted | ItemDeprecated) and event.policy in (VERSION, POLICY)


def told_of(item: Item) -> tuple[object, ...]:
    """What tells whether two items are the very same."""
    messages = frozenset(each.message for each in item.evidence if each.message)
    return item.id, item.compartment, item.kind, item.status, normalise(item.text), messages
