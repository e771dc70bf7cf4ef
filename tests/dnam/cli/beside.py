"""A shadow beside a small memory: every event of it, as a test leaves it, and what the test adds."""

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from dnam.shadows import Asked, Manifest, save
from projections.decisions.draft import Draft
from projections.events import Event
from projections.ids import EventId
from projections.rows import Rows
from replay.engine import Engine
from replay.reading import Reader
from replay.shadow import shadow_engine
from tests.dnam.scripted import FakeClock
from tests.world import NOW, handle

Change = Callable[[Event], Event | None]
ASKED = Asked("claude-next", "claude-next", "extraction@2", "summary@1", "merge@1")


def unchanged(event: Event) -> Event:
    """The shadow has what the memory has."""
    return event


def beside(data: Path, name: str, change: Change = unchanged, more: Iterable[Event] = (), **fields: object) -> None:
    """Make a shadow of a memory. `change` yields None for what the shadow has not; `fields` are the manifest's."""
    with (
        Engine.open(data, writable=False) as live,
        shadow_engine(data, name, writable=True, create=True, clock=FakeClock(), beside=live) as shadow,
    ):
        reader = Reader(live.live)
        readings = [reader.at(seq) for seq in range(1, live.head().size + 1)]
        kept = ((each.record.id, change(each.record.event)) for each in readings if each.record is not None)
        added = ((EventId(handle(f"{name} {number}")), event) for number, event in enumerate(more))
        for event_id, event in (*kept, *added):
            if event is not None:
                _record(shadow, event_id, event)
        manifest = Manifest(
            name=name, asked=ASKED, made=NOW, log=shadow.store.log.id.hex(), of=live.store.log.id.hex(),
            state="complete", upto=live.head().size, calls=3, tokens_in=2_000, tokens_out=100, cost_micros=12_345,
        )  # fmt: skip
        save(data, msgspec.structs.replace(manifest, **fields))


def _record(shadow: Engine, event_id: EventId, event: Event) -> None:
    def decision(rows: Rows) -> list[Draft]:
        known = tuple(each for each in event.causes if rows.ids.status(each) == "known")
        return [Draft(event_id, msgspec.structs.replace(event, causes=known))]

    shadow.record(decision)
