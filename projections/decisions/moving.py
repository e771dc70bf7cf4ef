"""An item goes to another compartment of its person's: they share it, keep it private, or two keys let it follow them.

what lies there          what becomes of both
──────────────────────   ───────────────────────────────────────────────────────────────────────────────────────
says the same            one item, under the id that it has there
has the id, and other    two: what comes gets an id that nothing there has, as what is remembered does. An id stays
words                    when its text changes, so that two items of one id may say two things
"""

from collections.abc import Collection
from typing import NamedTuple

import msgspec

from projections.decisions.draft import Draft, Origin, decided_before
from projections.decisions.remember import asked
from projections.decisions.shelf import Shelf, causes_of, changed, joined, policy_by, saw
from projections.errors import BadRequest
from projections.events import ItemMoved
from projections.events.values import By, Intent, IntentKind, Item
from projections.ids import Handle
from projections.items import ItemRow
from projections.policies import compartments, item_ids, promotion
from projections.policies.compartments import Opening, direct, everywhere
from projections.policies.item_ids import fresh_id
from projections.policies.matching import find_meant, find_said
from projections.policies.promotion import Verdict
from projections.policies.text import normalise
from projections.quoting import in_quotes
from projections.rows import Rows

VERSION = "moving@2"
POLICY = f"{VERSION} {compartments.VERSION} {item_ids.VERSION}"
BESIDE = "{id} says something else there"
"""Why an item has another id where it came to."""


class MoveRequest(NamedTuple):
    """A person, or the operator for them, wants an item to be in a compartment of theirs. Without `openings` it is
    looked for in all of the owner's. `said` is when they asked, in ms.
    """

    owner: Handle
    id: str
    to: str
    action: IntentKind
    by: By
    said: int
    origin: Origin
    openings: tuple[Opening, ...] | None = None


class Landing(NamedTuple):
    """An item as it may come to lie in a compartment, and what is `there` with which it becomes one; `was` is its id
    where something else has that there.
    """

    item: Item
    there: ItemRow | None = None
    was: str = ""

    @classmethod
    def beside(cls, item: Item, taken: Collection[str]) -> "Landing":
        """An item that comes to lie beside what has its id and says something else: under one that is not taken."""
        return cls(msgspec.structs.replace(item, id=fresh_id(item.kind, item.text, taken)), was=item.id)

    def because(self, why: str) -> str:
        """The words on why it moved; and on why its id is another one."""
        return f"{why}; {BESIDE.format(id=self.was)}" if self.was else why


def sharing(owner: Handle, item_id: str, by: By, said: int, origin: Origin) -> MoveRequest:
    """An item is to be open wherever its person is answered."""
    return MoveRequest(owner, item_id, everywhere(owner), "share", by, said, origin)


def keeping_private(owner: Handle, item_id: str, by: By, said: int, origin: Origin) -> MoveRequest:
    """An item is to be open in its person's direct messages alone."""
    return MoveRequest(owner, item_id, direct(owner), "keep_private", by, said, origin)


def move(rows: Rows, request: MoveRequest) -> list[Draft]:
    """The item at its new address, from wherever it lies; nothing when it is there already.

    Raises BadRequest where there is none, or it is not held any more.
    """
    if decided_before(rows, request.origin):
        return []
    shelf = Shelf(rows, request.origin, request.owner)
    for row in named(shelf, request):
        shelf.put(moved(row, request, landing(shelf, row.item, request.to)))
    return shelf.drafts


def named(shelf: Shelf, request: MoveRequest) -> list[ItemRow]:
    """Every item that is meant and not there yet."""
    openings = request.openings
    own = None if openings is None else [each.compartment for each in openings if each.owner == request.owner]
    named = find_meant(shelf.all() if own is None else shelf.within(own), request.id, "").rows
    active = [row for row in named if row.item.status == "active"]
    if not named:
        raise BadRequest(f"there is no item {in_quotes(request.id)} here: `show` lists the ids")
    if not active:
        raise BadRequest(f"the item {request.id} is {named[0].item.status}: restore it first")
    return [row for row in active if row.item.compartment != request.to]


def moved(row: ItemRow, request: MoveRequest, at: Landing) -> ItemMoved:
    """The item where it is to be, one with what is there."""
    there = at.there
    return ItemMoved(
        said=max(request.said, row.said, there.said if there else row.said),
        by=request.by,
        causes=causes_of([row.event], [there.event] if there else []),
        item=arrived(at.item, there, request.to, request.said),
        reason=at.because(asked(request.by)),
        policy=POLICY,
        intent=Intent(request.action, chosen=request.id, saw=saw(row.item)),
        from_compartment=row.item.compartment,
        from_id=row.item.id,
    )


def promoted(shelf: Shelf, row: ItemRow, verdict: Verdict) -> ItemMoved:
    """An item follows its person from now on, because both keys say so."""
    to = everywhere(row.item.owner)
    at = landing(shelf, row.item, to)
    there = at.there
    return ItemMoved(
        said=max(row.said, there.said if there else row.said),
        by=policy_by(promotion.VERSION),
        causes=causes_of([row.event], [there.event] if there else []),
        item=arrived(at.item, there, to, row.item.updated),
        reason=at.because(verdict.reason),
        policy=f"{promotion.VERSION} {POLICY}",
        from_compartment=row.item.compartment,
        from_id=row.item.id,
    )


def landing(shelf: Shelf, item: Item, to: str) -> Landing:
    """The item with an id that nothing else has where it goes, and what it becomes one with."""
    there = found_there(shelf, item, to)
    taken = {row.item.id for row in shelf.within([to])}
    if there is not None or item.id not in taken:
        return Landing(item, there)
    return Landing.beside(item, taken)


def found_there(shelf: Shelf, item: Item, to: str) -> ItemRow | None:
    """What it becomes one with: what says the same, under its id first."""
    here, text = shelf.within([to]), normalise(item.text)
    own = (row for row in here if row.item.id == item.id and normalise(row.item.text) == text)
    return next(own, None) or find_said(here, item.kind, item.text).row


def arrived(item: Item, there: ItemRow | None, to: str, said: int) -> Item:
    """The item as it is where it has come to, one with what is `there`."""
    moved = changed(item, said, compartment=to)
    if there is None:
        return moved
    old = there.item
    return msgspec.structs.replace(
        moved,
        id=old.id,
        created=min(item.created, old.created),
        updated=max(moved.updated, old.updated),
        tags=item.tags or old.tags,
        evidence=joined(old.evidence, item.evidence),
        source_count=item.source_count + old.source_count,
        supersedes=tuple(dict.fromkeys((*old.supersedes, *item.supersedes))),
    )
