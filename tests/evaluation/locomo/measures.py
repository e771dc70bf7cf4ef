"""How good a ranking is, by the evidence that it finds. All evidence of a question counts alike.

recall@k   |evidence among the first k| / |evidence|
MRR        1 / the place of the first evidence, 0 where none is among the first 25
nDCG@10    Σ 1 / log2(1 + place) over the evidence among the first 10, by what the best ranking would have
           (Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, 2002)
"""

from collections.abc import Iterable, Iterator, Sequence
from math import log2
from statistics import fmean, median
from typing import NamedTuple

from tests.evaluation.locomo.talks import CATEGORIES

MOST = 25
"""How many turns a ranking has at the most."""


class Scores(NamedTuple):
    """The measures of one question, or their means over several, from 0 to 1. Fields are in the order of HEADINGS."""

    recall5: float
    recall10: float
    recall25: float
    mrr: float
    ndcg10: float


HEADINGS = ("recall@5", "recall@10", "recall@25", "MRR", "nDCG@10")
RECALL10, MRR = HEADINGS.index("recall@10"), HEADINGS.index("MRR")


class Asked(NamedTuple):
    """A question that was asked: of which conversation, its category, and how its evidence was found."""

    talk: str
    category: int
    scores: Scores


class Spread(NamedTuple):
    """The least, the median and the most of a measure over conversations."""

    low: float
    middle: float
    high: float


def scores(ranked: Sequence[str], evidence: Sequence[str]) -> Scores:
    """The measures of a ranking of turns, best first. There is some evidence."""
    first5, first10, first25 = (recall(ranked, evidence, k) for k in (5, 10, MOST))
    return Scores(first5, first10, first25, reciprocal_rank(ranked, evidence), ndcg(ranked, evidence, 10))


def recall(ranked: Sequence[str], evidence: Sequence[str], k: int) -> float:
    """Which part of the evidence is among the first k."""
    return len(set(evidence) & set(ranked[:k])) / len(set(evidence))


def reciprocal_rank(ranked: Sequence[str], evidence: Sequence[str]) -> float:
    """1 by the place of the first evidence."""
    return next((1 / place for place, each in enumerate(ranked[:MOST], 1) if each in evidence), 0.0)


def ndcg(ranked: Sequence[str], evidence: Sequence[str], k: int) -> float:
    """The discounted gain of the first k, by that of the best ranking."""
    gained = sum(_gain(place) for place, each in enumerate(ranked[:k], 1) if each in evidence)
    return gained / sum(_gain(place) for place in range(1, min(k, len(set(evidence))) + 1))


def _gain(place: int) -> float:
    return 1 / log2(1 + place)


def mean(asked: Iterable[Asked]) -> Scores:
    """The means over some questions, each counting once; at least one."""
    return Scores(*map(fmean, zip(*(each.scores for each in asked), strict=True)))


def spread(asked: Sequence[Asked]) -> tuple[Spread, ...]:
    """Each measure's spread over conversations."""
    means = [mean(of) for _, of in by_talk(asked)]
    return tuple(Spread(min(values), median(values), max(values)) for values in zip(*means, strict=True))


def by_category(asked: Sequence[Asked]) -> Iterator[tuple[str, list[Asked]]]:
    """All questions, and those of each category that there are some of, by name."""
    yield "all", list(asked)
    for number, name in CATEGORIES.items():
        of = [each for each in asked if each.category == number]
        if of:
            yield name, of


def by_talk(asked: Sequence[Asked]) -> Iterator[tuple[str, list[Asked]]]:
    """The questions of each conversation."""
    for talk in dict.fromkeys(each.talk for each in asked):
        yield talk, [each for each in asked if each.talk == talk]


def lines(asked: Sequence[Asked]) -> Iterator[tuple[str, Scores]]:
    """The means of all questions, by category and by conversation."""
    for name, of in (*by_category(asked), *by_talk(asked)):
        yield name, mean(of)
