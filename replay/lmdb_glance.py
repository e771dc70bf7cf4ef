"""Single events looked up in a log in LMDB, many of them in one read transaction: beginning and ending one takes as
long as three look-ups, and a decision makes some dozen.
"""

from types import TracebackType
from typing import Any

from projections.ids import EventId, Seq
from replay import codec
from replay.errors import Damaged
from replay.history import seq_key
from replay.log import Mark, StoredEvent


class LmdbGlance:
    """The log in one read transaction, which `with` ends."""

    __slots__ = ("_get", "_tables", "_transaction")

    def __init__(self, transaction: Any, tables: tuple[Any, Any, Any]) -> None:
        self._transaction = transaction
        self._get = transaction.get
        self._tables = tables

    def __enter__(self) -> "LmdbGlance":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._transaction.abort()

    def get(self, seq: int) -> StoredEvent | None:
        key = seq_key(seq)
        headers, bodies, _ = self._tables
        header = self._get(key, db=headers)
        return None if header is None else StoredEvent(Seq(seq), header, self._get(key, db=bodies))

    def find(self, event: EventId) -> Seq | None:
        """Damaged where another event stands at the place that the id table names."""
        found = self._get(event, db=self._tables[2])
        if found is None:
            return None
        seq = mark_of(found).seq
        header = self._get(seq_key(seq), db=self._tables[0])
        if header is not None and codec.header_id(header) != event:
            raise Damaged(f"#{seq} is another event than the id table says; run `dnam verify`")
        return seq


def mark_of(data: bytes) -> Mark:
    """What the id table has of an event."""
    return Mark._make((int.from_bytes(data[:8], "big"), data[8:]))
