"""Repairing: what is damaged in a log comes from a backup of the same log, and what was dropped stays dropped.

Examining walks the log beside the backup. A header that differs from the backup's, or is missing, is taken from there;
so is a body that is not the one whose digest is in its header, or that is gone although no event says so. A body that
an event takes back is never fetched, whatever the backup has. An entry of the id table, a kept subtree and the list of
erased vaults follow from the headers.

Whether the backup's headers are this log's own is not believed but proved: together with the log's headers behind them
they must give the tree whose right edge the log keeps. Where they do not, a header is damaged that the backup does not
have, or it is another history: then nothing is changed, since a copy would make a tree that fits the damage.

What is found is put right by a logical rewrite under the write lock: into a new folder, compared, put in force. A log
whose pages do not fit together is not opened: what can be read of it is saved first (of_pages.py).
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple

from projections.events import PersonErased
from projections.ids import UNSEALED, Seq, VaultId
from projections.registry import FOLD
from replay import codec
from replay.backups.backup import Backup, taken_back
from replay.backups.ledger import FACTS, Fact, fact_of
from replay.builder import Progress, rebuild, silent
from replay.errors import Damaged, ForeignBackup, KeyMissing, LogError, UnknownEvent
from replay.folder import Folder, remove_for_good
from replay.lmdb_log import LmdbLog
from replay.log import EMPTY, MARK_LEAF, Commit, Entry, Head, StoredEvent
from replay.repair.sides import Side, sides
from replay.store import RING, DiskStore
from replay.tree import CompactRange, leaf_hash

BATCH = 4096


Part = Literal["header", "id", "body", "current", "record", "ring"]


class Repair(NamedTuple):
    """Something damaged, in words, and whether the backup or the log itself has what it takes."""

    seq: int
    part: Part
    what: str
    can: bool


class Examined(NamedTuple):
    """What is damaged in a log. `proved`: with the backup's headers in their places, the tree is the one it keeps.
    `end`: the last event, where the log itself did not say any more which that is.
    """

    repairs: tuple[Repair, ...]
    proved: bool
    facts: tuple[Fact, ...]
    end: int | None = None

    @property
    def fetched(self) -> frozenset[int]:
        """The events whose bodies come from the backup."""
        return frozenset(each.seq for each in self.repairs if each.part == "body" and each.can)


# -- examining -----------------------------------------------------------------------------------------------------


class _Examining:
    def __init__(self) -> None:
        self._tree = CompactRange()
        self.facts: list[Fact] = []
        self.repairs: list[Repair] = []
        self._missing: list[tuple[Seq, codec.Header, bool]] = []
        self._changed: list[tuple[Seq, codec.Header, bool]] = []
        self._fact_lost = False
        self._whole = True

    def take(self, side: Side) -> None:
        if side.header is None:
            self._whole = False
            self.repairs.append(Repair(side.seq, "header", "its row is missing", can=False))
            return
        self._header(side, side.header)
        try:
            header = codec.decode_header(side.header)
        except LogError as error:
            self.repairs.append(Repair(side.seq, "header", str(error), can=False))
            return
        self._body(side, header)

    def _header(self, side: Side, data: bytes) -> None:
        leaf = leaf_hash(data)
        self._tree.append(leaf)
        if side.mine is None:
            self.repairs.append(Repair(side.seq, "header", "its row is missing", can=True))
        elif side.mine.header != data:
            self.repairs.append(Repair(side.seq, "header", "its header is damaged", can=True))
        elif side.mark != (side.seq, leaf[:MARK_LEAF]):
            what = "its entry in the id table is damaged or missing"
            self.repairs.append(Repair(side.seq, "id", what, can=True))

    def _body(self, side: Side, header: codec.Header) -> None:
        body = _body_of(side, header)
        if header.tag in FACTS:
            if body is None:
                self._fact_lost = True
            else:
                self.facts += filter(None, [fact_of(StoredEvent(side.seq, b"", body), header)])
        if side.mine is None or side.mine.body is None:
            self._missing.append((side.seq, header, body is not None))
        elif codec.digest(side.mine.body) != header.body_digest:
            self._changed.append((side.seq, header, body is not None))

    def finish(self, head: Head, ledger: Sequence[Fact]) -> Examined:
        """Bodies that were dropped are no damage; nor is one fetched that may have been."""
        gone, never = taken_back(self.facts), taken_back(ledger)
        for seq, header, there in self._missing:
            if not gone.has(header):
                can = there and not self._fact_lost and not never.has(header)
                what = f"the body of this {header.tag} is missing, and no event says that it was dropped"
                self.repairs.append(Repair(seq, "body", what, can))
        for seq, header, there in self._changed:
            if not gone.has(header):
                what = f"the body of this {header.tag} is damaged"
                self.repairs.append(Repair(seq, "body", what, there))
        proved = self._whole and tuple(self._tree.nodes) == head.nodes
        return Examined(tuple(sorted(self.repairs)), proved, tuple(self.facts))


def _body_of(side: Side, header: codec.Header) -> bytes | None:
    """The body that the header is of, from the log, else from the backup."""
    for stored in (side.mine, side.theirs):
        if stored is not None and stored.body is not None and codec.digest(stored.body) == header.body_digest:
            return stored.body
    return None


def refuse_foreign(log: LmdbLog, backup: Backup) -> None:
    """ForeignBackup when a backup is another log's."""
    if backup.log_id != log.id:
        raise ForeignBackup(f"the backup in {backup.place} is of another log: of {backup.manifest.log}")


