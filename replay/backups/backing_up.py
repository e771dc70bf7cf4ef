"""Making a backup, and continuing it: what is new is appended, what was dropped since is dropped there too.

    1. the events behind the backup's end, up to the log's head as it is now
    2. the pieces that hold a body which these events take back, written anew without it
    3. the ledger, the keys where they are wanted
    4. the manifest, in one step; then whatever it does not name is removed

It reads in short transactions and takes no lock of the log's, so a writer goes on. The log is checked on the way: a
damaged event never gets into a backup, where it would take the place of nothing better.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from projections.counting import counted
from projections.errors import BadRequest
from projections.ids import VaultId
from replay import codec
from replay.backups.backup import EVENTS, LOCK, taken_back
from replay.backups.ledger import NAME as LEDGER
from replay.backups.ledger import Fact, Ledger, fact_of
from replay.backups.manifest import NAME, Manifest, first_manifest, read_manifest, write_manifest
from replay.backups.pieces import Piece, PieceWriter, events_of, refuse_cut
from replay.builder import Progress, silent
from replay.errors import Busy, Damaged, ForeignBackup, KeyMissing, NotABackup
from replay.folder import make_private, replace_file, sync_folder
from replay.lmdb_file import translated
from replay.log import Head, Log, StoredEvent
from replay.proofs import edge_at
from replay.ring.file import FileRingStore
from replay.ring.wrapped import NAME as KEYS
from replay.ring.wrapped import Wrapping, wrapped
from replay.store import DiskStore
from replay.tree import CompactRange, leaf_hash

Keys = Wrapping | Literal["none"] | None
"""Wrapped so; none; or None: whoever asks did not say, which is refused where the backup has keys."""

TOLD_EVERY = 1024
"""After how many events progress is told."""


class BackedUp(NamedTuple):
    """What a run did: events new and in all, bodies dropped, facts in the ledger, bytes written and in all."""

    log: bytes
    run: int
    events: int
    new: int
    dropped: int
    facts: int
    root: bytes
    bytes_shipped: int
    bytes_total: int
    keys: bool


def back_up(store: DiskStore, place: Path, now: int, keys: Keys = None, progress: Progress = silent) -> BackedUp:
    """Back the log up into a folder, or continue the backup that is there. `now` is ms since 1970.

    NotABackup or ForeignBackup when something else lies there, DamagedBackup when what would be built on is not whole,
    Damaged when the log is not. Whatever fails, the earlier backup stays as it was.
    """
    if place.resolve().is_relative_to(store.path.resolve()):
        where = "is the memory itself" if place.resolve() == store.path.resolve() else f"is inside {store.path}"
        raise BadRequest(f"{place} {where}: a backup is kept elsewhere")
    with translated(place), _held(place):
        store.refresh()
        before = read_manifest(place) or _first(store, place)
        _refuse_other(store.log, before, place)
        if before.keys and keys is None:
            raise BadRequest(f"the backup in {place} has keys in it: say --with-keys again, or --without-keys")
        for piece in before.pieces:
            refuse_cut(place / EVENTS, piece)
        return _Run(store, place, before, progress).run(now, keys)


# -- the place -----------------------------------------------------------------------------------------------------


@contextmanager
def _held(place: Path) -> Iterator[None]:
    """A backup's folder, made where there is none, with its lock. NotABackup when it holds anything else."""
    if place.exists() and not place.is_dir():
        raise NotABackup(f"{place} is a file; a backup is a folder")
    make_private(place)
    is_new = not (place / LOCK).exists()
    if is_new and any(place.iterdir()):
        raise NotABackup(f"{place} holds something else than a backup of dnam: choose an empty folder")
    with (place / LOCK).open("ab") as lock:
        if is_new:  # what is in the folder is known by it, so it lasts before anything else does
            os.fsync(lock.fileno())
            sync_folder(place)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy(f"another process is writing to the backup in {place}") from None
        make_private(place / EVENTS)
        yield


def _first(store: DiskStore, place: Path) -> Manifest:
    """Begin: what a first run left behind that was broken off may be another log's."""
    with suppress(FileNotFoundError):
        (place / LEDGER).unlink()
    return first_manifest(store.log.id, store.log.key_check)


