"""What a projection is: a pure function from one event to the rows that it makes.

A row is made by its last event alone. So a fold sees one record and nothing else: no other row, no setting, no clock.
The same function folds into a dictionary, into LMDB, or into last Tuesday.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from projections.events.event import Event
from projections.ids import EventId, Seq

R = TypeVar("R", bound=msgspec.Struct)


class Record(NamedTuple):
    """An event with its envelope: where it stands, what it is called, and when (ms) it was recorded."""

    seq: Seq
    id: EventId
    at: int
    event: Event


Change = tuple[bytes, R | None]
"""A row to write under a key, or None to remove it."""


@dataclass(frozen=True)
class Projection(Generic[R]):
    """`rows` says what a record makes of this projection's rows; it is only asked about `sees`.

    Keys of one projection have one length (`key_size` bytes). `history` is off where a row's key holds the id of the
    only event that ever makes it: then the row itself says when it came to be. `table` is its name on disk, with the
    version, so that two versions can lie side by side; `decode` is the row struct of an encoded row.
    """

    name: str
    version: int
    row: type[R]
    sees: tuple[type[Event], ...]
    rows: Callable[[Record], list[Change[R]]]
    key_size: int
    history: bool = True
    table: str = field(init=False)
    decode: Callable[[bytes], R] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", f"{self.name}@{self.version}")
        object.__setattr__(self, "decode", msgspec.msgpack.Decoder(self.row).decode)


AnyProjection = Projection[Any]


RowChange = tuple[str, bytes, bytes | None, bool]
"""One encoded change: table, key, the row or None, and whether the change leaves an entry in the history."""


_encode = msgspec.msgpack.Encoder().encode


class Fold:
    """A set of projections, indexed by the events they see."""

    def __init__(self, projections: tuple[AnyProjection, ...]) -> None:
        self.projections = projections
        self._by_event: dict[type[Event], list[tuple[str, Callable[[Record], list[Change[Any]]], bool]]] = {}
        for projection in projections:
            for kind in projection.sees:
                plan = (projection.table, projection.rows, projection.history)
                self._by_event.setdefault(kind, []).append(plan)

    def change(self, record: Record, table: str, key: bytes) -> bytes | None:
        """What the record makes of one row, encoded; None where it removes it, or makes nothing of it."""
        plans = self._by_event.get(type(record.event), ())
        made = [row for at, rows, _ in plans if at == table for other, row in rows(record) if other == key]
        return _encode(made[-1]) if made and made[-1] is not None else None

    def changes(self, record: Record) -> list[RowChange]:
        """Every row that the record makes or removes, encoded; one that stands under many keys once."""
        changes: list[RowChange] = []
        for table, rows, history in self._by_event.get(type(record.event), ()):
            last = body = None
            for key, row in rows(record):
                if row is not last:
                    last, body = row, None if row is None else _encode(row)
                changes.append((table, key, body, history))
        return changes
