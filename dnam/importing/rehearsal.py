"""An import that is only played through: every decision is made as it would be, on rows above those that there are.

Decisions and folds are pure, so what they would record is known without recording it: what is known already, refused,
or pushed out by the cap is told as the import itself would tell it. The rows of what would be new are held in memory.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

from dnam.finding import compartment_class
from dnam.importers.levels import COMPARTMENTS
from dnam.importers.source import CompartmentKind
from dnam.languages import load
from dnam.memory import Memory
from dnam.settings import Settings
from projections.decisions.draft import Decision
from projections.events import (
    Event,
    ItemDeprecated,
    ItemEvicted,
    ItemUpserted,
    MessageEdited,
    MessageHeard,
    PlaceAudienceChanged,
    SummaryRefreshed,
)
from projections.events.values import Audience, Item
from projections.fold import Record
from projections.ids import UNSEALED, EventId, Identity, Ref, Seq
from projections.rows import Ids, Known, Rows
from replay.engine import Engine
from replay.errors import NothingHere
from replay.group import Recorded
from replay.jobs import Decided
from replay.overlay import Layered, Overlay

T = TypeVar("T")


class Planned(NamedTuple):
    """What would be recorded: a message, an item of some kind and type, …, and the compartment that it would lie in."""

    what: str
    kind: str
    type: str
    compartment: str


class Rehearsal(Memory):
    """A memory that records nothing. `planned` counts what it would have recorded."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        super().__init__(engine, settings, load(settings.language))
        self.planned: Counter[Planned] = Counter()
        self._overlay = Overlay()
        self._rehearsed: set[EventId] = set()

    def submit(self, decision: Decision, decided: Decided | None = None) -> "asyncio.Future[Recorded]":  # noqa: ARG002 - as in Access
        """Decide and fold at once, with nothing between that could be foretold; see `Access.submit`."""
        future: asyncio.Future[Recorded] = asyncio.get_running_loop().create_future()
        try:
            future.set_result(self.look_here(lambda rows: self._decided(rows, decision)))
        except Exception as error:  # noqa: BLE001 - a decision fails whoever waits for it, as in the engine
            future.set_exception(error)
        return future

    async def look(self, question: Callable[[Rows], T]) -> T:
        """The rows as they would be by now."""
        return self.look_here(question)

    def look_here(self, question: Callable[[Rows], T]) -> T:
        with self.engine.reading() as rows:
            return question(Rows(Layered(self._overlay, rows.raw), _Ids(rows.ids, self._rehearsed)))

    def _decided(self, rows: Rows, decision: Decision) -> Recorded:
        drafts = [draft for draft in decision(rows) if rows.ids.status(draft.id) == "unknown"]
        return Recorded(tuple(self._folded(draft.id, draft.event) for draft in drafts))

    def _folded(self, event_id: EventId, event: Event) -> Record:
        record = Record(Seq(self.engine.head().size + len(self._rehearsed) + 1), event_id, self.now(), event)
        self._rehearsed.add(event_id)
        written = ((table, key, body) for table, key, body, _ in self.engine.fold.changes(record))
        self._overlay.write(written, record.seq, UNSEALED)
        planned = _planned(event)
        self.planned.update([planned] if planned is not None else [])
        return record


class _Ids:
    """What the log says of ids, and what it would say after the rehearsal."""

    def __init__(self, below: Ids, rehearsed: set[EventId]) -> None:
        self._below = below
        self._rehearsed = rehearsed

    def event_id(self, identity: Identity) -> EventId:
        return self._below.event_id(identity)

    def keyed_hash(self, platform: str, platform_id: str) -> bytes:
        return self._below.keyed_hash(platform, platform_id)

    def status(self, event: EventId) -> Known:
        return "known" if event in self._rehearsed else self._below.status(event)


def _planned(event: Event) -> Planned | None:
    match event:
        case MessageHeard(message=message):
            return Planned("message", "", "", _of_audience(message.audience, message.guild))
        case MessageEdited(message=message):
            return Planned("edited message", "", "", _of_audience(message.audience, message.guild))
        case PlaceAudienceChanged(audience=audience, guild=guild):
            return Planned("restricted channel", "", "", _of_audience(audience, guild))
        case SummaryRefreshed(audience=audience):
            return Planned("summary", "", "", _of_audience(audience, None))
        case ItemUpserted(item=item):
            return _of_item("item", item)
        case ItemDeprecated(item=item):
            return _of_item("deprecated item", item)
        case ItemEvicted(item=item):
            return _of_item("evicted by the cap", item)
        case _:
            return None


def _of_item(what: str, item: Item) -> Planned:
    kind: CompartmentKind = compartment_class(item.compartment)  # type: ignore[assignment] # importers make no other
    return Planned(what, item.kind, item.type, COMPARTMENTS[kind, bool(item.owner)])


def _of_audience(audience: Audience, guild: Ref | None) -> str:
    kind = "channel" if audience.kind == "guild" and guild is None else audience.kind
    return COMPARTMENTS[kind, kind == "direct"]


@contextmanager
def rehearsing(settings: Settings, data: Path) -> Iterator[Rehearsal]:
    """A rehearsal above the memory in a folder, or above nothing where there is none. Nothing on disk is touched."""
    try:
        engine = Engine.open(data, writable=False)
    except NothingHere:
        engine = Engine.in_memory()
    with engine:
        hindrance = engine.stopped()
        if hindrance is not None:
            raise hindrance
        yield Rehearsal(engine, settings)
