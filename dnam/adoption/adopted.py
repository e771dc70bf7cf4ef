"""What an adoption recorded, read from the log by its id: nothing has to be remembered of it anywhere else."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from dnam.access import Access
from dnam.shadows.source import everybody
from projections.decisions.adopted import Adoption, Whose, of_owner, of_session
from projections.decisions.adopted_all import CountRequest, Rederived, count
from projections.events import ItemEvent, ItemMoved
from projections.fold import Record
from projections.ids import EventId, Handle, Seq
from projections.lives import Address, address_of, moved_from
from projections.messages import unit
from projections.places import SESSIONS, epoch_of
from projections.rows import Rows
from projections.summaries import SUMMARIES
from replay.chronicle import LogChronicle
from replay.engine import Engine

Decisions = Callable[[Whose], Sequence[tuple[EventId, ...]]]
"""The events of each decision that was recorded for somebody, in order."""


class Touch(NamedTuple):
    """The last that an adoption did at an address; `removed`: it moved away what lay there. `earlier` is what it did
    there before, the last first: one that was broken off may have gone on upon another one's.
    """

    made: EventId
    removed: bool = False
    earlier: tuple[EventId, ...] = ()


class Touched(NamedTuple):
    """What an adoption did, as far as it can be read: the addresses of each owner, and the summary of each session by
    the row's key. `starts` has the seq at which the decision of each of its events began. `earlier` are the summaries
    that it had made of a session before, the last first.
    """

    items: Mapping[Handle, Mapping[Address, Touch]]
    summaries: Mapping[bytes, Record]
    starts: Mapping[EventId, Seq]
    earlier: Mapping[bytes, Sequence[Record]] = {}

    @property
    def is_empty(self) -> bool:
        """Whether it recorded nothing."""
        return not self.items and not self.summaries


class Taken(NamedTuple):
    """What was taken over, or back, counted, with what was recorded before it broke off. `event` is what makes it
    count; None where there was nothing to do.
    """

    event: EventId | None = None
    seq: Seq | None = None
    people: int = 0
    items: int = 0
    summaries: int = 0


def touched_by(engine: Engine, rows: Rows, adoption: Adoption) -> Touched:
    """Everything that an adoption, or its undoing, has recorded by now."""
    return touched_in(engine, rows, partial(adoption.decisions, rows))


def touched_in(engine: Engine, rows: Rows, decisions: Decisions) -> Touched:
    """What these decisions recorded."""
    reading = _Reading(engine, decisions)
    items = {owner: found for owner in everybody(rows) if (found := reading.items(owner))}
    made = {key: records for key in _units(rows) if (records := reading.summaries(key))}
    summaries = {key: records[0] for key, records in made.items()}
    return Touched(items, summaries, reading.starts, {key: records[1:] for key, records in made.items()})


def _units(rows: Rows) -> list[bytes]:
    """Every session in each of its epochs: also those whose summary is gone."""
    sessions = [found.row.session for found in rows.scan(SESSIONS)]
    units = {unit(session, epoch) for session in sessions for epoch in range(epoch_of(rows, session) + 1)}
    return sorted({*units, *rows.keys(SUMMARIES, b"")})


class _Reading:
    def __init__(self, engine: Engine, decisions: Decisions) -> None:
        self._log = engine.store.log
        self._chronicle = LogChronicle(engine.live)
        self._decisions = decisions
        self.starts: dict[EventId, Seq] = {}

    def items(self, owner: Handle) -> dict[Address, Touch]:
        found: dict[Address, Touch] = {}
        for record in self._records(of_owner(owner)):
            event = record.event
            if isinstance(event, ItemMoved):
                at = moved_from(event)
                found[at] = Touch(record.id, True, _made(found.get(at)))
            if isinstance(event, ItemEvent):
                at = address_of(event.item)
                found[at] = Touch(record.id, False, _made(found.get(at)))
        return found

    def summaries(self, key: bytes) -> Sequence[Record]:
        """The last first."""
        return self._records(of_session(key))[::-1]

    def _records(self, whose: bytes) -> Sequence[Record]:
        decisions = self._decisions(whose)
        for decision in decisions:
            found = self._log.find(decision[0])
            assert found is not None, "its id is known"
            self.starts |= dict.fromkeys(decision, self._chronicle.beginning(found))
        records = (self._chronicle.find(event) for decision in decisions for event in decision)
        return [each for each in records if each is not None]


def _made(touch: Touch | None) -> tuple[EventId, ...]:
    return () if touch is None else (touch.made, *touch.earlier)


async def counted(memory: Access, made: Rederived, adoption: Adoption, undoes: EventId | None = None) -> Taken:
    """Make it count, with all that it recorded. Nothing is recorded where it did nothing, unless it takes one back."""

    def read(rows: Rows) -> tuple[int, int, int]:
        touched = touched_by(memory.engine, rows, adoption)
        items = [each for found in touched.items.values() for each in found.values() if not each.removed]
        return len(touched.items), len(items), len(touched.summaries)

    people, items, summaries = await memory.look(read)
    if not people and not summaries and undoes is None:
        return Taken()
    request = CountRequest(adoption, made, memory.now(), people, items, summaries, undoes)
    await memory.record(lambda rows: count(rows, request))
    seq = await asyncio.to_thread(memory.engine.store.log.find, adoption.id)
    return Taken(adoption.id, seq, people, items, summaries)
