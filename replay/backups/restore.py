"""Restoring a backup: an older state of the log is put in force, as a log of its own from there.

    1. every byte of the backup is checked (backup.py: look_over), and nothing is touched before that
    2. under the write lock, with nobody else in the folder: the events up to the moment go into a new folder beside
       the log in force, every body opened with its key; without what was erased or redacted since, by what the
       backup's own events, the ledger beside it and the log that is being replaced know
    3. those later facts are recorded in it as events of their own, so that it says why bodies are missing; so is what
       the log that is being replaced forgot, kept private or set to be kept less since (sealed_facts.py)
    4. keys that are wanted join the ring; the old log is linked into `replaced/`, and so is every other database beside
       it: where CURRENT is damaged, one of them is the log. The log gets a new origin
    5. no views are in force any more: those of a longer log would keep the shorter one from being written to
       (replay/misfit.py). CURRENT is replaced, in one step. Up to here, whatever breaks off leaves the old log in force
    6. the views are built anew, the keys of whom was erased since destroyed, their erasures completed

The log keeps its id, which its key ring and every seal are bound to. What is in no ledger and in no log here cannot be
known: erasures after the last backup, where the log that recorded them is lost.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from projections.events import Event, MessageRedacted, PersonErased
from projections.ids import UNSEALED, Seq, VaultId
from projections.registry import FOLD
from replay import codec
from replay.backups.ledger import Fact
from replay.backups.plan import Plan, log_in, refuse_moved, ring_of
from replay.backups.sealed_facts import SealedFact, sealed_facts
from replay.builder import Progress, rebuild, silent
from replay.checkpoint import KEY_FILE, LAST_FILE, new_origin
from replay.engine import Engine
from replay.erasure import finish_erasures
from replay.errors import (
    Damaged,
    DamagedBackup,
    NotALog,
)
from replay.folder import Folder, make_private, replace_file, sync_folder
from replay.in_use import refuse_in_use
from replay.lmdb_file import translated
from replay.lmdb_log import LmdbLog
from replay.lock import WriteLock
from replay.log import EMPTY, Commit, Entry, Head, StoredEvent
from replay.ring.file import FileRingStore
from replay.ring.keyring import KeyRing
from replay.ring.records import RingRecord
from replay.sealer import Sealer
from replay.store import VECTORS, DiskStore
from replay.which_log import databases, named, only_log

BATCH = 4096
PATIENCE = 5.0
"""Seconds to wait for the write lock: who holds it longer is at work."""
REPLACED = "replaced"


class Restored(NamedTuple):
    """What was done: events restored, facts recorded anew behind them, the origin, and where the old log lies now."""

    events: int
    again: int
    size: int
    root: bytes
    origin: str
    replaced: Path | None


def restore(plan: Plan, keys: Sequence[RingRecord], now: int, progress: Progress = silent) -> Restored:
    """Put the plan's state in force. `now` is ms since 1970. Until the last step, nothing that was in force changes."""
    path = plan.target.path
    with translated(path):
        make_private(path)
        lock = WriteLock(path / "write.lock", PATIENCE)
        with lock:
            refuse_in_use(path)
            aside, origin, again = _replace(plan, keys, now, progress)
        lock.close()
    head = _bring_up(path, progress)
    return Restored(plan.size, again, head.size, head.root(), origin, aside)


def _bring_up(path: Path, progress: Progress) -> Head:
    """Views anew, and erasures finished, as whoever opens for writing does."""
    store = DiskStore(path, FOLD, writable=True)
    try:
        rebuild(store, FOLD, progress)
    finally:
        store.close()
    with Engine.open(path) as engine:
        if engine.finisher is not None:
            engine.finisher.join()
        finish_erasures(engine)  # what could not be finished in the background is told here
        return engine.head()


