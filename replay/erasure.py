"""Erasing a person, in an order that a crash cannot break (design §8).

    1. under the write lock, one commit: person.erased, which names the vaults, and a higher epoch
    2. the ring without those keys, both copies
    3. the views anew, the old ones removed, and those of every shadow; the vectors of their texts leave the disk
    4. erasure.completed

Whoever opens for writing finishes what was broken off, in the background. The bodies leave the disk at the log's next
rewrite.
"""

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from projections.decisions.draft import Draft, Minter, Origin
from projections.events import ErasureCompleted, PersonErased
from projections.events.values import OPERATOR, By
from projections.fold import Record
from projections.ids import EventId, Handle, VaultId, seeded_id
from projections.messages import RESPOKEN, SPOKEN, key_point
from projections.people import accounts_of
from projections.rows import Rows
from replay import codec
from replay.builder import Progress, silent, thin_out
from replay.shadows.views import thin_out_shadows
from replay.store import DiskStore

if TYPE_CHECKING:
    from replay.engine import Engine

EVERY = 4096
"""After how many events a count tells how far it is."""


class Extent(NamedTuple):
    """What an erasure takes: how many keys, how many of them seal words of others as well, and how many events they
    seal, by tag, of which the words are not gone already.
    """

    keys: int
    shared: int
    events: Mapping[str, int]


class Erasure(NamedTuple):
    """A `person.erased` that was recorded."""

    id: EventId
    event: PersonErased


def extent(engine: "Engine", person: Handle, progress: Progress = silent) -> Extent:
    """What erasing a person would take now. It reads every header of the log, and no key."""
    vaults = vaults_of(engine, person)
    return Extent(len(vaults), sum(vaults.values()), sealed_by(engine, vaults, progress))


def vaults_of(engine: "Engine", person: Handle) -> Mapping[VaultId, bool]:
    """Every vault that lists a person now, and whether it lists others too."""
    with engine.reading():  # follows what other processes recorded and erased
        ring = engine.store.ring
        ring.refresh()  # a shadow's vaults come without an event here
        return {vault: len(ring.people(vault)) > 1 for vault in ring.listing(person)}


def sealed_by(engine: "Engine", vaults: Collection[VaultId], progress: Progress = silent) -> Mapping[str, int]:
    """How many events these vaults seal, by tag; destroyed ones too, since the headers stay."""
    log, wanted = engine.store.log, frozenset(vaults)
    size = log.head().size
    tags: Counter[str] = Counter()
    for stored in log.read(0, size) if wanted else ():
        header = codec.decode_header(stored.header)
        if header.vault in wanted and stored.body is not None:
            tags[header.tag] += 1
        if stored.seq % EVERY == 0 or stored.seq == size:
            progress(stored.seq, size)
    return tags


def erase(engine: "Engine", person: Handle, by: By = OPERATOR, progress: Progress = silent) -> PersonErased | None:
    """Destroy every key that lists a person; what was recorded, or None when nothing lists them."""
    record = destroy_keys(engine, person, by)
    finish_erasures(engine, progress)
    return None if record is None else record.event


def destroy_keys(engine: "Engine", person: Handle, by: By = OPERATOR) -> Erasure | None:
    """The first two steps: from here on nothing of theirs can be read, by anybody. What is left to do is
    `finish_erasures`, which whoever opens for writing does as well.
    """
    now = engine.recorder.now()
    origin = Origin(seed=os.urandom(32), now=now)

    def decision(rows: Rows) -> Sequence[Draft]:
        engine.store.ring.refresh()  # under the lock, so that no shadow makes another vault of theirs behind this
        vaults = engine.store.ring.listing(person)
        if not vaults:
            return []
        hashes = {rows.ids.keyed_hash(found.row.platform, found.row.platform_id) for found in accounts_of(rows, person)}
        until = max(now, _last_said(rows, person))
        event = PersonErased(said=now, by=by, vaults=tuple(vaults), hashes=tuple(sorted(hashes)), until=until)
        return [Minter(rows, origin).draft(event)]

    recorded = engine.record(decision).records
    engine.follow_erasures()
    found = (Erasure(each.id, each.event) for each in recorded if isinstance(each.event, PersonErased))
    return next(found, None)


def _last_said(rows: Rows, person: Handle) -> int:
    """When they said the last thing that is known, by their platform's clock: it may be ahead of this machine's."""
    keys = (key for table in (SPOKEN, RESPOKEN) for key in rows.keys(table, person or bytes(16)))
    return max((key_point(key).said for key in keys), default=0)


def unfinished(engine: "Engine") -> list[Record]:
    """The `person.erased` of which not everything is done yet. Nothing else is read."""
    found = (engine.live.folding.record_at(seq) for seq in sorted({seq for _, seq in engine.store.log.erasures()}))
    erasures = [record for record in found if record is not None and isinstance(record.event, PersonErased)]
    return [each for each in erasures if engine.store.log.find(_completion(each)) is None]


def _completion(erasure: Record) -> EventId:
    """The id of the `erasure.completed` of an erasure: there is one."""
    return seeded_id(erasure.id, 0, erasure.event.said)


def finish_erasures(engine: "Engine", progress: Progress = silent) -> int:
    """Steps 2 to 4 of every erasure that is not complete; how many there were. One thread at a time, since a shadow is
    opened for it once. Busy while somebody who hangs holds half-built views.
    """
    with engine.finishing:
        return _finish(engine, progress)


def _finish(engine: "Engine", progress: Progress) -> int:
    left = unfinished(engine)
    if not left:
        return 0
    engine.follow_erasures()
    if isinstance(engine.store, DiskStore):
        thin_out(engine.store, engine.fold, progress)
        thin_out_shadows(engine.store, engine.fold, progress)
        if engine.store.has_vectors:
            engine.store.vectors.drop(engine.store.log.erased_vaults())
    for erasure in left:
        engine.record(partial(_completed, erasure=erasure))
    return len(left)


def _completed(rows: Rows, *, erasure: Record) -> list[Draft]:
    completion = _completion(erasure)
    if rows.ids.status(completion) != "unknown":
        return []
    said, by = erasure.event.said, erasure.event.by
    return [Draft(completion, ErasureCompleted(said=said, by=by, causes=(erasure.id,), erased=erasure.id))]
