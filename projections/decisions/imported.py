"""What comes from another program's files, with its ids, states and times. The live memory's newer word stands."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.decisions.hear import message_identity
from projections.decisions.shelf import Shelf, rests_on, too_long
from projections.derived import effects_of
from projections.errors import BadRequest
from projections.events import ItemDeprecated, ItemUpserted, MessageDeleted, SummaryRefreshed
from projections.events.values import (
    OPERATOR,
    About,
    Audience,
    By,
    Evidence,
    Item,
    ItemType,
    Message,
    ModelUse,
    Source,
)
from projections.ids import NOBODY, EventId, Handle, Identity, Point, Ref
from projections.items import forgotten_of
from projections.lookup import people
from projections.messages import SPOKEN, MessageRow, find_message, key_point, unit
from projections.places import audience_of, find_place
from projections.policies.compartments import in_guild, of_person_in
from projections.policies.item_ids import fresh_id
from projections.policies.kinds import read_kind, read_tags
from projections.policies.matching import find_upsert, says
from projections.policies.refusals import Claim, refusal
from projections.policies.text import MOST_ITEM_CHARS, tidy, whole
from projections.rows import Rows, after_prefix
from projections.summaries import find_summary

VERSION = "imported@1"
PLATFORM_NAME = "discoclaw"
LAST_ID = EventId(b"\xff" * 16)
"""Behind every event of its millisecond: a summary with a date covers all that was said by then."""
TAKEN_BACK = "the message that it came from was deleted or erased here"
NARROWER = "it was learned in a channel that only some can read by now"
NOBODY_HEARD = "summary of a channel in which nobody was heard: nobody could erase it"
"""Why a summary is not taken; what it is counted by."""


class ImportItemRequest(NamedTuple):
    """An item of another program. `user` is its id of its person; times are ms, kept as they are.

    `owner` is NOBODY for what is `about` no person. `key` is what `program` calls it, where `id` is empty: then the
    item's id is made from its words. Not `dated`: its program does not know when it was updated. `quote` are the words
    that it rests on, in the message of its source, which was said at `message_said`, where that is known.
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


class _Rest(NamedTuple):
    """What an imported item rests on."""

    evidence: tuple[Evidence, ...] = ()
    causes: tuple[EventId, ...] = ()


def import_item(rows: Rows, request: ImportItemRequest) -> list[Draft]:
    """The item as its program has it; nothing when this very state was imported, the live memory knows better, or its
    person wants nothing kept. Raises BadRequest for what must not or cannot be an item, with the reason.
    """
    text = _text(request)
    key = request.key or f"{request.user}/{tidy(request.id)}"
    origin = Origin(Identity(request.program, "item", key, f"imported {request.updated}", request.updated))
    shelf = Shelf(rows, origin, request.owner)
    if (not request.owner and request.about == "person") or decided_before(rows, origin):
        return []
    rest = _rest(rows, request)
    item = _item(request, _id(shelf, request, text), text, rest.evidence)
    if _is_stale(rows, shelf, item, dated=request.dated):
        return []
    event = (ItemUpserted if item.status == "active" else ItemDeprecated)(
        said=request.updated, by=request.by, causes=rest.causes, item=item, reason=_reason(request), policy=VERSION
    )
    shelf.add(event, request.cap)
    return shelf.drafts


def _text(request: ImportItemRequest) -> str:
    text = tidy(request.text)
    if not text or not (tidy(request.id) or request.key):
        raise BadRequest("an item without a text or an id cannot be imported")
    if len(text) > MOST_ITEM_CHARS:
        raise BadRequest(f"the item {tidy(request.id) or request.key} is too long: {too_long(text)}")
    return text


def _id(shelf: Shelf, request: ImportItemRequest, text: str) -> str:
    """The id that it has; else that of the item which says the same, else one made from its words."""
    if request.key:
        there = shelf.within([request.compartment])
        match = find_upsert(there, "", read_kind(request.kind), text)
        taken = {row.item.id for row in there}
        return fresh_id(read_kind(request.kind), text, taken) if match.row is None else match.row.item.id
    return tidy(request.id)


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


def _reason(request: ImportItemRequest) -> str:
    return "imported from a file" if request.program == PLATFORM_NAME else f"imported from {request.program}"


