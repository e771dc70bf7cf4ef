"""What comes from another program's files, with its ids, states and times. The live memory's newer word stands."""

from collections.abc import Iterator, Sequence
from heapq import merge
from typing import Literal, NamedTuple

from projections.consent import last_erasure
from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.decisions.guarded import shown_text
from projections.decisions.resting import Claimed, rest
from projections.decisions.shelf import Shelf, causes_of, policy_by, rests_on
from projections.errors import BadRequest
from projections.events import ItemDeprecated, ItemRefused, ItemUpserted, SummaryRefreshed
from projections.events.values import (
    OPERATOR,
    About,
    Audience,
    AudienceKind,
    By,
    Evidence,
    Item,
    ItemType,
    ModelUse,
    Source,
)
from projections.ids import LAST, NOBODY, EventId, Handle, Identity, Point, Ref
from projections.items import ItemRow, forgotten_of
from projections.lookup import people
from projections.messages import RESPOKEN, SPOKEN, key_point, unit
from projections.people import accounts_of
from projections.policies.guards import Guarding, held_imported
from projections.policies.instructions import InstructionWords
from projections.policies.item_ids import fresh_id
from projections.policies.kinds import read_kind, read_tags
from projections.policies.matching import find_upsert, says, to_reword
from projections.policies.refusals import Claim, refusal
from projections.policies.sentences import without_orders
from projections.policies.text import MOST_IMPORTED_CHARS, tidy, whole
from projections.policies.verdict import Verdict
from projections.rows import Rows, after_prefix
from projections.summaries import find_summary

VERSION = "imported@2"
PLATFORM_NAME = "discoclaw"
ONCE_NARROWER = "summary of a channel that was restricted once: nobody knows what in it is from then"
"""Another reason."""
ONCE_ERASED = "summary of a channel from before somebody was erased: nobody knows what in it was theirs"
"""Another reason."""
NOBODY_HEARD = (
    "summary of a channel in which nobody was heard: nobody could erase it. It comes in together with an export of "
    "what was said there, or after one"
)
"""Why a summary is not taken; what it is counted by."""


class ImportItemRequest(NamedTuple):
    """An item of another program. `user` is its id of its person; times are ms, kept as they are.

    `owner` is NOBODY for what is `about` no person. `key` is what `program` calls it, where `id` is empty: then the
    item's id is made from its words. `row` says the same as a reference, where the words under it may change. Not
    `dated`: its program does not know when it was updated. `quote` and `message_said` are as in `resting.Claimed`.
    `author` is who said that of which it was learned, where it is nobody's and that is known: it goes with them.
    """

    user: str
    owner: Handle
    compartment: str
    id: str
    kind: str
    text: str
    status: Literal["active", "deprecated"]
    created: int
    updated: int
    source: Source
    tags: tuple[str, ...] = ()
    hits: int = 0
    last_hit: int | None = None
    by: By = OPERATOR
    cap: int = 200
    program: str = PLATFORM_NAME
    key: str = ""
    dated: bool = True
    about: About = "person"
    type: ItemType = "semantic"
    confidence: int = 1000
    quote: str = ""
    message_said: int | None = None
    source_count: int = 1
    row: Ref | None = None
    guarding: Guarding = Guarding()
    author: Handle = NOBODY


class ImportSummaryRequest(NamedTuple):
    """A rolling summary of a DiscoClaw file; `key` is the session as that file names it."""

    key: str
    session: str
    audience: Audience
    era: int
    text: str
    updated: int
    person: Handle = NOBODY
    by: By = OPERATOR
    words: InstructionWords = InstructionWords()


