"""Free pages in a log's file, taken ahead and many in one piece.

LMDB writes every page of a commit anew: on one that an earlier commit gave up, else behind the file's last one. Where
events come one by one the file would grow with every fifth, and each time the disk would have to make its new length
last; and the pages of a commit, taken one by one whenever the file happened to end there, would lie apart, and the
disk be handed each on its own. So where the file has grown, it grows by some more at once. LMDB is asked for pages as
large data would need them, and given them back in the same commit: no row comes of it, and nothing is written of it but
the list of what is free.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import lmdb

from replay.pages import PAGE_SIZE

MOST = 64
"""How many pages are taken at once, at the most: the list of what is free stays within a page."""
SHARE = 8
"""A file grows by one part in so many of itself, so that a small log stays small."""
LOOK = 8
"""Every so many commits it is looked whether the file has grown."""
_HEAD = 16
"""So many bytes of the first page of large data are not data."""
_NAME = b"spare"


class _Seen(NamedTuple):
    """A commit that was looked at, and the last page that the file had by then or was to have with the next one."""

    commit: int
    last: int


class SparePages:
    """Those of one log, which is open from a file."""

    def __init__(self, environment: lmdb.Environment, path: Path) -> None:
        self._environment = environment
        self._path = path
        self._commits = 0
        self._seen = _Seen(-1, 0)

    def keep_some(self, transaction: lmdb.Transaction, table: Any) -> None:
        """Take some with a commit, where none are left. They are of no table; any one will do to ask for them.

        None are left where the file has grown by commits of this process alone: what another one's commits took may lie
        there free.
        """
        self._commits += 1
        if self._commits % LOOK:
            return
        known = self._environment.info()
        before, seen = self._seen, _Seen(known["last_txnid"], known["last_pgno"])
        has_grown = seen.commit == before.commit + LOOK and seen.last > before.last
        pages = min(seen.last // SHARE, MOST)
        fits = 2 * (seen.last + pages) * PAGE_SIZE < known["map_size"]  # else what is to be recorded would lack them
        if has_grown and pages and fits:
            transaction.put(_NAME, bytes(pages * PAGE_SIZE - _HEAD), db=table)
            transaction.delete(_NAME, db=table)
            self._reach(seen.last + pages)
            seen = seen._replace(last=seen.last + pages)
        self._seen = seen

    def _reach(self, last: int) -> None:
        """Have the file go as far as LMDB will say that it does, as long as nobody else writes: one that is shorter
        would look as if it had been cut to whoever saves what is left of a damaged log.
        """
        end = (last + 1) * PAGE_SIZE
        with suppress(OSError):
            if self._path.stat().st_size < end:
                os.truncate(self._path, end)
