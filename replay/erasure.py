"""Erasing a person, in an order that a crash cannot break (design §8).

    1. under the write lock, one commit: person.erased, which names the vaults, and a higher epoch
    2. the ring without those keys, both copies
    3. the views anew, the old ones removed
    4. erasure.completed

Whoever opens for writing finishes what was broken off. The bodies leave the disk at the log's next rewrite.
"""

import os
from collections.abc import Iterator, Sequence

from projections.decisions.draft import Draft, Minter, Origin
from projections.events import ErasureCompleted, PersonErased
from projections.events.values import OPERATOR, By
from projections.ids import EventId, Handle
from projections.people import accounts_of
from projections.rows import Rows
from replay import codec
from replay.builder import rebuild
from replay.engine import Engine
from replay.store import DiskStore


def erase(engine: Engine, person: Handle, by: By = OPERATOR) -> PersonErased | None:
    """Destroy every key that lists a person; what was recorded, or None when nothing lists them."""
    now = engine.recorder.now()
    origin = Origin(seed=os.urandom(32), now=now)

    def decision(rows: Rows) -> Sequence[Draft]:
        vaults = engine.store.ring.listing(person)
        if not vaults:
            return []
        hashes = {rows.ids.keyed_hash(found.row.platform, found.row.platform_id) for found in accounts_of(rows, person)}
        event = PersonErased(said=now, by=by, vaults=tuple(vaults), hashes=tuple(sorted(hashes)), until=now)
        return [Minter(rows, origin).draft(event)]

    recorded = engine.record(decision).events
    finish_erasures(engine)
    return next((each for each in recorded if isinstance(each, PersonErased)), None)


def unfinished(engine: Engine) -> Iterator[tuple[EventId, PersonErased]]:
    """Erasures of which not everything is done yet."""
    completed: set[EventId] = set()
    erasures: dict[EventId, PersonErased] = {}
    for stored in engine.store.log.read(0):
        if codec.decode_header(stored.header).tag not in (PersonErased.TAG, ErasureCompleted.TAG):
            continue
        record = engine.live.folding.record(stored)
        assert record is not None
        if isinstance(record.event, PersonErased):
            erasures[record.id] = record.event
        elif isinstance(record.event, ErasureCompleted):
            completed.add(record.event.erased)
    return ((event, erased) for event, erased in erasures.items() if event not in completed)


def finish_erasures(engine: Engine) -> int:
    """Steps 2 to 4 of every erasure that is not complete; how many there were."""
    left = list(unfinished(engine))
    if not left:
        return 0
    engine.follow_erasures()
    if isinstance(engine.store, DiskStore):
        rebuild(engine.store, engine.fold)
    for event, erased in left:
        engine.record(lambda rows, event=event, erased=erased: _completed(rows, event, erased))  # type: ignore[misc]
    return len(left)


def _completed(rows: Rows, event: EventId, erased: PersonErased) -> list[Draft]:
    origin = Origin(seed=event, now=erased.said)
    minter = Minter(rows, origin)
    draft = minter.draft(ErasureCompleted(said=erased.said, by=OPERATOR, causes=(event,), erased=event))
    return [draft] if rows.ids.status(draft.id) == "unknown" else []