def import_item(rows: Rows, request: ImportItemRequest) -> list[Draft]:
    """The item as its program has it; its refusal, where a guard holds it; nothing when this very state was imported,
    the live memory knows better, or its person wants nothing kept. Raises BadRequest for what must not or cannot be an
    item, with the reason.
    """
    text = _text(request)
    key = request.key or f"{request.user}/{tidy(request.id)}"
    origin = Origin(Identity(request.program, "item", key, f"imported {request.updated}", request.updated))
    shelf = Shelf(rows, origin, request.owner)
    if (not request.owner and request.about == "person") or decided_before(rows, origin):
        return []
    rests = rest(rows, _claimed(request))
    item = _item(request, _id(shelf, request, text), text, rests.evidence)
    if _is_stale(rows, shelf, item, request):
        return []
    verdict = held_imported(item.text, request.guarding)
    if verdict is not None:
        shelf.record(_held(item, verdict, causes_of(rests.causes, _known_of(rows, request.author))))
        return shelf.drafts
    event = (ItemUpserted if item.status == "active" else ItemDeprecated)(
        said=request.updated,
        by=request.by,
        causes=causes_of(_before(rows, shelf, item), (*rests.causes, *_known_of(rows, request.author))),
        item=item,
        reason=_reason(request),
        policy=VERSION,
    )
    if request.owner:
        shelf.add(event, request.cap)
    else:
        shelf.put(event)  # a cap is a person's: one guild's lore makes no room for another's
    return shelf.drafts


def _before(rows: Rows, shelf: Shelf, item: Item) -> tuple[EventId, ...]:
    """What had made the item that it is here, and what that rests on: with those words goes what came of them."""
    there = next((row for row in shelf.within([item.compartment]) if row.item.id == item.id), None)
    if there is None:
        return ()
    known = (each for each in rests_on(there.item.evidence) if rows.ids.status(each) in ("known", "redacted"))
    return causes_of([there.event], known)


def _known_of(rows: Rows, author: Handle) -> tuple[EventId, ...]:
    """By what somebody is known. What rests on it is sealed for them too, and goes with the last that is known of them,
    also where no message says any more that the words are theirs.
    """
    return tuple(each.row.event for each in accounts_of(rows, author))[:1]


def _text(request: ImportItemRequest) -> str:
    text = tidy(request.text)
    if not text or not (tidy(request.id) or request.key):
        raise BadRequest("an item without a text or an id cannot be imported")
    if len(text) > MOST_IMPORTED_CHARS:
        raise BadRequest(
            f"the item {tidy(request.id) or request.key} is too long: it has {len(text):,} characters, and "
            f"{MOST_IMPORTED_CHARS:,} is the most"
        )
    return text


def _id(shelf: Shelf, request: ImportItemRequest, text: str) -> str:
    """The id that it has; else that of the item that came of its row or says the same; else one made from its words.
    What was said since, and what only said the same before a person or an import gave it other words, are two items.
    """
    if not request.key:
        return tidy(request.id)
    there, kind = shelf.within([request.compartment]), read_kind(request.kind)
    found = _of_row(there, request.row)
    if found is None:
        match = find_upsert(there, "", kind, text)
        is_later = match.row is not None and match.row.item.updated < request.updated
        found = to_reword(there, match, "", kind, text).row if is_later else match.row
    return fresh_id(kind, text, {row.item.id for row in there}) if found is None else found.item.id


def _of_row(there: Sequence[ItemRow], row: Ref | None) -> ItemRow | None:
    """The item that came of this row earlier, when it may have said something else."""
    known = (each for each in there if any(row is not None and row == given.ref for given in each.item.evidence))
    return next(known, None)


def _item(request: ImportItemRequest, item_id: str, text: str, evidence: tuple[Evidence, ...]) -> Item:
    return Item(
        id=item_id,
        owner=request.owner,
        compartment=request.compartment,
        kind=read_kind(request.kind),
        text=text,
        created=request.created,
        updated=request.updated,
        source=request.source,
        status=request.status,
        type=request.type,
        about=request.about,
        tags=read_tags(request.tags),
        confidence=request.confidence,
        evidence=evidence,
        source_count=request.source_count,
        hits=request.hits,
        last_hit=request.last_hit,
    )


def _held(item: Item, verdict: Verdict, causes: tuple[EventId, ...]) -> ItemRefused:
    return ItemRefused(
        said=item.updated,
        by=policy_by(verdict.policy),
        causes=causes,
        owner=item.owner,
        compartment=item.compartment,
        kind=item.kind,
        text=shown_text(item.text),
        reason=verdict.reason,
        policy=verdict.policy,
        evidence=item.evidence,
    )


def _claimed(request: ImportItemRequest) -> Claimed:
    return Claimed(request.owner, request.compartment, request.source, request.quote, request.message_said, request.row)


def _reason(request: ImportItemRequest) -> str:
    return "imported from a file" if request.program == PLATFORM_NAME else f"imported from {request.program}"


