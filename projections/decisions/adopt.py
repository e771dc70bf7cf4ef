"""Taking over what was made anew: from the difference between a shadow's items and the live ones to events (design §9).

    the pair      what is recorded
    ───────────   ─────────────────────────────────────────────────────────────────────────────────────────────────
    only new      item.upserted as the shadow has it, after what makes room for it (item.evicted)
    changed       item.upserted at the live address, with what the shadow says
    only old      item.deprecated
    same          nothing

What is to follow its person everywhere is learned where it was said first, and then moved (item.moved), as ever.

The pairs are made anew from the rows as they are now: what does not differ any more is not recorded again. Where
something stands against a pair here (`adopt_pairs`), it is left as it is, and the reason is told. Pairs that are
connected go together: no item goes without what takes its place.
"""

from collections.abc import Iterable
from typing import NamedTuple

from projections.decisions.adopt_pairs import AdoptRequest, Taking
from projections.decisions.adopted import of_owner
from projections.decisions.draft import MOST_EVENTS, Draft
from projections.decisions.shelf import Shelf
from projections.events.values import Item
from projections.ids import NOBODY
from projections.items import ItemRow
from projections.policies.by_people import is_by_people
from projections.policies.capacity import COUNTED, address
from projections.policies.compartments import is_portable
from projections.rederiving.groups import Group, groups
from projections.rederiving.pairs import Address, Pair, says
from projections.rows import Rows

NO_ROOM = "there is no room for it, and what could make way is active, or a person decided on it"
REPLACED = "what takes its place was left out"
SAYS_SO = "something else says this here, or comes to say it"


class Left(NamedTuple):
    """A pair that is left as it is, and why."""

    pair: Pair
    reason: str


class Part(NamedTuple):
    """A group of which something is taken, and those of its pairs that are."""

    group: Group
    pairs: tuple[Pair, ...]


class Plan(NamedTuple):
    """What is recorded, of which groups, and what is left as it is. `more`: one decision has no room for all of it;
    decided again, it goes on.
    """

    drafts: list[Draft]
    parts: list[Part]
    left: list[Left]
    more: bool = False


class _Waiting(NamedTuple):
    """A group, and what stands against its pairs."""

    group: Group
    left: dict[Pair, str]


def adopt(rows: Rows, request: AdoptRequest, most: int = MOST_EVENTS) -> list[Draft]:
    """What one decision records of an owner; nothing once nothing differs that may be taken."""
    return planned(rows, request, most).drafts


def planned(rows: Rows, request: AdoptRequest, most: int = MOST_EVENTS) -> Plan:
    """The same, with what is left as it is; cut between two groups where it would be more than `most` events."""
    return _Adoption(rows, request, most).run()


def addresses(group: Group) -> frozenset[Address]:
    """Where the items of a group lie, on both sides."""
    rows = (row for pair in group.pairs for row in (pair.old, pair.new) if row is not None)
    return frozenset(address(row.item) for row in rows)