def _is_stale(rows: Rows, shelf: Shelf, item: Item, *, dated: bool) -> bool:
    """The live memory has it as new or newer, or its person took it back, in these words or others."""
    live = [row for row in shelf.within([item.compartment]) if row.item.id == item.id]
    forgotten = [found.row for found in forgotten_of(rows, item.owner)]
    claim = Claim(frozenset({item.id}), item.text, rests_on(item.evidence))
    if item.status == "active" and refusal(rows, forgotten, claim) is not None:
        return True
    if any(each.id == item.id for each in forgotten):
        return True
    if not dated and any(says(row, item.kind, item.text) for row in live):
        return True
    return any(row.item.updated >= item.updated for row in live)


# -- what it rests on ------------------------------------------------------------------------------------------------


def _rest(rows: Rows, request: ImportItemRequest) -> _Rest:
    """Its evidence. A message that is known here, and on which its compartment may rest, is a cause: it goes with it.

    What is nobody's has a quote only then: otherwise the words would be somebody's, and no erasure could reach them.
    """
    place, message = request.source.place, request.source.message
    _refuse_wider(rows, request)
    heard = _heard(rows, message, request.message_said)
    row = None if heard is None or place is None else _message_at(rows, place, heard)
    if heard is not None and row is not None and _may_rest(request, row.message):
        return _Rest((Evidence(request.quote, heard.id, message),), (heard.id,))
    quote = request.quote if request.owner else ""
    return _Rest((Evidence(quote, ref=message),) if quote else ())


def _refuse_wider(rows: Rows, request: ImportItemRequest) -> None:
    """All of a guild does not read what was learned in a channel that only some can read by now."""
    known = None if request.source.place is None else audience_of(rows, request.source.place)
    if request.compartment.startswith("guild/") and known is not None and known.kind != "guild":
        raise BadRequest(NARROWER)


def _heard(rows: Rows, message: Ref | None, said: int | None) -> Point | None:
    """The message, if it was heard here. Raises BadRequest when it was taken back: what came of it is not wanted."""
    if message is None or said is None:
        return None
    heard = rows.ids.event_id(message_identity(message.platform, message.key, "heard", said))
    status = rows.ids.status(heard)
    if status == "unknown":
        return None
    if status != "known" or any(tag == MessageDeleted.TAG for _, tag in effects_of(rows, heard)):
        raise BadRequest(TAKEN_BACK)
    return Point(said, heard)


def _message_at(rows: Rows, place: Ref, heard: Point) -> MessageRow | None:
    """The message as it now is, from the session of its place, in whichever epoch it was said."""
    described, audience = find_place(rows, place), audience_of(rows, place)
    if described is None or audience is None:
        return None
    epochs = range(audience.epoch, -1, -1)
    found = (find_message(rows, described.row.session, each, heard) for each in epochs)
    return next((each.row for each in found if each is not None), None)


def _may_rest(request: ImportItemRequest, message: Message) -> bool:
    """Whether the item's compartment may rest on what was said there (design §7)."""
    if message.audience.kind == "guild" and message.guild is not None:
        return request.compartment == in_guild(message.guild)
    return request.compartment == of_person_in(request.owner, message.place)


# -- summaries -------------------------------------------------------------------------------------------------------


def import_summary(rows: Rows, request: ImportSummaryRequest) -> list[Draft]:
    """The summary as the file has it; nothing when it was imported, is empty, or the live one is as new, or nobody is
    known whose words it could rest on.

    It rests on whoever was heard in its session, so that it goes when one of them is erased. A file with their messages
    is imported together with it, or before it.
    """
    action = f"imported {request.updated}"
    origin = Origin(Identity(PLATFORM_NAME, "summary", request.key, action, request.updated))
    live = find_summary(rows, request.session, request.audience.epoch)
    text = whole(request.text).strip()
    if decided_before(rows, origin) or not text or (live is not None and live.row.said >= request.updated):
        return []
    epoch, direct = request.audience.epoch, request.audience.kind == "direct"
    heard = () if direct else heard_in(rows, request.session, epoch, request.updated)
    if not request.person and not heard:
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
        upto=Point(request.updated, LAST_ID),
        covered=0,
        call=ModelUse(PLATFORM_NAME, ""),
        previous=None if live is None else live.row.event,
        floor=None if live is None else live.row.floor,
    )
    return [Minter(rows, origin).draft(event)]


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
    return (key for key, _ in rows.raw.scan(SPOKEN.table, prefix, after_prefix(prefix), reverse=True))
