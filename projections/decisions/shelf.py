"""An owner's items while one decision changes them: the rows as they are, with what the decision has done so far."""

from bisect import insort
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from projections.decisions.draft import MOST_EVENTS, Draft, Minter, Origin
from projections.events import Event, ItemEvent, ItemEvicted, ItemMoved, ItemReverted
from projections.events.values import By, Evidence, Item, Saw
from projections.ids import EventId, Handle
from projections.items import ItemRow, items_of
from projections.policies import capacity
from projections.policies.capacity import Capacity, address
from projections.rows import Rows

MOST_EVIDENCE = 50
"""The most quotes that an item keeps, newest last."""


def policy_by(version: str) -> By:
    """A policy as an actor: `capacity@1` is the policy `capacity` in its version 1. Of several, the first decided."""
    name, _, number = version.split()[0].partition("@")
    return By("policy", name=name, version=number)


class Mark(NamedTuple):
    """A moment of a shelf."""

    rows: dict[tuple[str, str], ItemRow]
    drafts: int
    touched: frozenset[tuple[str, str]]


class Shelf:
    """Items to look at, `put` to change one; `drafts` is what comes of it. A shelf `beside` another one is for another
    owner's items in the same decision.
    """

    def __init__(
        self, rows: Rows, origin: Origin, owner: Handle, most: int = MOST_EVENTS, beside: "Shelf | None" = None
    ) -> None:
        self._minting = rows, origin
        self._minter: Minter = Minter(rows, origin) if beside is None else beside._minter
        self._most = most
        self._rows = {address(found.row.item): found.row for found in items_of(rows, owner)}
        self._in_order = sorted(self._rows)
        self._within: dict[frozenset[str], tuple[ItemRow, ...]] = {}
        """What was looked for in some compartments, as long as it stays as it is."""
        self.drafts: list[Draft] = [] if beside is None else beside.drafts
        self.touched: set[tuple[str, str]] = set()

    def mark(self) -> "Mark":
        """The shelf as it is now, to go back to."""
        return Mark(dict(self._rows), len(self.drafts), frozenset(self.touched))

    def undo(self, mark: "Mark") -> None:
        """Back to how it was; the ids that were given since are given again."""
        self._rows = dict(mark.rows)
        self._within = {}
        self._in_order = sorted(self._rows)
        self.touched = set(mark.touched)
        del self.drafts[mark.drafts :]
        self._minter = Minter(*self._minting)
        for _ in self.drafts:
            self._minter.next()

    def all(self) -> list[ItemRow]:
        """Every item of the owner, of every status, by address."""
        return [self._rows[each] for each in self._in_order]

    def within(self, compartments: Iterable[str]) -> tuple[ItemRow, ...]:
        """The items in these compartments."""
        wanted = frozenset(compartments)
        if wanted not in self._within:
            self._within[wanted] = tuple(row for row in self.all() if row.item.compartment in wanted)
        return self._within[wanted]

    def at(self, item: Item) -> ItemRow:
        """The row of an item that is there."""
        return self._rows[address(item)]

    def look_at(self, row: ItemRow) -> None:
        """Look at an item in another way than it lies there; nothing comes of that alone."""
        self._lay(address(row.item), row)

    def _lay(self, at: tuple[str, str], row: ItemRow) -> None:
        self._rows[at] = row
        self._within = {}

    def record(self, event: Event) -> Draft:
        """An event that changes no item."""
        draft = self._minter.draft(event)
        self.drafts.append(draft)
        return draft

    def put(self, event: ItemEvent, carried: Draft | None = None) -> Draft:
        """An event that makes its item what it says. `carried` is its draft where it has an id already."""
        draft = self.record(event) if carried is None else carried
        if carried is not None:
            self.drafts.append(carried)
        row = ItemRow(draft.id, event.TAG, event.said, event.by, event.item, event.reason, event.policy, event.intent)
        if isinstance(event, ItemMoved):
            self._take_off((event.from_compartment, event.from_id))
            self.touched.add((event.from_compartment, event.from_id))
        at = address(event.item)
        if at not in self._rows:
            insort(self._in_order, at)
        self._lay(at, row)
        if isinstance(event, ItemReverted) and event.gone:
            self._take_off(at)
        self.touched.add(at)
        return draft

    def _take_off(self, at: tuple[str, str]) -> None:
        if self._rows.pop(at, None) is not None:
            self._in_order.remove(at)
            self._within = {}

    def add(self, event: ItemEvent, cap: int, carried: Draft | None = None) -> None:
        """An event that makes its item active, and the evictions that make room for it. `carried` is as in `put`."""
        added = self.put(event, carried)
        for row, reason in capacity.evictions(self.all(), event.item, Capacity(cap)):
            if len(self.drafts) >= self._most:
                return  # a cap that was lowered by far; the next item goes on with it
            self.put(_evicted(row, reason, event.said, added.id, cap))


def _evicted(row: ItemRow, reason: str, said: int, added: EventId, cap: int) -> ItemEvicted:
    return ItemEvicted(
        said=max(said, row.said),
        by=policy_by(capacity.VERSION),
        causes=(row.event, added),
        item=msgspec.structs.replace(row.item, status="evicted"),
        reason=reason,
        policy=capacity.VERSION,
        cap=cap,
    )


def changed(item: Item, said: int, **fields: object) -> Item:
    """The item with some fields changed at `said`; `updated` never runs backwards."""
    return msgspec.structs.replace(item, updated=max(said, item.updated), **fields)


def joined(old: Iterable[Evidence], new: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Old and new evidence, each once, the newest MOST_EVIDENCE."""
    return tuple(dict.fromkeys((*old, *new)))[-MOST_EVIDENCE:]


def saw(item: Item) -> Saw:
    """The item as the person had it before them."""
    return Saw(item.text, item.kind, item.compartment, item.evidence)


def rests_on(evidence: Iterable[Evidence]) -> tuple[EventId, ...]:
    """The messages that evidence stands in, each once."""
    return tuple(dict.fromkeys(each.message for each in evidence if each.message))


def said_of(rows: Rows, item: Item) -> list[EventId]:
    """The messages that an item rests on, as far as this log has them: they are causes of whatever has its words."""
    return [each for each in rests_on(item.evidence) if rows.ids.status(each) in ("known", "redacted")]


def causes_of(*groups: Iterable[EventId]) -> tuple[EventId, ...]:
    """Causes, each once, in order."""
    return tuple(dict.fromkeys(cause for group in groups for cause in group))
