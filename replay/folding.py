"""Folding stored events into tables: the one path for serving live, for rebuilding, and for looking back.

Beside its rows, an event leaves an entry in the history of each (row key ‖ seq → said) and one list of the rows that it
touched. When bodies are dropped, that list says which rows to make again, each from the last event in its history that
can still be read. So live = replay, over any subset of the bodies.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from projections.events import MessageRedacted
from projections.fold import Fold, Record
from projections.ids import UNSEALED, EventId, Seq, VaultId, digest16
from projections.remembered import let_go
from projections.rows import RawRows, after_prefix
from replay import codec
from replay.history import history_key, history_prefix, said_body, seq_key
from replay.log import Log, StoredEvent
from replay.overlay import HISTORY, TOUCHED, Entry, Written
from replay.ring.keyring import KeyRing
from replay.sealer import Sealer


class Ground(Protocol):
    """What folding stands on: a store, or what a helper has of one."""

    @property
    def ring(self) -> KeyRing: ...

    @property
    def log(self) -> Log: ...


class Tables(Protocol):
    """Something that takes entries: an overlay, or a segment of a rebuild."""

    def put(self, table: str, key: bytes, entry: Entry) -> None: ...

    def write(self, rows: Iterable[Written], seq: int, vault: VaultId) -> None: ...


class Source(Protocol):
    """Where events are looked up while one is folded: the log, and what is about to be recorded."""

    def find(self, event: EventId) -> Seq | None: ...

    def record_at(self, seq: int) -> Record | None:
        """The event, when it can be read."""
        ...


class Sealed(NamedTuple):
    """An event that can be read, and whose key opened it."""

    record: Record
    vault: VaultId


def seqs_in(raw: RawRows, table: str, key: bytes) -> Iterator[Seq]:
    """The events that touched a row, in recorded order, as its history has them."""
    prefix = history_prefix(table, key)
    return (stored.seq for _, stored in raw.scan(HISTORY, prefix, after_prefix(prefix)))


def dropped_by(record: Record, source: Source) -> frozenset[Seq]:
    """The events in front of a redaction whose bodies it drops; of any other event, none."""
    if not isinstance(record.event, MessageRedacted):
        return frozenset()
    found = (source.find(event) for event in record.event.events)
    return frozenset(seq for seq in found if seq is not None and seq < record.seq)


class Folding:
    """Folds the events of one store."""

    def __init__(self, fold: Fold, store: Ground) -> None:
        self.fold = fold
        self._store = store
        self.sealer = Sealer(store.ring)
        self.erased = store.log.erased_vaults()
        self._short = {projection.table: digest16(projection.table)[:4] for projection in fold.projections}
        self._lead = {each.table: self._short[each.table] + bytes([each.key_size]) for each in fold.projections}
        self._long = {short: table for table, short in self._short.items()}
        self._history = {projection.table: projection.history for projection in fold.projections}
        assert len(self._long) == len(self._short), "two tables share their first four bytes of SHA-256: rename one"

    def after_erasure(self) -> None:
        """Drop what is remembered of keys, since some were destroyed, and of what anybody typed."""
        self.sealer.forget()
        let_go()
        self.erased = self._store.log.erased_vaults()

    def record(self, stored: StoredEvent) -> Record | None:
        """What a fold sees of a stored event; None when its body was dropped or its key destroyed."""
        return self.sealer.record(stored, self.erased)

    def find(self, event: EventId) -> Seq | None:
        """Where an event is in the log."""
        return self._store.log.find(event)

    def record_at(self, seq: int) -> Record | None:
        """What a fold sees of an event, by seq."""
        stored = self._store.log.get(seq)
        return None if stored is None else self.record(stored)

    def sealed_at(self, seq: int) -> Sealed | None:
        """The same, with the vault whose key sealed it."""
        stored = self._store.log.get(seq)
        if stored is None:
            return None
        header = codec.decode_header(stored.header)
        record = self.sealer.opened(stored, header, self.erased)
        return None if record is None else Sealed(record, header.vault)

    def take_stored(self, run: Sequence[StoredEvent], tables: Tables, raw: RawRows) -> None:
        """Fold events as they lie in the log."""
        for stored in run:
            header = codec.decode_header(stored.header)
            record = self.sealer.opened(stored, header, self.erased)
            if record is not None:
                self.take(record, header.vault, tables, raw)

    def take_decision(self, run: Sequence[StoredEvent], tables: Tables, raw: RawRows) -> None:
        """Fold the events of one decision: all, or none where one of them cannot be opened."""
        for stored in run if len(run) > 1 else ():
            self.record(stored)
        self.take_stored(run, tables, raw)

    def take(self, record: Record, vault: VaultId, tables: Tables, raw: RawRows, source: Source | None = None) -> None:
        """Write what a record makes. `raw` is what is there by now, the tables included."""
        tables.write(self.rows_of(record), record.seq, vault)
        if isinstance(record.event, MessageRedacted):
            self._make_again(record, tables, raw, source or self)

    def rows_of(self, record: Record) -> list[Written]:
        """The rows of an event, their entries in the history, and the list of them."""
        said, end = said_body(record.event.said), seq_key(record.seq)
        rows: list[Written] = []
        touched: list[bytes] = []
        for table, key, body, history in self.fold.changes(record):
            rows.append((table, key, body))
            if history:
                rows.append((HISTORY, self._short[table] + key + end, said))
            touched += self._lead[table], key
        if touched:
            rows.append((TOUCHED, end, b"".join(touched)))
        return rows

    def row_of(self, history_key: bytes) -> tuple[str, bytes]:
        """The table and the key of the row that an entry of the history is of."""
        return self._long[history_key[:4]], history_key[4:-8]

    def _touched(self, body: bytes) -> Iterator[tuple[str, bytes]]:
        start = 0
        while start < len(body):
            end = start + 5 + body[start + 4]
            yield self._long[body[start : start + 4]], body[start + 5 : end]
            start = end

    def change(self, record: Record, table: str, key: bytes) -> bytes | None:
        """What a record makes of one row."""
        return self.fold.change(record, table, key)

    def has_history(self, table: str) -> bool:
        """Whether a table's rows leave a trace in the history."""
        return self._history[table]

    def _make_again(self, redaction: Record, tables: Tables, raw: RawRows, source: Source) -> None:
        touched: set[tuple[str, bytes]] = set()
        for seq in sorted(dropped_by(redaction, source)):
            entry = raw.get(TOUCHED, seq_key(seq))
            if entry is None:
                continue
            tables.put(TOUCHED, seq_key(seq), Entry(seq, None, UNSEALED, redaction.seq))
            for table, key in self._touched(entry.body):
                touched.add((table, key))
                if self.has_history(table):
                    tables.put(HISTORY, history_key(table, key, seq), Entry(seq, None, UNSEALED, redaction.seq))
        for table, key in sorted(touched):
            gone = Entry(redaction.seq, None, UNSEALED, redaction.seq)
            tables.put(table, key, self.last_readable(table, key, redaction.seq, raw, source) or gone)

    def last_readable(
        self, table: str, key: bytes, at: Seq, raw: RawRows, source: Source | None = None
    ) -> Entry | None:
        """What the last event that can still be read makes of a row; None where there is none. `at` is when that is
        found. A row without a history is made by one event alone.
        """
        if not self.has_history(table):
            return None
        source, prefix = source or self, history_prefix(table, key)
        for _, stored in raw.scan(HISTORY, prefix, prefix + b"\xff" * 9, reverse=True):
            record = source.record_at(stored.seq)
            if record is not None:
                return Entry(record.seq, self.change(record, table, key), stored.vault, at)
        return None
