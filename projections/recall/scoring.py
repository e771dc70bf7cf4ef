"""How well what was said answers to what is looked for: by the fields of `fields`, the best first."""

from collections.abc import ItemsView, Iterator, Mapping, Sequence
from itertools import compress
from typing import NamedTuple, TypeVar

import numpy as np

from projections.nearness import Meant
from projections.recall.beside import Beside
from projections.recall.bm25 import Doubles, Longs, worth
from projections.recall.columns import Flags, Places, Postings
from projections.recall.corpus import NONE
from projections.recall.dated import Dates, days_of, named, named_in_full
from projections.recall.documents import ASKS, FIRST_PERSON, NAMES_SHIFT, TIMED
from projections.recall.fields import (
    ASKING,
    DATE,
    DATED,
    FIRST,
    IN_FULL,
    NAMES,
    NEAR,
    OF_WORDS,
    OWN,
    SPEAKER,
    TELLS_WHEN,
    Counts,
)
from projections.recall.opened import Part
from projections.recall.reckoners import reckoner
from projections.recall.reckoning import Reckoning
from projections.recall.seeds import SEEDS, Allowed, Term, everything
from projections.recall.standing import TermsIn

T = TypeVar("T")
VERSION = "recall@8"
MOST_TERMS = 32
"""Of a long text so many terms are looked for: those that tell most."""
SEQ_BITS = 38
"""How many bits a seq takes at the most where it lies behind a score in one number: a few hundred thousand million. So
25 are left for a score in 1/1024: of MOST_TERMS terms with the highest idf that there is, all in the shortest text, it
is less than a fifth of that.
"""


class Question(NamedTuple):
    """What is looked for: terms, with how much each counts in 1/1024; whom it names; whether it asks for a time; and
    `forms`: pairs of a term of what is looked for as it stands, and one of what is only like it.
    """

    terms: Mapping[bytes, int]
    speaker: bytes | None = None
    dates: Dates = ()
    asks_when: bool = False
    forms: Sequence[tuple[bytes, bytes]] = ()


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
    """What a score is made of, by field and term, without what gives nothing: `points` are of all `names`, in order.
    They are read when they are asked for, since of most nobody asks.
    """

    __slots__ = ("_names", "_read")

    def __init__(self, names: Sequence[tuple[str, bytes]], points: Longs) -> None:
        self._names = names
        self._read: list[int] | Longs = points

    @property
    def _points(self) -> list[int]:
        read = self._read
        if not isinstance(read, list):
            read = self._read = read.astype(np.int64).tolist()
        return read

    def __getitem__(self, name: tuple[str, bytes]) -> int:
        return dict(self.items())[name]

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        return compress(self._names, self._points)

    def __len__(self) -> int:
        return len(self._points) - self._points.count(0)

    def items(self) -> ItemsView[tuple[str, bytes], int]:
        return dict(each for each in zip(self._names, self._points, strict=True) if each[1]).items()


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
    """The best documents for a question, best first: with a score above 0, or a word of it.

    `facts` are the BM25 of the best known fact, by part and place of what it rests on, and `meant` is what is near in
    meaning. `allowed` says for each part which documents may be found; all of them count, whether they may be found or
    not.
    """
    parts = there.parts
    counts = counted(parts)
    terms = _found(there, question, counts)
    deciding = _Deciding.of(question, terms)
    scored: list[Scored] = []
    for number, part in enumerate(parts):
        beside = Beside(_in_part(number, facts or {}), _in_part(number, meant or {}))
        here = [each.in_part(number) for each in terms if len(each.postings[number].at)]
        found = _Scoring(reckoner()(part, here, counts, _looked_at(part, most)), part, deciding)
        may = allowed[number] if allowed else everything(part.corpus)
        scored += [each._replace(part=number) for each in found.best(question, beside, may, most)]
    return sorted(scored, key=lambda each: (-each.score, -int(parts[each.part].corpus.seqs[each.at])))[:most]


def _in_part(number: int, found: Mapping[tuple[int, int], T]) -> dict[int, T]:
    return {at: each for (of, at), each in found.items() if of == number}


def counted(parts: Sequence[Part]) -> Counts:
    """How much there is in what is open of some parts."""
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
            found.append(Found(term, postings, worth(counts.documents, having, share), having))
    return sorted(found, key=lambda each: (-each.weight, each.term))[:MOST_TERMS]


def _looked_at(part: Part, most: int) -> int:
    """How many documents of a part are looked at for their own words: no more than it has, however many are wanted."""
    return max(1, min(max(most, SEEDS), part.corpus.size))


def _best(scores: Longs, seqs: Longs, most: int) -> Longs:
    """Where the best scores are, best first, and of the same ones what was recorded later."""
    keys = (scores << SEQ_BITS) + seqs
    best = np.argpartition(keys, -most)[-most:] if 0 < most < len(keys) else np.arange(len(keys))
    return best[np.argsort(-keys[best])][:most]


