"""Weights for some questions, by trying out a few values for one field after the other.

A search begins at its start and goes through the fields in their order: each takes that value of its grid under which
recall@10 is best, and where that is the same, MRR. It does so again until nothing changes. The values are few, and one
field is tried at a time, since the more is tried, the more of what is found is chance.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from projections.recall.bm25 import Doubles, Longs
from tests.evaluation.locomo.measures import MOST
from tests.evaluation.locomo.pools import DIGITS, SHIPPED, Pool, Weights, factors

MOST_ROUNDS = 10
_NOWHERE = 1_000_000
"""The place of what is not found."""
_LATER = 0.1**DIGITS
"""By so little what was recorded later leads: it decides between equals, and between no others."""

Quality = tuple[float, float]
"""recall@10 and MRR."""


class Search(NamedTuple):
    """Where a search for weights begins, and the values that it tries for each field."""

    start: Weights
    grid: Mapping[str, Sequence[float]]


def tune(pools: Sequence[Pool], search: Search) -> Weights:
    """The weights that a search finds for some questions."""
    places = Places(pools, search.start)
    for _ in range(MOST_ROUNDS):
        before = dict(places.weights)
        for field in places.fields:
            places.take(field, _best(places, field, search.grid[field]))
        if places.weights == before:
            break
    return places.weights


def _best(places: "Places", field: str, values: Sequence[float]) -> float:
    """Of equals, the weight that the field has, else the first."""
    tried = [places.weights[field], *values]
    return max(tried, key=lambda value: places.quality(field, value))


class Places:
    """The places at which evidence stands under some weights: by how much each other turn of its question leads it."""

    def __init__(self, pools: Sequence[Pool], weights: Weights) -> None:
        self.weights = dict(weights)
        there = [
            (number, at)
            for number, pool in enumerate(pools)
            for at, turn in enumerate(pool.turns)
            if turn in pool.evidence
        ]
        self._questions = len(pools)
        self._question, self._at = np.array(there, np.int64).reshape(-1, 2).T
        self._shares = np.array([1 / len(pools[number].evidence) for number, _ in there])
        self._first = np.flatnonzero(np.diff(self._question, prepend=-1))
        points = side_by_side(pools)
        own = points[self._question, self._at]
        self._own: Doubles = own.T
        self._leads: Doubles = np.ascontiguousarray((points[self._question] - own[:, None]).transpose(2, 0, 1))
        later = np.arange(points.shape[1]) < self._at[:, None]
        self._lead = np.tensordot(factors(weights), self._leads, 1) + np.where(later, _LATER, -_LATER)
        self.fields = [field for field, leads in zip(SHIPPED, self._leads, strict=True) if leads.any()]
        """Those that make any difference."""

    def quality(self, field: str = "turn", value: float | None = None) -> Quality:
        """How well the evidence is found, when one field weighs something else."""
        changed = self.weights if value is None else {**self.weights, field: value}
        found = factors(changed) @ self._own > 0
        places = np.where(found, (self._lead + self._difference(field, changed[field]) > 0).sum(axis=1), _NOWHERE)
        return round(self._recall10(places), DIGITS), round(self._mrr(places), DIGITS)

    def take(self, field: str, value: float) -> None:
        """From now on a field weighs so much."""
        self._lead += self._difference(field, value)
        self.weights[field] = value

    def _difference(self, field: str, value: float) -> Doubles:
        """By how much more each leads when a field weighs so much."""
        difference: Doubles = self._leads[_NUMBERS[field]] * ((value - self.weights[field]) / SHIPPED[field])
        return difference

    def _recall10(self, places: Longs) -> float:
        return float(self._shares[places < 10].sum()) / self._questions

    def _mrr(self, places: Longs) -> float:
        best = np.minimum.reduceat(places, self._first) if len(places) else places
        return float((1 / (best[best < MOST] + 1)).sum()) / self._questions


_NUMBERS = {field: number for number, field in enumerate(SHIPPED)}


def side_by_side(pools: Sequence[Pool]) -> Doubles:
    """The points of all questions in one array: questions × turns × fields, with nothing where a question has less."""
    points = np.zeros((len(pools), max((len(pool.turns) for pool in pools), default=0), len(SHIPPED)))
    for number, pool in enumerate(pools):
        points[number, : len(pool.turns)] = pool.points
    return points
