"""Free pages of a log's file, kept in one piece.

LMDB writes every page of a commit anew: on one that an earlier commit gave up, else behind the file's last one. Where
events come one by one, a commit has some nine pages, and one of them in five is full then and stays where it is. So
what is free would soon lie scattered among what stays, and a commit in seven places: the disk is handed each on its
own, and that takes twelve times as long as one more page in the same place.

So every so many commits it is put in order, within a commit that is written anyway. LMDB is asked for pages as large
data would need them, and given them back: then it knows of all that is free, and where no piece was as large, the file
is longer by one. And some rows of what was recorded since the last time are put once more as they are, one of each
page: they go to the first pages that are free, and leave those they lay on. So what stays fills the gaps, and what is
free lies behind it. No row comes of it, and any LMDB reads the file.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import lmdb

from replay.folder import write_all
from replay.history import seq_key
from replay.pages.form import LARGE, PAGE_SIZE

EVERY = 32
"""After so many commits of this process it is put in order."""
MOST = 32
"""How many pages are taken at once, at the most."""
SHARE = 8
"""They are no more than one part in so many of the file, so that a small log stays small."""
MOST_ROWS = 128
"""So far back rows are put once more: where more came at once, they lie together already, and keep what is free so."""
LONGEST = 2000
"""A longer row has pages of its own, in bytes."""
_NAME = b"spare"


class BySeq(NamedTuple):
    """A table with a row for each seq, of which at least so many in turn (`step`) usually lie on a page."""

    table: Any
    step: int


class SparePages:
    """Those of one log, which is open from a file and has these tables."""

    def __init__(self, environment: lmdb.Environment, path: Path, tables: Sequence[BySeq]) -> None:
        self._environment = environment
        self._path = path
        self._tables = tables
        self._commits = 0
        self._ordered = 0
        """The last event by when it was put in order."""

    def keep(self, transaction: lmdb.Transaction, size: int, table: Any) -> None:
        """Where it is time, put them in order with a commit, ahead of what it records behind `size` events. `table` is
        one that is written to.
        """
        self._commits += 1
        if self._commits % EVERY:
            return
        known = self._environment.info()
        last: int = known["last_pgno"]
        pages = min(last // SHARE, MOST)
        fits = 2 * (last + pages) * PAGE_SIZE < known["map_size"]  # else what is to be recorded would lack them
        if pages and fits:
            transaction.put(_NAME, bytes(pages * PAGE_SIZE - LARGE.size), db=table)
            transaction.delete(_NAME, db=table)
            self._reach(last + pages)
            self._put_again(transaction, max(self._ordered, size - MOST_ROWS) + 1, size)
        self._ordered = size

    def _reach(self, last: int) -> None:
        """Have the file go as far as LMDB may say that it does, as long as nobody else writes: one that is shorter
        would look as if it had been cut to whoever saves what is left of a damaged log. It is written, and no hole: of
        one the disk would have to find the blocks, and to note them, with each commit that fills some of it.
        """
        end = (last + 1) * PAGE_SIZE
        with suppress(OSError):
            descriptor = os.open(self._path, os.O_WRONLY)
            try:
                size = os.fstat(descriptor).st_size
                write_all(descriptor, bytes(max(end - size, 0)), size)
            finally:
                os.close(descriptor)

    def _put_again(self, transaction: lmdb.Transaction, first: int, last: int) -> None:
        for table, step in self._tables:
            for seq in range(first, last + 1, step):
                key = seq_key(seq)
                row = transaction.get(key, db=table)
                if row is not None and len(row) <= LONGEST:
                    transaction.put(key, row, db=table)
