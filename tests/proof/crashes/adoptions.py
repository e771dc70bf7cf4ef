"""What `adopt` and `adopt --undo` say that they did, and whether it is in force."""

import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from msgspec import Struct

from dnam.adoption.adopted import Touch, touched_by
from dnam.shadows.manifest import load
from dnam.shadows.source import rederived_of
from projections.decisions.adopted import Adoption, next_adoption, that_count
from projections.events import ItemReverted, RederivationAdopted, SummaryReverted
from projections.fold import Projection, Record
from projections.ids import MINUTE_MS, EventId, Seq
from projections.items import ITEMS
from projections.lives import key_of
from projections.rows import Found, Rows
from projections.summaries import SUMMARIES
from replay.chronicle import LogChronicle
from replay.engine import Engine

R = TypeVar("R", bound=Struct)
_OF_THEM: tuple[Projection[Any], ...] = (ITEMS, SUMMARIES)
SHADOW = "careful"
"""What the shadow is called that is adopted, and taken back."""


class Adopted(NamedTuple):
    """An adoption, or an undoing: the event that makes it count, where that stands, and how much it changed."""

    event: EventId
    seq: Seq
    people: int
    items: int
    summaries: int

    @classmethod
    def said(cls, printed: str) -> Self | None:
        """What a command that ended with 0 printed (--json); None where it says that there was nothing to do."""
        told = json.loads(printed)
        done = told.get("adopted") or told.get("undone")
        return done and cls(EventId(bytes.fromhex(done["event"])), *(done[each] for each in cls._fields[1:]))

    @classmethod
    def recorded(cls, record: Record) -> Self | None:
        """What the log says of one; None of any other event."""
        event = record.event
        if not isinstance(event, RederivationAdopted):
            return None
        return cls(record.id, record.seq, event.people, event.items, event.summaries)

    def __str__(self) -> str:
        return f"#{self.seq}, {self.items} items of {self.people} people and {self.summaries} summaries"


class Effect(NamedTuple):
    """Of the items and summaries that an adoption or undoing changed: how many are as it left them, how many something
    that came later changed, and what is neither.
    """

    live: int
    since: int
    wrong: tuple[str, ...] = ()


def effect_of(data: Path, said: Adopted | None) -> Effect:
    """What the one that was said to be done did, as far as it is in force; of the last one that counts, where nothing
    was left to do.
    """
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        last = said or _last(engine)
        return Effect(0, 0, ("none was ever recorded",)) if last is None else _effect(engine, rows, last, said)


def _last(engine: Engine) -> Adopted | None:
    found = (engine.live.folding.record(stored) for stored in engine.store.log.read(0))
    every = [adopted for record in found if record is not None and (adopted := Adopted.recorded(record)) is not None]
    return every[-1] if every else None


def _effect(engine: Engine, rows: Rows, adopted: Adopted, said: Adopted | None) -> Effect:
    touched = touched_by(engine, rows, Adoption(adopted.event, int.from_bytes(adopted.event[:4], "big") * MINUTE_MS))
    reading = _Reading(engine)
    for found in touched.items.values():
        for address, touch in found.items():
            reading.take(ITEMS, key_of(address), _seq(rows.find(ITEMS, key_of(address))), touch)
    for key, record in touched.summaries.items():
        reading.take(SUMMARIES, key, _seq(rows.find(SUMMARIES, key)), Touch(record.id))
    items = sum(not touch.removed for found in touched.items.values() for touch in found.values())
    there = adopted._replace(people=len(touched.items), items=items, summaries=len(touched.summaries))
    if said is not None and said != there:
        reading.wrong.append(f"it was said to be {said}, and the log has of it {there}")
    return Effect(reading.live, reading.since, tuple(reading.wrong))


def _seq(found: Found[R] | None) -> Seq | None:
    return None if found is None else found.seq


class _Reading:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._log = engine.store.log
        self._chronicle = LogChronicle(engine.live)
        self.live = self.since = 0
        self.wrong: list[str] = []

    def take(self, table: Projection[Any], key: bytes, last: Seq | None, touch: Touch) -> None:
        """Which event a row is of, None where there is none, and what the adoption did to it."""
        made = self._log.find(touch.made)
        if last == made or (last is None and (touch.removed or self._is_gone(touch.made))):
            self.live += 1
        elif made and (last or self._removed.get((table.table, key), Seq(0))) > made:
            self.since += 1
        else:
            self.wrong.append(f"what #{made} made is {f'as #{last} left it' if last else 'not there'}")

    @cached_property
    def _removed(self) -> dict[tuple[str, bytes], Seq]:
        """The last event that took each row away, as the fold of all events has it: an erasure withdraws what rests on
        its words.
        """
        found: dict[tuple[str, bytes], Seq] = {}
        for stored in self._log.read(0):
            record = self._engine.live.folding.record(stored)
            for table in _OF_THEM:
                if record is not None and isinstance(record.event, table.sees):
                    found |= {(table.table, key): record.seq for key, row in table.rows(record) if row is None}
        return found

    def _is_gone(self, event: EventId) -> bool:
        """Whether it said that nothing is to be there."""
        record = self._chronicle.find(event)
        return record is not None and isinstance(record.event, ItemReverted | SummaryReverted) and record.event.gone


def recorded_by(engine: Engine, rows: Rows, data: Path) -> dict[EventId, EventId]:
    """Which adoption or undoing recorded an event, of all those that one did; also those that did not count yet."""
    made = rederived_of(load(data, SHADOW))
    last = next_adoption(rows, made.shadow, made.made)
    every = [each for one in (*that_count(rows, made.shadow, made.made), last) for each in (one, *_undoings(rows, one))]
    return {event: each.id for each in every for event in touched_by(engine, rows, each).starts}


def _undoings(rows: Rows, adoption: Adoption) -> Iterator[Adoption]:
    """Those of it that count, and the next one."""
    counted = adoption.undoings(rows)
    yield from (*counted, adoption.undoing(len(counted)))
