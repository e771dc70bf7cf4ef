"""A log decision by decision, as far as it can be read: for whoever walks all of it."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from projections.decisions.draft import Draft
from projections.decisions.given import Given, lost
from projections.events import Event
from projections.ids import UNSEALED, EventId, Seq, VaultId
from replay import codec
from replay.codec import Header
from replay.engine import Engine
from replay.log import Log, StoredEvent
from replay.reading import read

CHUNK = 4096
"""How many events are read at a time from one log: another process may put another one in force between."""


class Told(NamedTuple):
    """An event of a sheaf; `event` is None where its words are gone."""

    seq: Seq
    header: Header
    event: Event | None
    given: Given

    @property
    def id(self) -> EventId:
        """The event's."""
        return self.header.id

    def draft(self) -> Draft:
        """It as it is recorded elsewhere: the same id, the same vault; without words where they are gone."""
        event = lost(self.header.tag, self.header.tag_version) if self.event is None else self.event
        return Draft(self.id, event, natural=True, given=self.given)


class Sheaf(NamedTuple):
    """The events of one decision, as they stand in the log, and where it ends."""

    told: tuple[Told, ...]

    @property
    def last(self) -> Seq:
        """The seq of its last event."""
        return self.told[-1].seq


def stored_events(engine: Engine, after: int, upto: int) -> Iterator[StoredEvent]:
    """The events behind `after` up to and with `upto`, each as it lies in the log that is in force by then."""
    while after < upto:
        last = min(upto, after + CHUNK)
        yield from engine.store.log.read(after, last)
        after = last


def units(engine: Engine, after: int, upto: int) -> Iterator[Sheaf]:
    """The decisions behind `after` up to and with `upto`. KeyMissing, Damaged and UnknownEvent where one cannot be
    read.
    """
    run: list[Told] = []
    for stored in stored_events(engine, after, upto):
        reading = read(engine.live.folding, stored)
        if reading.state not in ("known", "redacted", "erased"):
            engine.live.folding.record(stored)  # raises what is wrong with it
        event = None if reading.record is None else reading.record.event
        run.append(Told(stored.seq, reading.header, event, _given(engine, reading.header)))
        if not reading.header.left:
            yield Sheaf(tuple(run))
            run = []


def stored_with(engine: Engine, tags: Collection[str], after: int, upto: int) -> Iterator[StoredEvent]:
    """The events with these tags behind `after` up to and with `upto`. Of all others not even the header is decoded:
    nearly every one of them lacks the bytes.
    """
    marks = [tag.encode() for tag in tags]
    while after < upto:
        last = min(upto, after + CHUNK)
        yield from list(_marked(engine.store.log, tags, marks, after, last))  # read now: it may be replaced, and closed
        after = last


def _marked(log: Log, tags: Collection[str], marks: list[bytes], after: int, upto: int) -> Iterator[StoredEvent]:
    for seq, header in log.headers(after, upto):
        if any(mark in header for mark in marks) and codec.decode_header(header).tag in tags:
            stored = log.get(seq)
            assert stored is not None, "its header is there"
            yield stored


def tagged(engine: Engine, tags: Collection[str], upto: int) -> Iterator[tuple[EventId, Event]]:
    """The events with these tags up to a seq that can be read; no other is opened."""
    for stored in stored_with(engine, tags, 0, upto):
        record = engine.live.folding.record(stored)
        if record is not None:
            yield record.id, record.event


def _given(engine: Engine, header: Header) -> Given:
    vault = VaultId(header.vault)
    erased = vault == UNSEALED or vault in engine.live.folding.erased
    return Given(header.at, vault, None if erased else engine.store.ring.given(vault))
