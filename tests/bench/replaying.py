"""Rebuilding the views of a log, beside the least that any rebuild has to do: scan, decrypt and decode the same log.

What is held against the goals is a replay's way to its rows: the tree, opening, folding, writing. What the retrieval
index takes on top has a goal of its own (documents a second, in `recall_guild`), and is told here without one.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import lmdb
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from projections.ids import UNSEALED
from projections.registry import FOLD
from replay import codec
from replay.builder import rebuild
from replay.folding import Folding
from replay.recall import indexing
from replay.sealer import NONCE
from replay.store import DiskStore
from replay.verify import verify
from tests.bench.bench import Bench
from tests.bench.disk import average_event
from tests.bench.measure import Goal, Row, Side, Spread, alternate, compared, rates, seconds
from tests.bench.peers import SOURCED, open_sourced
from tests.bench.watched import watching

CHANNELS = 20
LINEAR = 0.6
"""How much of its rate a log ten times as large keeps, at the least: trees grow deeper, caches do not."""


class Log(NamedTuple):
    """A data folder, how many events it has, and the keys to them."""

    folder: Path
    events: int
    current: Path
    keys: Mapping[bytes, bytes]


def log_in(folder: Path) -> Log:
    """What is needed to read a log without the program."""
    store = DiskStore(folder, FOLD, writable=False)
    keys = {bytes(vault): entry.key for vault, entry in store.ring.vaults.items()}
    log = Log(folder, store.log.head().size, store.log.folder, keys)
    store.close()
    return log


def bare_scan(log: Log) -> None:
    """Scan, decrypt and decode every event, and nothing else."""
    environment = lmdb.open(str(log.current), readonly=True, lock=False, max_dbs=16)
    headers, bodies = environment.open_db(b"headers", create=False), environment.open_db(b"bodies", create=False)
    ciphers: dict[bytes, AESGCM] = {vault: AESGCM(key) for vault, key in log.keys.items()}
    with environment.begin() as transaction:
        pairs = zip(transaction.cursor(db=headers), transaction.cursor(db=bodies), strict=True)
        for (_, head), (_, body) in pairs:
            header = codec.decode_header(head)
            if header.vault != UNSEALED:
                body = ciphers[header.vault].decrypt(body[:NONCE], body[NONCE:], codec.associated(header))
            codec.decode_body(header.tag, header.tag_version, body)
    environment.close()


def mix(log: Log) -> str:
    """What a log holds, in per cent by tag."""
    store = DiskStore(log.folder, FOLD, writable=False)
    tags = Counter(codec.decode_header(each.header).tag for each in store.log.read(0))
    store.close()
    return ", ".join(f"{tag} {100 * count / log.events:.1f} %" for tag, count in tags.most_common())


class Replays:
    """Replays of one log: the seconds of each one's rows, and of all of it, the retrieval index included."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.rows: list[float] = []
        self.whole: list[float] = []

    def once(self) -> float:
        """Build all views anew, as `dnam replay` does."""
        with watching(indexing, "make_index") as index:
            took = seconds(self._replay)
        self.whole.append(took)
        self.rows.append(took - index.seconds)
        return took

    def _replay(self) -> None:
        store = DiskStore(self.log.folder, FOLD, writable=True)
        rebuild(store, FOLD)
        store.close()


def verify_once(log: Log) -> None:
    """Check every stored byte, as `dnam verify` does."""
    store = DiskStore(log.folder, FOLD, writable=False)
    found = verify(store, Folding(FOLD, store))
    store.close()
    if found.problems:
        raise RuntimeError(f"a sound log does not verify: {found.problems[0]}")


def replay(bench: Bench) -> Iterator[Row]:
    """Replay beside the bare scan and beside `eventsourcing`; whether its cost is linear; verify."""
    small, middle = (Replays(log_in(bench.log_of(size))) for size in bench.sizes[:2])
    few, many = small.log.events, middle.log.events
    sides: dict[str, Side] = {
        "replay": middle.once,
        "bare": lambda: seconds(lambda: bare_scan(middle.log)),
        "small": small.once,
    }
    size = average_event(middle.log.folder)
    peers = [open_sourced(bench.folder(name), size) for name in ("rows.sqlite", "aggregates.sqlite")]
    rows, aggregates = peers
    if rows is not None and aggregates is not None:
        bench.say(f"giving the peer {few:,} and {many:,} events of {size} bytes")
        rows.fill(CHANNELS, few)
        sides["its rows"] = lambda: seconds(rows.project)
        channels = aggregates.fill(CHANNELS, many)
        sides["aggregates"] = lambda: seconds(lambda: aggregates.rebuild(channels))
    bench.say(f"replaying {many:,} events, {bench.rounds} times")
    took = alternate(sides, bench.rounds)
    theirs = {"bare": many, "its rows": few, "aggregates": many}
    yield from _rows(small, middle, {name: rates(theirs[name], took[name]) for name in theirs if name in took})
    for peer in peers:
        if peer is not None:
            peer.close()
    yield _verified(bench, middle.log)


def _verified(bench: Bench, log: Log) -> Row:
    """By itself, when the disk is quiet: what the rebuilds left to be written would be written meanwhile."""
    bench.say(f"verifying {log.events:,} events, {bench.rounds} times")
    os.sync()
    took = [seconds(lambda: verify_once(log)) for _ in range(bench.rounds)]
    return Row(f"verify, {log.events:,} events", "/s", Spread.of(rates(log.events, took)), goal=Goal("≥", 250_000))


def _rows(small: Replays, middle: Replays, rate: Mapping[str, list[float]]) -> Iterator[Row]:
    many, few = middle.log.events, small.log.events
    what, little = f"replay, {many:,} events", f"replay, {few:,} events"
    rows, whole = rates(many, middle.rows), rates(many, middle.whole)
    few_rows, few_whole = rates(few, small.rows), rates(few, small.whole)
    floor, with_index = "scan, decrypt, decode", "with the retrieval index"
    yield compared(f"{what}: rows", "/s", rows, floor, rate["bare"], Goal("≥", 0.2), f"the log holds {mix(middle.log)}")
    yield compared(f"{what}: {with_index}", "/s", whole, floor, rate["bare"])
    its_rows, its_objects = f"{SOURCED}, its projection", f"{SOURCED}, its aggregates"
    note = f"{its_rows} writes one row an event; its aggregates are made in memory, and nothing is written"
    yield compared(f"{little}: rows", "/s", few_rows, its_rows, rate.get("its rows"), Goal("≥", 5), note)
    yield compared(f"{little}: {with_index}", "/s", few_whole, its_rows, rate.get("its rows"))
    yield compared(f"{what}: {with_index}", "/s", whole, its_objects, rate.get("aggregates"))
    yield compared(f"{what}: {with_index}", "/s", whole, little, few_whole, Goal("≥", LINEAR))
