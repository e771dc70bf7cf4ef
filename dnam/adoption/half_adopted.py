"""What was adopted and does not count: an adoption was broken off, and part of it is recorded.

The ids of what an adoption records follow from the id of its shadow's log. Where that is gone, nobody knows them any
more: but each item's event says what the shadow was called, and the ids of all of them begin with the minute in which
it was begun. So what was taken over can be taken back all the same.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dnam.adoption.adopted import touched_by
from dnam.errors import ShadowUnusable
from dnam.shadows.manifest import Manifest, known
from dnam.shadows.source import rederived_of
from projections.decisions.adopt_pairs import is_by_adoption, says_shadow
from projections.decisions.adopted import Adoption, Whose, next_adoption, of_owner, of_session, that_count
from projections.decisions.adopted_all import Rederived
from projections.errors import BadRequest
from projections.events import (
    Event,
    ItemClosed,
    ItemDeprecated,
    ItemEvent,
    ItemEvicted,
    ItemMoved,
    ItemUpserted,
    RederivationAdopted,
    SummaryRefreshed,
    SummaryWithheld,
)
from projections.ids import MINUTE_MS, EventId, digest16
from projections.items import ITEMS
from projections.messages import unit
from projections.rows import Rows
from projections.summaries import SUMMARIES
from replay.engine import Engine
from replay.reading import Reading, read
from replay.units import stored_with, tagged

TAGS = (
    ItemUpserted.TAG, ItemDeprecated.TAG, ItemEvicted.TAG, ItemMoved.TAG, SummaryRefreshed.TAG, ItemClosed.TAG,
    SummaryWithheld.TAG,
)  # fmt: skip
"""What an adoption records, but for the event that makes it count; and what closes something for it, between."""
MINUTE_BYTES = 4
"""How much of an event's id is its minute."""


def readable(data: Path, name: str) -> Manifest | None:
    """The manifest of a shadow, where it is there and can be read."""
    try:
        return known(data, name)
    except (BadRequest, ShadowUnusable):
        return None


def is_half_adopted(engine: Engine, rows: Rows, manifest: Manifest) -> bool:
    """Whether a part of a shadow is adopted, by one that was broken off."""
    made = rederived_of(manifest)
    return not touched_by(engine, rows, next_adoption(rows, made.shadow, made.made)).is_empty


def is_named_half_adopted(engine: Engine, rows: Rows, data: Path, name: str) -> bool:
    """The same of a shadow of which no more may be known than its name."""
    manifest = readable(data, name)
    if manifest is not None:
        return is_half_adopted(engine, rows, manifest)
    gone = gone_adoptions(engine, rows, name, told_of(engine, rows, name))
    return any(not each.adoption.undoings(rows) and _stands(rows, each) for each in gone)


def _stands(rows: Rows, gone: "Gone") -> bool:
    """Whether anything of it is as it was adopted: where all was changed since, there is nothing to take back."""
    events = {event for found in gone.decisions.values() for decision in found for event in decision}
    items = (found.row.event for found in rows.scan(ITEMS))
    summaries = (found.row.event for found in rows.scan(SUMMARIES))
    return not events.isdisjoint((*items, *summaries))


def told_of(engine: Engine, rows: Rows, name: str) -> Iterator[Rederived]:
    """The shadows that had a name, as what was adopted of them tells, the last one first. The ids of an adoption are
    made of the minute in which its shadow was begun, which its own id has too.
    """
    hashed = _hashed(rows, name)
    yield from (made._replace(name=name) for told, made in counted_adoptions(engine) if told.name == hashed)


def counted_adoptions(engine: Engine) -> Iterator[tuple[RederivationAdopted, Rederived]]:
    """All that count, the last one first, with their shadows; what those were called is not said."""
    for event, told in reversed(list(tagged(engine, (RederivationAdopted.TAG,), engine.head().size))):
        if isinstance(told, RederivationAdopted):
            yield told, Rederived(told.shadow, "", _made(event), told.upto, told.model)


