"""How well what was said answers to what is looked for.

1. The SEEDS documents with the highest BM25 of their own words and their dates (as in the table) are looked at,
   whatever a known fact rests on, and with each what was said up to NEAR before and after it in the same sitting.
2. Each of these has the sum of its fields, by the weights of the table below. Of a window the words of all its
   documents are counted together, as if they were one text; a term's idf is that of single documents throughout.
3. Ties go to what was recorded later. Of a long question the MOST_TERMS terms count that tell most.

    turn        its own words                                                       × 1
    near        those of two before and two after it, and its own                   × 1
    around      the same of seven                                                   × ¾
    day         those of all that was said in its unit on that day (UTC), but for   × ⅓
                what stands in more than COMMON documents
    reply       those of what was said just before, if that ends with a question    × 1
    fact        the words of the best item that rests on it                         × 1½
    near fact   the same of what is at most two before and after it, and its own    × ½
    date        for each of month, year and day of the month that the question names, of when it was said   16
    speaker     it is said by the one person whom the question names                3
    own         the same, and it says "I", "my" or "we"                             4
    tells when  it tells when something was, and the question asks for a time       6
    names       for each word with a capital letter within a sentence, up to three  1½
    first       nothing was said before it in that sitting                          2
    asks        it asks something itself                                            -2

The weights were found on five conversations of LoCoMo, each left out in turn, and rounded (`make eval` says what they
give): words count first, and the rest decides between what has them.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from projections.recall.bm25 import ONE, Average, Longs, idf, weights
from projections.recall.columns import Places, Postings
from projections.recall.corpus import NONE
from projections.recall.documents import ASKS, ENDS_ASKING, FIRST_PERSON, NAMES_SHIFT, TIMED
from projections.recall.opened import Part
from projections.recall.seeds import SEEDS, Allowed, Term, all_scored, best_scored, counts_in, everything

VERSION = "recall@1"
NEAR, REACH = 2, 7
WEIGHTS = {"turn": ONE, "near": ONE, "around": 768, "day": 341, "reply": ONE, "fact": 1536, "near fact": 512}
"""By how much a field's BM25 counts, in 1/1024."""
DATE, SPEAKER, OWN, TELLS_WHEN, NAMES, FIRST, ASKING = (points * ONE // 2 for points in (32, 6, 8, 12, 3, 4, -4))
"""In 1/1024."""
MOST_TERMS = 32
"""Of a long text so many terms are looked for: those that tell most."""
COMMON = 16_384
"""A word that stands in more documents tells nothing of a day."""


class Dates(NamedTuple):
    """What a question names of a date, each perhaps none."""

    months: frozenset[int] = frozenset()
    years: frozenset[int] = frozenset()
    days: frozenset[int] = frozenset()


class Question(NamedTuple):
    """What is looked for: terms, with how much each counts in 1/1024; whom it names; whether it asks for a time."""

    terms: Mapping[bytes, int]
    speaker: bytes | None = None
    dates: Dates = Dates()
    asks_when: bool = False


class Scored(NamedTuple):
    """A document by its part and place, its score in 1/1024, and what that is made of: by field, and of the
    fields of words also by term. `by_meaning` is its rank among the nearest in meaning, from 1, or 0.
    """

    part: int
    at: int
    score: int
    fields: Mapping[tuple[str, bytes], int]
    by_meaning: int = 0


class Counts(NamedTuple):
    """What is counted of all that is open: documents, their words, and days on which something was said."""

    documents: int
    words: int
    days: int


class Found(NamedTuple):
    """A term where it stands in each part, its idf times what it counts (in 1/1024), and in how many documents it
    is.
    """

    term: bytes
    postings: tuple[Postings, ...]
    weight: int
    having: int

    def in_part(self, number: int) -> Term:
        """The same for one part."""
        return Term(self.term, self.postings[number], self.weight, self.having)


def search(
    parts: Sequence[Part],
    question: Question,
    most: int,
    facts: Mapping[tuple[int, int], int] | None = None,
    allowed: Sequence[Allowed] = (),
) -> list[Scored]:
    """The best documents for a question, best first; with a score above 0 only.

    `facts` are the BM25 of the best known fact, by part and place of what it rests on. `allowed` says for each part
    which documents may be found; all of them count, whether they may be found or not.
    """
    counts = _counts(parts)
    terms = _found(parts, question, counts)
    scored: list[Scored] = []
    for number, part in enumerate(parts):
        known = {at: points for (of, at), points in (facts or {}).items() if of == number}
        found = _Scoring(part, [each.in_part(number) for each in terms], counts)
        may = allowed[number] if allowed else everything(part.corpus)
        scored += [each._replace(part=number) for each in found.best(question, known, may, most)]
    return sorted(scored, key=lambda each: (-each.score, -int(parts[each.part].corpus.seqs[each.at])))[:most]


def _counts(parts: Sequence[Part]) -> Counts:
    totals = [0, 0, 0]
    for corpus, open_units, silent in parts:
        totals[1] -= 0 if silent == NONE else int(corpus.lengths[silent])
        for at, column in enumerate((corpus.documents, corpus.words, corpus.unit_days)):
            totals[at] += sum(
                column if open_units is None else (n for n, o in zip(column, open_units, strict=False) if o)
            )
    return Counts(*totals)


def _found(parts: Sequence[Part], question: Question, counts: Counts) -> list[Found]:
    found = []
    for term, share in question.terms.items():
        postings = tuple(open_postings(part, term) for part in parts)
        having = sum(len(each.at) for each in postings)
        if having:
            found.append(Found(term, postings, idf(counts.documents, having) * share // ONE, having))
    return sorted(found, key=lambda each: (-each.weight, each.term))[:MOST_TERMS]


def open_postings(part: Part, term: bytes) -> Postings:
    """Where a term stands in what is open of a part; what stands elsewhere is dropped before anything is counted."""
    found = part.corpus.postings(term)
    if part.open is not None:
        may = part.open[part.corpus.unit[found.at]]
        found = Postings(found.at[may], found.counts[may])
    if part.silent != NONE:
        says = found.at != part.silent
        found = Postings(found.at[says], found.counts[says])
    return found


class Look(NamedTuple):
    """What is seen from a region: `around` each document of it, up to REACH before and after, in rows; all that is
    `seen` there, and of `around` where each is in that, the last for none; how often each term stands in it, and how
    long it is.
    """

    around: Places
    of: Places
    seen: Places
    counts: Longs
    lengths: Longs


class _Scoring:
    """One part, and the terms of one question in it."""

    def __init__(self, part: Part, terms: Sequence[Term], counts: Counts) -> None:
        self._corpus, self._silent = part.corpus, part.silent
        self._terms = [each for each in terms if len(each.postings.at)]
        self._counts = counts
        self._average = Average(counts.words, counts.documents)

    def best(self, question: Question, facts: Mapping[int, int], allowed: Allowed, most: int) -> list[Scored]:
        seeds = np.union1d(self._seeds(question.dates, allowed), np.array(sorted(facts), np.int32))
        if not len(seeds):
            return []
        around = self._around(seeds, NEAR)
        region = np.unique(around[around != NONE])
        region = region[allowed(region)]
        if not len(region):
            return []
        return self._scored(region, question, facts, most)

    # -- who is looked at ----------------------------------------------------------------------------------------------

    def _seeds(self, dates: Dates, allowed: Allowed) -> Places:
        """The documents with the highest BM25 of their own words, and their dates."""
        if not self._terms:
            return np.empty(0, np.int32)
        corpus, most = self._corpus, SEEDS + len(allowed.without)
        if allowed.narrow or any(dates):  # then others may be the best than by words alone
            found, scores = all_scored(corpus, self._terms, self._average)
        else:
            found, scores = best_scored(corpus, self._terms, self._average, most)
        may = allowed(found)
        found, scores = found[may], scores[may]
        if len(found) > SEEDS:
            keys = (scores + DATE * _named(corpus.said[found], dates) << 34) + corpus.seqs[found]
            found = found[np.argpartition(keys, len(keys) - SEEDS)[-SEEDS:]]
        return found

    def _around(self, places: Places, reach: int) -> Places:
        """What was said around each in the same sitting, up to so many before and after: rows in order, NONE for
        none.
        """
        corpus = self._corpus
        rows = np.full((2 * reach + 1, len(places)), NONE, np.int32)
        rows[reach] = before = after = places
        for step in range(1, reach + 1):
            before = np.where(corpus.joined[before], corpus.before[before], NONE)
            after = corpus.after[after]
            after = np.where(corpus.joined[after], after, NONE)
            rows[reach - step], rows[reach + step] = before, after
        return rows

    # -- scored --------------------------------------------------------------------------------------------------------

    def _scored(self, region: Places, question: Question, facts: Mapping[int, int], most: int) -> list[Scored]:
        corpus = self._corpus
        look = self._look(region)
        fields = self._words(region, look)
        plain = self._plain(region, question) | (self._known(look, facts) if facts else {})
        scores = sum(fields.values(), np.zeros((1, len(region)), np.int64)).sum(axis=0)
        scores = scores + sum(plain.values(), np.zeros(len(region), np.int64))
        order = np.lexsort((-corpus.seqs[region], -scores))[:most]
        return [
            Scored(0, int(region[each]), int(scores[each]), self._reasons(int(each), fields, plain))
            for each in order
            if scores[each] > 0
        ]

    def _reasons(
        self, at: int, fields: Mapping[str, Longs], plain: Mapping[str, Longs]
    ) -> dict[tuple[str, bytes], int]:
        terms = [each.term for each in self._terms]
        found = {
            (name, term): worth
            for name, points in fields.items()
            for term, worth in zip(terms, points[:, at].tolist(), strict=True)
            if worth
        }
        return found | {(name, b""): int(points[at]) for name, points in plain.items() if points[at]}

    def _look(self, region: Places) -> Look:
        around = self._around(region, REACH)
        seen = np.unique(around[around != NONE])
        counts = np.zeros((len(self._terms), len(seen) + 1), np.int64)
        for row, each in enumerate(self._terms):
            counts[row, :-1] = counts_in(each.postings, seen)
        of = np.where(around == NONE, len(seen), np.searchsorted(seen, around))
        lengths = np.append(np.where(seen == self._silent, 0, self._corpus.lengths[seen]), 0).astype(np.int64)
        return Look(around, of, seen, counts, lengths)

    def _words(self, region: Places, look: Look) -> dict[str, Longs]:
        """The fields of words: an array of terms × region for each."""
        words, texts = self._average
        before = look.around[REACH - 1]
        asked = (self._corpus.flags[before] & ENDS_ASKING != 0) & (before != NONE)
        made = {
            "turn": self._bm25(look.counts[:, look.of[REACH]], look.lengths[look.of[REACH]], self._average),
            "near": self._window(look, NEAR, Average(words * (2 * NEAR + 1), texts)),
            "around": self._window(look, REACH, Average(words * (2 * REACH + 1), texts)),
            "day": self._days(region),
            "reply": self._bm25(look.counts[:, look.of[REACH - 1]], look.lengths[look.of[REACH - 1]], self._average)
            * asked,
        }
        return {name: points * WEIGHTS[name] >> 10 for name, points in made.items()}

    def _window(self, look: Look, reach: int, average: Average) -> Longs:
        """BM25 of what was said up to so many before and after, as if it were one text."""
        rows = look.of[REACH - reach : REACH + reach + 1]
        counts, lengths = look.counts[:, rows[0]], look.lengths[rows[0]]
        for row in rows[1:]:
            counts, lengths = counts + look.counts[:, row], lengths + look.lengths[row]
        return self._bm25(counts, lengths, average)

    def _known(self, look: Look, facts: Mapping[int, int]) -> dict[str, Longs]:
        """The fields of facts: an array over the region for each."""
        points = np.zeros(len(look.seen) + 1, np.int64)
        for at, worth in facts.items():
            points[np.flatnonzero(look.seen == at)] = worth
        by_step = points[look.of[REACH - NEAR : REACH + NEAR + 1]]
        made = {"fact": by_step[NEAR], "near fact": by_step.max(axis=0)}
        return {name: worth * WEIGHTS[name] >> 10 for name, worth in made.items()}

    def _days(self, region: Places) -> Longs:
        """The field of the day: what was said on it is counted from all postings."""
        corpus = self._corpus
        days, of = np.unique(corpus.day[region], return_inverse=True)
        slots = np.full(len(corpus.day_words), NONE, np.int32)
        slots[days] = np.arange(len(days), dtype=np.int32)
        counts = np.zeros((len(self._terms), len(days)), np.int64)
        for row, (_, postings, _, having) in enumerate(self._terms):
            if having <= COMMON:
                at = slots[corpus.day[postings.at]]
                there = at != NONE
                counts[row] = np.bincount(at[there], postings.counts[there], len(days))
        lengths = np.array([corpus.day_words[day] for day in days.tolist()], np.int64)
        if self._silent != NONE:
            lengths[days == corpus.day[self._silent]] -= int(corpus.lengths[self._silent])
        return self._bm25(counts, lengths, Average(self._counts.words, self._counts.days))[:, of]

    def _bm25(self, counts: Longs, lengths: Longs, average: Average) -> Longs:
        idfs = np.array([each.weight for each in self._terms], np.int64)
        return idfs[:, None] * weights(counts, lengths[None, :], average) >> 10

    def _plain(self, region: Places, question: Question) -> dict[str, Longs]:
        """The fields that are no words: an array over the region for each."""
        corpus = self._corpus
        flags = corpus.flags[region]
        speaker = NONE if question.speaker is None else corpus.speakers.find(question.speaker)
        theirs = (corpus.speaker[region] == speaker) & (speaker != NONE)
        return {
            "date": DATE * _named(corpus.said[region], question.dates),
            "speaker": np.where(theirs, SPEAKER, 0),
            "own": np.where(theirs & (flags & FIRST_PERSON != 0), OWN, 0),
            "tells when": np.where((flags & TIMED != 0) & question.asks_when, TELLS_WHEN, 0),
            "names": NAMES * (flags.astype(np.int64) >> NAMES_SHIFT),
            "first": np.where(corpus.joined[region], 0, FIRST),
            "asks": np.where(flags & ASKS, ASKING, 0),
        }


def _named(said: Longs, dates: Dates) -> Longs:
    """How many of month, year and day of the month a question names of when each was said (ms), in UTC."""
    if not any(dates):
        return np.zeros(len(said), np.int64)
    days = said.astype("datetime64[ms]").astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    parts = (
        (months.astype(np.int64) % 12 + 1, dates.months),
        (days.astype("datetime64[Y]").astype(np.int64) + 1970, dates.years),
        ((days - months).astype(np.int64) + 1, dates.days),
    )
    return sum((np.isin(of, list(named)).astype(np.int64) for of, named in parts), np.zeros(len(said), np.int64))
