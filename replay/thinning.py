"""Views without what was destroyed: a logical copy of the rows whose keys are there.

What an event of a destroyed vault had made of a row is made again from the last event that can still be read, as a
rebuild would make it; all other rows are taken as they lie.
"""

from collections.abc import Callable
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from projections.ids import Seq, VaultId
from replay.errors import DamagedViews
from replay.folding import Folding
from replay.misfit import fits
from replay.overlay import HISTORY
from replay.packing import PackedRows, packed_all
from replay.snapshot import Snapshot
from replay.store import DiskStore
from replay.views import Views

Touched = set[tuple[str, bytes]]
"""Rows by table and key."""


class _Copy(NamedTuple):
    """Where from, where to, which vaults are gone, and who is told of rows that were looked at."""

    rows: Snapshot
    views: Views
    erased: frozenset[VaultId]
    looked: Callable[[int], None]

    def table(self, table: str, without: frozenset[bytes] = frozenset()) -> list[bytes]:
        """Copy a table, but for some keys; the keys of what is gone."""
        gone: list[bytes] = []
        for rows in self.rows.batches(table):
            kept = [row for row in rows if row[1][:16] not in self.erased and row[0] not in without]
            if len(kept) < len(rows):
                gone += [key for key, data in rows if data[:16] in self.erased]
            self.views.fill(table, PackedRows.of(kept))
            self.looked(len(rows))
        return gone


class _Looked:
    """Progress in events, counted in rows."""

    def __init__(self, rows: int, events: int, progress: Callable[[int, int], None]) -> None:
        self._rows = max(rows, 1)
        self._events = events
        self._progress = progress
        self._done = 0

    def __call__(self, rows: int) -> None:
        self._done += rows
        self._progress(min(self._events * self._done // self._rows, self._events), self._events)


def copy_readable(views: Views, store: DiskStore, folding: Folding, progress: Callable[[int, int], None]) -> None:
    """Fill empty views with what is readable of the live ones. DamagedViews where those cannot be used."""
    live = store.views
    if live is None or live.lacking:
        raise DamagedViews("there are no views to copy from")
    with live.reading() as (position, rows):
        if position is None or not fits(position, store.log, store.log.head()):
            raise DamagedViews(f"{live.folder} are not this log's views")
        looked = _Looked(sum(live.sizes().values()), position.size, progress)
        copy = _Copy(rows, views, folding.erased, looked)
        touched = {folding.row_of(key) for key in copy.table(HISTORY)}
        for table in views.tables:
            if table != HISTORY:
                copy.table(table, frozenset(key for of, key in touched if of == table))
        _make_again(copy, folding, touched, Seq(position.size))
        views.commit({}, position, since=0)


def _make_again(copy: _Copy, folding: Folding, touched: Touched, at: Seq) -> None:
    for table, rows in groupby(sorted(touched), key=itemgetter(0)):
        made = ((key, folding.last_readable(table, key, at, copy.rows)) for _, key in rows)
        copy.views.fill(table, packed_all([(key, entry) for key, entry in made if entry is not None]))
