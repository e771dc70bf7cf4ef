"""How well what is known answers to what is looked for: items by BM25, and DNAM's boosts as terms of their own.

    words      BM25 of text, tags and kind, among the items that are open
    project    2 for an item of kind `project` when the question speaks of one
    recent     1 when it was updated within 7 days of the question

Ties go by `updated`, newest first, then by id, compartment and owner. Items of score 0 follow in that order.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import chain
from typing import NamedTuple

from projections.items import ItemRow
from projections.recall.bm25 import K1, ONE, B, idf
from projections.recall.scoring import Question
from projections.recall.words import Terms, terms_of
from projections.retrieval import PROJECT, PROJECT_BOOST, RECENT_BOOST, RECENT_MS
from projections.rows import Found


class Known(NamedTuple):
    """An item, ready to be found."""

    found: Found[ItemRow]
    terms: Terms

    def holds(self, said: int) -> bool:
        """Whether it is active, and holds when something is said (ms)."""
        item = self.found.row.item
        return item.status == "active" and (item.valid_until is None or item.valid_until >= said)


class Worth(NamedTuple):
    """What the terms of a question are worth among some items, in 1/1024, and how long these are: words, and items."""

    terms: Mapping[bytes, int]
    words: int
    items: int


class Ranked(NamedTuple):
    """An item and its score in 1/1024: what its words give, and with the boosts. What the score is made of is reckoned
    again for those few that are shown.
    """

    known: Known
    words: int
    score: int
    worth: Worth
    boosts: tuple[tuple[str, int], ...]

    @property
    def fields(self) -> dict[tuple[str, bytes], int]:
        """What the score is made of, by field and term."""
        words = {("words", term): points for term, points in _points(self.known, self.worth)}
        return words | {(name, b""): points for name, points in self.boosts}


def known_item(found: Found[ItemRow]) -> Known:
    """An item, made ready to be found."""
    item = found.row.item
    return Known(found, terms_of(" ".join([item.text, *item.tags, item.kind])))


def worth_among(known: Sequence[Known], question: Question) -> Worth:
    """What a question's terms are worth."""
    shares = question.terms
    having = Counter(chain.from_iterable(shares.keys() & each.terms.counts.keys() for each in known))
    terms = {term: idf(len(known), having[term]) * share // ONE for term, share in shares.items() if having[term]}
    return Worth(terms, sum(each.terms.length for each in known), len(known))


def rank(known: Sequence[Known], question: Question, said: int, *, about_project: bool = False) -> list[Ranked]:
    """Items, best first."""
    worth = worth_among(known, question)
    return sorted([_ranked(each, worth, said, about_project) for each in known], key=_order)


def best_by_words(known: Sequence[Known], question: Question, most: int) -> list[tuple[int, Known]]:
    """The items whose words answer best, with what these give; none that has no word of the question."""
    worth = worth_among(known, question)
    found = ((_words(each, worth), each) for each in known if not worth.terms.keys().isdisjoint(each.terms.counts))
    return nsmallest(most, found, key=lambda each: (-each[0], each[1].found.key))


def _points(known: Known, worth: Worth) -> Iterator[tuple[bytes, int]]:
    """What each term gives to an item."""
    counts, length = known.terms
    norm = K1 * (1000 - B) // 1000 + K1 * B * length * worth.items // (1000 * max(worth.words, 1))
    for term, value in worth.terms.items():
        if term in counts:
            yield term, value * (counts[term] * ONE * (K1 + 1000) // (counts[term] * 1000 + norm)) >> 10


def _words(known: Known, worth: Worth) -> int:
    """What all of its words give to an item."""
    if worth.terms.keys().isdisjoint(known.terms.counts):
        return 0
    return sum(points for _, points in _points(known, worth))


def _ranked(known: Known, worth: Worth, said: int, about_project: bool) -> Ranked:
    item = known.found.row.item
    boosts: tuple[tuple[str, int], ...] = ()
    if about_project and item.kind == PROJECT:
        boosts = (("project", PROJECT_BOOST * ONE),)
    if abs(said - item.updated) <= RECENT_MS:
        boosts += (("recent", RECENT_BOOST * ONE),)
    words = _words(known, worth)
    return Ranked(known, words, words + sum(points for _, points in boosts), worth, boosts)


def _order(each: Ranked) -> tuple[int, int, str, str, bytes]:
    item = each.known.found.row.item
    return (-each.score, -item.updated, item.id, item.compartment, item.owner)
