"""Who can read a place changed on its platform: a new epoch begins, with a fresh window and summary (design §7).

What was said never moves: narrowing closes the place at once, widening opens nothing old. Items of the guild that rest
on a place which fewer can read now, and on none that everyone can read still, go where they can still be read: to their
owner in that place, or in their DMs where they rest on several such places. Who could read a direct message never
changes, and a place in which nobody was ever heard has nothing to close. What has the id of one there becomes one with
it where both say the same; else what comes gets another id, as in any move (`moving`).

One decision has room for some hundred items. Where there are more, the first decisions move items, which closes them,
and the last one begins the epoch: at no moment is anything open that should be closed.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.decisions.moving import Landing, arrived
from projections.decisions.place import PlaceSeen, place_ref, readers_of, seen_audience, session_of
from projections.events import Event, ItemMoved, PlaceAudienceChanged
from projections.events.values import PLATFORM, Audience, By, Item
from projections.ids import EventId, Ref
from projections.items import ITEMS, ItemRow, item_key, items_in
from projections.messages import ids_in
from projections.places import AUDIENCES, PLACES, PlaceRow, audience_of, place_key
from projections.policies.compartments import direct, guild_of, in_channel, in_guild, of_person_in
from projections.policies.text import normalise
from projections.rows import Rows

VERSION = "audience@2"
REASON = "fewer people can read the place that it rests on"
MOST_MOVED = 500
"""How many items one decision moves; an item needs one event, and a decision has room for a thousand."""


class AudienceRequest(NamedTuple):
    """A place as it is now, compared at `said` (ms)."""

    seen: PlaceSeen
    said: int
    origin: Origin


def change_audience(rows: Rows, request: AudienceRequest) -> list[Draft]:
    """The new epoch of a place and the items that move with it, or the first of many that do; nothing when its audience
    is the known one. To be decided again, under another origin, until nothing comes of it.
    """
    seen = request.seen
    known = None if seen.audience == "direct" else audience_of(rows, place_ref(seen))
    if known is None or known.kind == seen.audience or decided_before(rows, request.origin):
        return []
    moves = list(islice(moves_from(rows, seen, known, request.said), MOST_MOVED + 1)) if known.kind == "guild" else []
    events: list[Event] = list(moves[:MOST_MOVED])
    if len(moves) <= MOST_MOVED:
        events.append(_changed(request, known))
    minter = Minter(rows, request.origin)
    return [minter.draft(event) for event in events]


def _changed(request: AudienceRequest, known: Audience) -> PlaceAudienceChanged:
    seen = request.seen
    return PlaceAudienceChanged(
        said=request.said,
        by=PLATFORM,
        place=place_ref(seen),
        audience=seen_audience(seen, place_ref(seen), known.epoch + 1),
        previous=known,
        session=session_of(seen),
        guild=seen.guild,
    )


def moves_from(
    rows: Rows,
    seen: PlaceSeen,
    known: Audience,
    said: int,
    threads: Sequence[tuple[PlaceRow, Audience]] = (),
    absent: Mapping[EventId, bytes] = MappingProxyType({}),
) -> Iterator[ItemMoved]:
    """The guild's items that rest on a place which fewer can read now, or on threads of it that close with it, and on
    none that is open still, each at its new address. `absent` are messages that have no row here, by the units in which
    they were said.
    """
    if seen.guild is None:
        return
    guild, readers = seen.guild, readers_of(seen, known.place)
    sessions = [(session_of(seen), known.epoch), *((row.session, audience.epoch) for row, audience in threads)]
    closing = {known.place, *(row.place for row, _ in threads)}
    here = {each: readers for session, epoch in sessions for each in ids_in(rows, session, epoch + 1, absent)}

    @cache
    def closed() -> dict[EventId, Ref]:
        return closed_in(rows, guild, absent) | here

    given: set[str] = set()
    for found in rows.scan(ITEMS):
        row = found.row
        if row.item.compartment == in_guild(guild):
            places = _rests_on(row.item, closing, here, closed)
            if places:
                moved = _moved(rows, row, readers, said, given, alone=places <= {*closing, readers})
                given.add(moved.item.id)
                yield moved


def closed_in(rows: Rows, guild: Ref, absent: Mapping[EventId, bytes] = MappingProxyType({})) -> dict[EventId, Ref]:
    """What was said in a guild where not all of it can read any more, with the place after which its readers are named:
    in a place that is restricted now, or before one was opened again. `absent` is as in `moves_from`.
    """
    found: dict[EventId, Ref] = {}
    for place in (each.row for each in rows.scan(PLACES)):
        now = audience_of(rows, place.place) if place.guild == guild and place.session else None
        if now is not None:
            epochs = now.epoch if now.kind == "guild" else now.epoch + 1
            found |= dict.fromkeys(ids_in(rows, place.session, epochs, absent), now.place)
    return found


def _rests_on(
    item: Item, closing: Collection[Ref], here: Mapping[EventId, Ref], closed: Callable[[], Mapping[EventId, Ref]]
) -> set[Ref]:
    """The places that an item rests on, if one of these is among them and none is open; else nothing. Where it names no
    message, its source says where it is from.
    """
    messages = [each.message for each in item.evidence if each.message]
    if not messages:
        place = item.source.place
        return {place} if place is not None and place in closing else set()
    if here.keys().isdisjoint(messages):
        return set()
    known = here if all(each in here for each in messages) else closed()
    return {known[each] for each in messages} if all(each in known for each in messages) else set()


def _moved(rows: Rows, row: ItemRow, place: Ref, said: int, given: Collection[str], *, alone: bool) -> ItemMoved:
    """The item at its new address; `given` are ids that were given before. `alone`: all that it rests on can be read by
    those who can read the place.
    """
    item = row.item
    compartment = _for_readers(item, place, alone=alone)
    there = rows.get(ITEMS, item_key(item.owner, compartment, item.id))
    at = Landing(msgspec.structs.replace(item, compartment=compartment), there)
    if there is not None and normalise(there.item.text) != normalise(item.text):
        taken = {
            each.row.item.id for where in (compartment, item.compartment) for each in items_in(rows, item.owner, where)
        }
        at = Landing.beside(at.item, taken.union(given))
    return ItemMoved(
        said=max(said, row.said),
        by=By("policy", name="audience", version=VERSION),
        causes=(row.event,) if at.there is None else (row.event, at.there.event),
        item=at.item if at.there is None else _together(at.item, at.there.item),
        reason=at.because(REASON),
        policy=VERSION,
        from_compartment=item.compartment,
        from_id=item.id,
    )


def _for_readers(item: Item, place: Ref, *, alone: bool) -> str:
    """The compartment of those who can read a place, or of the item's owner alone."""
    if not item.owner:
        return in_channel(place)
    return of_person_in(item.owner, place) if alone else direct(item.owner)


