"""What recall finds for a question with the points of every field, so that it can be ranked under other weights without
being asked again: a field's points are its weight times what it counts, so that another weight is a factor of them.

Which documents are looked at does not change with the weights: that depends on the words of single turns and on dates
(`projections.recall.seeds`), and on what is near in meaning.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from projections.recall.beside import FACT, MEANING, NEAR_FACT
from projections.recall.bm25 import ONE, Doubles
from projections.recall.fields import ASKING, DATE, DATED, FIRST, NAMES, OWN, SPEAKER, TELLS_WHEN, WEIGHTS
from projections.recall.search import Said
from projections.recall.seeds import SEEDS
from tests.evaluation.locomo.measures import MOST, Asked, scores
from tests.evaluation.locomo.rankings import Progress, Recall
from tests.evaluation.locomo.talks import Question, Talk

DEEP = 200
"""How many hits are asked for, so that other weights have something to choose from."""
SHIPPED: Mapping[str, float] = {
    name: weight / ONE
    for name, weight in {
        **WEIGHTS,
        "fact": FACT,
        "near fact": NEAR_FACT,
        "date": DATE,
        "dated": DATED,
        "speaker": SPEAKER,
        "own": OWN,
        "tells when": TELLS_WHEN,
        "names": NAMES,
        "first": FIRST,
        "asks": ASKING,
        "meaning": MEANING,
        "fact meaning": MEANING,
        "near meaning": MEANING // 2,
    }.items()
}
"""The weights of all fields. Those of meaning give points only where there is an encoder."""
DIGITS = 6
"""Scores under other weights are no whole numbers: those that differ by less are equal."""
Weights = Mapping[str, float]
"""What each field of SHIPPED weighs instead."""


class Hit(NamedTuple):
    """A turn that was found: its id in the file, its score and seq, and its points by field, in 1/1024."""

    turn: str
    score: int
    seq: int
    points: Mapping[str, int]

    @property
    def order(self) -> tuple[int, int]:
        """What is better has a greater one."""
        return self.score, self.seq


class Pool(NamedTuple):
    """What may be ranked for a question. `turns` are in the order in which ties go; `points` has a row for each of them
    and a column for each field of SHIPPED.
    """

    talk: str
    category: int
    evidence: tuple[str, ...]
    turns: tuple[str, ...]
    points: Doubles


def pools(recall: Recall, talks: Sequence[Talk], progress: Progress) -> list[Pool]:
    """What may be ranked for each question."""
    found: list[Pool] = []
    for talk in talks:
        for number, question in enumerate(talk.questions):
            hits = looked_at(partial(_hits, recall, talk, number, question))
            found.append(pool_of(talk.key, question, hits))
            progress(len(found))
    return found


def _hits(recall: Recall, talk: Talk, number: int, question: Question, most: int) -> list[Hit]:
    return [_hit(turn, said) for turn, said in recall.hits(talk, number, question, most)]


def _hit(turn: str, said: Said) -> Hit:
    points = dict.fromkeys(SHIPPED, 0)
    for (field, _), given in said.fields.items():
        points[field] += given
    return Hit(turn, said.score, said.seq, points)


def looked_at(ask: Callable[[int], list[Hit]]) -> list[Hit]:
    """The best SEEDS as they are found when no more are asked for, and what stands behind the last of them when DEEP
    are. Who asks for more than SEEDS has more looked at: what comes of that further up is not found as shipped.
    """
    best = ask(SEEDS)
    if len(best) < SEEDS:
        return best
    return best + [each for each in ask(DEEP) if each.order < best[-1].order]


def pool_of(talk: str, question: Question, hits: Sequence[Hit]) -> Pool:
    """The hits as numbers."""
    latest_first = sorted(hits, key=lambda hit: -hit.seq)
    points = [[hit.points[field] for field in SHIPPED] for hit in latest_first]
    turns = tuple(hit.turn for hit in latest_first)
    return Pool(talk, question.category, question.evidence, turns, np.array(points, float).reshape(-1, len(SHIPPED)))


def factors(weights: Weights) -> Doubles:
    """By what the points of each field are multiplied when it weighs so much."""
    return np.array([weights[field] / SHIPPED[field] for field in SHIPPED])


def ranked(pool: Pool, weights: Weights) -> list[str]:
    """The turns under other weights, best first, as `Recall.ranker` ranks them under those that are shipped."""
    points = np.round(pool.points @ factors(weights), DIGITS)
    order = np.argsort(-points, kind="stable")[:MOST]
    return [pool.turns[at] for at in order.tolist() if points[at] > 0]


def asked_of(pool: Pool, weights: Weights) -> Asked:
    """How a question's evidence is found under other weights."""
    return Asked(pool.talk, pool.category, scores(ranked(pool, weights), pool.evidence))
