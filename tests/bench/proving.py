"""Proofs about the tree, and the seq at a time: how long each takes in a large log.

A proof is made of a random event, or of a random former size, out of the log on disk, and checked. The seq at a time is
searched in a log of ten million headers: nothing else is in it, since nothing else is read, and the real log of that
size would take an hour to make.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import lmdb

from projections.ids import EventId, VaultId
from projections.registry import FOLD
from replay import codec
from replay.codec import Header
from replay.engine import Engine
from replay.history import seq_key
from replay.lmdb_file import MAP_SIZE
from replay.lmdb_log import LmdbLog
from replay.log import Head, StoredEvent
from replay.proofs import consistency_proof, edge_at, inclusion_proof, verify_consistency, verify_inclusion
from replay.store import DiskStore
from replay.tree import CompactRange, leaf_hash
from tests.bench.bench import Bench
from tests.bench.measure import Goal, Row, Spread, seconds

EACH = 100
"""How often something is done in a round."""
HEADERS, FEW_HEADERS = 10_000_000, 200_000
STEP_MS = 1_500
"""How much later each header of the large log is than the one before."""
BATCH = 100_000


class Prover:
    """Proofs out of one log, made and checked."""

    def __init__(self, log: LmdbLog) -> None:
        self.log, self.size = log, log.head().size
        self.edge = CompactRange(self.size, log.head().nodes)
        self._dice = Random(9)

    def inclusion(self) -> None:
        """Of a random event, in the log as it is."""
        seq = self._dice.randint(1, self.size)
        stored = self.log.get(seq)
        assert stored is not None
        path = inclusion_proof(self.log, seq, self.edge)
        assert verify_inclusion(leaf_hash(stored.header), seq, self.size, path, self.edge.root())

    def consistency(self) -> None:
        """Of a random former size, whose root is looked up too, with the log as it is."""
        old = self._dice.randint(1, self.size)
        before = edge_at(self.log, old).root()
        path = consistency_proof(self.log, old, self.edge)
        assert verify_consistency(old, self.size, path, before, self.edge.root())


def prove(bench: Bench) -> Iterator[Row]:
    """Inclusion and consistency proofs, and time → seq."""
    store = DiskStore(bench.log_of(bench.sizes[2], views=False), FOLD, writable=False)
    prover = Prover(store.log)
    bench.say(f"proving in {prover.size:,} events")
    inclusion, consistency = _milliseconds(bench, prover.inclusion), _milliseconds(bench, prover.consistency)
    store.close()
    yield Row(f"inclusion proof, {prover.size:,} events", "ms", inclusion, goal=Goal("≤", 5))
    yield Row(f"consistency proof, {prover.size:,} events", "ms", consistency, goal=Goal("≤", 10))
    yield _seq_at(bench)


def _milliseconds(bench: Bench, work: Callable[[], object]) -> Spread:
    """How long it takes, the mean of a round; the first time does not count."""
    work()
    return Spread.of([1000 * seconds(lambda: [work() for _ in range(EACH)]) / EACH for _ in range(bench.rounds)])


# -- time → seq ----------------------------------------------------------------------------------------------------


class CountingLog(LmdbLog):
    """A log that counts which events are read."""

    reads = 0

    def get(self, seq: int) -> StoredEvent | None:
        self.reads += 1
        return super().get(seq)


def _seq_at(bench: Bench) -> Row:
    count = FEW_HEADERS if bench.quick else HEADERS
    bench.say(f"making a log of {count:,} headers")
    log = headers_only(bench.folder("headers"), count)
    engine, dice = Engine.in_memory(), Random(9)
    engine.store.log = log
    looks = 0

    def look() -> None:
        nonlocal looks
        looks += 1
        wanted = dice.randint(1, count)
        assert engine.seq_at(wanted * STEP_MS + dice.randrange(STEP_MS)) == wanted

    took = _milliseconds(bench, look)
    engine.close()
    log.close()
    note = f"headers alone, written without the engine; {log.reads / looks:.1f} of them are read"
    return Row(f"time → seq, {count:,} events", "ms", took, goal=Goal("≤", 1), note=note)


def headers_only(folder: Path, count: int) -> CountingLog:
    """A log of so many headers, as they would lie there; no bodies, ids and tree, which no search for a time reads."""
    folder.mkdir()
    LmdbLog.create(folder, b"i" * 16, b"c" * 16).close()
    with lmdb.open(str(folder), map_size=MAP_SIZE, max_dbs=64, sync=False) as environment:
        table: Any = environment.open_db(b"headers", create=False)
        rows = ((seq_key(seq), _header(seq)) for seq in range(1, count + 1))
        while batch := list(islice(rows, BATCH)):
            with environment.begin(write=True) as transaction:
                transaction.cursor(db=table).putmulti(batch, append=True)
    log = CountingLog(folder)
    log.take_over([], Head(count, count * STEP_MS, 0, ()))
    return log


def _header(seq: int) -> bytes:
    event = EventId(seq.to_bytes(16, "big"))
    return codec.encode_header(Header(1, event, seq * STEP_MS, 0, "message.heard", 1, VaultId(event), bytes(32)))
