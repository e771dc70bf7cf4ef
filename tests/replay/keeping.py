"""A log to back up, and what is asked of a backup of it."""

from pathlib import Path
from typing import Any

import lmdb

from projections.decisions.draft import Decision
from projections.events import MessageRedacted
from projections.events.values import PLATFORM
from projections.registry import FOLD
from replay.backups.backing_up import BackedUp, Keys, back_up
from replay.backups.backup import Backup, look_over
from replay.builder import check
from replay.engine import Engine
from replay.folding import Folding
from replay.pages.fitting import PageFile, Walk, metas
from replay.pages.form import PAGE_SIZE
from replay.ring.records import RingRecord
from replay.ring.wrapped import Cost, Wrapping
from replay.store import DiskStore
from replay.verify import verify
from tests.replay.stage import ADA, KIM, FakeClock, drafts, event_id, log_folder, says, setting
from tests.world import NOW

CHEAP = Cost(2, 1, 1)
PASSPHRASE = "correct horse"
WRAPPED = Wrapping(PASSPHRASE, CHEAP)


def cheap_wrapping(kind: Any, passphrase: str, cost: Cost = CHEAP) -> Any:
    """A `__new__` of Wrapping that makes keys be wrapped in a blink."""
    return tuple.__new__(kind, (passphrase, cost))


def talk(data: Path, first: int = 0, last: int = 8) -> None:
    """Ada and Kim say one word after the other, `m0` to `m7`."""
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        for n in range(first, last):
            engine.record(says(f"m{n}", f"word {n}", (ADA, KIM)[n % 2], said=NOW + n))


def settings(data: Path, first: int, last: int, size: int = 400) -> None:
    """Events that belong to nobody, 500 to a decision, under ids `first 0`, `first 1`, …"""
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        for start in range(first, last, 500):
            values = (setting(f"{n}".ljust(size, "x"), key=f"k{n}") for n in range(start, min(start + 500, last)))
            engine.record(drafts(*values, name=f"{start}"))


def redacts(*names: str, name: str = "redaction") -> Decision:
    """The bodies of these events go."""
    gone = MessageRedacted(said=NOW, by=PLATFORM, events=tuple(event_id(each) for each in names))
    return drafts(gone, name=name)


def record(data: Path, *decisions: Decision, now: int = NOW) -> None:
    with Engine.open(data, create=True, clock=FakeClock(now)) as engine:
        for decision in decisions:
            engine.record(decision)


def backed_up(data: Path, place: Path, keys: Keys = None, now: int = NOW) -> BackedUp:
    """A run of `backup`, as the command does it."""
    store = DiskStore(data, FOLD, writable=False)
    try:
        return back_up(store, place, now, keys)
    finally:
        store.close()


def looks_well(place: Path) -> int:
    """Every byte of a backup is what was written; its events."""
    return look_over(Backup(place)).backup.manifest.size


def sound(data: Path) -> int:
    """Everything in a folder is as it was written, every body opens, live = replay; its events."""
    store = DiskStore(data, FOLD, writable=False)
    try:
        assert verify(store, Folding(FOLD, store), opened=True).problems == ()
        assert check(store, FOLD).equal
        return store.log.head().size
    finally:
        store.close()


def pieces(place: Path) -> list[Path]:
    """The files that hold events."""
    return sorted((place / "events").iterdir())


def flip(path: Path, at: int) -> None:
    """Change one bit of a byte."""
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))


def stored_body(data: Path, seq: int) -> bytes:
    """A body as it lies in the log."""
    store = DiskStore(data, FOLD, writable=False)
    stored = store.log.get(seq)
    store.close()
    assert stored is not None
    assert stored.body is not None
    return stored.body


def damage(data: Path, table: bytes, key: bytes, at: int | None = -1) -> None:
    """Change one byte of a row of the log; with no place, remove the row."""
    folder = log_folder(data)
    with lmdb.open(str(folder), max_dbs=9) as environment:
        database = environment.open_db(table, create=False)
        with environment.begin(write=True, db=database) as transaction:
            row = transaction.get(key)
            assert isinstance(row, bytes)
            if at is None:
                assert transaction.delete(key)
                return
            changed = bytearray(row)
            changed[at] ^= 1
            transaction.put(key, bytes(changed))


def ring(data: Path) -> set[RingRecord]:
    """The records of a key ring."""
    store = DiskStore(data, FOLD, writable=False)
    records = set(store.ring._store.read())
    store.close()
    return records


def damage_a_leaf(path: Path, table: str) -> None:
    """Nothing but zeros is left of the first page of a table's rows."""
    file = PageFile(path)
    newest = max(metas(file), key=lambda each: each.commit)
    walk = Walk(file, newest.last)
    at, _ = next(walk.rows(table, walk.tables(newest.names)[table]))
    file.close()
    with path.open("r+b") as opened:
        opened.seek(at.page * PAGE_SIZE)
        opened.write(bytes(PAGE_SIZE))
