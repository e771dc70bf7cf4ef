"""Erasing a guild: everything said there is redacted, and everything learned there, whoever asked to keep it.

    first    messages and answers, with what a model made of them alone, wherever it lies
    then     what is left in the compartments of the guild and its channels: items and what they said before, what was
             taken back or refused, summaries, raw replies
    then     what such items said that are no more: nothing of it lies there, and it could be read all the same
    then     where somebody was told that the assistant learns from what they say there: that they were told stays, and
             nobody is told twice, but without the place
    last     the guild's places, who could read them, and their settings, but for those by which less is learned or kept

An event before the last that made a row shows when that one is gone. So this is decided again, each time under another
origin, until nothing comes of it. What was said or learned later than it was begun stays, and then its places do: a
guild that goes on talking is erased all the same.

By its places everything else is found, and a setting that shows again would be in force. So of both the whole past
goes, the oldest first: of a setting but for the value that it has, where that one stays, and of a place what says last
where it is at the very end.
"""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import NamedTuple

from projections.config import CONFIG, CONFIG_GIVEN, CONFIG_KEY_BYTES, Scope, ScopeKind, scope_key
from projections.decisions.came_of import Chronicle
from projections.decisions.draft import Draft, Minter, Origin, as_many, decided_before
from projections.decisions.redact import Redaction, redacted, redaction_of, replies_withdrawn
from projections.decisions.redact_items import items_left
from projections.decisions.retention import with_answers
from projections.events import Event, ItemEvent, NoticeGiven
from projections.events.values import OPERATOR, PLATFORM, By
from projections.ids import FIRST, EventId, Handle, Point, Ref
from projections.items import FORGOTTEN, ITEMS, REFUSALS, ItemRow
from projections.messages import MESSAGES, MessageRow, key_point, point_key, unit
from projections.notices import NOTICES, NoticeRow
from projections.places import AUDIENCES, PLACES, PlaceRow, audience_of, place_key
from projections.policies.closing import identity_of
from projections.policies.compartments import in_channel, in_guild
from projections.policies.configurable import is_narrow
from projections.rows import Found, Rows
from projections.summaries import SUMMARIES
from projections.turns import TURNS, TurnRow
from projections.work import WORK, WorkRow

MOST_SAID = 400
"""How many messages and how many answers one decision takes at most."""
MOST_BODIES = 1_000
"""How many bodies one decision drops at most of what is left."""
NOWHERE = Ref("", "")
"""In the place of one that is gone."""
SCOPES: tuple[ScopeKind, ...] = ("guild", "channel")
"""As what a place may have settings."""


class EraseGuildRequest(NamedTuple):
    """A guild is to be erased, of all up to `said` (ms)."""

    guild: Ref
    said: int
    origin: Origin
    by: By = OPERATOR


def erase_guild(rows: Rows, chronicle: Chronicle, request: EraseGuildRequest) -> list[Draft]:
    """The next part of it; nothing when all is gone."""
    if decided_before(rows, request.origin):
        return []
    places = _places_of(rows, request.guild)

    def said(most: int) -> list[Draft]:
        messages = list(islice(_messages(rows, places, request.said), most))
        turns = list(islice(_turns(rows, places, request.said), most))
        taken = redaction_of(rows, messages, request.said, answers=turns)
        return _drafts(rows, request, with_answers(taken, turns, request.said))

    def told(most: int) -> list[Draft]:
        return _drafts(rows, request, _nowhere(list(islice(_notices(rows, places, request.said), most))))

    return (
        as_many(said, MOST_SAID)
        or _left(rows, request, places)
        or _once(rows, chronicle, request, places)
        or as_many(told, MOST_SAID)
        or _places(rows, chronicle, request, places)
    )


def _places_of(rows: Rows, guild: Ref) -> list[PlaceRow]:
    return [found.row for found in rows.scan(PLACES) if guild in (found.row.guild, found.row.place)]


def _drafts(rows: Rows, request: EraseGuildRequest, taken: Redaction) -> list[Draft]:
    return redacted(Minter(rows, request.origin), taken, request.said, request.by)


