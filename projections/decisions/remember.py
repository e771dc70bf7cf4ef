"""What a person does to their own items by hand: remember, edit, forget, restore.

What was asked and what the person saw goes into the event, so that it can be applied again where items differ.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from projections.consent import is_out
from projections.decisions.apart import Apart, apart, merged_into
from projections.decisions.draft import MOST_EVENTS, Draft, Origin, decided_before
from projections.decisions.place import heard_of
from projections.decisions.shelf import Shelf, causes_of, changed, joined, rests_on, saw
from projections.errors import BadRequest
from projections.events import ItemForgotten, ItemRemembered, ItemRestored, ItemUpserted, PlaceDescribed
from projections.events.values import About, By, Evidence, Intent, Item, Source, Status
from projections.ids import NOBODY, EventId, Handle
from projections.items import ItemRow, forgotten_key, forgotten_of
from projections.places import audience_of
from projections.policies import alike, compartments, item_ids, kinds, matching, quiet
from projections.policies import text as texts
from projections.policies.compartments import Opening, Setting, place_item
from projections.policies.guards import BY_HAND, Guarding, held_by_hand
from projections.policies.item_ids import fresh_id
from projections.policies.kinds import DEFAULT_KIND, read_kind
from projections.policies.matching import find_meant, find_said, says
from projections.policies.quiet import quiet_with, returns_with
from projections.policies.text import is_blank, tidy
from projections.quoting import in_quotes
from projections.rows import Rows

REMEMBER_POLICY = " ".join(
    [*(each.VERSION for each in (matching, item_ids, kinds, texts, compartments, quiet, alike)), BY_HAND]
)
EDIT_POLICY = f"{matching.VERSION} {texts.VERSION} {BY_HAND}"
QUIET_POLICY = f"{matching.VERSION} {texts.VERSION} {quiet.POLICY}"
GONE_FOR_GOOD = ". What was learned from a message that was taken back is gone with it, for good"
"""What `restore` says besides, where there is no such item."""
DEFAULT_CAP = 200
NARROWER = "only some can read by now what was said there, so it is not for everybody"
UNWILLING = "they opted out: nothing of theirs is recorded, unless they opt in again"
RESTORABLE: frozenset[Status] = frozenset({"forgotten", "deprecated", "evicted", "merged"})


class RememberRequest(NamedTuple):
    """A person, or the operator for them, wants this kept. `said` is when they asked, in ms, `where` in which place.
    What is `about` no person has NOBODY for an owner. `speakers` are those whose words it keeps.
    """

    owner: Handle
    compartment: str
    text: str
    by: By
    said: int
    source: Source
    origin: Origin
    kind: str = DEFAULT_KIND
    evidence: tuple[Evidence, ...] = ()
    tags: tuple[str, ...] = ()
    cap: int = DEFAULT_CAP
    where: Setting | None = None
    guarding: Guarding = Guarding()
    about: About = "person"
    speakers: tuple[Handle, ...] = ()


class EditRequest(NamedTuple):
    """An item is to say something else. Without `openings` it is looked for in all of the owner's compartments. Without
    `guarding` it is to say again what it said before, and nothing is held against that; `source` is where that was
    from, where it is known.
    """

    owner: Handle
    id: str
    text: str
    by: By
    said: int
    origin: Origin
    openings: tuple[Opening, ...] | None = None
    evidence: tuple[Evidence, ...] = ()
    guarding: Guarding | None = Guarding()
    source: Source | None = None


class ForgetRequest(NamedTuple):
    """Every item of the owner's in these openings that the id names, or else that the needle covers, is taken back."""

    owner: Handle
    openings: tuple[Opening, ...]
    by: By
    said: int
    origin: Origin
    needle: str = ""
    id: str = ""


class RestoreRequest(NamedTuple):
    """An item is to be active again. Where it was merged into another, `before` is that other as it was until then, if
    that can still be read.
    """

    owner: Handle
    id: str
    by: By
    said: int
    origin: Origin
    openings: tuple[Opening, ...] | None = None
    cap: int = DEFAULT_CAP
    before: Item | None = None


def remember(rows: Rows, request: RememberRequest) -> list[Draft]:
    """The item, new or revived or confirmed, and what makes room for it; before it the place, where nobody knew it."""
    if decided_before(rows, request.origin):
        return []
    _refuse_unwilling(rows, request.owner, request.by.person, *request.speakers)
    text, kind = item_text(request.text, request.guarding, for_all=request.owner == NOBODY), read_kind(request.kind)
    request = _closed(rows, request)
    shelf = Shelf(rows, request.origin, request.owner)
    for place in _place(rows, request):
        shelf.record(place)
    match = find_said(shelf.within([request.compartment]), kind, text)
    item = _new(shelf, request, kind, text) if match.row is None else again(match.row.item, request, text)
    event = ItemRemembered(
        said=_said(request.said, match.row),
        by=request.by,
        causes=causes_of(rests_on(request.evidence), [match.row.event] if match.row else []),
        item=item,
        reason=f"{asked(request.by)}; {match.reason}",
        policy=REMEMBER_POLICY,
        intent=Intent("remember", needle=text, saw=saw(item if match.row is None else match.row.item)),
        returns=() if match.row is None else returns_of(rows, shelf, match.row),
    )
    shelf.add(event, request.cap)
    return shelf.drafts


