"""What people here stand against in an item that comes from a shadow: what they took back, what they keep for their
direct messages alone, what they say themselves, and what they put right since, which the shadow does not know.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from projections.decisions.adopted import is_adopted
from projections.events import Event, MessageEdited, MessageHeard
from projections.events.values import Item
from projections.ids import NOBODY, EventId, Handle
from projections.items import ForgottenRow, ItemRow, forgotten_of, items_of
from projections.policies.by_people import is_by_people
from projections.policies.closeness import Measure
from projections.policies.item_ids import derive
from projections.policies.kept_private import is_kept_private
from projections.policies.old_words import is_put_right
from projections.policies.refusals import Claim, refusal, taken_back
from projections.policies.rephrasing import Rephrasing
from projections.rederiving.pairs import Says, says
from projections.rows import Rows

PUT_RIGHT = "it says of the same messages what a person put right here since"
PRIVATE = "its person keeps it for their direct messages"


class New(NamedTuple):
    """An item that is to be: what it becomes, from which row of the shadow, over which row here, on which messages."""

    item: Item
    made: ItemRow
    over: ItemRow | None
    messages: tuple[EventId, ...]


class Refusing:
    """Items of one owner that come, held against what people decided: `owned` are the owner's as they are here, `since`
    those of them that changed behind the shadow's end, `heard` the messages that those to come rest on, `known` what is
    known of the language, and `measure` an encoder's.
    """

    def __init__(
        self,
        rows: Rows,
        owner: Handle,
        owned: Sequence[ItemRow],
        since: Sequence[ItemRow],
        heard: Mapping[EventId, Event],
        known: Rephrasing | None,
        measure: Measure | None,
    ) -> None:
        self._rows = rows
        self._owner = owner
        self._owned = owned
        self._since = since
        self._heard = heard
        self._known = known
        self._measure = measure

    def against(self, new: New) -> str:
        """What stands against it; empty where nothing does."""
        found = refusal(self._rows, self._forgotten(new), _claim(new), self._known, self._measure)
        if found is not None:
            return found.reason
        if is_put_right(self._since, new.messages, new.item.text):
            return PUT_RIGHT  # a shadow that knows it has no such item (`reapply_kept`)
        return PRIVATE if self._is_kept_private(new) else ""

    def is_said(self, new: New) -> bool:
        """Whether an item that a person decided on says just this, in the same place."""
        return says(new.item) in self._said

    @cached_property
    def _said(self) -> frozenset[Says]:
        active = (row for row in self._owned if row.item.status == "active")
        return frozenset(says(row.item) for row in active if is_by_people(row))

    def _is_kept_private(self, new: New) -> bool:
        """Also of what is nobody's, where those who said it keep it. What says the same already is not opened by it.

        What an adoption brought opens nothing beside it: taken over twice, a shadow would bring more than at first.
        """
        over = new.over
        if over is not None and over.item.status == "active" and says(over.item) == says(new.item):
            return False
        everybody = [self._owned] if self._owner != NOBODY else map(self._items, self._speakers(new))
        where, claim, told = new.item.compartment, _claim(new), self._known
        both = (((row for row in owned if row == over or not is_adopted(row)), owned) for owned in everybody)
        return any(is_kept_private(self._rows, lying, owned, where, claim, told) for lying, owned in both)

    def _items(self, owner: Handle) -> Sequence[ItemRow]:
        return [found.row for found in items_of(self._rows, owner)]

    def _forgotten(self, new: New) -> list[ForgottenRow]:
        """What its owner took back; of what is nobody's, what was taken back there, and by those who said it."""
        item = new.item
        if item.owner != NOBODY:
            return self._owner_forgot
        found = (taken_back(self._rows, each, item.compartment) for each in (NOBODY, *self._speakers(new)))
        return [row for rows in found for row in rows]

    def _speakers(self, new: New) -> list[Handle]:
        heard = (self._heard.get(each) for each in new.messages)
        said = (each.message.speaker for each in heard if isinstance(each, MessageHeard | MessageEdited))
        return sorted({*said} - {NOBODY})

    @cached_property
    def _owner_forgot(self) -> list[ForgottenRow]:
        return [found.row for found in forgotten_of(self._rows, self._owner)]


def _claim(new: New) -> Claim:
    """What is claimed by it, under every id that it has."""
    ids = frozenset({derive(new.item.kind, new.item.text), new.item.id, new.made.item.id})
    return Claim(ids, new.item.text, new.messages, new.item.tags)
