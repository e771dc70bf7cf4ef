"""What is reckoned of one part of what is open, by compiled loops: what `reckoning` says, sooner."""

from typing import Literal

import numpy as np

from projections.recall import kernels
from projections.recall.alphabets import LATIN, worth
from projections.recall.bm25 import K1, Average, B, Doubles, Longs, norm_of
from projections.recall.columns import Places
from projections.recall.dated import Dates
from projections.recall.documents import ENDS_ASKING
from projections.recall.fields import COMMON, NEAR, OF_WORDS, REACH, WEIGHTS
from projections.recall.numbers import Numbers
from projections.recall.reckoning import Reckoning
from projections.recall.seeds import Allowed, Term, by_bound
from projections.recall.words import LONGEST

_PRUNED_FROM = 1 << 14
"""From how many postings on it pays to look which documents can still be among the best."""
_FEW = 8
"""Up to how many times as many postings as documents are seen it is sooner to look at every one of them."""
_LENGTHS = np.arange(256)
_WANTED: tuple[Literal["C"], Literal["W"]] = ("C", "W")
"""The kind of arrays for which it is compiled: in one piece, and no view of bytes."""
_NO_UNITS, _NO_KEYS, _NO_PLACES = np.empty(0, np.bool_), np.empty(0, np.int64), np.empty(0, np.int32)
_SHARES = np.array([WEIGHTS[name] for name in OF_WORDS])


class CompiledReckoning(Reckoning):
    """One part, and the terms of one question that stand in it."""

    @staticmethod
    def spell(stem: str) -> Numbers:
        """What is spelled like a word of letters from a to z that has this stem, ascending."""
        letters = np.frombuffer(stem.encode(), np.uint8) - ord("a")
        likes = np.empty((2 * len(stem) + 1) * (kernels.LETTERS + 1), np.uint64)
        likes = likes[: kernels.spell(letters, worth(LATIN, LONGEST + 1), likes)]
        likes.sort()
        return likes

    @staticmethod
    def products(query: kernels.Small, matrix: kernels.Small, at: Longs) -> Doubles:
        """A query times the rows of a matrix at some places."""
        sums = np.empty(len(at))
        kernels.multiply(np.require(matrix, None, _WANTED), np.require(query, None, _WANTED), at, sums)
        return sums

    def seeds(self, dates: Dates, allowed: Allowed) -> Places:
        """The documents with the highest BM25 of their own words, and their dates."""
        if dates or not self.terms:
            return super().seeds(dates, allowed)
        corpus = self.corpus
        found, there = self._added(self.most + len(allowed.without), everything=allowed.narrow)
        best = np.empty(self.most, np.int32)
        speaker = -1 if allowed.speaker is None else allowed.speaker
        units = _NO_UNITS if allowed.units is None else allowed.units
        taken = kernels.take_best(
            found, there, corpus.seqs, allowed.without, corpus.speaker, speaker, corpus.unit, units,
            corpus.scores, corpus.touched, np.empty(self.most, np.int64), best,
        )  # fmt: skip
        return best[:taken]

    def _added(self, most: int, *, everything: bool) -> tuple[Places, int]:
        """Add up what the terms give: of at least so many of the best, or of everything if that is wanted. The places
        that have a sum, and how many they are.
        """
        postings = sum([len(each.postings.at) for each in self.terms])
        norms = norm_of(_LENGTHS, self.average)
        found = np.empty(min(postings, self.corpus.size), np.int32)
        if postings > _PRUNED_FROM and not everything:
            return found, self._pruned(most, norms, found)
        there = 0
        for each in self.terms:
            there = self._add(each, norms, found, there, _NO_KEYS, _NO_PLACES)
        return found, there

    def _add(self, term: Term, norms: Doubles, found: Places, there: int, keys: Longs, unused: Places) -> int:
        corpus, (at, counts, _) = self.corpus, term.postings
        return kernels.add_up(
            at, counts, corpus.lengths, norms, term.weight, corpus.scores, corpus.touched, found, there, keys, unused
        )

    def _pruned(self, most: int, norms: Doubles, found: Places) -> int:
        """Add up what the terms give, as `seeds.best_scored` does."""
        corpus = self.corpus
        bounds, terms = by_bound(self.terms, self.average)
        keys, unused = np.empty(most, np.int64), np.empty(most, np.int32)
        rest, reached, there, done = sum(bounds), -1, 0, 0
        while done < len(terms) and rest >= reached:
            rest -= bounds[done]
            tells = done + 1 < len(terms) and rest < sum(bounds[: done + 1])  # else nothing can be left out yet
            wanted = (keys, unused) if tells else (_NO_KEYS, _NO_PLACES)
            there = self._add(terms[done], norms, found, there, *wanted)
            reached = max(reached, int(keys[0])) if tells else reached
            done += 1
        for number in range(done, len(terms)):
            there = kernels.keep(reached - rest, found, there, corpus.scores, corpus.touched)
            if number == done:
                found[:there].sort()
            _, (at, counts, _), weight, _ = terms[number]
            kernels.look_up(at, counts, corpus.lengths, norms, weight, found, there, corpus.scores)
            rest -= bounds[number]
            reached = max(reached, kernels.nth_best(found[:there], corpus.scores, keys, unused))
        return there

    def region(self, seeds: Places) -> Places:
        """Some places and what was said closely before and after each in the same sitting, in order."""
        corpus = self.corpus
        region = np.empty((2 * NEAR + 1) * len(seeds), np.int32)
        there = kernels.spread(seeds, NEAR, corpus.before, corpus.after, corpus.joined, corpus.touched, region)
        region = region[:there]
        region.sort()
        return region

    def words(self, region: Places) -> Longs:
        """The fields of words in a region."""
        corpus, terms = self.corpus, len(self.terms)
        around = np.empty((len(region), 2 * REACH + 1), np.int32)
        seen = np.empty(around.size, np.int32)
        seen = seen[: kernels.look_around(
            region, REACH, corpus.before, corpus.after, corpus.joined, corpus.slots, seen, around
        )]  # fmt: skip
        days, of_days = self.days(region)
        often, on_days = np.zeros((len(seen), terms), np.uint16), np.zeros((len(of_days), terms), np.int64)
        for number, (_, (at, counts, _), _, having) in enumerate(self.terms):
            if len(at) <= _FEW * len(seen) and having <= COMMON:
                kernels.count_all(at, counts, number, corpus.slots, seen, often, corpus.day, days, on_days)
                continue
            kernels.count(at, counts, number, seen, often)
            if having <= COMMON:
                kernels.count_on_days(at, counts, number, corpus.day, days, on_days)
        lengths = corpus.lengths[seen]
        lengths[seen == self.silent] = 0
        words, texts = max(self.average.words, 1), max(self.average.texts, 1)
        fields = np.empty((len(OF_WORDS), terms, len(region)), np.int64)
        kernels.weigh_words(
            around, REACH, NEAR, often, lengths, corpus.flags[seen] & ENDS_ASKING != 0, days[corpus.day[region]],
            on_days, norm_of(of_days, Average(self.counts.words, self.counts.days)),
            float(K1 * B // 1000 * texts), float(words), np.array([each.weight for each in self.terms], np.int64),
            _SHARES, fields,
        )  # fmt: skip
        return fields.reshape(-1, len(region))