def _replace(plan: Plan, keys: Sequence[RingRecord], now: int, progress: Progress) -> tuple[Path | None, str, int]:
    path, backup = plan.target.path, plan.looked.backup
    place = Folder(path / "log")
    before = _claimed(place)
    there = databases(place)
    with place.building() as fresh:
        again = _build(fresh, plan, ring_of(keys), now, progress)
        refuse_in_use(path)
        _join(path / "keys", plan.target.ring, keys)
        aside = _set_aside(path, there) if there else None
        origin = new_origin(path / "keys", backup.log_id).name
        Folder(path / "views").forget()
        place.put_in_force(fresh)
    made_of_it = [path / each for each in ("views", VECTORS, "mirror")]
    for each in (*before, *there, *made_of_it):  # what holds events has its second name
        shutil.rmtree(each, ignore_errors=True)
    return aside, origin, again


def _claimed(place: Folder) -> list[Path]:
    """The folder that CURRENT names, made where it is gone: its name must not be taken by the one that is being built.
    Empty where it names none.
    """
    try:
        before = place.current()
    except NotALog:
        return []
    if before is None:
        return []
    make_private(before)
    return [before]


def _build(fresh: Path, plan: Plan, ring: KeyRing, now: int, progress: Progress) -> int:
    """The restored log in a folder of its own, read back and compared; how many facts were recorded anew in it."""
    backup = plan.looked.backup
    log = LmdbLog.create(fresh, backup.log_id, backup.key_check)
    try:
        sealer = Sealer(ring)
        head = _fill(log, plan, sealer, progress)
        head = _record_again(log, plan, head, now)
        head = _record_sealed(log, plan, head, now, sealer)
        erasures = list(_erasures(log, [*plan.looked.facts, *plan.again]))
        epoch = max(backup.manifest.epoch, refuse_moved(plan.target).epoch) + 1
        log.take_over(erasures, head._replace(epoch=epoch))
        for stored, written in zip(_wanted(plan), log.read(0, plan.size), strict=True):
            if stored != written:
                raise Damaged(f"#{stored.seq} was not stored as it was written; the log in force stays")
        return head.size - plan.size
    finally:
        log.close()


def _wanted(plan: Plan) -> Iterator[StoredEvent]:
    """The backup's events up to the moment, without the bodies that were taken back since."""
    for stored in plan.looked.backup.events():
        if stored.seq > plan.size:
            return
        gone = plan.gone.has(codec.decode_header(stored.header))
        yield stored._replace(body=None) if gone else stored


def _fill(log: LmdbLog, plan: Plan, sealer: Sealer, progress: Progress) -> Head:
    reached = EMPTY
    entries: list[Entry] = []
    vaults: set[VaultId] = set()
    for stored in _wanted(plan):
        header = codec.decode_header(stored.header)
        _check_opens(sealer, stored, header)
        entries.append(Entry(header.id, stored.header, stored.body))
        vaults |= {header.vault} - {UNSEALED}
        if len(entries) == BATCH or stored.seq == plan.size:
            reached = log.append(Commit(entries, header.at, vaults=sorted(vaults)), reached)
            entries, vaults = [], set()
            progress(stored.seq, plan.size)
    return reached


def _check_opens(sealer: Sealer, stored: StoredEvent, header: codec.Header) -> None:
    """Whoever forges a body and its digests does not have its key."""
    try:
        sealer.opened(stored, header, frozenset())
    except Damaged as error:
        raise DamagedBackup(f"the backup holds what its keys do not open: {error}. Nothing was changed") from error


def _record_again(log: LmdbLog, plan: Plan, head: Head, now: int) -> Head:
    """Append the later facts, each a decision of its own: under their ids, recorded now, naming what is here."""
    at = max(now, head.at)
    here = ((fact, _as_here(log, fact.event)) for fact in plan.again)
    entries = [_entry(fact, event, at) for fact, event in here if event is not None]
    if not entries:
        return head
    return log.append(Commit(entries, at), head)


