"""The log in LMDB.

    headers   seq (8, big-endian) → header
    bodies    seq → body; gone when dropped
    ids       event id → seq ‖ first 8 bytes of the leaf hash
    tree      level (1) ‖ index (8) → root of a full subtree of 2^level leaves
    erased    vault → seq of the person.erased that names it
    vaults    vault → nothing: each that seals a body
    meta      "log" → [format, log id, key check, size, at, epoch, nodes]; "rewritten" → seq up to which it is a copy;
              "ring" → how far the key ring went at the last commit, here or in a shadow, as it says itself;
              "forms" → [[tag, version], …] of all events: whoever does not know one of them must not write

One commit writes all of them, so each always fits the others.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import lmdb
import msgspec

from projections.ids import EventId, Seq, VaultId
from replay import codec
from replay.codec import Form
from replay.errors import Damaged, HeadMoved, LogError, NewerLog, NotALog
from replay.history import seq_key
from replay.lmdb_file import DATA, MAP_SIZE, GivenUp, check_file, open_environment, translated
from replay.lmdb_glance import LmdbGlance, mark_of
from replay.log import FORMAT, MARK_LEAF, MINUTE_BYTES, Commit, Head, Mark, StoredEvent, Syncing, grow, untold
from replay.pages.spare import BySeq, SparePages
from replay.tree import Kept, leaf_hash

CHUNK = 4096
"""How many events are read in one read transaction, so that none lasts long."""
TABLES = (b"headers", b"bodies", b"ids", b"tree", b"erased", b"vaults", b"meta")
ANEW = "`dnam compact` writes the log anew without it"
_META = msgspec.msgpack.Decoder(tuple[int, bytes, bytes, int, int, int, tuple[bytes, ...]])


class Columns(NamedTuple):
    """Events side by side: their headers and bodies, and what the id table has under the ids in the headers."""

    headers: list[bytes]
    bodies: Sequence[bytes | None]
    marks: list[tuple[bytes, bytes]]


class LmdbLog:
    """A log in a folder; one process may hold several, many processes may hold one."""

    def __init__(
        self, folder: Path, *, writable: bool = True, map_size: int = MAP_SIZE, thorough: bool = False
    ) -> None:
        self.folder = folder
        check_file(folder, thorough=thorough)
        self._environment = open_environment(folder, writable=writable, durable=True, map_size=map_size)
        try:
            self._open_tables()
        except BaseException:
            self._environment.close()
            raise

    def check_readers(self) -> None:
        """Strike from the table of readers who died without a word: what they read would be kept for them for ever."""
        with translated(self.folder):
            self._environment.reader_check()

    def _open_tables(self) -> None:
        try:
            with translated(self.folder):
                tables = [self._environment.open_db(name, create=False) for name in TABLES]
        except LogError as error:
            raise NotALog(f"{self.folder} is an LMDB folder, but no log of dnam") from error
        self._headers, self._bodies, self._ids, self._tree, self._erased, self._vaults, self._meta = tables
        self._looked_up_in = self._headers, self._bodies, self._ids
        self._last: tuple[bytes, Head] | None = None
        self._listed: set[VaultId] = set()
        self._forms: frozenset[Form] = frozenset()
        self.noted = b""
        by_seq = BySeq(self._headers, 24), BySeq(self._bodies, 3)
        self._spare = SparePages(self._environment, self.folder / DATA, by_seq)
        self.id, self.key_check = self._read_meta()[1:3]

    @classmethod
    def create(cls, folder: Path, log_id: bytes, key_check: bytes, map_size: int = MAP_SIZE) -> "LmdbLog":
        """A new, empty log in an empty folder."""
        environment = open_environment(folder, writable=True, durable=True, map_size=map_size)
        with closing(environment), translated(folder):
            tables = {name: environment.open_db(name) for name in TABLES}
            with environment.begin(write=True, db=tables[b"meta"]) as transaction:
                transaction.put(b"log", msgspec.msgpack.encode((FORMAT, log_id, key_check, 0, 0, 0, ())))
        return cls(folder, map_size=map_size)

    def _read_meta(self, transaction: lmdb.Transaction | None = None) -> tuple[Any, ...]:
        if transaction is None:
            with self._environment.begin() as own:
                return self._read_meta(own)
        data: Any = transaction.get(b"log", db=self._meta)
        if data is None:
            raise NotALog(f"{self.folder} is an LMDB folder, but no log of dnam")
        try:
            fields = _META.decode(data)
        except codec.UNREADABLE as error:
            self._refuse_newer(_version_of(data))
            raise Damaged(f"{self.folder}: the log's own record cannot be read: {error}") from error
        self._refuse_newer(fields[0])
        return fields

    def _refuse_newer(self, version: int) -> None:
        if version > FORMAT:
            raise NewerLog(
                f"{self.folder} has log format {version}, and this program knows up to {FORMAT}. "
                "Install the version of dnam that wrote it"
            )

    def head(self) -> Head:
        with self._environment.begin() as transaction:
            return self._head_in(transaction)

    def _head_in(self, transaction: lmdb.Transaction) -> Head:
        """The head as of a transaction. The record of it is decoded only where it is another than the last one seen."""
        last, data = self._last, transaction.get(b"log", db=self._meta)
        if last is not None and last[0] == data:
            return last[1]
        return Head(*self._read_meta(transaction)[3:])

    def ends(self) -> tuple[int, int]:
        with self._environment.begin() as transaction:
            cursor: Any = transaction.cursor(db=self._headers)
            return self._head_in(transaction).size, int.from_bytes(cursor.key(), "big") if cursor.last() else 0

    def append(self, commit: Commit, expected: Head, syncing: Syncing = untold) -> Head:
        head, leaves, kept = grow(expected, commit)
        with translated(self.folder), self._environment.begin(write=True) as transaction:
            if self._head_in(transaction) != expected:
                raise HeadMoved("another writer appended in between")
            self._spare.keep(transaction, expected.size, self._meta)
            self._put_events(transaction, commit, leaves, expected.size)
            for each in kept:
                transaction.put(bytes([each.level]) + seq_key(each.position), each.hash, db=self._tree)
            for seq in commit.drops:
                transaction.delete(seq_key(seq), db=self._bodies)
            for vault, seq in commit.erased:
                transaction.put(vault, seq_key(seq), db=self._erased)
            for vault in commit.vaults:
                if vault not in self._listed:
                    transaction.put(vault, b"", db=self._vaults, overwrite=False)
            if commit.ring not in (b"", self.noted):
                transaction.put(b"ring", commit.ring, db=self._meta)
            forms = self._note_forms(transaction, commit)
            meta = msgspec.msgpack.encode((FORMAT, self.id, self.key_check, *head))
            transaction.put(b"log", meta, db=self._meta)
            syncing()
        self._last = meta, head
        self._listed.update(commit.vaults)
        self._forms = forms
        self.noted = commit.ring
        return head

    def _note_forms(self, transaction: lmdb.Transaction, commit: Commit) -> frozenset[Form]:
        """Note the forms of new events that are not noted yet; all that are."""
        new = {form for entry in commit.entries if (form := codec.form_of(entry.header)) is not None}
        if new <= self._forms:
            return self._forms
        noted = _forms_in(transaction, self._meta)
        if not new <= noted:
            noted |= new
            transaction.put(b"forms", msgspec.msgpack.encode(sorted(noted)), db=self._meta)
        return noted

    def forms(self) -> frozenset[Form]:
        with self._environment.begin() as transaction:
            return _forms_in(transaction, self._meta)

    def _put_events(self, transaction: lmdb.Transaction, commit: Commit, leaves: list[bytes], size: int) -> None:
        for seq, (entry, leaf) in enumerate(zip(commit.entries, leaves, strict=True), size + 1):
            key = seq_key(seq)
            fits = (
                transaction.put(key, entry.header, db=self._headers, append=True)
                and (entry.body is None or transaction.put(key, entry.body, db=self._bodies, append=True))
                and transaction.put(entry.id, key + leaf[:MARK_LEAF], db=self._ids, overwrite=False)
            )
            if not fits:
                raise Damaged(f"{self.folder}: event #{seq} does not fit behind the log's end; run `dnam verify`")

    def read(self, after: int, upto: int | None = None) -> Iterator[StoredEvent]:
        last = self.head().size if upto is None else upto
        while after < last:
            chunk = self._chunk(after, min(last, after + CHUNK))
            yield from chunk
            after += CHUNK

    def _chunk(self, after: int, upto: int) -> list[StoredEvent]:
        with self._environment.begin() as transaction:
            body = dict(_range(transaction, self._bodies, after + 1, upto)).get  # None where it was dropped
            headers = _range(transaction, self._headers, after + 1, upto)
            make, number = StoredEvent._make, int.from_bytes
            return [make((number(key, "big"), header, body(key))) for key, header in headers]

    def headers(self, after: int, upto: int) -> Sequence[tuple[Seq, bytes]]:
        with self._environment.begin() as transaction:
            rows = _range(transaction, self._headers, after + 1, upto)
        return [(Seq(int.from_bytes(key, "big")), header) for key, header in rows]

    def get(self, seq: int) -> StoredEvent | None:
        with self.glancing() as look:
            return look.get(seq)

    def find(self, event: EventId) -> Seq | None:
        with self.glancing() as look:
            return look.find(event)

    def named(self, names: Collection[bytes]) -> list[EventId]:
        found, after = list[EventId](), b""
        while True:
            with self._environment.begin(db=self._ids) as transaction:
                cursor: Any = transaction.cursor()
                keys = list(islice(cursor.iternext(values=False), CHUNK)) if cursor.set_range(after) else []
            found += (EventId(key) for key in keys if key[MINUTE_BYTES:] in names)
            if len(keys) < CHUNK:
                return found
            after = keys[-1] + b"\x00"

    def glancing(self) -> LmdbGlance:
        """CannotWrite where the disk refused the end of a commit in another thread: whoever asks next opens it anew."""
        try:
            transaction = self._environment.begin()
        except GivenUp:
            with translated(self.folder):
                raise
        return LmdbGlance(transaction, self._looked_up_in)

    def marks(self, after: int, upto: int) -> Iterator[tuple[StoredEvent, Mark | None]]:
        while after < upto:
            chunk = self._chunk(after, min(upto, after + CHUNK))
            with self._environment.begin(db=self._ids) as transaction:
                cursor: Any = transaction.cursor()
                wanted = [codec.header_id(stored.header) for stored in chunk]
                found: dict[bytes, bytes] = dict(cursor.getmulti([each for each in wanted if each]))
            for stored, event in zip(chunk, wanted, strict=True):
                yield stored, mark_of(found[event]) if event in found else None
            after += CHUNK

    def columns(self, after: int, upto: int) -> Columns | None:
        """Events as `marks` has them, column by column, for whoever looks at all of them at once; None where a header
        is missing.
        """
        with self._environment.begin() as transaction:
            headers = _values(transaction, self._headers, after + 1, upto)
            if headers is None:
                return None
            bodies: Sequence[bytes | None] | None = _values(transaction, self._bodies, after + 1, upto)
            if bodies is None:  # some were dropped
                body = dict(_range(transaction, self._bodies, after + 1, upto)).get
                bodies = [body(seq_key(seq)) for seq in range(after + 1, upto + 1)]
            ids: Any = transaction.cursor(db=self._ids)
            return Columns(headers, bodies, ids.getmulti([data[4:20] for data in headers if len(data) > 4]))

    def vaults(self) -> frozenset[VaultId]:
        with self._environment.begin(db=self._vaults) as transaction:
            return frozenset(VaultId(key) for key in transaction.cursor().iternext(values=False))

    def erased_vaults(self) -> frozenset[VaultId]:
        with self._environment.begin(db=self._erased) as transaction:
            return frozenset(VaultId(key) for key in transaction.cursor().iternext(values=False))

    def erasures(self) -> list[tuple[VaultId, Seq]]:
        """Erased vaults, and the seq of the event that names each."""
        with self._environment.begin(db=self._erased) as transaction:
            return [(VaultId(key), Seq(int.from_bytes(value, "big"))) for key, value in transaction.cursor()]

    def bodies(self) -> int:
        """How many events have their body."""
        with self._environment.begin() as transaction:
            return int(transaction.stat(self._bodies)["entries"])

    def strays(self, bodies: int, upto: int) -> Iterator[str]:
        """What lies in the log and is of no event of it, where up to and with `upto` there are so many bodies."""
        with self._environment.begin() as transaction:
            size = self._head_in(transaction).size
            since = sum(1 for _ in _range(transaction, self._bodies, upto + 1, size))
            for table, what, most in ((self._headers, "header", size), (self._bodies, "body", bodies + since)):
                if transaction.stat(table)["entries"] > most:
                    keys = transaction.cursor(db=table).iternext(values=False)
                    yield from _of_no_event(keys, what, size)
            if transaction.stat(self._ids)["entries"] > size:
                yield from self._stray_ids(transaction)

    def _stray_ids(self, transaction: lmdb.Transaction) -> Iterator[str]:
        for event, mark in transaction.cursor(db=self._ids):
            header: Any = transaction.get(mark[:8], db=self._headers)
            if header is None or codec.header_id(header) != event:
                seq = int.from_bytes(mark[:8], "big")
                yield f"the id table has #{seq} under {event.hex()}, which it is not; {ANEW}"

    def take_over(self, erasures: list[tuple[VaultId, Seq]], head: Head, ring: bytes = b"") -> None:
        """Finish a copy: the erased vaults, the counters of the log that was copied, and what it says of its ring."""
        with translated(self.folder), self._environment.begin(write=True) as transaction:
            for vault, seq in erasures:
                transaction.put(vault, seq_key(seq), db=self._erased)
            transaction.put(b"log", msgspec.msgpack.encode((FORMAT, self.id, self.key_check, *head)), db=self._meta)
            transaction.put(b"rewritten", seq_key(head.size), db=self._meta)
            transaction.put(b"ring", ring, db=self._meta)

    def rewritten(self) -> int:
        """Up to which event it is a copy that never held what was dropped by then; 0 when it never was rewritten."""
        with self._environment.begin(db=self._meta) as transaction:
            found = transaction.get(b"rewritten")
        return 0 if found is None else int.from_bytes(found, "big")

    def ring(self) -> bytes:
        with self._environment.begin(db=self._meta) as transaction:
            return bytes(transaction.get(b"ring", b""))

    def note_ring(self, ring: bytes) -> None:
        """Write down how far the ring goes, without an event: it has keys now that another log's events need."""
        with translated(self.folder), self._environment.begin(write=True, db=self._meta) as transaction:
            transaction.put(b"ring", ring)

    def kept(self) -> Iterator[Kept]:
        with self._environment.begin(db=self._tree) as transaction:
            rows = list(transaction.cursor())
        return (Kept(key[0], int.from_bytes(key[1:], "big"), value) for key, value in rows)

    def subtrees(self, level: int, first: int, upto: int) -> Sequence[bytes]:
        with self._environment.begin() as transaction:
            if level == 0:
                return [leaf_hash(header) for _, header in _range(transaction, self._headers, first + 1, upto)]
            return [root for _, root in _range(transaction, self._tree, first, upto - 1, bytes([level]))]

    def close(self) -> None:
        self._environment.close()


