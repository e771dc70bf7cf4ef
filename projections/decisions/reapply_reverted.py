"""What the operator reverted, where a memory is made anew: what the same model replied then is decided anew from the
same reply, and comes to the very same item. That one goes here too; what another model makes of it is another matter.

It is told by the item, since the event does not say which model had made it: the same id, words and messages, and no
person has decided on it. An item that said something before (`item.reverted`) is not reached: what it said in between
stands in no event that comes here. It is held back when the shadow is adopted.
"""

from projections.decisions.reapplying import Reapplying
from projections.decisions.revert import VERSION
from projections.decisions.shelf import changed
from projections.events import Event, ItemDeprecated
from projections.policies.by_people import is_by_people

THE_SAME = "the very same was made here"


def is_reverted(event: Event) -> bool:
    """Whether this says that what a model had added was taken back by the operator."""
    return isinstance(event, ItemDeprecated) and event.policy == VERSION


def take_back(act: Reapplying) -> None:
    """The very same item holds no more."""
    row = act.own_row()
    if row is None or row.item.status != "active" or is_by_people(row) or not act.is_here_as_seen():
        return
    act.apply(act.made(ItemDeprecated, row, changed(row.item, act.at, status="deprecated"), THE_SAME))
