"""How well what is known answers to what is looked for: items by BM25, and DNAM's boosts as terms of their own.

    words      BM25 of text, tags and kind, among the items that are open
    project    2 for an item of kind `project` when the question speaks of one
    recent     1 when it was updated within 7 days of the question
    meaning    where an encoder is asked: 10 · 10 ÷ (10 + its rank) for one of those that are nearest in meaning, as of
               what was said (`meaning`)

Ties go by `updated`, newest first, then by id, compartment and owner. Items of score 0 follow in that order.

The items of a compartment are made ready together (`KnownItems`): in the order in which ties go, and by term. So a
search touches those that have a word of the question and leaves the others as they lie.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from projections.blocks import item_line
from projections.events.values import Item
from projections.ids import Seq
from projections.items import ItemRow
from projections.nearness import MOST_NEAR, Nearness
from projections.recall.beside import worth_of_rank
from projections.recall.bm25 import K1, ONE, B, Longs, worth
from projections.recall.columns import short_id
from projections.recall.numbers import Numbers, numbered
from projections.recall.scoring import Question
from projections.recall.words import Terms, terms_of
from projections.retrieval import PROJECT, PROJECT_BOOST, RECENT_BOOST, RECENT_MS
from projections.rows import Found

Order = tuple[int, str, str, bytes]
MOST_WEIGHED = 4
"""For how many sizes of a search is kept what terms weigh."""


class Known:
    """An item, ready to be found. `evidence` are the messages it rests on, by the short form of their ids."""

    __slots__ = ("_lines", "evidence", "found", "terms")

    def __init__(self, found: Found[ItemRow], terms: Terms) -> None:
        self.found = found
        self.terms = terms
        self.evidence = tuple(short_id(each.message) for each in found.row.item.evidence if each.message)
        self._lines: dict[bool, str] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and (self.found, self.terms) == (other.found, other.terms)

    @property
    def order(self) -> Order:
        """Where it stands among those of the same score."""
        item = self.found.row.item
        return (-item.updated, item.id, item.compartment, item.owner)

    def holds(self, said: int) -> bool:
        """Whether it is active, and holds when something is said (ms)."""
        item = self.found.row.item
        return item.status == "active" and (item.valid_until is None or item.valid_until >= said)

    def line(self, *, with_place: bool) -> str:
        """Its line in a prompt, made once."""
        line = self._lines.get(with_place)
        if line is None:
            line = self._lines[with_place] = item_line(self.found.row.item, with_place=with_place)
        return line


class Worth(NamedTuple):
    """What the terms of a question are worth among some items, in 1/1024, and how long these are: words, and items."""

    terms: Mapping[bytes, int]
    words: int
    items: int

    def weight(self, count: int, length: int) -> int:
        """What a term weighs that stands so often in an item of that length, in 1/1024."""
        norm = K1 * (1000 - B) // 1000 + K1 * B * length * self.items // (1000 * max(self.words, 1))
        return count * ONE * (K1 + 1000) // (count * 1000 + norm)


class ByWords(NamedTuple):
    """What words give to items, in 1/1024, by number; and the numbers of those that have any of them, ascending."""

    points: Longs
    having: Longs


class KnownItems:
    """Active items, in the order in which ties go, and which of them have a term.

    What a term weighs in them follows from how many words and items a search looks at altogether, and is kept for that:
    it is the same from search to search until an item changes, or other compartments are looked at with them.
    """

    def __init__(self, known: Iterable[Known]) -> None:
        self.known = sorted(known, key=attrgetter("order"))
        self.orders = [each.order for each in self.known]
        self.keys = [each.found.key for each in self.known]
        self.ages = [order[0] for order in self.orders]
        self.words = sum(each.terms.length for each in self.known)
        self.kinds = frozenset(each.found.row.item.kind for each in self.known)
        self.projects = [n for n, each in enumerate(self.known) if each.found.row.item.kind == PROJECT]
        ends = (each.found.row.item.valid_until for each in self.known)
        self._first_end = min((end for end in ends if end is not None), default=None)
        self.having: dict[bytes, list[int]] = {}
        for number, each in enumerate(self.known):
            for term in each.terms.counts:
                self.having.setdefault(term, []).append(number)
        self._weighed: dict[tuple[int, int], dict[tuple[bytes, int], tuple[Longs, Longs]]] = {}
        self._last: tuple[Worth, ByWords] | None = None

    @cached_property
    def numbers(self) -> Numbers:
        """Their terms, ascending."""
        return np.sort(numbered(self.having))

    def holding(self, said: int) -> "KnownItems":
        """Those that hold when something is said (ms)."""
        if self._first_end is None or self._first_end >= said:
            return self
        return KnownItems(each for each in self.known if each.holds(said))

    def recent(self, said: int) -> slice:
        """Which of them were updated within 7 days."""
        return slice(bisect_left(self.ages, -said - RECENT_MS), bisect_right(self.ages, -said + RECENT_MS))

    @cached_property
    def by_key(self) -> Longs:
        """Where each of them would stand if they stood in the order of their keys."""
        return np.argsort(np.argsort(np.array(self.keys, object), kind="stable"))

    def given(self, term: bytes, among: Worth) -> tuple[Longs, Longs]:
        """The numbers of those that have a term, and what it gives to each, in 1/1024."""
        weighed = self._weighed.get((among.words, among.items))
        if weighed is None:
            if len(self._weighed) == MOST_WEIGHED:
                self._weighed.clear()
            weighed = self._weighed[among.words, among.items] = {}
        value = among.terms[term]
        found = weighed.get((term, value))
        if found is None:
            numbers = self.having[term]
            terms = (self.known[number].terms for number in numbers)
            given = [value * among.weight(counts[term], length) >> 10 for counts, length in terms]
            found = weighed[term, value] = np.array(numbers), np.array(given)
        return found

    def by_words(self, worth: Worth) -> ByWords:
        """What the words give to each of them. The last is kept: what is known and what was said are looked for with
        the same words, nearly always.
        """
        last = self._last
        if last is not None and last[0] == worth:
            return last[1]
        of_terms = [self.given(term, worth) for term in worth.terms if term in self.having]
        numbers, given = _joined([each[0] for each in of_terms]), _joined([each[1] for each in of_terms])
        points = np.bincount(numbers, given, len(self.known)).astype(np.int64)  # whole numbers, far below 2^53
        found = ByWords(points, np.bincount(numbers, minlength=len(self.known)).nonzero()[0])
        self._last = worth, found
        return found


class Ranked(NamedTuple):
    """An item and its score in 1/1024: what its words give, and with the boosts. What the score is made of is reckoned
    again for those few that are shown. `near` is its rank among the nearest in meaning, from 1; 0 where it is none.
    """

    known: Known
    words: int
    score: int
    worth: Worth
    boosts: tuple[tuple[str, int], ...]
    near: int = 0

    @property
    def fields(self) -> dict[tuple[str, bytes], int]:
        """What the score is made of, by field and term."""
        words = {("words", term): points for term, points in _points(self.known, self.worth)}
        return words | {(name, b""): points for name, points in self.boosts}


class Ranking:
    """Items by number, and their `numbers` from the best to the worst. What is said of one is made when it is asked
    for: of most nobody does. `near` are the ranks of the nearest in meaning, by number, and `note` is what there is to
    note of them.
    """

    def __init__(
        self,
        parts: Sequence[KnownItems],
        question: Question,
        said: int,
        *,
        about_project: bool,
        nearness: Nearness | None,
    ) -> None:
        parts = [part for part in parts if part.known]
        self.known = parts[0].known if len(parts) == 1 else [each for part in parts for each in part.known]
        self.kinds = frozenset().union(*(part.kinds for part in parts))
        self.worth, self._said, self._about_project = worth_among(parts, question), said, about_project
        found = [part.by_words(self.worth) for part in parts]
        self._words = _joined([each.points for each in found])
        """What their words give, in 1/1024."""
        self._scores = self._words.copy()
        first = 0
        for part in parts:
            self._boost(part, self._scores[first : first + len(part.known)])
            first += len(part.known)
        self.near, self.note = _near([each.found.seq for each in self.known], nearness) if nearness else ({}, "")
        for number, place in self.near.items():
            self._scores[number] += worth_of_rank(place)
        ties = np.arange(len(self.known))
        if len(parts) > 1:
            orders = [order for part in parts for order in part.orders]
            ties = np.array(sorted(range(len(orders)), key=orders.__getitem__))
        self.numbers: list[int] = ties[np.argsort(-self._scores[ties], kind="stable")].tolist()

    def _boost(self, part: KnownItems, scores: Longs) -> None:
        """Give those of a part what they have beside their words."""
        scores[part.recent(self._said)] += RECENT_BOOST * ONE
        if self._about_project:
            scores[part.projects] += PROJECT_BOOST * ONE

    def shares(self, number: int) -> bool:
        """Whether one has any word of the question."""
        return bool(self._words[number])

    def answers(self, number: int) -> bool:
        """Whether one has any word of the question, or is near it in meaning."""
        return number in self.near or self.shares(number)

    def __getitem__(self, number: int) -> Ranked:
        known, item = self.known[number], self.known[number].found.row.item
        boosts: tuple[tuple[str, int], ...] = ()
        if self._about_project and item.kind == PROJECT:
            boosts = (("project", PROJECT_BOOST * ONE),)
        if abs(self._said - item.updated) <= RECENT_MS:
            boosts += (("recent", RECENT_BOOST * ONE),)
        near = self.near.get(number, 0)
        if near:
            boosts += (("meaning", worth_of_rank(near)),)
        return Ranked(known, int(self._words[number]), int(self._scores[number]), self.worth, boosts, near)

    def __iter__(self) -> Iterator[Ranked]:
        return map(self.__getitem__, self.numbers)


def known_item(found: Found[ItemRow]) -> Known:
    """An item, made ready to be found."""
    return Known(found, terms_of(item_words(found.row.item)))


def item_words(item: Item) -> str:
    """What an item is found by."""
    return " ".join([item.text, *item.tags, item.kind])


def known_items(found: Iterable[Found[ItemRow]]) -> KnownItems:
    """The active ones of some items, made ready."""
    return KnownItems(known_item(each) for each in found if each.row.item.status == "active")


def worth_among(parts: Sequence[KnownItems], question: Question) -> Worth:
    """What a question's terms are worth."""
    parts = [part for part in parts if part.known]
    items, terms = sum([len(part.known) for part in parts]), {}
    all_having = [part.having for part in parts]
    for term, share in question.terms.items():
        having = 0
        for each in all_having:
            if term in each:
                having += len(each[term])
        if having:
            terms[term] = worth(items, having, share)
    return Worth(terms, sum([part.words for part in parts]), items)


