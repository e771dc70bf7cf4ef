"""What is reckoned of one part of what is open, in steps of numpy over all that is looked at."""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from projections.recall import stacked
from projections.recall.bm25 import ONE, Average, Doubles, Longs, norm_of, weigh_by_norm
from projections.recall.columns import Places, Twos
from projections.recall.corpus import NONE
from projections.recall.dated import Dates, days_of, named
from projections.recall.documents import ENDS_ASKING
from projections.recall.fields import COMMON, DATE, NEAR, OF_WORDS, REACH, TOGETHER, WEIGHTS, Counts
from projections.recall.numbers import Numbers
from projections.recall.opened import Part
from projections.recall.seeds import Allowed, Term, all_scored, best_scored, counts_in
from projections.recall.stacked import Stack


class Look(NamedTuple):
    """What is seen from a region: `around` each document of it, up to REACH before and after, in rows; all that is
    `seen` there, and of `around` where each is in that, the last for none; how often each term stands in it (documents
    × terms), and how long it is.
    """

    around: Places
    of: Places
    seen: Places
    counts: Twos
    lengths: Twos


class Reckoning:
    """One part, and the terms of one question that stand in it; `most` documents are looked at for their own words."""

    def __init__(self, part: Part, terms: Sequence[Term], counts: Counts, most: int) -> None:
        self.corpus, self.silent = part.corpus, part.silent
        self.terms = terms
        self.counts = counts
        self.most = most
        self.average = Average(counts.words, counts.documents)

    @staticmethod
    def spell(_: str) -> Numbers | None:
        """What `spelling` says is spelled like a word of letters from a to z that has this stem, ascending; None where
        it cannot be said sooner here.
        """
        return None

    @staticmethod
    def products(_: npt.NDArray[np.int8], __: npt.NDArray[np.int8], ___: Longs) -> Doubles | None:
        """What `vectors` says that a query is times the rows of a matrix at some places; None where it cannot be said
        sooner here.
        """
        return None

    @cached_property
    def _stack(self) -> Stack | None:
        """All postings, where they are few."""
        few = 0 < sum(len(each.postings.at) for each in self.terms) <= stacked.MOST
        return Stack(self.corpus, self.terms) if few else None

    def seeds(self, dates: Dates, allowed: Allowed) -> Places:
        """The documents with the highest BM25 of their own words, and their dates."""
        if not self.terms:
            return np.empty(0, np.int32)
        corpus, most = self.corpus, self.most + len(allowed.without)
        if self._stack is not None:
            found, scores = self._stack.scored(self.average)
        elif allowed.narrow or dates:  # then others may be the best than by words alone
            found, scores = all_scored(corpus, self.terms, self.average)
        else:
            found, scores = best_scored(corpus, self.terms, self.average, most)
        may = allowed(found)
        found, scores = found[may], scores[may]
        if len(found) > self.most:
            if dates:
                scores = scores + DATE * named(days_of(corpus.said[found]), dates)
            keys = (scores << 34) + corpus.seqs[found]
            found = found[np.argpartition(keys, len(keys) - self.most)[-self.most :]]
        return found

    def region(self, seeds: Places) -> Places:
        """Some places and what was said closely before and after each in the same sitting, in order."""
        return distinct(self.around(seeds, NEAR))

    def words(self, region: Places) -> Doubles | Longs:
        """The fields of words in a region: a row for each field and term, one field behind the other, and a column for
        each document.
        """
        return self._words(region, self._look(region))

    def around(self, places: Places, reach: int) -> Places:
        """What was said around each in the same sitting, up to so many before and after: rows in order, NONE for
        none.
        """
        corpus = self.corpus
        rows = np.full((2 * reach + 1, len(places)), NONE, np.int32)
        rows[reach] = before = after = places
        for step in range(1, reach + 1):
            before = np.where(corpus.joined.take(before), corpus.before.take(before), NONE)
            after = corpus.after.take(after)
            after = np.where(corpus.joined.take(after), after, NONE)
            rows[reach - step], rows[reach + step] = before, after
        return rows

    def _look(self, region: Places) -> Look:
        corpus, around = self.corpus, self.around(region, REACH)
        seen = distinct(around)
        counts = self._counts_in(seen)
        corpus.number(seen)
        lengths = np.zeros(len(seen) + 1, np.uint16)
        lengths[:-1] = corpus.lengths[seen]
        lengths[:-1][seen == self.silent] = 0
        return Look(around, corpus.slots.take(around), seen, counts, lengths)

    def _counts_in(self, seen: Places) -> Twos:
        """How often each term stands in what is seen: documents × terms, and a last row for none."""
        if self._stack is not None:
            return self._stack.counts_in(seen)
        counts = np.zeros((len(seen) + 1, len(self.terms)), np.uint16)
        for number, each in enumerate(self.terms):
            counts[:-1, number] = counts_in(each.postings, seen)
        return counts

    def _words(self, region: Places, look: Look) -> Doubles:
        """The fields of words, whole numbers."""
        before = look.around[REACH - 1]
        asked = (self.corpus.flags[before] & ENDS_ASKING != 0) & (before != NONE)
        near = slice(REACH - NEAR, REACH + NEAR + 1)
        often, long = look.counts.take(look.of, axis=0), look.lengths.take(look.of)
        windows = np.empty((len(TOGETHER), len(self.terms), len(region)))
        windows[0] = often[REACH].T
        windows[1] = often[near].sum(axis=0, dtype=np.uint16).T  # sixteen bits are enough for a window
        windows[2] = often.sum(axis=0, dtype=np.uint16).T
        lengths = np.stack([long[REACH], long[near].sum(axis=0), long.sum(axis=0)])
        on_days, of_days, day = self._days(region)
        points = np.zeros((len(OF_WORDS), len(self.terms), len(region)))  # in their order
        points[:3] = self._weigh(windows, norm_of(lengths, self.average, TOGETHER))
        norms = norm_of(of_days, Average(self.counts.words, self.counts.days))
        points[3] = self._weigh(on_days.T, norms).take(day, axis=1)
        if asked.any():
            points[4] = self._weigh((often[REACH - 1] * asked[:, None]).T, norm_of(long[REACH - 1], self.average))
        for of_field, name in zip(points, OF_WORDS, strict=True):
            if WEIGHTS[name] != ONE:
                of_field *= WEIGHTS[name] / ONE  # a quotient by a power of two is exact
                np.floor(of_field, out=of_field)
        return points.reshape(-1, len(region))

    def _weigh(self, counts: Doubles | Twos, norms: Doubles) -> Doubles:
        """What the terms give that stand so often in texts of these norms: [fields ×] terms × texts."""
        points = weigh_by_norm(counts, norms[..., None, :])
        points *= np.array([each.weight / ONE for each in self.terms])[:, None]
        return np.floor(points, out=points)

    def _days(self, region: Places) -> tuple[Doubles, Longs, Places]:
        """Of the days of a region how often each term stands in what was said on them, counted from all postings (days
        × terms), and how long that is; and which of them is whose.
        """
        numbers, lengths = self.days(region)
        return self._counts_on(numbers, len(lengths)), lengths, numbers[self.corpus.day[region]]

    def days(self, region: Places) -> tuple[Places, Longs]:
        """Numbers for the days on which a region was said, NONE for all others; and how long is what was said on each
        of these.
        """
        corpus = self.corpus
        days = distinct(corpus.day[region])
        lengths = np.array([corpus.day_words[day] for day in days.tolist()], np.int64)
        if self.silent != NONE:
            lengths[days == corpus.day[self.silent]] -= int(corpus.lengths[self.silent])
        numbers = np.full(len(corpus.day_words), NONE, np.int32)
        numbers[days] = np.arange(len(days), dtype=np.int32)
        return numbers, lengths

    def _counts_on(self, numbers: Places, days: int) -> Doubles:
        """How often each term stands in what was said on each of so many days; `numbers` says by day which it is."""
        if self._stack is not None:
            return self._stack.counts_on(numbers, days, COMMON)
        counts = np.zeros((days, len(self.terms)))
        for number, (_, postings, _, having) in enumerate(self.terms):
            if having <= COMMON:
                at = numbers[self.corpus.day[postings.at]]
                there = at != NONE
                counts[:, number] = np.bincount(at[there], postings.counts[there], days)
        return counts


def distinct(places: Places) -> Places:
    """Places in order, each once, without NONE."""
    ordered = np.sort(places, axis=None)
    new = np.empty(len(ordered), np.bool_)
    new[:1] = ordered[:1] != NONE
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]