def _version_of(data: bytes) -> int:
    """The first field, whatever a later version puts behind it; 0 when that cannot be read."""
    try:
        fields = msgspec.msgpack.decode(data)
    except codec.UNREADABLE:
        return 0
    return fields[0] if isinstance(fields, list) and fields and isinstance(fields[0], int) else 0


def _forms_in(transaction: lmdb.Transaction, meta: Any) -> frozenset[Form]:
    data: Any = transaction.get(b"forms", db=meta)
    return frozenset() if data is None else frozenset(msgspec.msgpack.decode(data, type=list[Form]))


def _of_no_event(keys: Iterable[bytes], what: str, size: int) -> Iterator[str]:
    """The keys that no event of a log of that size has: behind its end, or of another length."""
    for key in keys:
        seq = int.from_bytes(key, "big") if len(key) == 8 else 0
        if not 0 < seq <= size:
            where = f"of #{seq} lies behind the log's end, #{size}" if seq else f"lies under the key {key.hex()}"
            yield f"a {what} {where}: `dnam restore-backup` brings back what may be lost in front of it; {ANEW}"


def _values(transaction: lmdb.Transaction, table: Any, first: int, last: int) -> list[bytes] | None:
    """The values of these seqs, without their keys; None where one is missing: so many keys in order, from the first
    on, end with the last only where all are there.
    """
    cursor: Any = transaction.cursor(db=table)
    if not cursor.set_range(seq_key(first)):
        return None
    values = list(islice(cursor.iternext(keys=False), last - first + 1))
    return values if cursor.key() == seq_key(last) else None


def _range(
    transaction: lmdb.Transaction, table: Any, first: int, last: int, prefix: bytes = b""
) -> list[tuple[bytes, bytes]]:
    """The rows of some seqs, or of some positions behind a prefix. No Python runs for each of them: everything that
    reads the log waits for this.
    """
    cursor: Any = transaction.cursor(db=table)
    found = cursor.set_range(prefix + seq_key(first))
    rows: list[tuple[bytes, bytes]] = list(islice(cursor, last - first + 1)) if found else []
    stop = prefix + seq_key(last)
    while rows and rows[-1][0] > stop:  # where some are missing, what follows came with them
        rows.pop()
    return rows
