"""The postings of a question's terms in one part, laid behind one another.

Where there are few, everything is counted in some steps over all of them at once, not term by term: calling numpy takes
longer than what it then does. Where there are many, see `seeds`.
"""

from collections.abc import Sequence

import numpy as np

from projections.recall.bm25 import ONE, Average, Doubles, weigh
from projections.recall.columns import Bytes, Flags, Places, Twos
from projections.recall.corpus import NONE, Corpus
from projections.recall.seeds import Best, Term

MOST = 1 << 15
"""How many postings are taken together at the most."""


class Stack:
    """Terms that each stand somewhere in a corpus."""

    def __init__(self, corpus: Corpus, terms: Sequence[Term]) -> None:
        self._corpus = corpus
        self._terms = terms
        self._at = np.concatenate([each.postings.at for each in terms]).astype(np.int64)
        self._counts: Bytes = np.concatenate([each.postings.counts for each in terms])
        self._of = np.repeat(np.arange(len(terms)), [len(each.postings.at) for each in terms])

    def scored(self, average: Average) -> Best:
        """The score of every document that has any of the terms: what `seeds.all_scored` says, in another order."""
        at, slots = self._at, self._corpus.slots
        points = weigh(self._counts, self._corpus.lengths.take(at), average)
        points *= np.array([each.weight / ONE for each in self._terms]).take(self._of)
        np.floor(points, out=points)
        numbers = np.arange(len(at), dtype=np.int32)
        slots[at] = numbers
        last = slots.take(at)
        once = last == numbers
        return Best(at[once].astype(np.int32), np.bincount(last, points, len(at))[once].astype(np.int64))

    def counts_in(self, places: Places) -> Twos:
        """How often each term stands in each of some documents: documents × terms, and a last row of none."""
        corpus, terms = self._corpus, len(self._terms)
        corpus.number(places)
        number = np.minimum(corpus.slots.take(self._at), len(places) - 1)
        there = places.take(number) == self._at
        counts = np.zeros((len(places) + 1) * terms, np.uint16)
        counts[number[there] * terms + self._of[there]] = self._counts[there]
        return counts.reshape(-1, terms)

    def counts_on(self, numbers: Places, days: int, common: int) -> Doubles:
        """How often each term stands in what was said on each of so many days: days × terms. `numbers` says by day of
        the corpus which it is, NONE for none of them. What stands in more than `common` documents counts as if it stood
        nowhere.
        """
        number = numbers.take(self._corpus.day.take(self._at))
        there: Flags = number != NONE
        rare = np.array([each.having <= common for each in self._terms])
        if not rare.all():
            there &= rare.take(self._of)
        terms = len(self._terms)
        where = number[there] * terms + self._of[there]
        counts = np.zeros((days, terms))
        counts.ravel()[:] = np.bincount(where, self._counts[there], days * terms)
        return counts
