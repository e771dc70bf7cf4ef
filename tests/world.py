"""A memory without a disk: decide, fold into dictionaries, look. For tests of the pure core.

world = World()
events = world.decide(hear, request)      # what was decided, already folded
world.rows                                # the rows as they are now
"""

from collections.abc import Callable, Sequence
from typing import Any

from projections.decisions.draft import Draft, Origin
from projections.events import Event, MessageHeard, MessageRedacted
from projections.fold import Record
from projections.ids import EventId, Handle, Identity, Seq, keyed_hash, named_id
from projections.registry import FOLD
from projections.rows import Known, MemoryRows, Rows, Stored

ID_KEY = bytes(range(32))
NOW = 1_700_000_000_000
"""2023-11-14T22:13:20Z, in ms."""


class WorldIds:
    """Ids of a world that has no log."""

    def __init__(self) -> None:
        self.seen: dict[EventId, Known] = {}

    def event_id(self, identity: Identity) -> EventId:
        return named_id(ID_KEY, identity)

    def keyed_hash(self, platform: str, platform_id: str) -> bytes:
        return keyed_hash(ID_KEY, platform, platform_id)

    def status(self, event: EventId) -> Known:
        return self.seen.get(event, "unknown")


class World:
    """Rows in memory and everything that made them."""

    def __init__(self) -> None:
        self.raw = MemoryRows()
        self.ids = WorldIds()
        self.rows = Rows(self.raw, self.ids, events=self._event, touched=self._touched)
        self.records: list[Record] = []

    def decide(self, decision: Callable[[Rows, Any], Sequence[Draft]], request: Any) -> list[Event]:
        """Decide, fold, and return the events."""
        return [self.record(draft).event for draft in decision(self.rows, request)]

    def record(self, draft: Draft) -> Record:
        """Fold one event."""
        assert self.ids.status(draft.id) == "unknown"
        record = Record(Seq(len(self.records) + 1), draft.id, NOW, draft.event)
        self.records.append(record)
        self.ids.seen[draft.id] = "known"
        self._fold(record)
        if isinstance(draft.event, MessageRedacted):
            self._drop(draft.event)
        return record

    def _event(self, event: EventId) -> Event | None:
        """What was recorded, where it can still be read."""
        is_known = self.ids.status(event) == "known"
        return next((each.event for each in self.records if each.id == event), None) if is_known else None

    def _touched(self, table: str, key: bytes) -> list[Record]:
        """What touched a row, where it can still be read."""
        of = next(each for each in FOLD.projections if each.table == table)
        known = (each for each in self.records if self.ids.status(each.id) == "known")
        return [each for each in known if isinstance(each.event, of.sees) and key in dict(of.rows(each))]

    def _fold(self, record: Record) -> None:
        for table, key, body, _ in FOLD.changes(record):
            self.raw.put(table, key, None if body is None else Stored(record.seq, body))

    def _drop(self, redacted: MessageRedacted) -> None:
        """Bodies are dropped: everything else is folded again."""
        self.ids.seen |= dict.fromkeys(redacted.events, "redacted")
        self.raw.tables.clear()
        for record in self.records:
            if self.ids.status(record.id) == "known":
                self._fold(record)

    def add(self, *events: Event) -> list[Record]:
        """Fold events that no decision made, under ids of their own; a message's tells when it was said, as ever."""
        return [self.record(Draft(_id(f"event {len(self.records)} {n}", each), each)) for n, each in enumerate(events)]


def _id(name: str, event: Event) -> EventId:
    said = event.said if isinstance(event, MessageHeard) else NOW
    return named_id(ID_KEY, Identity("test", "handle", name, "", said))


def handle(name: str) -> Handle:
    """A stable sixteen bytes for a name, in place of random ones."""
    return Handle(named_id(ID_KEY, Identity("test", "handle", name, "", NOW)))


def fresh(count: int = 8, salt: str = "") -> tuple[Handle, ...]:
    """Unused handles, as the shell would hand them in."""
    return tuple(handle(f"fresh {salt} {n}") for n in range(count))


def origin(name: str, now: int = NOW) -> Origin:
    """A request that no platform names."""
    return Origin(seed=handle(name) + handle(name), now=now)