def rank(
    parts: Sequence[KnownItems],
    question: Question,
    said: int,
    *,
    about_project: bool = False,
    nearness: Nearness | None = None,
) -> Ranking:
    """Items, best first; with `nearness`, what is near in meaning among them counts."""
    return Ranking(parts, question, said, about_project=about_project, nearness=nearness)


def best_by_words(parts: Sequence[KnownItems], question: Question, most: int) -> list[tuple[int, Known]]:
    """The items whose words answer best, with what these give; none that has no word of the question."""
    parts = [part for part in parts if part.known]
    worth = worth_among(parts, question)
    found: list[tuple[int, Known]] = []
    for part in parts:
        points, having = part.by_words(worth)
        best = having[np.lexsort((part.by_key[having], -points[having]))[:most]]
        found += zip(points[best].tolist(), map(part.known.__getitem__, best.tolist()), strict=True)
    if len(parts) > 1:
        found.sort(key=lambda each: (-each[0], each[1].found.key))
    return found[:most]


def _near(seqs: Sequence[Seq], nearness: Nearness) -> tuple[dict[int, int], str]:
    """The ranks of those items that are near, by number, and what there is to note. Where nobody could be asked, that
    is noted where something said was looked for.
    """
    if nearness.kept is not None:
        return {number: nearness.kept[seq] for number, seq in enumerate(seqs) if seq in nearness.kept}, ""
    found = nearness.among((), seqs)
    return {number: place for place, number in enumerate(islice(found.known, MOST_NEAR), 1)}, found.note


def _joined(arrays: Sequence[Longs]) -> Longs:
    return arrays[0] if len(arrays) == 1 else np.concatenate([np.empty(0, np.int64), *arrays])


def _points(known: Known, worth: Worth) -> Iterator[tuple[bytes, int]]:
    """What each term gives to an item."""
    counts, length = known.terms
    for term, value in worth.terms.items():
        if term in counts:
            yield term, value * worth.weight(counts[term], length) >> 10