def _refuse_unwilling(rows: Rows, *people: Handle) -> None:
    if any(is_out(rows, each) for each in people):
        raise BadRequest(UNWILLING)


def _place(rows: Rows, request: RememberRequest) -> list[PlaceDescribed]:
    """What is to be known of a place before something rests on it."""
    where = request.where
    return [] if where is None else heard_of(rows, where.audience, where.guild, request.said)


def _closed(rows: Rows, request: RememberRequest) -> RememberRequest:
    """The request, in the place as it is: fewer may be able to read it than when it was asked."""
    known = None if request.where is None else audience_of(rows, request.where.audience.place)
    if known is None or request.where is None or (request.where.audience.kind, known.kind) != ("guild", "channel"):
        return request
    if request.owner == NOBODY:
        raise BadRequest(NARROWER)
    where = request.where._replace(audience=known)
    return request._replace(where=where, compartment=place_item(where))


def _new(shelf: Shelf, request: RememberRequest, kind: str, text: str) -> Item:
    taken = {row.item.id for row in shelf.within([request.compartment])}
    return Item(
        id=fresh_id(kind, text, taken),
        owner=request.owner,
        compartment=request.compartment,
        kind=kind,
        text=text,
        created=request.said,
        updated=request.said,
        source=request.source,
        about=request.about,
        tags=request.tags,
        evidence=joined((), request.evidence),
        kept=True,
    )


def again(item: Item, request: RememberRequest, text: str) -> Item:
    """An item that is there, remembered once more in these words."""
    return changed(
        item,
        request.said,
        text=text,
        status="active",
        source=request.source,
        tags=request.tags or item.tags,
        confidence=1000,
        evidence=joined(item.evidence, request.evidence),
        source_count=item.source_count + 1,
        kept=True,
    )


def edit(rows: Rows, request: EditRequest) -> list[Draft]:
    """The item with its new text; nothing when it says so already."""
    if decided_before(rows, request.origin):
        return []
    _refuse_unwilling(rows, request.owner, request.by.person)
    shelf = Shelf(rows, request.origin, request.owner)
    row = _the_one(_named(shelf, request.owner, request.id, request.openings), request.id)
    if row.item.status != "active":
        raise BadRequest(f"the item {request.id} is {row.item.status}: restore it first, then edit it")
    text = item_text(request.text, request.guarding, for_all=request.owner == NOBODY)
    if row.item.text == text:
        return []
    _not_said_twice(shelf, row, text)
    event = ItemUpserted(
        said=_said(request.said, row),
        by=request.by,
        causes=causes_of(rests_on(request.evidence), [row.event]),
        item=_edited(row.item, request, text),
        reason=asked(request.by),
        policy=EDIT_POLICY,
        intent=Intent("edit", needle=text, chosen=request.id, saw=saw(row.item)),
    )
    shelf.put(event)
    return shelf.drafts


def _edited(item: Item, request: EditRequest, text: str) -> Item:
    evidence, source = joined(item.evidence, request.evidence), request.source
    if source is None:
        source = item.source if request.guarding is None else by_hand(item.source)
    return changed(item, request.said, text=text, source=source, confidence=1000, evidence=evidence, kept=True)


def by_hand(source: Source) -> Source:
    """Where an item is from once somebody put it in other words: from their own command, as what they remember is. The
    place and the message where it was learned stay: by them it is known who may hear of it, and what it goes with.
    """
    return msgspec.structs.replace(source, type="manual")


def _not_said_twice(shelf: Shelf, row: ItemRow, text: str) -> None:
    for other in shelf.within([row.item.compartment]):
        if other.item.id != row.item.id and other.item.status == "active" and says(other, row.item.kind, text):
            raise BadRequest(f"the item {other.item.id} says this already: forget {row.item.id} instead")


def forget(rows: Rows, request: ForgetRequest) -> list[Draft]:
    """Every match is taken back, with the messages that leave recall with it; nothing when nothing matches."""
    if decided_before(rows, request.origin):
        return []
    shelf = Shelf(rows, request.origin, request.owner)
    meant = _meant(shelf, request)
    rows_meant = meant[:MOST_EVENTS]
    leaves = quiet_with(rows, shelf.all(), rows_meant, _compartments(request.owner, request.openings))
    for row in rows_meant:
        shelf.put(_forgotten(request, row, leaves[row.event]))
    return shelf.drafts


