"""Vectors that were opened, kept in memory as the rows of one matrix: a search looks at all of a place, and opening one
takes microseconds.

    numbers    a row per vector, as it is kept: bytes         squares    of each row's length
    seqs       of the event that made its text; NONE: free    asked      in which question it was last looked at
    at         by seq: which row it has; NONE: none

They are those of one encoder, and of vaults whose keys are in the ring: an erasure empties this. What is redacted goes
at once, what its text left behind with the rest of it. What is opened together lies together, so that a place is looked
through from front to back.

There is room for so many bytes. Where that is not enough, those are let go that were not asked for the longest, and
none that the same question asks for: whoever opens more than there is room for compares the rest and lets it go.
"""

import threading
from collections.abc import Collection, Set
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from projections.ids import Seq, VaultId
from projections.vectors import Doubles, Numbers, Places, cosines, squares

MOST_BYTES = 256 << 20
"""How many bytes of vectors are kept."""
NONE = -1
_GROWTH = 1024
"""How many rows are made at once at the least."""


def bytes_in_memory(width: int) -> int:
    """What one vector of so many numbers takes."""
    return width + 3 * 8


class Some(NamedTuple):
    """Vectors that were opened just now, one below the other: by which seqs, and in which vaults they lie."""

    seqs: Places
    numbers: Numbers
    vaults: Collection[VaultId]


class Opened:
    """Opened vectors by the seq of the event that made their text. Letting go, for several threads at once; whoever
    asks, compares and keeps holds the `lock` meanwhile.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.most_bytes = most_bytes
        self.lock = threading.RLock()
        self._encoder = ""
        self.clear()

    def clear(self) -> None:
        """Let everything go."""
        with self.lock:
            self._numbers: Numbers = np.empty((0, 0), np.int8)
            self._squares: Doubles = np.empty(0)
            self._seqs: Places = np.empty(0, np.int64)
            self._asked: Places = np.empty(0, np.int64)
            self._at: npt.NDArray[np.int32] = np.empty(0, np.int32)
            self._vaults: set[VaultId] = set()
            self._question = 0

    @property
    def seqs(self) -> list[Seq]:
        """Of which there is a vector here, ascending."""
        with self.lock:
            return list(map(Seq, np.flatnonzero(self._at != NONE).tolist()))

    def only(self, encoder: str, vaults: Set[VaultId]) -> None:
        """Keep nothing of another encoder, and nothing once one of its vaults has lost its key."""
        if encoder != self._encoder or not self._vaults <= vaults:
            self.clear()
            self._encoder = encoder

    def rows(self, seqs: Places) -> Places:
        """The row of each of these; NONE where it has none."""
        rows = np.full(len(seqs), NONE, np.int64)
        known = seqs < len(self._at)
        rows[known] = self._at[seqs[known]]
        return rows

    def room(self, width: int) -> int:
        """How many more vectors of so many numbers can be kept without letting any go."""
        return self.most_bytes // bytes_in_memory(width) - int(np.count_nonzero(self._seqs != NONE))

    def ask(self, seqs: Places) -> Places:
        """A question begins: the row of each of these; NONE where it has none."""
        rows = self.rows(seqs)
        self._question += 1
        self._asked[rows[rows != NONE]] = self._question
        return rows

    def cosines(self, query: Numbers, rows: Places) -> Doubles:
        """The cosine of each of these rows with a query."""
        return cosines(query, self._numbers, self._squares, rows)

    def keep(self, some: Some) -> None:
        """Keep these, none of which is here, as far as there is room; the question that is asked now asks for them."""
        width = some.numbers.shape[1]
        rows = self._room(len(some.seqs), width)
        if not len(rows):
            return
        seqs, numbers = some.seqs[: len(rows)], some.numbers[: len(rows)]
        self._numbers[rows], self._squares[rows] = numbers, squares(numbers)
        self._seqs[rows], self._asked[rows] = seqs, self._question
        if (most := int(seqs.max()) + 1) > len(self._at):
            grown = np.full(most + most // 4, NONE, np.int32)
            grown[: len(self._at)] = self._at
            self._at = grown
        self._at[seqs] = rows
        self._vaults.update(some.vaults)

    def forget(self, seqs: Collection[Seq]) -> None:
        """Let go of what these have: their texts are others now, or gone."""
        if not seqs:
            return
        with self.lock:
            there = np.array([*seqs], np.int64)
            there = there[there < len(self._at)]
            self._free(self._at[there][self._at[there] != NONE])

    def _free(self, rows: npt.NDArray[np.signedinteger]) -> None:
        self._at[self._seqs[rows]] = NONE
        self._numbers[rows], self._seqs[rows], self._asked[rows] = 0, NONE, NONE

    def _room(self, wanted: int, width: int) -> Places:
        """So many free rows, or as many as there can be."""
        most = self.most_bytes // bytes_in_memory(width)
        free = np.flatnonzero(self._seqs == NONE)
        if len(free) < wanted and len(self._seqs) < most:
            self._grow(min(most, len(self._seqs) + max(wanted - len(free), _GROWTH, len(self._seqs) // 4)), width)
            free = np.flatnonzero(self._seqs == NONE)
        if len(free) < wanted:
            others = np.flatnonzero((self._asked < self._question) & (self._seqs != NONE))
            oldest = others[np.argsort(self._asked[others], kind="stable")][: wanted - len(free)]
            self._free(oldest)
            free = np.sort(np.concatenate([free, oldest]))
        return free[:wanted]

    def _grow(self, rows: int, width: int) -> None:
        """Have so many rows in all. Nobody has a part of the arrays in hand."""
        self._numbers.resize((rows, width), refcheck=False)
        self._squares.resize(rows, refcheck=False)
        before = len(self._seqs)
        for each in (self._seqs, self._asked):
            each.resize(rows, refcheck=False)
            each[before:] = NONE