class _Adoption:
    """One owner's difference on its way into the live items."""

    def __init__(self, rows: Rows, request: AdoptRequest, most: int) -> None:
        self._request = request
        self._most = most
        self._taking = Taking(rows, request)
        self._shelf = Shelf(rows, request.adoption.free(rows, of_owner(request.owner)), request.owner, most)
        self._pairs = self._taking.pairs()
        differing = {address(pair.old.item) for pair in self._pairs if pair.old is not None and pair.kind != "same"}
        there = (row.item for at, row in self._taking.before.items() if at not in differing)
        self._stays = frozenset(says(item) for item in there if item.status == "active")
        self._parts: list[Part] = []
        self._left: list[Left] = []

    def run(self) -> Plan:
        """Group by group. One for which there is no room waits for what the others leave, or a second adoption would
        find room where this one did not; at the end, as much of it goes in as there is room for.
        """
        wanted = filter(self._is_chosen, groups(self._pairs))
        waiting: Iterable[_Waiting] = (_Waiting(group, self._against(group)) for group in wanted)
        partly = False
        while True:
            full: list[_Waiting] = []
            took = False
            for each in waiting:
                done = self._plan()
                if not self._take(each.group, dict(each.left), partly=partly):
                    full.append(each)
                    continue
                took = True
                if len(self._shelf.drafts) > self._most:
                    return done._replace(more=True) if done.drafts else self._cut()
            if not full:
                return self._plan()
            waiting, partly = full, not took

    def _plan(self) -> Plan:
        return Plan(list(self._shelf.drafts), list(self._parts), list(self._left))

    def _is_chosen(self, group: Group) -> bool:
        return self._request.chosen is None or addresses(group) <= self._request.chosen

    def _cut(self) -> Plan:
        """As much of the first group as there is room for; the rest follows."""
        plan = self._plan()
        return plan._replace(drafts=plan.drafts[: self._most], more=True)

    def _against(self, group: Group) -> dict[Pair, str]:
        return {pair: reason for pair in group.pairs if (reason := self._taking.against(pair))}

    def _take(self, group: Group, left: dict[Pair, str], *, partly: bool) -> bool:
        """Record a group but for what is `left`; whether there was room for it. Where there is none for an item and it
        may be taken `partly`, that is left, and so is what it would have replaced.
        """
        mark = self._shelf.mark()
        while (full := self._apply(group, left)) is not None:
            self._shelf.undo(mark)
            if not partly:
                return False
            left[full] = NO_ROOM
        self._left += [Left(pair, left[pair]) for pair in group.pairs if pair in left]
        if len(self._shelf.drafts) > mark.drafts:
            self._parts.append(Part(group, tuple(pair for pair in group.pairs if pair not in left)))
        return True

    def _apply(self, group: Group, left: dict[Pair, str]) -> Pair | None:
        """What goes, then what changes, then what comes; the first pair for which there is no room."""
        while (said := self._said(group, left)) is not None:
            left[said] = SAYS_SO
        if any(pair in left and pair.new is not None for pair in group.pairs):
            left |= {pair: REPLACED for pair in group.pairs if pair.new is None and pair not in left}
        pairs = [pair for pair in group.pairs if pair not in left]
        for pair in pairs:
            if pair.new is None:
                self._shelf.put(self._taking.deprecated(pair.row))
        for pair in pairs:
            if pair.kind == "changed":
                self._put(pair)
        return next((pair for pair in pairs if pair.kind == "only_new" and not self._add(pair)), None)

    def _said(self, group: Group, left: dict[Pair, str]) -> Pair | None:
        """A pair that would come to say what is said here all the same, or what another one of the group comes to say:
        rather than one that says it already.
        """
        told = self._stays.union(says(pair.old.item) for pair in left if pair.old is not None)
        coming = [pair for pair in group.pairs if pair.new is not None and pair not in left]
        news = [(pair, says(self._taking.new(pair).item)) for pair in coming]
        for pair, what in sorted(news, key=lambda each: each[0].old is None or says(each[0].old.item) != each[1]):
            if what in told:
                return pair
            told |= {what}
        return None

    def _put(self, pair: Pair) -> None:
        new = self._taking.new(pair)
        if not self._taking.is_news(new):
            return
        learned = self._taking.learned(new) if is_portable(new.item.compartment) else None
        if learned is None:
            self._shelf.put(self._taking.upserted(new))
        else:
            added = self._shelf.put(self._taking.upserted(learned))
            self._shelf.put(self._taking.followed(new, learned, added.id))

    def _add(self, pair: Pair) -> bool:
        """One item more than there are; whether there is room for it."""
        room = self._room(self._taking.new(pair).item)
        if room is None:
            return False
        for row in room:
            self._shelf.put(self._taking.evicted(row))
        self._put(pair)
        return True

    def _room(self, item: Item) -> list[ItemRow] | None:
        """What makes way, oldest first: nothing that is active, or what is taken over would drive out what is
        remembered, over and over, and nothing that a person decided on. None where that is not enough.
        """
        counted = [row for row in self._shelf.all() if row.item.status in COUNTED and _shares_room(row.item, item)]
        others = [row for row in counted if address(row.item) != address(item)]
        over = max(len(others) + 1 - self._request.cap, 0)
        idle = [row for row in others if row.item.status != "active" and not is_by_people(row)]
        first = sorted(idle, key=lambda row: (row.item.updated, address(row.item)))[:over]
        return first if len(first) == over else None


def _shares_room(item: Item, added: Item) -> bool:
    """What is nobody's counts by compartment (`policies/capacity`)."""
    return added.owner != NOBODY or item.compartment == added.compartment