def examine(log: LmdbLog, backup: Backup, progress: Progress = silent) -> Examined:
    """What is damaged in a log, held against a backup that was looked over. ForeignBackup when it is another log's."""
    refuse_foreign(log, backup)
    head = log.head()
    examining = _Examining()
    for side in sides(log, backup, head.size):
        examining.take(side)
        if side.seq % BATCH == 0 or side.seq == head.size:
            progress(side.seq, head.size)
    return examining.finish(head, backup.ledger.facts)


# -- repairing -----------------------------------------------------------------------------------------------------


def repair(store: DiskStore, backup: Backup, progress: Progress = silent) -> Examined:
    """Put right what can be, under the write lock, and build the views anew; what was found there, and what opening
    the store mended of the key ring.

    Damaged when the backup's headers cannot be proved to be this log's: then nothing is changed.
    """
    place = store.log_folder()
    with store.lock:
        store.refresh()
        found = examine(store.log, backup)
        if not found.proved:
            raise Damaged(unproved(found, backup))
        put_in_place(place, store.log, backup, found, progress)
        store.refresh()
    fold_again(store)
    return with_ring(found, store)


def put_in_place(place: Folder, log: LmdbLog, backup: Backup, found: Examined, progress: Progress) -> None:
    """Put in force what a log should be, in place of the one that is, under the write lock."""
    before = place.current()
    assert before is not None
    with place.building() as fresh:
        copy = LmdbLog.create(fresh, log.id, log.key_check)
        try:
            _copy(log, copy, backup, found, progress)
        finally:
            copy.close()
        place.put_in_force(fresh)
    remove_for_good(before)


def with_ring(found: Examined, store: DiskStore) -> Examined:
    """What was found, behind what opening mended of the key ring."""
    return found._replace(repairs=(*ring_repairs(store), *found.repairs))


def ring_repairs(store: DiskStore) -> tuple[Repair, ...]:
    """Whoever opens a store for writing mends the ring's copies from each other, before anything else."""
    mended = (each.what for each in store.findings if each.mended and each.what.startswith(RING))
    return tuple(Repair(0, "ring", what, can=True) for what in mended)


def fold_again(store: DiskStore) -> None:
    with suppress(Damaged, KeyMissing, UnknownEvent):  # what cannot be repaired stops folding: `dnam verify` says so
        rebuild(store, FOLD)


def unproved(found: Examined, backup: Backup) -> str:
    """Why nothing can be repaired, in words."""
    size = backup.manifest.size
    lost = [f"#{each.seq}" for each in found.repairs if not each.can or each.seq > size]
    why = (
        f"damaged there is {', '.join(lost[:9])}, which this backup of {size} events does not have"
        if lost
        else "the backup is of another history of it, or the log's own record of its tree is damaged"
    )
    return (
        f"the log's headers and the backup's do not give the tree that the log keeps: {why}. Nothing was changed. "
        "A later backup may have them; `dnam restore-backup` puts a whole older state in force"
    )


def _copy(log: LmdbLog, copy: LmdbLog, backup: Backup, found: Examined, progress: Progress) -> None:
    """Every event as it should be, into a new log; then compared with what was meant."""
    head = log.head()
    reached = EMPTY
    entries: list[Entry] = []
    vaults: set[VaultId] = set()
    at = 0
    for stored in _mended(log, backup, found, head.size):
        header = codec.decode_header(stored.header)
        entries.append(Entry(header.id, stored.header, stored.body))
        vaults |= {header.vault} - {UNSEALED}
        at = header.at
        if len(entries) == BATCH or stored.seq == head.size:
            reached = copy.append(Commit(entries, at, vaults=sorted(vaults)), reached)
            entries, vaults = [], set()
            progress(stored.seq, head.size)
    copy.take_over(_erasures(found), reached._replace(epoch=head.epoch))
    same = reached.nodes == head.nodes and list(copy.read(0)) == list(_mended(log, backup, found, head.size))
    if not same:
        raise Damaged("the repaired copy differs from what was meant; the log stays as it is")


def _erasures(found: Examined) -> list[tuple[VaultId, Seq]]:
    erased = (fact for fact in found.facts if isinstance(fact.event, PersonErased))
    return [(vault, fact.seq) for fact in erased for vault in taken_back([fact]).vaults]


def _mended(log: LmdbLog, backup: Backup, found: Examined, size: int) -> Iterator[StoredEvent]:
    gone, fetched = taken_back(found.facts), found.fetched
    for side in sides(log, backup, size):
        assert side.header is not None
        body = None if side.mine is None else side.mine.body
        header = codec.decode_header(side.header)
        if gone.has(header):
            body = None
        elif side.seq in fetched:
            body = _body_of(side, header)
        yield StoredEvent(side.seq, side.header, body)
