"""How well what is known answers to what is looked for: items by BM25, and DNAM's boosts as terms of their own.

    words      BM25 of text, tags and kind, among the items that are open
    project    2 for an item of kind `project` when the question speaks of one
    recent     1 when it was updated within 7 days of the question

Ties go by `updated`, newest first, then by id, compartment and owner. Items of score 0 follow in that order.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
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


class Ranked(NamedTuple):
    """An item and its score in 1/1024: what the words give, and all that it is made of by field and term."""

    known: Known
    words: int
    score: int
    fields: Mapping[tuple[str, bytes], int]


def known_item(found: Found[ItemRow]) -> Known:
    """An item, made ready to be found."""
    item = found.row.item
    return Known(found, terms_of(" ".join([item.text, *item.tags, item.kind])))


class Worth(NamedTuple):
    """What the terms of a question are worth among some items, in 1/1024, and how long these are: words, and items."""

    terms: Mapping[bytes, int]
    words: int
    items: int


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
    found = (
        (sum(_points(each, worth).values()), each)
        for each in known
        if not worth.terms.keys().isdisjoint(each.terms.counts)
    )
    return nsmallest(most, found, key=lambda each: (-each[0], each[1].found.key))


def _points(known: Known, worth: Worth) -> dict[bytes, int]:
    """What each term gives to an item."""
    counts, length = known.terms
    norm = K1 * (1000 - B) // 1000 + K1 * B * length * worth.items // (1000 * max(worth.words, 1))
    return {
        term: value * (counts[term] * ONE * (K1 + 1000) // (counts[term] * 1000 + norm)) >> 10
        for term, value in worth.terms.items()
        if term in counts
    }


def _ranked(known: Known, worth: Worth, said: int, about_project: bool) -> Ranked:
    item = known.found.row.item
    fields = {("words", term): points for term, points in _points(known, worth).items()}
    points = sum(fields.values())
    if item.kind == PROJECT and about_project:
        fields["project", b""] = PROJECT_BOOST * ONE
    if abs(said - item.updated) <= RECENT_MS:
        fields["recent", b""] = RECENT_BOOST * ONE
    return Ranked(known, points, sum(fields.values()), fields)


def _order(each: Ranked) -> tuple[int, int, str, str, bytes]:
    item = each.known.found.row.item
    return (-each.score, -item.updated, item.id, item.compartment, item.owner)
