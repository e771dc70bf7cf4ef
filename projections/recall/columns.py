"""What the documents of a zone come as from disk: columns, and where a term stands in them."""

from collections.abc import Callable, Sequence, Set
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from projections.ids import EventId, Handle
from projections.recall.numbers import Numbers
from projections.recall.words import MOST_COUNTED

Longs = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
Twos = npt.NDArray[np.uint16]
Flags = npt.NDArray[np.bool_]


class Columns(NamedTuple):
    """Documents as columns, by seq: see `recall_rows`. Units and speakers are numbers of names that stand elsewhere."""

    seqs: Longs
    ids: Longs
    said: Longs
    lengths: Bytes
    flags: Bytes
    units: Places
    speakers: Places


NO_COLUMNS = Columns(
    np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint8), np.empty(0, np.uint8),
    np.empty(0, np.int32), np.empty(0, np.int32),
)  # fmt: skip


class Peak(NamedTuple):
    """What no document goes beyond in which a term stands: no count is greater, and no length less. It may be further
    than any of them goes: of those that are gone it is not taken back.
    """

    most: int = MOST_COUNTED
    shortest: int = 0

    def with_more(self, most: int, shortest: int) -> "Peak":
        """The same with more documents: what none of these goes beyond."""
        return Peak(max(self.most, most), min(self.shortest, shortest))


NO_PEAK = Peak(0, 255)
"""That of no documents."""


class Raised(NamedTuple):
    """Where some terms stand on disk, one behind the other: the seqs, of each term ascending, and how often; where each
    ends, and its peak.
    """

    seqs: Longs
    counts: Bytes
    ends: Sequence[int]
    peaks: Sequence[Peak]


class Postings(NamedTuple):
    """Where a term stands: places in the arrays, and how often."""

    at: Places
    counts: Bytes
    peak: Peak = Peak()


def nowhere(terms: Sequence[bytes]) -> Raised:
    """No postings of any."""
    return Raised(np.empty(0, np.int64), np.empty(0, np.uint8), [0] * len(terms), [NO_PEAK] * len(terms))


def none_of(_: Numbers) -> Set[bytes]:
    """They stand nowhere."""
    return frozenset()


def untold(_: Sequence[bytes]) -> None:
    """Nobody wants to know."""


class Sealed(NamedTuple):
    """What lies on disk of a zone: its documents, the names behind the numbers, where some terms stand in them, and
    which of some terms, given as numbers, do anywhere, which is told faster. `tell` is told which do since.
    """

    columns: Columns = NO_COLUMNS
    units: Sequence[bytes] = ()
    speakers: Sequence[Handle] = ()
    postings: Callable[[Sequence[bytes]], Raised] = nowhere
    standing: Callable[[Numbers], Set[bytes]] = none_of
    tell: Callable[[Sequence[bytes]], None] = untold


def short_id(event: EventId) -> int:
    """The last eight bytes of an id as a number."""
    return int.from_bytes(event[-8:], "big", signed=True)
