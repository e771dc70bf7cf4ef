"""How rows are read: by exact key or by a range of keys, from wherever they lie.

Decisions, queries and the prompt see `Rows` only. Behind it stand a dictionary, LMDB under an overlay, or last
Tuesday; they all say the same.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Protocol, TypeVar

import msgspec
from sortedcontainers import SortedDict

from projections.events.event import Event
from projections.fold import AnyProjection, Projection, Record
from projections.ids import UNSEALED, EventId, Identity, Seq, VaultId
from projections.order import Order

if TYPE_CHECKING:
    from projections.recall.corpus import Corpus

Known = Literal["unknown", "known", "redacted", "erased"]
R = TypeVar("R", bound=msgspec.Struct)
T = TypeVar("T")


class Stored(NamedTuple):
    """A row as it lies in a table: the event that made it, its encoded struct, and the vault that sealed the event."""

    seq: Seq
    body: bytes
    vault: VaultId = UNSEALED


class Found(NamedTuple, Generic[R]):
    """A row with its key and the event that made it."""

    key: bytes
    seq: Seq
    row: R


class RawRows(Protocol):
    """Encoded rows by table and key. Ranges are half open; keys of one table have one length."""

    def get(self, table: str, key: bytes) -> Stored | None: ...

    def scan(
        self, table: str, start: bytes, stop: bytes, *, reverse: bool = False
    ) -> Iterator[tuple[bytes, Stored]]: ...

    def keys(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[bytes]:
        """The keys of a range in order, for whoever needs no more: no row is looked at."""
        ...


class Ids(Protocol):
    """What only the log can say of an id."""

    def event_id(self, identity: Identity) -> EventId: ...

    def keyed_hash(self, platform: str, platform_id: str) -> bytes: ...

    def status(self, event: EventId) -> Known: ...


class Corpora(Protocol):
    """What was said, by zone, as recall searches it; kept up from look to look.

    `turn` rises whenever what is open may be another.
    """

    @property
    def turn(self) -> int: ...

    def corpus(self, zone: bytes) -> "Corpus": ...


class Shelf(Protocol):
    """Keeps what was made of a range of rows until one of them changes; `rows` is how many there are."""

    def get(self, table: str, prefix: bytes, make: Callable[..., Any]) -> Any | None: ...

    def put(self, table: str, prefix: bytes, make: Callable[..., Any], made: Any, rows: int) -> None: ...

    def row(self, table: str, key: bytes) -> "Found[Any] | None":
        """A row that was kept."""
        ...

    def keep(self, table: str, found: "Found[Any]", size: int) -> None:
        """Keep a row that has so many bytes."""
        ...

    def order(self, tables: tuple[str, ...], prefix: bytes, keys: Callable[[str], Iterator[bytes]]) -> Order | None:
        """The keys with a prefix of some tables together, in order; None where it is not worth it to have them in
        memory. `keys` are those of one table.
        """
        ...


def after_prefix(prefix: bytes) -> bytes:
    """The smallest key that is behind every key with this prefix."""
    stripped = prefix.rstrip(b"\xff")
    if not stripped:
        return b"\xff" * 64
    return stripped[:-1] + bytes([stripped[-1] + 1])


def _range(prefix: bytes, start: bytes | None, stop: bytes | None) -> tuple[bytes, bytes]:
    """The keys with a prefix, from `start` on and in front of `stop`."""
    low = prefix if start is None else max(prefix, start)
    high = after_prefix(prefix) if stop is None else min(after_prefix(prefix), stop)
    return low, high


class Rows:
    """Typed rows: a view over raw ones, for reading only."""

    def __init__(
        self,
        raw: RawRows,
        ids: Ids,
        shelf: Shelf | None = None,
        corpora: Callable[[], Corpora] | None = None,
        events: Callable[[EventId], Event | None] | None = None,
        touched: Callable[[str, bytes], list[Record]] | None = None,
    ) -> None:
        self.raw = raw
        self.ids = ids
        self.corpora = corpora
        """What was said, where it is kept ready to be searched; without it, a search reads every row that is open."""
        self._shelf = shelf
        self._events = events
        self._touched = touched

    def event(self, event: EventId) -> Event | None:
        """An event that made a row which says something else by now; None where it cannot be read, or nobody looks into
        the log for these rows.
        """
        return None if self._events is None else self._events(event)

    def touched(self, projection: AnyProjection, key: bytes) -> list[Record]:
        """Every event that touched a row and can be read, in recorded order; none where nobody looks into the log for
        these rows.
        """
        return [] if self._touched is None else self._touched(projection.table, key)

    def find(self, projection: Projection[R], key: bytes) -> Found[R] | None:
        """The row with exactly this key, or None."""
        stored = self.raw.get(projection.table, key)
        return None if stored is None else Found(key, stored.seq, self._decoded(projection, stored.body))

    def get(self, projection: Projection[R], key: bytes) -> R | None:
        """The row's struct alone."""
        stored = self.raw.get(projection.table, key)
        return None if stored is None else self._decoded(projection, stored.body)

    def _decoded(self, projection: Projection[R], body: bytes) -> R:
        """The row that is encoded so: whoever reads the same ones again and again keeps them."""
        return projection.decode(body)

    def kept(self, projection: Projection[R], key: bytes) -> Found[R] | None:
        """What `find` has, of a row that is asked for again and again: where there is a shelf it is decoded once for as
        long as it stays as it is.
        """
        if self._shelf is None:
            return self.find(projection, key)
        found: Found[R] | None = self._shelf.row(projection.table, key)
        if found is None and (stored := self.raw.get(projection.table, key)) is not None:
            found = Found(key, stored.seq, self._decoded(projection, stored.body))
            self._shelf.keep(projection.table, found, len(stored.body))
        return found

    def order(self, tables: tuple[str, ...], prefix: bytes) -> Order | None:
        """Where the rows of some tables lie whose keys have the prefix, in the order of all their keys, where a shelf
        has that in memory; else None, and the tables are to be read.
        """
        if self._shelf is None:
            return None
        return self._shelf.order(tables, prefix, lambda table: self.raw.keys(table, prefix, after_prefix(prefix)))

    def scan(
        self,
        projection: Projection[R],
        prefix: bytes = b"",
        *,
        start: bytes | None = None,
        stop: bytes | None = None,
        reverse: bool = False,
    ) -> Iterator[Found[R]]:
        """Rows whose key has the prefix, in key order; `start` (inclusive) and `stop` (exclusive) narrow it."""
        for key, stored in self.raw.scan(projection.table, *_range(prefix, start, stop), reverse=reverse):
            yield Found(key, stored.seq, self._decoded(projection, stored.body))

    def made(self, projection: Projection[R], prefix: bytes, make: Callable[[Found[R]], T]) -> tuple[T, ...]:
        """What `make` makes of each row whose key has the prefix, in key order. Where there is a shelf it is made once
        for as long as the rows stay as they are, so `make` is a function of the row alone.
        """
        kept: tuple[T, ...] | None = None if self._shelf is None else self._shelf.get(projection.table, prefix, make)
        if kept is not None:
            return kept
        made = tuple(map(make, self.scan(projection, prefix)))
        if self._shelf is not None:
            self._shelf.put(projection.table, prefix, make, made, len(made))
        return made

    def gathered(self, projection: Projection[R], prefix: bytes, make: Callable[[Sequence[Found[R]]], T]) -> T:
        """What `make` makes of all rows together whose key has the prefix, in key order; kept as what `made` makes."""
        kept: T | None = None if self._shelf is None else self._shelf.get(projection.table, prefix, make)
        if kept is not None:
            return kept
        found = list(self.scan(projection, prefix))
        made = make(found)
        if self._shelf is not None:
            self._shelf.put(projection.table, prefix, make, made, len(found))
        return made

    def keys(
        self,
        projection: Projection[R],
        prefix: bytes,
        *,
        start: bytes | None = None,
        stop: bytes | None = None,
        reverse: bool = False,
    ) -> Iterator[bytes]:
        """The keys alone, of what `scan` goes over: no row is read."""
        return self.raw.keys(projection.table, *_range(prefix, start, stop), reverse=reverse)


class MemoryRows:
    """Rows in sorted dictionaries: what tests and dry runs fold into."""

    def __init__(self) -> None:
        self.tables: dict[str, SortedDict[bytes, Stored]] = {}

    def put(self, table: str, key: bytes, stored: Stored | None) -> None:
        """Write a row, or remove it with None."""
        rows = self.tables.setdefault(table, SortedDict())
        if stored is None:
            rows.pop(key, None)
        else:
            rows[key] = stored

    def get(self, table: str, key: bytes) -> Stored | None:
        rows = self.tables.get(table)
        return None if rows is None else rows.get(key)

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, Stored]]:
        rows = self.tables.get(table)
        if rows is not None:
            for key in rows.irange(start, stop, inclusive=(True, False), reverse=reverse):
                yield key, rows[key]

    def keys(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[bytes]:
        return (key for key, _ in self.scan(table, start, stop, reverse=reverse))