def _record_sealed(log: LmdbLog, plan: Plan, head: Head, now: int, sealer: Sealer) -> Head:
    """The same for what was taken back since, and lies sealed in the log that is replaced, where that can be read."""
    old = log_in(plan.target.path)
    if old is None:
        return head
    try:
        facts = sealed_facts(old, log, sealer, plan.gone)
    finally:
        old.close()
    at = max(now, head.at)
    entries = [_sealed_entry(fact, _known_causes(log, fact.event), at, sealer) for fact in facts]
    if not entries:
        return head
    return log.append(Commit(entries, at, vaults=sorted({fact.header.vault for fact in facts} - {UNSEALED})), head)


def _sealed_entry(fact: SealedFact, event: Event, at: int, sealer: Sealer) -> Entry:
    header = fact.header._replace(at=at, left=0, tag_version=event.VERSION)
    return Entry(fact.header.id, *sealer.seal(event, header))


def _as_here(log: LmdbLog, event: Event) -> Event | None:
    """The event without what this log does not have; None for a redaction of which nothing is left."""
    event = _known_causes(log, event)
    if not isinstance(event, MessageRedacted):
        return event
    redacted = tuple(each for each in event.events if log.find(each) is not None)
    return msgspec.structs.replace(event, events=redacted) if redacted else None


def _known_causes(log: LmdbLog, event: Event) -> Event:
    return msgspec.structs.replace(event, causes=tuple(each for each in event.causes if log.find(each) is not None))


def _entry(fact: Fact, event: Event, at: int) -> Entry:
    body = codec.encode_body(event)
    header = fact.header._replace(at=at, left=0, tag_version=event.VERSION, body_digest=codec.digest(body))
    return Entry(fact.id, codec.encode_header(header), body)


def _erasures(log: LmdbLog, facts: Iterable[Fact]) -> Iterator[tuple[VaultId, Seq]]:
    """The vaults that the erasures in this log name, each with the erasure's own place in it."""
    for fact in facts:
        seq = log.find(fact.id)
        if seq is not None and isinstance(fact.event, PersonErased):
            yield from ((vault, seq) for vault in fact.event.vaults)


# -- beside the log ------------------------------------------------------------------------------------------------


def _join(folder: Path, before: Sequence[RingRecord], keys: Sequence[RingRecord]) -> None:
    """Add keys to the ring in place, or make it. The old log loses none by that: erased ones go when it is opened."""
    store = FileRingStore(folder)
    try:
        if not before:
            store.create(keys)
        elif set(keys) - set(before) or store.damage():
            store.rewrite(dict.fromkeys([*before, *keys]))
    finally:
        store.close()


def _set_aside(path: Path, there: Sequence[Path]) -> Path:
    """A second name for the file of every database that is there, and copies of what signs its checkpoints: moved back,
    it is in force again.

    replaced/000001/log/CURRENT   replaced/000001/log/000003/data.mdb   replaced/000001/keys/checkpoint-key
    """
    make_private(path / REPLACED)
    aside = Folder(path / REPLACED).new()
    for each in there:
        old = aside / "log" / each.name
        make_private(old)
        _link(each / "data.mdb", old / "data.mdb")
    _name_aside(Folder(path / "log"), aside / "log" / "CURRENT")
    for name in (KEY_FILE, LAST_FILE):
        if (path / "keys" / name).exists():
            make_private(aside / "keys")
            shutil.copy2(path / "keys" / name, aside / "keys" / name)
    for each in (*aside.rglob("*"), aside, path / REPLACED):  # the copies too: they are all that is left of it
        sync_folder(each)
    return aside


def _name_aside(place: Folder, second: Path) -> None:
    """The CURRENT of what is set aside: it names the log that was there, also where the one in place does not."""
    current = named(place) or only_log(place)
    if current is not None:
        replace_file(second, f"{current.name}\n".encode())
    elif (place.path / "CURRENT").exists():
        shutil.copy(place.path / "CURRENT", second)


def _link(file: Path, second: Path) -> None:
    """On a disk that has no second names, a copy."""
    try:
        os.link(file, second)
    except OSError:
        shutil.copy2(file, second)