def _meant(shelf: Shelf, request: ForgetRequest) -> Sequence[ItemRow]:
    if request.id:
        named = _named(shelf, request.owner, request.id, request.openings)
        return [row for row in named if row.item.status != "forgotten"]
    if not tidy(request.needle):
        raise BadRequest("say what to forget: some words of it (most of what it says), or its id")
    own = shelf.within(_compartments(request.owner, request.openings))
    return find_meant([row for row in own if row.item.status == "active"], "", request.needle).rows


def _forgotten(request: ForgetRequest, row: ItemRow, leaves: tuple[EventId, ...]) -> ItemForgotten:
    return ItemForgotten(
        said=_said(request.said, row),
        by=request.by,
        causes=(row.event,),
        item=changed(row.item, request.said, status="forgotten", kept=False),
        reason=asked(request.by),
        policy=QUIET_POLICY,
        intent=Intent("forget", needle=tidy(request.needle), chosen=request.id, saw=saw(row.item)),
        quiet=leaves,
    )


def restore(rows: Rows, request: RestoreRequest) -> list[Draft]:
    """The item is active again, and what left recall with it returns; nothing when it is active already.

    One that was merged comes apart again: the item that it became part of says what it said before, unless it has
    changed since.
    """
    if decided_before(rows, request.origin):
        return []
    shelf = Shelf(rows, request.origin, request.owner)
    _refuse_unwilling(rows, request.owner, request.by.person)
    named = _named(shelf, request.owner, request.id, request.openings, GONE_FOR_GOOD)
    gone = [row for row in named if row.item.status in RESTORABLE]
    if not gone:
        return []
    row = _the_one(gone, request.id)
    whole = merged_into(shelf.all(), row)
    if whole is not None and request.before is not None:
        taken = Apart(request.id, request.by, request.said, asked(request.by), QUIET_POLICY)
        shelf.put(apart(whole, request.before, taken))
    event = ItemRestored(
        said=_said(request.said, row),
        by=request.by,
        causes=(row.event,),
        item=changed(row.item, request.said, status="active", kept=True),
        reason=asked(request.by),
        policy=QUIET_POLICY,
        intent=Intent("restore", chosen=request.id, saw=saw(row.item)),
        returns=returns_of(rows, shelf, row),
    )
    shelf.add(event, request.cap)
    return shelf.drafts


def returns_of(rows: Rows, shelf: Shelf, row: ItemRow) -> tuple[EventId, ...]:
    """What comes back into recall when this item does, if it was forgotten."""
    forgotten = {found.key: found.row for found in forgotten_of(rows, row.item.owner)}
    back = forgotten.pop(forgotten_key(row.item), None)
    return () if back is None else returns_with(rows, row.item.owner, shelf.all(), back, forgotten.values())


def _said(asked: int, row: ItemRow | None) -> int:
    """When it was asked, and never earlier than what it changes was said."""
    return asked if row is None else max(asked, row.said)


def item_text(given: str, guarding: Guarding | None, *, for_all: bool = False) -> str:
    """The text as an item has it, of a person's or `for_all`. BadRequest for one that is held back, or says nothing."""
    text = tidy(given)
    if is_blank(text):
        raise BadRequest("there is nothing to remember: write a sentence")
    if guarding is not None and (why := held_by_hand(text, guarding, for_all=for_all)):
        raise BadRequest(why)
    return text


def asked(by: By) -> str:
    """Who asked, in words."""
    return "asked by the person" if by.kind == "person" else f"asked by the {by.kind}"


def _compartments(owner: Handle, openings: Sequence[Opening]) -> list[str]:
    """The owner's own among the openings: what belongs to nobody or to others is not theirs to change."""
    return [opening.compartment for opening in openings if opening.owner == owner]


def _named(
    shelf: Shelf, owner: Handle, item_id: str, openings: Sequence[Opening] | None, more: str = ""
) -> list[ItemRow]:
    """The owner's items with an id, in the openings; there is at least one. `more` is said where there is none."""
    own = shelf.all() if openings is None else shelf.within(_compartments(owner, openings))
    named = find_meant(own, item_id, "").rows
    if not named:
        listed_by = "show --all" if more else "show"
        raise BadRequest(f"there is no item {in_quotes(item_id)} here: `{listed_by}` lists the ids{more}")
    return list(named)


def _the_one(named: Sequence[ItemRow], item_id: str) -> ItemRow:
    if len(named) > 1:
        places = ", ".join(row.item.compartment for row in named)
        raise BadRequest(f"there are several items {in_quotes(item_id)}, in {places}: say which place is meant (--in)")
    return named[0]