# -- what there is -------------------------------------------------------------------------------------------------


class Held(NamedTuple):
    """What there is of a guild, each by the event that made it as it is. `said` is when the last of it was said, in ms;
    0 where nothing was.
    """

    messages: tuple[EventId, ...]
    answers: tuple[EventId, ...]
    items: tuple[EventId, ...]
    others: tuple[EventId, ...]
    said: int


def held(rows: Rows, guild: Ref, until: int | None = None) -> Held:
    """What erasing a guild would take now, of all up to `until` (ms); None: of all."""
    places = _places_of(rows, guild)
    messages, turns = list(_messages(rows, places, until)), list(_turns(rows, places, until))
    return Held(
        tuple(row.event for row in messages),
        tuple(row.event for row in turns),
        tuple(_items(rows, guild, places, until)),
        tuple(_others(rows, guild, places, until)),
        max((*(row.message.said for row in messages), *(row.said for row in turns)), default=0),
    )


def _spans(rows: Rows, places: list[PlaceRow], until: int | None) -> Iterator[tuple[bytes, bytes | None]]:
    """The keys of what was said there, in every epoch."""
    for where in _units(rows, places):
        yield where, None if until is None else where + point_key(Point(until + 1, FIRST))


def _units(rows: Rows, places: list[PlaceRow]) -> Iterator[bytes]:
    for row in places:
        audience = audience_of(rows, row.place)
        epochs = range((audience.epoch if audience else 0) + 1) if row.session else ()
        yield from (unit(row.session, epoch) for epoch in epochs)


def _messages(rows: Rows, places: list[PlaceRow], until: int | None) -> Iterator[MessageRow]:
    spans = _spans(rows, places, until)
    return (found.row for where, stop in spans for found in rows.scan(MESSAGES, where, stop=stop))


def _turns(rows: Rows, places: list[PlaceRow], until: int | None) -> Iterator[TurnRow]:
    spans = _spans(rows, places, until)
    return (found.row for where, stop in spans for found in rows.scan(TURNS, where, stop=stop))


def _here(guild: Ref, places: list[PlaceRow]) -> frozenset[str]:
    return frozenset({in_guild(guild), *(in_channel(row.place) for row in places)})


def _items(rows: Rows, guild: Ref, places: list[PlaceRow], until: int | None) -> Iterator[EventId]:
    return (row.event for row in _item_rows(rows, guild, places, until))


def _item_rows(rows: Rows, guild: Ref, places: list[PlaceRow], until: int | None) -> Iterator[ItemRow]:
    here = _here(guild, places)
    found = (each.row for each in rows.scan(ITEMS))
    return (row for row in found if _is_by(row.item.created, until) and _is_here(row.item.compartment, here))


def _with_closing(rows: Rows, row: ItemRow) -> Iterator[EventId]:
    """What made an item as it is, and what stands ahead of that: else nothing showed what the item said before."""
    yield row.event
    ahead = rows.ids.event_id(identity_of(row.event, row.said))
    if rows.ids.status(ahead) == "known":
        yield ahead


def _others(rows: Rows, guild: Ref, places: list[PlaceRow], until: int | None) -> Iterator[EventId]:
    """What was taken back or refused there, summaries, raw replies."""
    here, keys = _here(guild, places), {row.session for row in places}
    gone = (each.row for each in rows.scan(FORGOTTEN))
    refused = (each.row for each in rows.scan(REFUSALS))
    summaries = (rows.get(SUMMARIES, where) for where in _units(rows, places))
    replies = (each.row for each in rows.scan(WORK))
    yield from (row.event for row in gone if _is_here(row.compartment, here))
    yield from (row.event for row in refused if _is_by(row.said, until) and _is_here(row.compartment, here))
    yield from (row.event for row in summaries if row is not None and _is_by(row.said, until))
    yield from (row.event for row in replies if _is_by(row.at, until) and _was_here(row, here, keys))


def _is_by(said: int, until: int | None) -> bool:
    return until is None or said <= until


