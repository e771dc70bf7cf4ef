"""Rows without what erasures destroyed: from the moment an erasure is recorded none of it is read, wherever it lies."""

from collections.abc import Iterator

from projections.ids import VaultId
from projections.rows import RawRows, Stored


class Living:
    """Raw rows without those whose vault was destroyed."""

    def __init__(self, below: RawRows, erased: frozenset[VaultId]) -> None:
        self._below = below
        self._erased = erased

    def get(self, table: str, key: bytes) -> Stored | None:
        stored = self._below.get(table, key)
        return None if stored is None or stored.vault in self._erased else stored

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, Stored]]:
        rows = self._below.scan(table, start, stop, reverse=reverse)
        return ((key, stored) for key, stored in rows if stored.vault not in self._erased)

    def keys(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[bytes]:
        return (key for key, _ in self.scan(table, start, stop, reverse=reverse))