def _is_stale(rows: Rows, shelf: Shelf, item: Item, request: ImportItemRequest) -> bool:
    """The live memory has it as new or newer, or its person took it back, in these words or others."""
    live = [row for row in shelf.within([item.compartment]) if row.item.id == item.id]
    forgotten = [found.row for found in forgotten_of(rows, item.owner)]
    claim = Claim(frozenset({item.id}), item.text, rests_on(item.evidence), item.tags)
    if item.status == "active" and refusal(rows, forgotten, claim, request.guarding.rephrasing) is not None:
        return True
    if any(each.id == item.id for each in forgotten):
        return True
    if not request.dated and any(says(row, item.kind, item.text) for row in live):
        return True
    return any(row.item.updated >= item.updated for row in live)


# -- summaries -------------------------------------------------------------------------------------------------------


def import_summary(rows: Rows, request: ImportSummaryRequest) -> list[Draft]:
    """The summary as the file has it; nothing when it was imported, is empty, or the live one is as new, or nobody is
    known whose words it could rest on. Raises BadRequest for one that only instructs the assistant, and for one of a
    channel that may repeat somebody who was erased.

    It rests on whoever was heard in its session, so that it goes when one of them is erased. A file with their messages
    is imported together with it, or before it.
    """
    action = f"imported {request.updated}"
    origin = Origin(Identity(PLATFORM_NAME, "summary", request.key, action, request.updated))
    live = find_summary(rows, request.session, request.audience.epoch)
    text, left_out = without_orders(whole(request.text).strip(), request.words)
    if decided_before(rows, origin) or (live is not None and live.row.said >= request.updated):
        return []
    if left_out and not text:
        raise BadRequest("the summary does nothing but instruct the assistant")
    if not text:
        return []
    if may_repeat_erased(rows, request.audience.kind, request.updated):
        raise BadRequest(ONCE_ERASED)
    epoch, direct = request.audience.epoch, request.audience.kind == "direct"
    heard = () if direct else heard_in(rows, request.session, epoch, request.updated)
    if (not request.person and not heard) or is_mixed(rows, request.session, request.audience, request.updated):
        return []
    event = SummaryRefreshed(
        said=request.updated,
        by=request.by,
        causes=tuple(each.id for each in heard),
        session=request.session,
        audience=request.audience,
        era=request.era,
        person=request.person,
        text=text,
        refresh=1,
        after=None,
        upto=Point(request.updated, LAST),
        covered=0,
        call=ModelUse(PLATFORM_NAME, ""),
        previous=None if live is None else live.row.event,
        floor=None if live is None else live.row.floor,
        left_out=left_out,
    )
    return [Minter(rows, origin).draft(event)]


def may_repeat_erased(rows: Rows, kind: AudienceKind, said: int) -> bool:
    """Whether a summary of then (ms) may have words of somebody who was erased since. A direct message's are its
    person's.
    """
    erased = None if kind == "direct" else last_erasure(rows)
    return erased is not None and said <= erased


def is_mixed(rows: Rows, session: str, audience: Audience, said: int) -> bool:
    """Whether a summary of then (ms) may hold what fewer could read than can read the session now."""
    if audience.kind != "guild" or not audience.epoch:
        return False
    return bool(heard_in(rows, session, audience.epoch - 1, said))


def heard_in(rows: Rows, session: str, epoch: int, said: int) -> tuple[Point, ...]:
    """The last message until then (ms) of everybody who was heard in a session up to this epoch; reads no message."""
    units = [unit(session, each) for each in range(epoch, -1, -1)]
    last = (_last_of(rows, person, units, said) for person in people(rows))
    return tuple(each for each in last if each is not None)


def _last_of(rows: Rows, person: Handle, units: Sequence[bytes], said: int) -> Point | None:
    spoken = (key_point(key) for where in units for key in _backwards(rows, person + where))
    by_then = (each for each in spoken if each.said <= said)
    return next((each for each in by_then if rows.ids.status(each.id) in ("known", "redacted")), None)


def _backwards(rows: Rows, prefix: bytes) -> Iterator[bytes]:
    stop = after_prefix(prefix)
    scans = (rows.raw.scan(each.table, prefix, stop, reverse=True) for each in (SPOKEN, RESPOKEN))
    return merge(*((key for key, _ in found) for found in scans), reverse=True)
