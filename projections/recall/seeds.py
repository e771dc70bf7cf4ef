"""Which documents are looked at: those with the highest BM25 of their own words, without scoring all that have any.

Terms are taken from the one that can count most to the one that can count least. As soon as what the rest can add up to
is less than what the best SEEDS have by now, nothing that has none of the terms so far can be among them any more, and
the rest is only looked up for those that still can (MaxScore: Turtle and Flood, Query evaluation: strategies and
optimizations, 1995). So a common word costs little, and these are the same as if all had been scored. Who asks for
more than SEEDS has more of them looked at, so that there may be others among the first: a search by hand looks deeper
than a prompt.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from projections.recall.bm25 import Average, Longs, weights
from projections.recall.columns import Flags, Places, Postings
from projections.recall.corpus import Corpus

SEEDS = 40
"""Of LoCoMo's questions as much is found with these as with 64 or 96, also where all of its conversations are one."""
_TABLE_FROM = 4096
"""From how many postings on weights are looked up in a table."""


class Term(NamedTuple):
    """A term of a question in one part: where it stands, its idf times what it counts (in 1/1024), and how many
    documents of all that are open have it.
    """

    term: bytes
    postings: Postings
    weight: int
    having: int


class Allowed(NamedTuple):
    """Which documents of a corpus may be found; all of them are counted. `without` are places that may not; by
    `speaker` and `units` it is narrowed to what one person said, and to some units (by number, with False for none).
    """

    corpus: Corpus
    without: Places
    speaker: int | None = None
    units: Flags | None = None

    @property
    def narrow(self) -> bool:
        """Whether most may not be found."""
        return self.speaker is not None or self.units is not None

    def __call__(self, places: Places) -> Flags:
        touched = self.corpus.touched
        touched[self.without] = True
        may: Flags = ~touched[places]
        touched[self.without] = False
        if self.speaker is not None:
            may &= self.corpus.speaker[places] == self.speaker
        if self.units is not None:
            may &= self.units[self.corpus.unit[places]]
        return may


def everything(corpus: Corpus) -> Allowed:
    """All of a corpus may be found."""
    return Allowed(corpus, np.empty(0, np.int32))


class Best(NamedTuple):
    """Documents by place, and their scores in 1/1024."""

    places: Places
    scores: Longs


def all_scored(corpus: Corpus, terms: Sequence[Term], average: Average) -> Best:
    """The score of every document that has any of the terms."""
    sums = _Sums(corpus, average)
    for each in terms:
        sums.add(each)
    return sums.taken()


def best_scored(corpus: Corpus, terms: Sequence[Term], average: Average, most: int) -> Best:
    """The same, of at least so many of the best."""
    bounds, ordered = by_bound(terms, average)
    rest, reached, done = sum(bounds), 0, 0
    sums = _Sums(corpus, average)
    while done < len(ordered) and rest >= reached:
        scores = sums.add(ordered[done])
        rest -= bounds[done]
        done += 1
        if len(scores) >= most:
            reached = max(reached, _nth(scores, most))
    best = sums.taken()
    for most_of, each in zip(bounds[done:], ordered[done:], strict=True):
        best = _still(best, rest, most)
        best.scores[:] += _looked_up(corpus, each, best.places, average)
        rest -= most_of
    return best


class _Sums:
    """What is added up in a corpus, term by term."""

    def __init__(self, corpus: Corpus, average: Average) -> None:
        self._corpus = corpus
        self._average = average
        self._places: list[Places] = []

    def add(self, term: Term) -> Longs:
        """Add what a term gives; the sums so far where it stands."""
        at, scores, touched = term.postings.at, self._corpus.scores, self._corpus.touched
        self._places.append(at[~touched[at]])
        touched[at] = True
        summed: Longs = scores[at] + _points(self._corpus, term, self._average)
        scores[at] = summed
        return summed

    def taken(self) -> Best:
        """The sums, by place; nothing of them is left behind for the next search."""
        places = np.concatenate(self._places)
        best = Best(places, self._corpus.scores[places].astype(np.int64))
        self._corpus.scores[places] = 0
        self._corpus.touched[places] = False
        return best


def _still(best: Best, rest: int, most: int) -> Best:
    """Those that can still be among the best when as much is added to them."""
    if len(best.places) <= most:
        return best
    there = best.scores + rest >= _nth(best.scores, most)
    return Best(best.places[there], best.scores[there])


def _nth(scores: Longs, most: int) -> int:
    return int(np.partition(scores, len(scores) - most)[len(scores) - most])


def by_bound(terms: Sequence[Term], average: Average) -> tuple[list[int], list[Term]]:
    """What each term gives at the most, from the one that can give most to the one that can give least; and the terms.

    It is what a term gave if it stood most often where the text is shortest, as its postings say of themselves: none of
    them is looked at for it.
    """
    most, shortest = np.array([each.postings.peak for each in terms]).T
    bounds = np.array([each.weight for each in terms]) * weights(most, shortest, average) >> 10
    order = np.argsort(-bounds, kind="stable").tolist()
    return bounds[order].tolist(), [terms[number] for number in order]


def _points(corpus: Corpus, term: Term, average: Average) -> Longs:
    """What a term gives to each document where it stands."""
    counts, lengths = term.postings.counts, corpus.lengths[term.postings.at]
    if len(counts) < _TABLE_FROM:
        return term.weight * weights(counts, lengths, average) >> 10
    most = term.postings.peak.most + 1
    table = term.weight * weights(np.arange(most)[:, None], np.arange(256)[None, :], average).ravel() >> 10
    points: Longs = table[counts.astype(np.int32) << 8 | lengths]
    return points


def _looked_up(corpus: Corpus, term: Term, places: Places, average: Average) -> Longs:
    """The same for some documents, most of which have it not."""
    counts = counts_in(term.postings, places)
    there = counts > 0
    points = np.zeros(len(places), np.int64)
    points[there] = term.weight * weights(counts[there], corpus.lengths[places[there]], average) >> 10
    return points


def counts_in(postings: Postings, places: Places) -> Longs:
    """How often a term stands in each of some documents."""
    if not len(postings.at):
        return np.zeros(len(places), np.int64)
    found = np.minimum(np.searchsorted(postings.at, places), len(postings.at) - 1)
    counts: Longs = np.where(postings.at[found] == places, postings.counts[found], 0).astype(np.int64)
    return counts
