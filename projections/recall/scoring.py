"""How well what was said answers to what is looked for.

1. The SEEDS documents with the highest BM25 of their own words and their dates (as in the table) are looked at,
   whatever a known fact rests on or is near in meaning, and of what is `dated` as many: first what the one person said
   whom the question names, then what was recorded last. With each what was said up to NEAR before and after it in the
   same sitting.
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
    dated       it was said at all that the question names of a date, if that has a day of the month, or if nowhere 1
                stands any word that is looked for
    speaker     it is said by the one person whom the question names                3
    own         the same, and it says "I", "my" or "we"                             4
    tells when  it tells when something was, and the question asks for a time       6
    names       for each word with a capital letter within a sentence, up to three  1½
    first       nothing was said before it in that sitting                          2
    asks        it asks something itself                                            -2

    meaning, fact meaning   it is near in meaning, or the nearest item that rests on it     10 · 10 ÷ (10 + rank)
    near meaning            the same of what is at most two before and after it, and its own                  × ½

The weights were found on five conversations of LoCoMo, each left out in turn, and rounded (`make eval` says what they
give): words count first, and the rest decides between what has them.
"""

from collections.abc import ItemsView, Iterator, Mapping, Sequence
from itertools import compress
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from projections.nearness import Meant
from projections.recall import stacked
from projections.recall.beside import Beside
from projections.recall.bm25 import ONE, Average, Doubles, Longs, idf, norm_of, weigh_by_norm
from projections.recall.columns import Flags, Places, Postings, Twos
from projections.recall.corpus import NONE
from projections.recall.documents import ASKS, ENDS_ASKING, FIRST_PERSON, NAMES_SHIFT, TIMED
from projections.recall.opened import Part
from projections.recall.seeds import SEEDS, Allowed, Term, all_scored, best_scored, counts_in, everything
from projections.recall.stacked import Stack
from projections.recall.standing import TermsIn

