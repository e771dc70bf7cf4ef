"""The views on disk: one LMDB table per projection and version, one for the history of all rows, and how far they are.

    items@1, …   key → vault (16) ‖ seq (8) ‖ row ‖ CRC-32
    history      table (4) ‖ key ‖ seq (8) → said (8)      what touched a row, in a row's envelope too
    touched      seq (8) → the keys of the rows it touched
    meta         "position" → [size, header digest, log id, tables] ‖ CRC-32 · "indexed" → nothing, while that is kept
    documents, postings, …    the retrieval index (recall/rows.py)

The CRC (least byte first) covers the key too, so that a row in a wrong place is noticed. Views can be deleted at will:
they are built again.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import lmdb
import msgspec

from projections.counting import counted
from projections.fold import Fold
from projections.rows import RawRows
from replay.errors import DamagedViews, NotALog
from replay.inspecting import Inspected, inspect_table
from replay.lmdb_file import OF_VIEWS, GivenUp, check_file, open_environment, translated
from replay.overlay import HISTORY, TOUCHED, Entry
from replay.packing import WHOLE, Packed, PackedRows, pack, packed_all
from replay.position import POSITION, Position, Written, packed_position, unpacked, unpacked_position
from replay.recall import tables as layout
from replay.recall.tables import TABLES as INDEX
from replay.renewed import Renewed
from replay.snapshot import LAST_KEY, Snapshot, forward

if TYPE_CHECKING:
    from replay.recall.index import Find, Index, Made

_STRETCH = 32_768
"""How many rows are digested, or written, at once."""
META = "meta"
"""The table that says how far the views are."""
COUNTED = b"rows"
"""In `META`, how many rows each table had when it was written last."""
INDEXED = b"indexed"
"""Its key that says that the retrieval index is there."""
MOST_ROWS = 1_024
"""After a commit of more rows than this the memory that LMDB took for it is given back: in large views half of them lie
on a page of their own, of 4 KiB, and so does much of a segment of the index that fills.
"""
Changes = Mapping[str, Sequence[tuple[bytes, Entry]]]


def unhurried() -> None:
    """Looks at nothing: for who has as long as it takes."""


def tables_of(fold: Fold) -> tuple[str, ...]:
    """The tables of a set of projections, and the history."""
    return (*sorted(projection.table for projection in fold.projections), HISTORY, TOUCHED)


def _spans(position: Position | None) -> Iterator[tuple[int, int]]:
    """The spans of the index that views so far have, each behind one seq and up to another."""
    size = 0 if position is None else position.size
    step = 1 << layout.SPAN.bits
    return ((start, min(start + step, size)) for start in range(0, size, step))


def _everything(transaction: lmdb.Transaction, tables: Mapping[str, Any]) -> Iterator[tuple[bytes, bytes]]:
    """Every row of the index, table by table."""
    cursors: Iterator[Any] = (transaction.cursor(db=tables[name]) for name in INDEX)
    return chain.from_iterable(cursors)


def is_whole(known: frozenset[str], table: str, key: bytes, data: bytes) -> bool:
    """Whether a row is what was written; those of tables that this program does not know are believed to be."""
    return table not in known or crc32(data, crc32(key)) == WHOLE


class Views:
    """Views in a folder. Where a table of this program's is `lacking`, they are of another version, and not used."""

    def __init__(
        self, folder: Path, fold: Fold, *, writable: bool, building: bool = False, thorough: bool = False
    ) -> None:
        self.folder = folder
        self.is_swollen = False
        """Whether a commit took much memory since they were opened: LMDB keeps it until they are closed (`shrink`)."""
        self.given_up: Exception | None = None
        self._stood: tuple[bytes | None, Position | None] = None, None
        if not building:
            whole = partial(is_whole, frozenset((*tables_of(fold), *INDEX)))
            check_file(folder, whole, thorough=thorough, remedies=OF_VIEWS)
        self._environment = Renewed(
            partial(open_environment, folder, writable=writable, durable=False, building=building)
        )
        self._names = tables_of(fold)
        self._versions = {projection.name: projection.version for projection in fold.projections}
        try:
            self._find_tables(building=building)
            with translated(folder):
                self.position()  # where that cannot be read, nothing here can be used
        except BaseException:  # whoever keeps the error must not keep these open: LMDB opens nothing twice
            self._environment.close()
            raise

    def _find_tables(self, *, building: bool) -> None:
        names = (*self._names, *INDEX, META)
        with translated(self.folder):
            self.lacking = frozenset() if building else frozenset(names) - self._names_on_disk()
            if META in self.lacking:
                raise NotALog(f"{self.folder} holds a database that is no views of dnam")
            self.tables = tuple(name for name in self._names if name not in self.lacking)
            self._open_tables(create=building)
        self.newer_tables = self._newer_tables()

    def _open_tables(self, *, create: bool) -> None:
        names = (*self.tables, *(name for name in INDEX if name not in self.lacking))
        self._tables = {name: self._environment.open_db(name.encode(), create=create) for name in names}
        self._meta = None if META in self.lacking else self._environment.open_db(META.encode(), create=create)

    def check_readers(self) -> None:
        """See `LmdbLog.check_readers`."""
        with translated(self.folder):
            self._environment.reader_check()

    def unmap(self) -> None:
        """Open them anew: the pages that were read go out of memory. For whoever has the views alone."""
        self._renew()

    def shrink(self) -> None:
        """Open them anew where they are swollen, so that LMDB gives its memory back; later, where they are in use."""
        if self.is_swollen:
            self.is_swollen = not self._renew()

    def _renew(self) -> bool:
        with translated(self.folder):
            return self._environment.renew(partial(self._open_tables, create=False))

    def _names_on_disk(self) -> frozenset[str]:
        with self._environment.begin() as transaction:
            return frozenset(key.decode() for key in transaction.cursor().iternext(values=False))

    def _newer_tables(self) -> frozenset[str]:
        """Tables of projections or versions that this program does not know.

        A newer program builds a folder of its own, so this one need look only when it opens one.
        """
        extra = self._names_on_disk() - {*self._names, *INDEX, META}
        return frozenset(name for name in extra if self._is_newer(name))

    def _is_newer(self, table: str) -> bool:
        if layout.is_index(table):
            return layout.is_newer(table)
        name, _, version = table.partition("@")
        return not version.isdigit() or int(version) > self._versions.get(name, 0)

    @contextmanager
    def reading(self) -> Iterator[tuple[Position | None, Snapshot]]:
        """How far the views are, and their rows, of one moment."""
        transaction = self.begun()
        try:
            yield self.seen_in(transaction)
        finally:
            self.ended(transaction)

    def begun(self) -> lmdb.Transaction:
        """A read transaction, for `seen_in`: who records needs no more than that, and says when it has `ended`.
        CannotWrite where the disk refused a commit of theirs in another thread since they were looked at: they are
        opened anew for the next question.
        """
        try:
            return self._environment.begun()
        except GivenUp:
            with translated(self.folder):
                raise

    def ended(self, transaction: lmdb.Transaction) -> None:
        """What has `begun` is over."""
        self._environment.over(transaction)

    def seen_in(self, transaction: lmdb.Transaction) -> tuple[Position | None, Snapshot]:
        """What `reading` has, in a read transaction."""
        return self._position(transaction), Snapshot(transaction, self._tables, self._is_indexed)

    def _is_indexed(self, transaction: lmdb.Transaction) -> bool:
        return transaction.get(INDEXED, db=self._meta) is not None

    def _position(self, transaction: lmdb.Transaction) -> Position | None:
        data: Any = transaction.get(POSITION, db=self._meta)
        last, stood = self._stood  # at once: another thread may put another pair there
        if data is None or data == last:  # decoded only where it is another than the last one seen
            return None if data is None else stood
        position = unpacked_position(bytes(data))
        self._stood = data, position
        return position

    def written(self) -> Written | None:
        """What they say of themselves, of whatever version they are; None where that cannot be read."""
        with self._environment.begin() as transaction:
            data: Any = transaction.get(POSITION, db=self._meta)
            kept = None if data is None else bytes(data)
        try:
            return None if kept is None else unpacked(kept)
        except DamagedViews:
            if self.lacking:  # another version may say it in another form
                return None
            raise

    def lost(self) -> frozenset[str]:
        """The lacking tables that these views once had: they are damaged then, and of no other version."""
        if not self.lacking or self.newer_tables:
            return frozenset()
        written = self.written()
        index = () if any(map(layout.is_index, self._names_on_disk())) else INDEX
        return self.lacking.intersection((*index, *(() if written is None else written.tables)))

    def position(self) -> Position | None:
        """How far the views are; None before the first commit, and for views of another version."""
        if self.lacking:
            return None
        transaction = self._environment.begun()
        try:
            return self._position(transaction)
        finally:
            self._environment.over(transaction)

    def commit(
        self,
        changes: Changes,
        position: Position,
        *,
        since: int,
        find: "Find | None" = None,
        look: Callable[[], object] = unhurried,
    ) -> bool:
        """Write changes that lead from `since` events to `position`; see `write`."""
        rows = {table: packed_all(rows) for table, rows in changes.items()}
        return self.write(rows, position, since=since, find=find, look=look)

    def write(
        self,
        rows: Packed,
        position: Position,
        *,
        since: int,
        find: "Find | None" = None,
        look: Callable[[], object] = unhurried,
    ) -> bool:
        """Write rows that lead from `since` events to `position`, and what they make of the retrieval index.

        `find` says where an event is in the log. Without it the index stays as it is: whoever builds views makes it
        once their rows are there (`indexing`).

        Where the index cannot be kept up, it is given up (`given_up` says why), and what was said is read row
        by row until the views are built anew: nothing else waits for it.

        False where the views are elsewhere by now: another process wrote them, and what was folded above the old ones
        need not fit the new. `look` is called at every step, and what it raises leaves the views as they were.
        """
        try:
            return self._write(rows, position, since, find, look)
        except (DamagedViews, ArithmeticError, LookupError, ValueError) as error:
            self.given_up = error
        return self._write(rows, position, since, None, look, gives_up=True)

    def _write(
        self,
        rows: Packed,
        position: Position,
        since: int,
        find: "Find | None",
        look: Callable[[], object],
        *,
        gives_up: bool = False,
    ) -> bool:
        with translated(self.folder), self._environment.begin(write=True) as transaction:
            stands = self._position(transaction)
            reached = 0 if stands is None else stands.size
            if reached != since:
                return False
            is_indexed = not reached or self._is_indexed(transaction)
            look()
            index = None if find is None or not is_indexed else self._index(transaction, look)
            before = None if index is None or find is None else index.before(rows, find, since)
            for table in sorted(rows):
                for start in range(0, len(rows[table].keys), _STRETCH):
                    look()
                    self._put(transaction, table, rows[table].part(start, start + _STRETCH))
            if index is not None and before is not None:
                index.advance(before, since, position.size)
                transaction.put(INDEXED, b"", db=self._meta)
            if gives_up:
                transaction.delete(INDEXED, db=self._meta)
            transaction.put(POSITION, packed_position(position, self._names), db=self._meta)
            self._count(transaction)
        self.is_swollen |= sum(len(each.keys) for each in rows.values()) > MOST_ROWS
        return True

    def _count(self, transaction: lmdb.Transaction) -> None:
        """Note how many rows each table has: a row that goes leaves no sum behind that would not fit."""
        counts = {table: transaction.stat(database)["entries"] for table, database in self._tables.items()}
        transaction.put(COUNTED, msgspec.msgpack.encode(counts), db=self._meta)

    def miscounted(self) -> list[str]:
        """The tables that have more or fewer rows than when they were written last."""
        with self._environment.begin() as transaction:
            data: Any = transaction.get(COUNTED, db=self._meta)
            counts = {} if data is None else msgspec.msgpack.decode(data, type=dict[str, int])
            tables = ((table, transaction.stat(database)["entries"]) for table, database in self._tables.items())
            return [
                f"{counted(rows, 'row')} of {table} are there, and {counts[table]:,} were when it was written last"
                for table, rows in tables
                if counts.get(table, rows) != rows
            ]

    def _index(self, transaction: lmdb.Transaction, look: Callable[[], object] = unhurried) -> "Index":
        from replay.recall.index import Index  # it brings numpy, which whoever only looks has no need of

        return Index(transaction, self._tables, look=look)

    def span_of_index(self, level: layout.Level, span: int) -> "Made":
        """The rows of a span of the retrieval index, as they follow from the rows that are there."""
        with self._environment.begin() as transaction:
            return self._index(transaction).rows_of(level, span)

    def put_span(self, made: "Made") -> None:
        """Write the rows of a span of the retrieval index."""
        with translated(self.folder), self._environment.begin(write=True) as transaction:
            self._index(transaction).write(made)
            self._count(transaction)

    def index_is_made(self) -> None:
        """The retrieval index is as far as the views are; from now on it is kept up."""
        with translated(self.folder), self._environment.begin(write=True) as transaction:
            transaction.put(INDEXED, b"", db=self._meta)

    def index_is_what_it_would_be(self, scratch: "Views", look: Callable[[], object]) -> bool:
        """Whether the index is, byte for byte, what would be made of the rows that are here; it is made in other views
        that have none. `look` is called at every step.
        """
        from replay.recall.index import Index

        with self._environment.begin() as rows:
            if not self._is_indexed(rows):
                return False
            for start, upto in _spans(self._position(rows)):
                look()
                with translated(scratch.folder), scratch._environment.begin(write=True) as transaction:
                    Index(rows, self._tables, (transaction, scratch._tables)).seal(start, upto)
            with scratch._environment.begin() as made:
                pairs = zip(_everything(rows, self._tables), _everything(made, scratch._tables), strict=False)
                sizes = (
                    sum(t.stat(of[name])["entries"] for name in INDEX)
                    for t, of in ((rows, self._tables), (made, scratch._tables))
                )
                return all(here == there for here, there in pairs) and len(set(sizes)) == 1

    def fill(self, table: str, rows: PackedRows) -> None:
        """Put rows into a build that is nowhere yet, as they lie elsewhere."""
        with translated(self.folder), self._environment.begin(write=True) as transaction:
            self._put(transaction, table, rows)

    def _put(self, transaction: lmdb.Transaction, table: str, rows: PackedRows) -> None:
        """What lies behind everything that is there is appended: that fills pages to the brim."""
        database = self._tables[table]
        for key in rows.removed():
            transaction.delete(key, db=database)
        left = rows.left()
        if left.keys:
            cursor: Any = transaction.cursor(db=database)
            pairs = zip(left.keys, left.rows, strict=True)
            cursor.putmulti(pairs, append=not cursor.last() or cursor.key() < left.keys[0])

    @property
    def summed(self) -> tuple[str, ...]:
        """The tables whose rows end with a sum: all that this program knows, but for how far they are."""
        return tuple(self._tables)

    def inspect(self) -> Inspected:
        """Look at every row."""
        found = [self.inspect_table(table) for table in self._tables]
        return Inspected(sum(each.rows for each in found), [damage for each in found for damage in each.damage])

    def inspect_table(self, table: str) -> Inspected:
        """Look at every row of one table."""
        with self._environment.begin() as transaction:
            return inspect_table(transaction, table, self._tables[table])

    def sizes(self) -> dict[str, int]:
        """How many rows each table has."""
        with self._environment.begin() as transaction:
            return {table: transaction.stat(database)["entries"] for table, database in self._tables.items()}

    def digest(self) -> bytes:
        """What `digest_rows` makes of these rows, and little of them in memory. For whoever has the views alone."""
        sha = hashlib.sha256()
        for table in self.tables:
            sha.update(b"table " + table.encode())
            start = b""
            while rows := self._stretch(table, start):
                for key, data in rows:  # they lie there as `pack` made them
                    sha.update(key + data)
                start = rows[-1][0] + b"\0"
                self.unmap()
        return sha.digest()

    def _stretch(self, table: str, start: bytes) -> list[tuple[bytes, bytes]]:
        with self._environment.begin() as transaction:
            return list(islice(forward(transaction.cursor(db=self._tables[table]), start, LAST_KEY), _STRETCH))

    def sync(self) -> None:
        """Make a build last before it is put in force."""
        with translated(self.folder):
            self._environment.sync()

    def close(self) -> None:
        """Let the environment go."""
        self._environment.close()


def digest_rows(rows: RawRows, tables: Sequence[str]) -> bytes:
    """SHA-256 over every row and its history, by a scan in table and key order: equal views, equal digest."""
    sha = hashlib.sha256()
    for table in tables:
        sha.update(b"table " + table.encode())
        for key, stored in rows.scan(table, b"", LAST_KEY):
            sha.update(key + pack(key, stored))
    return sha.digest()
