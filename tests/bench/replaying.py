"""Rebuilding the rows of a log, beside the least that any rebuild has to do: scan, decrypt and decode the same log."""

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
from replay.sealer import NONCE
from replay.store import DiskStore
from replay.verify import verify
from tests.bench.bench import Bench
from tests.bench.disk import average_event
from tests.bench.measure import Goal, Row, Side, Spread, alternate, compared, rates, seconds
from tests.bench.peers import SOURCED, open_sourced

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


def replay_once(log: Log) -> None:
    """Build all views anew, as `dnam replay` does."""
    store = DiskStore(log.folder, FOLD, writable=True)
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
    small, middle = (log_in(bench.log_of(size)) for size in bench.sizes[:2])
    sides: dict[str, Side] = {
        "replay": lambda: seconds(lambda: replay_once(middle)),
        "bare": lambda: seconds(lambda: bare_scan(middle)),
        "small": lambda: seconds(lambda: replay_once(small)),
    }
    size = average_event(middle.folder)
    peers = [open_sourced(bench.folder(name), size) for name in ("rows.sqlite", "aggregates.sqlite")]
    rows, aggregates = peers
    if rows is not None and aggregates is not None:
        bench.say(f"giving the peer {small.events:,} and {middle.events:,} events of {size} bytes")
        rows.fill(CHANNELS, small.events)
        sides["rows"] = lambda: seconds(rows.project)
        channels = aggregates.fill(CHANNELS, middle.events)
        sides["aggregates"] = lambda: seconds(lambda: aggregates.rebuild(channels))
    bench.say(f"replaying {middle.events:,} events, {bench.rounds} times")
    took = alternate(sides, bench.rounds)
    events = {"small": small.events, "rows": small.events}
    yield from _rows(small, middle, {name: rates(events.get(name, middle.events), each) for name, each in took.items()})
    for peer in peers:
        if peer is not None:
            peer.close()
    yield _verified(bench, middle)


def _verified(bench: Bench, log: Log) -> Row:
    """By itself, when the disk is quiet: what the rebuilds left to be written would be written meanwhile."""
    bench.say(f"verifying {log.events:,} events, {bench.rounds} times")
    os.sync()
    took = [seconds(lambda: verify_once(log)) for _ in range(bench.rounds)]
    return Row(f"verify, {log.events:,} events", "/s", Spread.of(rates(log.events, took)), goal=Goal("≥", 250_000))


def _rows(small: Log, middle: Log, rate: Mapping[str, list[float]]) -> Iterator[Row]:
    what, little = f"replay, {middle.events:,} events", f"replay, {small.events:,} events"
    floor = "scan, decrypt, decode"
    yield compared(what, "/s", rate["replay"], floor, rate["bare"], Goal("≥", 0.2), f"the log holds {mix(middle)}")
    its_rows, its_objects = f"{SOURCED}, its projection", f"{SOURCED}, its aggregates"
    note = f"{its_rows} writes one row an event; its aggregates are made in memory, and nothing is written"
    yield compared(little, "/s", rate["small"], its_rows, rate.get("rows"), Goal("≥", 5), note)
    yield compared(what, "/s", rate["replay"], its_objects, rate.get("aggregates"))
    yield compared(what, "/s", rate["replay"], little, rate["small"], Goal("≥", LINEAR))
