"""Where the bytes of an event lie on disk."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lmdb

from projections.registry import FOLD
from replay.store import DiskStore
from tests.bench.bench import Bench
from tests.bench.measure import Row, Spread

SEAL = 12 + 16
"""Nonce and tag."""


def average_event(folder: Path) -> int:
    """Header and body of an event, in bytes, on average."""
    store = DiskStore(folder, FOLD, writable=False)
    sizes = [len(each.header) + len(each.body or b"") for each in store.log.read(0)]
    store.close()
    return round(sum(sizes) / len(sizes))


def pages_of(folder: Path) -> dict[str, int]:
    """The bytes in the pages of each table of an LMDB folder, and of the whole file as "file"."""
    environment = lmdb.open(str(folder), readonly=True, lock=False, max_dbs=64)
    with environment.begin() as transaction:
        names = [key for key, _ in transaction.cursor()]
        tables = {
            name.decode(): _bytes_in(transaction, environment.open_db(name, transaction, create=False))
            for name in names
        }
    environment.close()
    return {**tables, "file": (folder / "data.mdb").stat().st_size}


def _bytes_in(transaction: lmdb.Transaction, table: Any) -> int:
    found = transaction.stat(table)
    return found["psize"] * (found["branch_pages"] + found["leaf_pages"] + found["overflow_pages"])


def disk(bench: Bench) -> Iterator[Row]:
    """Bytes per event, of log and views, table by table."""
    folder = bench.log_of(bench.sizes[1])
    store = DiskStore(folder, FOLD, writable=False)
    assert store.views is not None
    log, views = store.log.folder, store.views.folder
    stored = [(len(each.header), len(each.body or b"")) for each in store.log.read(0)]
    store.close()
    events = len(stored)
    headers, bodies = (sum(each) / events for each in zip(*stored, strict=True))
    in_log, in_views = pages_of(log), pages_of(views)
    yield _bytes(
        f"a stored event, {events:,} events",
        headers + bodies,
        f"header {headers:.0f}, seal {SEAL}, body {bodies - SEAL:.0f}",
    )
    yield _bytes("log on disk", in_log["file"] / events, _listing(in_log, events))
    yield _bytes("views on disk", in_views["file"] / events, _listing(in_views, events))


def _bytes(what: str, size: float, note: str) -> Row:
    return Row(what, "bytes/event", Spread.of([size]), note=note)


def _listing(tables: dict[str, int], events: int) -> str:
    sizes = sorted(((size / events, name) for name, size in tables.items() if name != "file"), reverse=True)
    free = tables["file"] / events - sum(size for size, _ in sizes)
    return ", ".join([*(f"{name} {size:.0f}" for size, name in sizes if size >= 0.5), f"free pages {free:.0f}"])