class Gone(NamedTuple):
    """An adoption that was broken off, of a shadow that is gone: under an id of its own, since nobody knows its first
    one. `decisions` are what it recorded, for whom.
    """

    made: Rederived
    adoption: Adoption
    decisions: Mapping[Whose, Sequence[tuple[EventId, ...]]]


class _Decision(NamedTuple):
    """What one decision of an adoption recorded: its events, for whom, and the shadow that it names, if any."""

    events: tuple[EventId, ...]
    whose: Whose
    shadow: str


def gone_adoptions(engine: Engine, rows: Rows, name: str, others: Iterable[Rederived]) -> list[Gone]:
    """Those of shadows of a name, the last one first. What belongs to the `others`, whose ids are known, is none, nor
    what counts as adopted of a shadow of whatever name.
    """
    counting = (each for _, each in counted_adoptions(engine))
    known_ids = {event for made in (*others, *counting) for event in _events_of(engine, rows, made)}
    by_minute: dict[bytes, list[_Decision]] = {}
    for each in _decisions(engine):
        if not known_ids.intersection(each.events):
            by_minute.setdefault(each.events[0][:MINUTE_BYTES], []).append(each)
    found = ((minute, _named(name, decisions)) for minute, decisions in sorted(by_minute.items(), reverse=True))
    return [_gone(rows, name, minute, decisions) for minute, decisions in found if decisions]


def _events_of(engine: Engine, rows: Rows, made: Rederived) -> Iterator[EventId]:
    """All that was adopted of a shadow whose ids are known, whether it counts or not."""
    for each in (*that_count(rows, made.shadow, made.made), next_adoption(rows, made.shadow, made.made)):
        yield from touched_by(engine, rows, each).starts


def _named(name: str, decisions: Iterable[_Decision]) -> list[_Decision]:
    """Those of a shadow. A summary does not say which: it is that of the items, where there is only one."""
    found = list(decisions)
    names = {each.shadow for each in found} - {""}
    return [each for each in found if each.shadow == name or names == {name}]


def _gone(rows: Rows, name: str, minute: bytes, found: Iterable[_Decision]) -> Gone:
    decisions: dict[Whose, list[tuple[EventId, ...]]] = {}
    for each in found:
        decisions.setdefault(each.whose, []).append(each.events)
    made = Rederived(digest16("gone", _hashed(rows, name), minute), name, _made(minute), 0)
    return Gone(made, next_adoption(rows, made.shadow, made.made), decisions)


def _hashed(rows: Rows, name: str) -> bytes:
    return rows.ids.keyed_hash("shadow", name)[:16]


def _made(event: bytes) -> int:
    return int.from_bytes(event[:MINUTE_BYTES], "big") * MINUTE_MS


def _decisions(engine: Engine) -> Iterator[_Decision]:
    """Every decision of an adoption."""
    run: list[Reading] = []
    for stored in stored_with(engine, TAGS, 0, engine.head().size):
        reading = read(engine.live.folding, stored)
        if run and (reading.seq != run[-1].seq + 1 or not run[-1].header.left):
            yield from _decision(run)
            run = []
        run.append(reading)
    yield from _decision(run)


def _decision(run: Sequence[Reading]) -> Iterator[_Decision]:
    """What a decision is, where it is one of an adoption; an event whose words are gone is one of it all the same."""
    events = [each.record.event for each in run if each.record is not None]
    whose = next((found for each in events if (found := _whose(each)) is not None), None)
    if whose is not None:
        names = (says_shadow(each) for each in events if isinstance(each, ItemEvent))
        yield _Decision(tuple(each.id for each in run), whose, next(filter(None, names), ""))


def _whose(event: Event) -> Whose | None:
    if not isinstance(event, ItemEvent | SummaryRefreshed) or not is_by_adoption(event):
        return None
    if isinstance(event, ItemEvent):
        return of_owner(event.item.owner)
    return of_session(unit(event.session, event.audience.epoch))