def where_read(rows: Rows, item: Item) -> str:
    """Where an item lies that is to lie in its compartment: if all that it rests on can be read by fewer than its guild
    by now, where those can read it, as if it had been there when the place was closed.
    """
    guild = guild_of(item.compartment)
    places = [] if guild is None else sorted(_closed_under(rows, item, guild))
    return _for_readers(item, places[0], alone=len(places) == 1) if places else item.compartment


def _closed_under(rows: Rows, item: Item, guild: Ref) -> set[Ref]:
    """The places that an item rests on, if none is open to what was said there then; else nothing."""
    messages = [each.message for each in item.evidence if each.message]
    if not messages:
        return _closed_since(rows, item.source.place, item.created)
    closed = closed_in(rows, guild)
    return {closed[each] for each in messages} if all(each in closed for each in messages) else set()


def _closed_since(rows: Rows, place: Ref | None, moment: int) -> set[Ref]:
    """The place whose readers a place has, if fewer than a guild can read now what was said there at a moment (ms)."""
    row = None if place is None else rows.get(AUDIENCES, place_key(place))
    if row is None or (row.audience.kind == "guild" and not row.audience.epoch):
        return set()
    changed = rows.event(row.event)
    is_open = row.audience.kind == "guild" and changed is not None and changed.said <= moment
    return set() if is_open else {row.audience.place}


def follow(row: ItemRow, at: Landing, to: str, said: int) -> ItemMoved:
    """An item of a guild's goes where what it rests on can be read, one with what is there."""
    there = at.there
    return ItemMoved(
        said=max(said, row.said),
        by=By("policy", name="audience", version=VERSION),
        causes=(row.event,) if there is None else (row.event, there.event),
        item=arrived(at.item, there, to, row.item.updated),
        reason=at.because(REASON),
        policy=VERSION,
        from_compartment=row.item.compartment,
        from_id=row.item.id,
    )


def _together(moved: Item, there: Item) -> Item:
    """Two items of one id that say the same: as the newer has it, with the evidence of both."""
    newer, older = (moved, there) if moved.updated >= there.updated else (there, moved)
    return msgspec.structs.replace(
        newer,
        created=min(newer.created, older.created),
        evidence=tuple(dict.fromkeys((*newer.evidence, *older.evidence))),
        source_count=newer.source_count + older.source_count,
        kept=newer.kept or older.kept,
    )
