"""Erasing a person, in an order that a crash cannot break (design §8).

    1. under the write lock, one commit: person.erased, which names the vaults, and a higher epoch
    2. the ring without those keys, both copies
    3. the views anew, the old ones removed
    4. erasure.completed

Whoever opens for writing finishes what was broken off, in the background. The bodies leave the disk at the log's next
rewrite.
"""

import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from projections.decisions.draft import Draft, Minter, Origin
from projections.events import ErasureCompleted, PersonErased
from projections.events.values import OPERATOR, By
from projections.fold import Record
from projections.ids import EventId, Handle, seeded_id
from projections.people import accounts_of
from projections.rows import Rows
from replay.builder import rebuild
from replay.store import DiskStore

if TYPE_CHECKING:
    from replay.engine import Engine


def erase(engine: "Engine", person: Handle, by: By = OPERATOR) -> PersonErased | None:
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


def unfinished(engine: "Engine") -> list[Record]:
    """The `person.erased` of which not everything is done yet. Nothing else is read."""
    found = (engine.live.folding.record_at(seq) for seq in sorted({seq for _, seq in engine.store.log.erasures()}))
    erasures = [record for record in found if record is not None and isinstance(record.event, PersonErased)]
    return [each for each in erasures if engine.store.log.find(_completion(each)) is None]


def _completion(erasure: Record) -> EventId:
    """The id of the `erasure.completed` of an erasure: there is one."""
    return seeded_id(erasure.id, 0, erasure.event.said)


def finish_erasures(engine: "Engine") -> int:
    """Steps 2 to 4 of every erasure that is not complete; how many there were."""
    left = unfinished(engine)
    if not left:
        return 0
    engine.follow_erasures()
    if isinstance(engine.store, DiskStore):
        rebuild(engine.store, engine.fold)
    for erasure in left:
        engine.record(partial(_completed, erasure=erasure))
    return len(left)


def _completed(rows: Rows, *, erasure: Record) -> list[Draft]:
    completion = _completion(erasure)
    if rows.ids.status(completion) != "unknown":
        return []
    said = erasure.event.said
    return [Draft(completion, ErasureCompleted(said=said, by=OPERATOR, causes=(erasure.id,), erased=erasure.id))]