def _refuse_other(log: Log, before: Manifest, place: Path) -> None:
    """The log must begin with what the backup has."""
    if before.log != log.id.hex():
        raise ForeignBackup(f"the backup in {place} is of another log: of {before.log}, and this is {log.id.hex()}")
    size = log.head().size
    if before.size > size:
        raise ForeignBackup(
            f"the backup in {place} has {counted(before.size, 'event')}, and this log {size}: an older state went on "
            "here, as a log of its own. Back it up to another place"
        )
    if edge_at(log, before.size).root().hex() != before.root:
        raise ForeignBackup(
            f"this log does not begin with the {before.size} events in {place}. Where it went on from a restored "
            "state, back it up to another place; else it is damaged: `dnam verify`, and `dnam repair --from` this one"
        )


# -- a run ---------------------------------------------------------------------------------------------------------


class _Run:
    """One run: everything it writes is new, appended, or under a new name."""

    def __init__(self, store: DiskStore, place: Path, before: Manifest, progress: Progress) -> None:
        self._store = store
        self._log = store.log
        self._place = place
        self._events = place / EVENTS
        self._before = before
        self._progress = progress
        self._number = before.run + 1
        self._pieces = list(before.pieces)
        self._tree = CompactRange(before.size, before.head().nodes)
        self._ledger = Ledger(place, before.facts)
        self._facts: list[Fact] = []
        self._unexplained: dict[int, codec.Header] = {}
        self._shipped = 0

    def run(self, now: int, keys: Keys) -> BackedUp:
        """All of it, in the order that a crash cannot break."""
        head = self._ship_news()
        dropped = self._drop()
        self._shipped += self._ledger.extend(self._facts)
        self._shipped += self._wrap(keys) if isinstance(keys, Wrapping) else 0
        for folder in (self._events, self._place):
            sync_folder(folder)
        manifest = self._manifest(now, head, keys=isinstance(keys, Wrapping))
        self._shipped += write_manifest(self._place, manifest)
        self._remove_others(manifest)
        total = sum(each.stat().st_size for each in self._place.rglob("*") if each.is_file())
        new = head.size - self._before.size
        return BackedUp(
            self._log.id, self._number, head.size, new, dropped, len(self._ledger.facts), head.root(), self._shipped,
            total, manifest.keys,
        )  # fmt: skip

    def _manifest(self, now: int, head: Head, *, keys: bool) -> Manifest:
        return msgspec.structs.replace(
            self._before,
            made=now,
            run=self._number,
            size=head.size,
            at=head.at,
            epoch=head.epoch,
            root=head.root().hex(),
            nodes=tuple(node.hex() for node in head.nodes),
            keys=keys,
            facts=len(self._ledger.facts),
            pieces=tuple(self._pieces),
        )

    # -- what is new ----------------------------------------------------------------------------------------------

    def _ship_news(self) -> Head:
        """Append up to the head. Where a body went while we read, also up to the event that took it."""
        while True:
            head, erased = _stand(self._log)
            self._append(self._read(head, erased))
            if tuple(self._tree.nodes) != head.nodes:
                raise Damaged("the log's headers are not those that its tree was made of. Run `dnam verify`")
            gone = taken_back(self._facts)
            left = [
                seq
                for seq, header in self._unexplained.items()
                if header.id not in gone.events and header.vault not in erased
            ]
            if not left:
                return head
            if self._log.head().size == head.size:
                raise Damaged(
                    f"the body of #{left[0]} is missing, and no event says that it was dropped: `dnam verify`"
                )

    def _read(self, head: Head, erased: frozenset[VaultId]) -> Iterator[StoredEvent]:
        """What the backup lacks, checked, and without what was dropped."""
        for stored in self._log.read(self._tree.size, head.size):
            header = codec.decode_header(stored.header)
            self._tree.append(leaf_hash(stored.header))
            if stored.seq != self._tree.size:
                raise Damaged(f"event #{self._tree.size} is missing from the log. Run `dnam verify`")
            if stored.body is None:
                self._unexplained[stored.seq] = header
            elif codec.digest(stored.body) != header.body_digest:
                raise Damaged(
                    f"the body of #{stored.seq} is not what was written: it is not backed up, nor what follows. "
                    "`dnam repair --from` an earlier backup that has it"
                )
            if (fact := fact_of(stored, header)) is not None:
                self._facts.append(fact)
            yield stored._replace(body=None) if header.vault in erased else stored
            if stored.seq % TOLD_EVERY == 0 or stored.seq == head.size:
                self._progress(stored.seq - self._before.size, head.size - self._before.size)

    def _append(self, events: Iterable[StoredEvent]) -> None:
        """Fill the last piece, then new ones."""
        rest = iter(events)
        while (first := next(rest, None)) is not None:
            last = self._pieces[-1] if self._pieces and not self._pieces[-1].full else None
            with PieceWriter(self._events, first.seq, self._number, last) as writer:
                writer.add(first)
                while not writer.full and (stored := next(rest, None)) is not None:
                    writer.add(stored)
            self._pieces[len(self._pieces) - (last is not None) :] = [writer.piece()]
            self._shipped += writer.written

    # -- what was dropped ------------------------------------------------------------------------------------------

    def _drop(self) -> int:
        """Write anew the pieces that hold a body which was taken back since; how many bodies."""
        gone = taken_back(self._facts)
        seqs = set(filter(None, map(self._log.find, gone.events)))
        dropped = 0
        for place, piece in enumerate(self._pieces):
            if gone.vaults or any(piece.first <= seq <= piece.last for seq in seqs):
                self._pieces[place], count = self._without(piece, seqs, gone.vaults)
                dropped += count
        return dropped

    def _without(self, piece: Piece, seqs: Set[int], vaults: frozenset[VaultId]) -> tuple[Piece, int]:
        """A piece without these bodies, under a new name; itself where it holds none of them."""
        events = events_of(self._events, piece)
        kept = [_dropped(stored) if _holds(stored, seqs, vaults) else stored for stored in events]
        count = sum(new is not old for new, old in zip(kept, events, strict=True))
        if not count:
            return piece, 0
        with PieceWriter(self._events, piece.first, self._number, suffix="-less") as writer:
            for stored in kept:
                writer.add(stored)
        self._shipped += writer.written
        return writer.piece(), count

    # -- beside the events -----------------------------------------------------------------------------------------

    def _wrap(self, wrapping: Wrapping) -> int:
        """Write the key ring as it is now: it has the keys of everything that was shipped."""
        erased = self._log.erased_vaults()
        self._store.ring.refuse_cut(self._log.ring())
        ring = FileRingStore(self._store.path / "keys")
        try:
            records = [record for record in ring.read() if record.vault not in erased]
        finally:
            ring.close()
        lacking = self._log.vaults() - erased - {VaultId(record.vault) for record in records}
        if lacking:
            raise KeyMissing(
                f"the keys of {counted(len(lacking), 'vault')} of this log are not in the key ring, and no erasure "
                "destroyed them. Put the `keys` folder back from where you keep it, and back up again"
            )
        data = wrapped(records, wrapping, self._log.id.hex())
        replace_file(self._place / KEYS, data)
        return len(data)

    def _remove_others(self, manifest: Manifest) -> None:
        """What counts no more: it may hold what was dropped."""
        named = {piece.name for piece in manifest.pieces}
        for each in self._events.iterdir():
            if each.name not in named:
                each.unlink()
        if not manifest.keys:
            with suppress(FileNotFoundError):
                (self._place / KEYS).unlink()
        for name in (NAME, KEYS):
            with suppress(FileNotFoundError):
                (self._place / f"{name}.new").unlink()


def _stand(log: Log) -> tuple[Head, frozenset[VaultId]]:
    """The head, and the erased vaults as of then."""
    while True:
        head, erased = log.head(), log.erased_vaults()
        if log.head().epoch == head.epoch:
            return head, erased


def _holds(stored: StoredEvent, seqs: Set[int], vaults: frozenset[VaultId]) -> bool:
    if stored.body is None:
        return False
    return stored.seq in seqs or (bool(vaults) and codec.decode_header(stored.header).vault in vaults)


def _dropped(stored: StoredEvent) -> StoredEvent:
    return stored._replace(body=None)
