"""Weights for some questions, under which their evidence is most likely.

Say that a turn is drawn from each pool, with a chance as e to its score: the weights are those that would draw what is
evidence most likely, every question counting once (McFadden, Conditional logit analysis of qualitative choice behavior,
1974; of rankings: Cao et al., Learning to rank: from pairwise approach to listwise approach, 2007). There are no values
to try, and nothing to begin from: the likelihood has one top, and Newton's steps lead there. A question more or less
moves it a little, while recall@10, which a search (`tuning`) climbs, is made of steps, and where that stops is half
chance.
"""

from collections.abc import Sequence

import numpy as np

from projections.recall.bm25 import ONE, Doubles
from tests.evaluation.locomo.pools import SHIPPED, Pool, Weights
from tests.evaluation.locomo.tuning import side_by_side

MOST_STEPS = 50
ENOUGH = 1e-9
"""What another step has to gain, by the question."""
HELD = 1e-3
"""How strongly a field is held to nothing, by the square of its weight and the question: one that tells nothing stays
there, and one of which a few questions tell does not run away.
"""


def fit(pools: Sequence[Pool]) -> Weights:
    """The weights for some questions. What matters is how they compare: `turn` weighs 1, if it weighs for anything."""
    likelihood = Likelihood(pools)
    factors = np.zeros(len(SHIPPED))
    reached = likelihood.at(factors)
    for _ in range(MOST_STEPS):
        step = likelihood.step(factors)
        after = likelihood.at(factors + step)
        while after < reached and np.abs(step).max() > ENOUGH:
            step = step / 2
            after = likelihood.at(factors + step)
        if after - reached < ENOUGH:
            break
        factors, reached = factors + step, after
    weights = dict(zip(SHIPPED, (factors * list(SHIPPED.values())).tolist(), strict=True))
    unit = weights["turn"] if weights["turn"] > 0 else 1
    return {field: weight / unit for field, weight in weights.items()}


class Likelihood:
    """How likely it is that what is drawn is evidence, by what the points of every field are multiplied with: the mean
    of the logarithm over the questions that have any among their turns, less what holds the fields.
    """

    def __init__(self, pools: Sequence[Pool]) -> None:
        there = [pool for pool in pools if not set(pool.evidence).isdisjoint(pool.turns)]
        self._points = side_by_side(there) / ONE
        self._is_turn = np.arange(self._points.shape[1]) < np.array([len(pool.turns) for pool in there])[:, None]
        self._shares = np.zeros(self._is_turn.shape)
        for shares, pool in zip(self._shares, there, strict=True):
            found = [turn in pool.evidence for turn in pool.turns]
            shares[: len(found)] = np.array(found) / len(set(pool.evidence))
        self._questions = max(len(there), 1)

    def at(self, factors: Doubles) -> float:
        """How likely it is, as a logarithm."""
        found = (self._shares * self._logarithms(factors)).sum() / self._questions
        return float(found - HELD * factors @ factors / 2)

    def step(self, factors: Doubles) -> Doubles:
        """Where Newton's method goes from there."""
        fields = len(factors)
        chances = np.exp(self._logarithms(factors)) * self._is_turn
        drawn = chances * self._shares.sum(axis=1, keepdims=True)
        slope = np.tensordot(self._shares - drawn, self._points, 2) / self._questions - HELD * factors
        means = np.einsum("qt,qtf->qf", chances, self._points)
        spread = (self._points - means[:, None]).reshape(-1, fields)
        bend = (spread * drawn.reshape(-1, 1)).T @ spread / self._questions + HELD * np.eye(fields)
        step: Doubles = np.linalg.solve(bend, slope)
        return step

    def _logarithms(self, factors: Doubles) -> Doubles:
        """Of the chances of all turns; 0 where there is none."""
        scores = np.where(self._is_turn, self._points @ factors, -np.inf)
        scores = scores - scores.max(axis=1, keepdims=True, initial=-np.inf)
        logarithms: Doubles = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return np.where(self._is_turn, logarithms, 0)
