"""What counts for a document beside words: what is known that rests on it, and how near in meaning it is. Either counts
for what was said just before and after it too, less.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from projections.nearness import Meant
from projections.recall.bm25 import ONE, Longs
from projections.recall.columns import Places

FACT, NEAR_FACT = 1536, 512
"""By how much the BM25 of a fact counts, in 1/1024."""
MEANING, MEANING_K = 10 * ONE, 10
"""What the ranks by meaning begin to fall from, in 1/1024, and how little the first few stand out."""


class Beside(NamedTuple):
    """Of the documents of a part, by place: the BM25 of the best fact that rests on them, and how near they are."""

    facts: Mapping[int, int]
    meant: Mapping[int, Meant]

    @property
    def places(self) -> Sequence[int]:
        """Where there is any of it."""
        return [*self.facts, *self.meant]

    def fields(self, around: Places) -> dict[str, Longs]:
        """The fields of a score: an array over some documents for each. `around` are the places of what stands before
        and after each, and its own in the middle.
        """
        made: dict[str, Longs] = {}
        if self.facts:
            facts = _by_step(self.facts, around)
            made = {"fact": _own(facts) * FACT >> 10, "near fact": facts.max(axis=0) * NEAR_FACT >> 10}
        near = np.zeros(around.shape[1], np.int64)
        for name, by_item in (("meaning", False), ("fact meaning", True)):
            points = {at: worth_of_rank(each.rank) for at, each in self.meant.items() if each.by_item == by_item}
            if points:
                meanings = _by_step(points, around)
                near = np.maximum(near, meanings.max(axis=0) // 2)
                made |= {name: _own(meanings), "near meaning": near}
        return made

    def nearest(self, around: Places) -> list[tuple[int, ...]]:
        """Whose nearness counts in each of some documents: its own, and that of the nearest one around it."""
        if not self.meant:
            return [()] * around.shape[1]
        return [tuple(dict.fromkeys(self._counting(row))) for row in around.T.tolist()]

    def _counting(self, row: Sequence[int]) -> list[int]:
        there = [at for at in row if at in self.meant]
        own = [at for at in row[len(row) // 2 :][:1] if at in self.meant]
        return own + sorted(there, key=lambda at: self.meant[at].rank)[:1]


def worth_of_rank(rank: int) -> int:
    """What a rank by meaning gives, in 1/1024."""
    return MEANING * MEANING_K // (MEANING_K + rank)


def _by_step(points: Mapping[int, int], around: Places) -> Longs:
    """What is given to each document around some."""
    places, given = np.fromiter(points, np.int32, len(points)), np.fromiter(points.values(), np.int64, len(points))
    order = places.argsort()
    number = places.searchsorted(around, sorter=order)
    at = order.take(number, mode="clip")
    by_step: Longs = given.take(at) * (places.take(at) == around)
    return by_step


def _own(by_step: Longs) -> Longs:
    """What is given to each itself."""
    own: Longs = by_step[len(by_step) // 2]
    return own