class _Deciding(NamedTuple):
    """What decides beside words, in all parts alike: the dates at which something is found for having been said then;
    what a name gives, and a beginning (in 1/1024); and those forms that stand somewhere as they are looked for.
    """

    dates: Dates
    name: int
    beginning: int
    forms: Sequence[tuple[bytes, bytes]]

    @classmethod
    def of(cls, question: Question, terms: Sequence[Found]) -> "_Deciding":
        """The same for a question and its terms as they were found, the one first that tells most. A month or a year
        has too much that was said at it, beside words.
        """
        dates = tuple(each for each in question.dates if each.days) if terms else question.dates
        weight = min(terms[0].weight, IN_FULL) if terms else IN_FULL
        there = {each.term for each in terms} if question.forms else ()
        forms = [each for each in question.forms if each[0] in there]
        return cls(dates, NAMES * weight // IN_FULL, FIRST * weight // IN_FULL, forms)


class _Scoring:
    """One part, and one question in it."""

    def __init__(self, reckoning: Reckoning, part: Part, deciding: _Deciding) -> None:
        self._reckoning = reckoning
        self._corpus, self._silent, self._open = part.corpus, part.silent, part.open
        self._deciding = deciding

    def best(self, question: Question, beside: Beside, allowed: Allowed, most: int) -> list[Scored]:
        seeds = self._reckoning.seeds(question.dates, allowed)
        if self._deciding.dates:
            seeds = np.concatenate([seeds, self._dated(question, allowed)])
        if beside.places:
            seeds = np.concatenate([seeds, np.array(beside.places, np.int32)])
        if not len(seeds):
            return []
        region = self._reckoning.region(seeds)
        region = region[allowed(region)]
        if not len(region):
            return []
        return self._scored(region, question, beside, most)

    # -- who is looked at ----------------------------------------------------------------------------------------------

    def _dated(self, question: Question, allowed: Allowed) -> Places:
        """The last of what was said at the date, first of all what the one person said who is named."""
        corpus, most = self._corpus, self._reckoning.most
        days = corpus.dates().astype("datetime64[D]")
        found: Places = corpus.on_days(named_in_full(days, self._deciding.dates))
        found = found[(found != self._silent) & allowed(found)]
        if self._open is not None:
            found = found[self._open.take(corpus.unit.take(found))]
        if len(found) > most:
            keys = corpus.seqs[found] + (self._theirs(found, question).astype(np.int64) << 62)
            found = found[np.argpartition(keys, len(keys) - most)[-most:]]
        return found

    def _theirs(self, places: Places, question: Question) -> Flags:
        """Which of some documents the one person said who is named."""
        speaker = NONE if question.speaker is None else self._corpus.speakers.find(question.speaker)
        theirs: Flags = self._corpus.speaker[places] == speaker
        return theirs if speaker != NONE else np.zeros(len(places), np.bool_)

    # -- scored --------------------------------------------------------------------------------------------------------

    def _scored(self, region: Places, question: Question, beside: Beside, most: int) -> list[Scored]:
        corpus = self._corpus
        fields, near = self._reckoning.words(region), self._near(region, beside)
        plain = self._plain(region, question, fields) | beside.fields(near)
        scores: Longs = fields.sum(axis=0).astype(np.int64)
        for points in plain.values():
            scores += points
        found = scores > 0
        if not found.all():
            found |= (fields[: len(self._reckoning.terms)] > 0).any(axis=0)
        listed = found.nonzero()[0]
        order = listed[_best(scores[listed], corpus.seqs[region[listed]], most)]
        reasons, nearest = self._reasons(order, fields, plain), beside.nearest(near[:, order])
        best = zip(region[order].tolist(), scores[order].tolist(), reasons, nearest, strict=True)
        return [Scored(0, *each) for each in best]

    def _near(self, region: Places, beside: Beside) -> Places:
        """What was said closely around each, where it matters: else each stands alone."""
        return self._reckoning.around(region, NEAR) if beside.places else region[None]

    def _reasons(self, order: Longs, fields: Doubles | Longs, plain: Mapping[str, Longs]) -> list["Fields"]:
        """What the scores of some of a region are made of."""
        names = [(name, each.term) for name in OF_WORDS for each in self._reckoning.terms]
        names += [(field, b"") for field in plain]
        points = np.concatenate([fields[:, order], [of[order] for of in plain.values()]])
        return [Fields(names, each) for each in points.T]

    def _plain(self, region: Places, question: Question, fields: Doubles | Longs) -> dict[str, Longs]:
        """The fields that are no words: an array over the region for each. `fields` are those of words."""
        corpus = self._corpus
        flags = corpus.flags[region]
        made: dict[str, Longs] = {}
        if question.dates:
            days = days_of(corpus.said[region])
            made["date"] = DATE * named(days, question.dates)
            if self._deciding.dates:
                made["dated"] = np.where(named_in_full(days, self._deciding.dates), DATED, 0)
        theirs = self._theirs(region, question)
        if theirs.any():
            made["speaker"] = np.where(theirs, SPEAKER, 0)
            made["own"] = np.where(theirs & (flags & FIRST_PERSON != 0), OWN, 0)
        if question.asks_when:
            made["tells when"] = np.where(flags & TIMED, TELLS_WHEN, 0)
        made["names"] = self._deciding.name * (flags.astype(np.int64) >> NAMES_SHIFT)
        made["first"] = np.where(corpus.joined[region], 0, self._deciding.beginning)
        for exactly, like in self._forms():
            told_apart = fields[like] == 0
            if exactly != NONE:
                told_apart |= fields[exactly] > 0
            made["names"] *= told_apart
            made["first"] *= told_apart
        made["asks"] = np.where(flags & ASKS, ASKING, 0)
        return made

    def _forms(self) -> list[tuple[int, int]]:
        """The forms of words, by the numbers of their terms: what is looked for, NONE where that stands only in other
        parts, and what is only like it and stands here.
        """
        if not self._deciding.forms:
            return []
        number = {each.term: at for at, each in enumerate(self._reckoning.terms)}
        return [(number.get(form, NONE), number[like]) for form, like in self._deciding.forms if like in number]
