"""What comes from another program's files, with its ids, states and times. The live memory's newer word stands."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.decisions.shelf import Shelf, too_long
from projections.errors import BadRequest
from projections.events import ItemDeprecated, ItemUpserted, SummaryRefreshed
from projections.events.values import OPERATOR, Audience, By, Item, ModelUse, Source
from projections.ids import NOBODY, EventId, Handle, Identity, Point
from projections.items import forgotten_of
from projections.lookup import people
from projections.messages import SPOKEN, key_point, unit
from projections.policies.kinds import read_kind, read_tags
from projections.policies.text import MOST_ITEM_CHARS, tidy, whole
from projections.rows import Rows, after_prefix
from projections.summaries import find_summary

VERSION = "imported@1"
PLATFORM_NAME = "discoclaw"
LAST_ID = EventId(b"\xff" * 16)
"""Behind every event of its millisecond: a summary with a date covers all that was said by then."""
NOBODY_HEARD = "summary of a channel in which nobody was heard: nobody could erase it"
"""Why a summary is not taken; what it is counted by."""


class ImportItemRequest(NamedTuple):
    """An item of a DiscoClaw file. `user` is the file's name for its person; times are ms, kept as they are."""

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


def import_item(rows: Rows, request: ImportItemRequest) -> list[Draft]:
    """The item as the file has it; nothing when this very state was imported, or the live memory knows better, or its
    person wants nothing kept.
    """
    item = _item(request)
    key = f"{request.user}/{item.id}"
    origin = Origin(Identity(PLATFORM_NAME, "item", key, f"imported {request.updated}", request.updated))
    shelf = Shelf(rows, origin, request.owner)
    if not request.owner or decided_before(rows, origin) or _is_stale(rows, shelf, item):
        return []
    event = (ItemUpserted if item.status == "active" else ItemDeprecated)(
        said=request.updated, by=request.by, item=item, reason="imported from a file", policy=VERSION
    )
    shelf.add(event, request.cap)
    return shelf.drafts


def _item(request: ImportItemRequest) -> Item:
    text, item_id = tidy(request.text), tidy(request.id)
    if not text or not item_id:
        raise BadRequest("an item without a text or an id cannot be imported")
    if len(text) > MOST_ITEM_CHARS:
        raise BadRequest(f"the item {item_id} is too long: {too_long(text)}")
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
        tags=read_tags(request.tags),
        hits=request.hits,
        last_hit=request.last_hit,
    )


def _is_stale(rows: Rows, shelf: Shelf, item: Item) -> bool:
    """The live memory has it as new or newer, or its person took it back."""
    live = [row.item for row in shelf.within([item.compartment]) if row.item.id == item.id]
    forgotten = any(found.row.id == item.id for found in forgotten_of(rows, item.owner))
    return forgotten or any(each.updated >= item.updated for each in live)


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