def _is_here(compartment: str, here: frozenset[str]) -> bool:
    """Whether it is a compartment of the guild or of a channel of it; `person/P/channel/C` is one."""
    owner, _, channel = compartment.partition("/channel/")
    return compartment in here or (owner.startswith("person/") and f"channel/{channel}" in here)


def _was_here(row: WorkRow, here: frozenset[str], sessions: set[str]) -> bool:
    return _is_here(row.compartment, here) or (bool(row.session) and row.session in sessions)


def _left(rows: Rows, request: EraseGuildRequest, places: list[PlaceRow]) -> list[Draft]:
    """What was learned there, and how: a layer of it."""
    here = _item_rows(rows, request.guild, places, request.said)
    items = (each for row in here for each in _with_closing(rows, row))
    others = _others(rows, request.guild, places, request.said)
    bodies = tuple(islice(dict.fromkeys(chain(items, others)), MOST_BODIES // 2))
    withdrawn = replies_withdrawn(rows, bodies, request.said)
    return _drafts(rows, request, Redaction(tuple(withdrawn), bodies))


def _once(rows: Rows, chronicle: Chronicle, request: EraseGuildRequest, places: list[PlaceRow]) -> list[Draft]:
    """What items there said that are no more, the oldest first: what is recorded last keeps them gone."""
    here = _here(request.guild, places)
    records = chronicle.ever(rows, ITEMS)
    bodies = (each.id for each in records if _left_here(each.event, here, request.said))
    return _drafts(rows, request, Redaction((), tuple(islice(bodies, MOST_BODIES // 2))))


def _left_here(event: Event, here: frozenset[str], until: int) -> bool:
    """Whether an event left an item there."""
    items = items_left(event) if isinstance(event, ItemEvent) else ()
    return any(_is_here(item.compartment, here) and _is_by(item.created, until) for item in items)


def _notices(rows: Rows, places: list[PlaceRow], until: int) -> Iterator[Found[NoticeRow]]:
    here = {row.place for row in places}
    return (each for each in rows.scan(NOTICES) if each.row.place in here and each.row.said <= until)


def _nowhere(told: Iterable[Found[NoticeRow]]) -> Redaction:
    """That they were told, and when; no more of where and of what."""
    found = list(told)
    again = (NoticeGiven(said=each.row.said, by=PLATFORM, person=Handle(each.key), place=NOWHERE) for each in found)
    return Redaction(tuple(again), tuple(each.row.event for each in found))


def _places(rows: Rows, chronicle: Chronicle, request: EraseGuildRequest, places: list[PlaceRow]) -> list[Draft]:
    """Where it was, and how that was set: nothing as long as something is said there."""
    if any(_messages(rows, places, None)) or any(_turns(rows, places, None)):  # said since
        return []
    scopes = dict.fromkeys(Scope(kind, row.place) for row in places for kind in SCOPES)
    scopes[Scope("guild", request.guild)] = None
    settings = (each for scope in scopes for each in _given(rows, scope))
    described = (each for row in places for each in _described(rows, chronicle, row))
    bodies = dict.fromkeys(chain(settings, described, (row.event for row in places)))
    return _drafts(rows, request, Redaction((), tuple(islice(bodies, MOST_BODIES))))


def _given(rows: Rows, scope: Scope) -> Iterator[EventId]:
    """What gave the keys of a scope their values, the oldest first; but for the values that stay."""
    found = sorted(rows.scan(CONFIG_GIVEN, scope_key(str(scope))), key=lambda each: each.seq)
    for each in found:
        row, event = rows.get(CONFIG, each.key[:CONFIG_KEY_BYTES]), key_point(each.key).id
        if row is None or row.event != event or not is_narrow(row.key, row.value):
            yield event


def _described(rows: Rows, chronicle: Chronicle, row: PlaceRow) -> Iterator[EventId]:
    """What said of a place where it is and who can read it, the oldest first; but for what says now where it is."""
    past = chronicle.touched(rows, AUDIENCES, place_key(row.place))
    return (each.id for each in past if each.id != row.event)