T = TypeVar("T")
VERSION = "recall@2"
NEAR, REACH = 2, 7
_NEARBY = slice(REACH - NEAR, REACH + NEAR + 1)
"""Of what is seen up to REACH before and after, what is up to NEAR."""
_OF_WORDS = ("turn", "near", "around", "day", "reply")
"""The fields of words, in the order in which they are reckoned."""
_TOGETHER = np.array([[1.0], [2 * NEAR + 1.0], [2 * REACH + 1.0]])
"""Of how many texts the words are counted together in the first three of them."""
WEIGHTS = {"turn": ONE, "near": ONE, "around": 768, "day": 341, "reply": ONE}
"""By how much a field's BM25 counts, in 1/1024."""
DATE, DATED, SPEAKER, OWN, TELLS_WHEN = (points * ONE for points in (16, 1, 3, 4, 6))
NAMES, FIRST, ASKING = (points * ONE // 2 for points in (3, 4, -4))
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
    fields of words also by term. `nearest` are the places whose nearness in meaning counts in it: its own, and the
    nearest one beside it.
    """

    part: int
    at: int
    score: int
    fields: Mapping[tuple[str, bytes], int]
    nearest: tuple[int, ...] = ()


class Fields(Mapping[tuple[str, bytes], int]):
    """What a score is made of, by field and term, without what gives nothing: `points` are of all `names`, in order. It
    is looked up as it lies, since of most nobody asks for more than the first.
    """

    __slots__ = ("_names", "_points")

    def __init__(self, names: Sequence[tuple[str, bytes]], points: Sequence[int]) -> None:
        self._names = names
        self._points = points

    def __getitem__(self, name: tuple[str, bytes]) -> int:
        return dict(self.items())[name]

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        return compress(self._names, self._points)

    def __len__(self) -> int:
        return len(self._points) - self._points.count(0)

    def items(self) -> ItemsView[tuple[str, bytes], int]:
        return dict(each for each in zip(self._names, self._points, strict=True) if each[1]).items()


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
    there: TermsIn,
    question: Question,
    most: int,
    facts: Mapping[tuple[int, int], int] | None = None,
    allowed: Sequence[Allowed] = (),
    meant: Mapping[tuple[int, int], Meant] | None = None,
) -> list[Scored]:
    """The best documents for a question, best first; with a score above 0 only.

    `facts` are the BM25 of the best known fact, by part and place of what it rests on, and `meant` is what is near in
    meaning. `allowed` says for each part which documents may be found; all of them count, whether they may be found or
    not.
    """
    parts = there.parts
    counts = _counts(parts)
    terms = _found(there, question, counts)
    scored: list[Scored] = []
    for number, part in enumerate(parts):
        beside = Beside(_in_part(number, facts or {}), _in_part(number, meant or {}))
        found = _Scoring(part, [each.in_part(number) for each in terms], counts, by_date=_is_by_date(question, terms))
        may = allowed[number] if allowed else everything(part.corpus)
        scored += [each._replace(part=number) for each in found.best(question, beside, may, most)]
    return sorted(scored, key=lambda each: (-each.score, -int(parts[each.part].corpus.seqs[each.at])))[:most]


def _in_part(number: int, found: Mapping[tuple[int, int], T]) -> dict[int, T]:
    return {at: each for (of, at), each in found.items() if of == number}


def _counts(parts: Sequence[Part]) -> Counts:
    totals = [0, 0, 0]
    for corpus, open_units, silent in parts:
        if silent != NONE and (open_units is None or open_units[corpus.unit[silent]]):
            totals[0] -= 1
            totals[1] -= int(corpus.lengths[silent])
            totals[2] -= corpus.day_documents[corpus.day[silent]] == 1
        for at, column in enumerate((corpus.documents, corpus.words, corpus.unit_days)):
            totals[at] += sum(
                column if open_units is None else (n for n, o in zip(column, open_units, strict=False) if o)
            )
    return Counts(*totals)


def _found(there: TermsIn, question: Question, counts: Counts) -> list[Found]:
    found = []
    for term, share in question.terms.items():
        postings = there.postings(term)
        having = sum(len(each.at) for each in postings)
        if having:
            found.append(Found(term, postings, idf(counts.documents, having) * share // ONE, having))
    return sorted(found, key=lambda each: (-each.weight, each.term))[:MOST_TERMS]


def _is_by_date(question: Question, terms: Sequence[Found]) -> bool:
    """Whether something is found for having been said at a date: a month or a year has too much of it, beside words."""
    return bool(question.dates.days) or (any(question.dates) and not terms)


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


class _Scoring:
    """One part, and the terms of one question in it."""

    def __init__(self, part: Part, terms: Sequence[Term], counts: Counts, *, by_date: bool) -> None:
        self._corpus, self._silent, self._open = part.corpus, part.silent, part.open
        self._by_date = by_date
        self._terms = [each for each in terms if len(each.postings.at)]
        self._counts = counts
        self._average = Average(counts.words, counts.documents)
        few = 0 < sum(len(each.postings.at) for each in self._terms) <= stacked.MOST
        self._stack = Stack(part.corpus, self._terms) if few else None

    def best(self, question: Question, beside: Beside, allowed: Allowed, most: int) -> list[Scored]:
        seeds = self._seeds(question.dates, allowed)
        if self._by_date:
            seeds = _distinct(np.concatenate([seeds, self._dated(question, allowed)]))
        if beside.places:
            seeds = _distinct(np.concatenate([seeds, np.array(beside.places, np.int32)]))
        if not len(seeds):
            return []
        region = _distinct(self._around(seeds, NEAR))
        region = region[allowed(region)]
        if not len(region):
            return []
        return self._scored(region, question, beside, most)

    # -- who is looked at ----------------------------------------------------------------------------------------------

    def _seeds(self, dates: Dates, allowed: Allowed) -> Places:
        """The documents with the highest BM25 of their own words, and their dates."""
        if not self._terms:
            return np.empty(0, np.int32)
        corpus, most = self._corpus, SEEDS + len(allowed.without)
        if self._stack is not None:
            found, scores = self._stack.scored(self._average)
        elif allowed.narrow or any(dates):  # then others may be the best than by words alone
            found, scores = all_scored(corpus, self._terms, self._average)
        else:
            found, scores = best_scored(corpus, self._terms, self._average, most)
        may = allowed(found)
        found, scores = found[may], scores[may]
        if len(found) > SEEDS:
            if any(dates):
                scores = scores + DATE * _named(corpus.said[found], dates)
            keys = (scores << 34) + corpus.seqs[found]
            found = found[np.argpartition(keys, len(keys) - SEEDS)[-SEEDS:]]
        return found

    def _dated(self, question: Question, allowed: Allowed) -> Places:
        """The last of what was said at the date, first of all what the one person said who is named."""
        corpus = self._corpus
        named = _named_of(corpus.dates().astype("datetime64[D]"), question.dates)
        found: Places = corpus.on_days(named == _most(question.dates))
        found = found[(found != self._silent) & allowed(found)]
        if self._open is not None:
            found = found[self._open.take(corpus.unit.take(found))]
        if len(found) > SEEDS:
            keys = corpus.seqs[found] + (self._theirs(found, question).astype(np.int64) << 62)
            found = found[np.argpartition(keys, len(keys) - SEEDS)[-SEEDS:]]
        return found

    def _theirs(self, places: Places, question: Question) -> Flags:
        """Which of some documents the one person said who is named."""
        speaker = NONE if question.speaker is None else self._corpus.speakers.find(question.speaker)
        theirs: Flags = self._corpus.speaker[places] == speaker
        return theirs if speaker != NONE else np.zeros(len(places), np.bool_)

    def _around(self, places: Places, reach: int) -> Places:
        """What was said around each in the same sitting, up to so many before and after: rows in order, NONE for
        none.
        """
        corpus = self._corpus
        rows = np.full((2 * reach + 1, len(places)), NONE, np.int32)
        rows[reach] = before = after = places
        for step in range(1, reach + 1):
            before = np.where(corpus.joined.take(before), corpus.before.take(before), NONE)
            after = corpus.after.take(after)
            after = np.where(corpus.joined.take(after), after, NONE)
            rows[reach - step], rows[reach + step] = before, after
        return rows

    # -- scored --------------------------------------------------------------------------------------------------------

    def _scored(self, region: Places, question: Question, beside: Beside, most: int) -> list[Scored]:
        corpus = self._corpus
        look = self._look(region)
        fields = self._words(region, look)
        plain = self._plain(region, question) | beside.fields(look.seen, look.of[_NEARBY])
        scores: Longs = fields.sum(axis=0).astype(np.int64)
        for points in plain.values():
            scores += points
        order = np.lexsort((-corpus.seqs[region], -scores))[:most]
        order = order[scores[order] > 0]
        reasons = self._reasons(order, fields, plain)
        nearest = beside.nearest(look.around[_NEARBY, order])
        best = zip(region[order].tolist(), scores[order].tolist(), reasons, nearest, strict=True)
        return [Scored(0, *each) for each in best]

    def _reasons(self, order: Longs, fields: Doubles, plain: Mapping[str, Longs]) -> list["Fields"]:
        """What the scores of some of a region are made of."""
        names = [(name, each.term) for name in _OF_WORDS for each in self._terms]
        names += [(field, b"") for field in plain]
        points = np.empty((len(order), len(names)), np.int64)
        words = len(names) - len(plain)
        points[:, :words] = fields[:, order].T
        for at, of in enumerate(plain.values(), words):
            points[:, at] = of[order]
        return [Fields(names, each) for each in points.tolist()]

    def _look(self, region: Places) -> Look:
        corpus, around = self._corpus, self._around(region, REACH)
        seen = _distinct(around)
        counts = self._counts_in(seen)
        corpus.number(seen)
        lengths = np.zeros(len(seen) + 1, np.uint16)
        lengths[:-1] = corpus.lengths[seen]
        lengths[:-1][seen == self._silent] = 0
        return Look(around, corpus.slots.take(around), seen, counts, lengths)

    def _counts_in(self, seen: Places) -> Twos:
        """How often each term stands in what is seen: documents × terms, and a last row for none."""
        if self._stack is not None:
            return self._stack.counts_in(seen)
        counts = np.zeros((len(seen) + 1, len(self._terms)), np.uint16)
        for number, each in enumerate(self._terms):
            counts[:-1, number] = counts_in(each.postings, seen)
        return counts

    def _words(self, region: Places, look: Look) -> Doubles:
        """The fields of words, whole numbers: a row for each field and term, one behind the other, and a column for
        each of the region.
        """
        before = look.around[REACH - 1]
        asked = (self._corpus.flags[before] & ENDS_ASKING != 0) & (before != NONE)
        often, long = look.counts.take(look.of, axis=0), look.lengths.take(look.of)
        windows = np.empty((len(_TOGETHER), len(self._terms), len(region)))
        windows[0] = often[REACH].T
        windows[1] = often[_NEARBY].sum(axis=0, dtype=np.uint16).T  # sixteen bits are enough for a window
        windows[2] = often.sum(axis=0, dtype=np.uint16).T
        lengths = np.stack([long[REACH], long[_NEARBY].sum(axis=0), long.sum(axis=0)])
        on_days, of_days, day = self._days(region)
        points = np.zeros((len(_OF_WORDS), len(self._terms), len(region)))  # in their order
        points[:3] = self._weigh(windows, norm_of(lengths, self._average, _TOGETHER))
        norms = norm_of(of_days, Average(self._counts.words, self._counts.days))
        points[3] = self._weigh(on_days.T, norms).take(day, axis=1)
        if asked.any():
            points[4] = self._weigh((often[REACH - 1] * asked[:, None]).T, norm_of(long[REACH - 1], self._average))
        for of_field, name in zip(points, _OF_WORDS, strict=True):
            if WEIGHTS[name] != ONE:
                of_field *= WEIGHTS[name] / ONE  # a quotient by a power of two is exact
                np.floor(of_field, out=of_field)
        return points.reshape(-1, len(region))

    def _weigh(self, counts: Doubles | Twos, norms: Doubles) -> Doubles:
        """What the terms give that stand so often in texts of these norms: [fields ×] terms × texts."""
        points = weigh_by_norm(counts, norms[..., None, :])
        points *= np.array([each.weight / ONE for each in self._terms])[:, None]
        return np.floor(points, out=points)

    def _days(self, region: Places) -> tuple[Doubles, Longs, Places]:
        """Of the days of a region how often each term stands in what was said on them, counted from all postings (days
        × terms), and how long that is; and which of them is whose.
        """
        corpus = self._corpus
        of = corpus.day[region]
        days = _distinct(of)
        lengths = np.array([corpus.day_words[day] for day in days.tolist()], np.int64)
        if self._silent != NONE:
            lengths[days == corpus.day[self._silent]] -= int(corpus.lengths[self._silent])
        numbers = np.full(len(corpus.day_words), NONE, np.int32)
        numbers[days] = np.arange(len(days), dtype=np.int32)
        return self._counts_on(numbers, len(days)), lengths, numbers[of]

    def _counts_on(self, numbers: Places, days: int) -> Doubles:
        """How often each term stands in what was said on each of so many days; `numbers` says by day which it is."""
        if self._stack is not None:
            return self._stack.counts_on(numbers, days, COMMON)
        counts = np.zeros((days, len(self._terms)))
        for number, (_, postings, _, having) in enumerate(self._terms):
            if having <= COMMON:
                at = numbers[self._corpus.day[postings.at]]
                there = at != NONE
                counts[:, number] = np.bincount(at[there], postings.counts[there], days)
        return counts

    def _plain(self, region: Places, question: Question) -> dict[str, Longs]:
        """The fields that are no words: an array over the region for each."""
        corpus = self._corpus
        flags = corpus.flags[region]
        made: dict[str, Longs] = {}
        if any(question.dates):
            named = _named(corpus.said[region], question.dates)
            made["date"] = DATE * named
            if self._by_date:
                made["dated"] = np.where(named == _most(question.dates), DATED, 0)
        theirs = self._theirs(region, question)
        if theirs.any():
            made["speaker"] = np.where(theirs, SPEAKER, 0)
            made["own"] = np.where(theirs & (flags & FIRST_PERSON != 0), OWN, 0)
        if question.asks_when:
            made["tells when"] = np.where(flags & TIMED, TELLS_WHEN, 0)
        made["names"] = NAMES * (flags.astype(np.int64) >> NAMES_SHIFT)
        made["first"] = np.where(corpus.joined[region], 0, FIRST)
        made["asks"] = np.where(flags & ASKS, ASKING, 0)
        return made


def _distinct(places: Places) -> Places:
    """Places in order, each once, without NONE."""
    ordered = np.sort(places, axis=None)
    new = np.empty(len(ordered), np.bool_)
    new[:1] = ordered[:1] != NONE
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]


def _named(said: Longs, dates: Dates) -> Longs:
    """How many of month, year and day of the month a question names of when each was said (ms), in UTC."""
    return _named_of(said.astype("datetime64[ms]").astype("datetime64[D]"), dates)


def _named_of(days: npt.NDArray[np.datetime64], dates: Dates) -> Longs:
    """The same of days."""
    months = days.astype("datetime64[M]")
    found = np.zeros(len(days), np.int64)
    if dates.months:
        found += _is_any(months.astype(np.int64) % 12 + 1, dates.months)
    if dates.years:
        found += _is_any(days.astype("datetime64[Y]").astype(np.int64) + 1970, dates.years)
    if dates.days:
        found += _is_any((days - months).astype(np.int64) + 1, dates.days)
    return found


def _most(dates: Dates) -> int:
    """How many of the three a question names."""
    return sum(map(bool, dates))


def _is_any(of: Longs, named: frozenset[int]) -> Flags:
    """Which are among those that are named, nearly always one."""
    is_first: Flags = of == next(iter(named))
    return is_first if len(named) == 1 else np.isin(of, list(named))
