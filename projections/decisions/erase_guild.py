"""Erasing a guild: everything said there is redacted, and everything learned there, whoever asked to keep it.

    first    messages and answers, with what a model made of them alone, wherever it lies
    then     what is left in the compartments of the guild and its channels: items and what they said before, what was
             taken back or refused, summaries, raw replies
    last     the guild's places, who could read them, and their settings

An event before the last that made a row shows when that one is gone. So this is decided again, each time under another
origin, until nothing comes of it.
"""

from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple

from projections.config import CONFIG, Scope
from projections.decisions.clear import as_many
from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.decisions.redact import Redaction, redacted, redaction_of, replies_withdrawn
from projections.decisions.retention import with_answers
from projections.events.values import OPERATOR, By
from projections.ids import EventId, Ref
from projections.items import FORGOTTEN, ITEMS, REFUSALS
from projections.messages import MESSAGES, MessageRow, unit
from projections.places import AUDIENCES, PLACES, PlaceRow, audience_of, place_key
from projections.policies.compartments import in_channel, in_guild
from projections.rows import Rows
from projections.summaries import SUMMARIES
from projections.turns import TURNS, TurnRow
from projections.work import WORK, WorkRow

MOST_SAID = 400
"""How many messages and how many answers one decision takes at most."""
MOST_BODIES = 1_000
"""How many bodies one decision drops at most of what is left."""


class EraseGuildRequest(NamedTuple):
    """A guild is to be erased, at `said` (ms)."""

    guild: Ref
    said: int
    origin: Origin
    by: By = OPERATOR


def erase_guild(rows: Rows, request: EraseGuildRequest) -> list[Draft]:
    """The next part of it; nothing when all is gone."""
    if decided_before(rows, request.origin):
        return []
    places = [found.row for found in rows.scan(PLACES) if request.guild in (found.row.guild, found.row.place)]
    sessions = [row for row in places if row.session]

    def said(most: int) -> list[Draft]:
        messages = list(islice(_messages(rows, sessions), most))
        turns = list(islice(_turns(rows, sessions), most))
        return _drafts(rows, request, with_answers(redaction_of(rows, messages, request.said), turns, request.said))

    return as_many(said, MOST_SAID) or _left(rows, request, places) or _places(rows, request, places)


def _drafts(rows: Rows, request: EraseGuildRequest, taken: Redaction) -> list[Draft]:
    return redacted(Minter(rows, request.origin), taken, request.said, request.by)


def _units(rows: Rows, sessions: list[PlaceRow]) -> Iterator[bytes]:
    for row in sessions:
        audience = audience_of(rows, row.place)
        yield from (unit(row.session, epoch) for epoch in range((audience.epoch if audience else 0) + 1))


def _messages(rows: Rows, sessions: list[PlaceRow]) -> Iterator[MessageRow]:
    return (found.row for where in _units(rows, sessions) for found in rows.scan(MESSAGES, where))


def _turns(rows: Rows, sessions: list[PlaceRow]) -> Iterator[TurnRow]:
    return (found.row for where in _units(rows, sessions) for found in rows.scan(TURNS, where))


def _left(rows: Rows, request: EraseGuildRequest, places: list[PlaceRow]) -> list[Draft]:
    """What was learned there, and how: a layer of it."""
    here = frozenset({in_guild(request.guild), *(in_channel(row.place) for row in places)})
    keys = {row.session for row in places}
    items = (found.row.event for found in rows.scan(ITEMS) if _is_here(found.row.item.compartment, here))
    forgotten = (found.row.event for found in rows.scan(FORGOTTEN) if _is_here(found.row.compartment, here))
    refused = (found.row.event for found in rows.scan(REFUSALS) if _is_here(found.row.compartment, here))
    summaries = (row.event for where in _units(rows, places) if (row := rows.get(SUMMARIES, where)) is not None)
    replies = (found.row.event for found in rows.scan(WORK) if _was_here(found.row, here, keys))
    bodies = tuple(islice(dict.fromkeys(chain(items, forgotten, refused, summaries, replies)), MOST_BODIES // 2))
    withdrawn = replies_withdrawn(rows, bodies, request.said)
    return _drafts(rows, request, Redaction(tuple(withdrawn), bodies))


def _is_here(compartment: str, here: frozenset[str]) -> bool:
    """Whether it is a compartment of the guild or of a channel of it; `person/P/channel/C` is one."""
    owner, _, channel = compartment.partition("/channel/")
    return compartment in here or (owner.startswith("person/") and f"channel/{channel}" in here)


def _was_here(row: WorkRow, here: frozenset[str], sessions: set[str]) -> bool:
    return _is_here(row.compartment, here) or (bool(row.session) and row.session in sessions)


def _places(rows: Rows, request: EraseGuildRequest, places: list[PlaceRow]) -> list[Draft]:
    scopes = {str(Scope(kind, row.place)) for row in places for kind in ("guild", "channel")}
    scopes.add(str(Scope("guild", request.guild)))
    settings = (found.row.event for found in rows.scan(CONFIG) if found.row.scope in scopes)
    audiences = (rows.get(AUDIENCES, place_key(row.place)) for row in places)
    readers = (row.event for row in audiences if row is not None)
    bodies: tuple[EventId, ...] = tuple(dict.fromkeys(chain((row.event for row in places), readers, settings)))
    return _drafts(rows, request, Redaction((), bodies[:MOST_BODIES]))
