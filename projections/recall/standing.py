"""Where the terms of a question stand in what is open: what is closed or gone is dropped before anything is counted."""

from collections.abc import Iterable, Iterator, Sequence, Set

import numpy as np

from projections.recall.columns import Postings
from projections.recall.corpus import NO_POSTINGS, NONE
from projections.recall.documents import ASKS
from projections.recall.numbers import Numbers
from projections.recall.opened import Part

MOST_ASKED = 8
AT_ONCE = 5
"""How many terms are read from disk together."""


class TermsIn:
    """Where terms stand in what is open of some parts; each is looked up once in a search."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        self._found: dict[bytes, tuple[Postings, ...]] = {}

    def postings(self, term: bytes) -> tuple[Postings, ...]:
        """Where a term stands, part by part."""
        found = self._found.get(term)
        if found is None:
            found = self._found[term] = tuple(open_postings(part, term) for part in self.parts)
        return found

    def standing(self, terms: Set[bytes]) -> Iterator[bytes]:
        """Which terms stand in something that is open and still there: what is closed or gone tells nothing here."""
        perhaps = [part.corpus.standing(terms) for part in self.parts]
        for term in terms - set[bytes]().union(*perhaps):  # so that nobody looks on disk for it
            self._found[term] = (NO_POSTINGS,) * len(self.parts)
        return self._there(perhaps)

    def told(self, terms: Set[bytes]) -> Iterator[bytes]:
        """Which of them stand in something that tells, or in more than MOST_ASKED documents: a word that only a few
        questions have may be misspelt in all of them, since who finds nothing asks again.
        """
        return (term for term in self.standing(terms) if self._is_told(term))

    def _is_told(self, term: bytes) -> bool:
        found = self.postings(term)
        if sum(len(each.at) for each in found) > MOST_ASKED:
            return True
        return any((part.corpus.flags[each.at] & ASKS == 0).any() for part, each in zip(self.parts, found, strict=True))

    def like(self, likes: Numbers) -> Iterator[bytes]:
        """The same of many, given as numbers."""
        return self._there(part.corpus.like(likes) for part in self.parts)

    def _there(self, perhaps: Iterable[Set[bytes]]) -> Iterator[bytes]:
        """Which of these stand in something. Those whose postings are at hand come first: who asks may know enough by
        then, and the others are not read from disk.
        """
        terms = set[bytes]().union(*perhaps)
        unread = [term for term in terms if not all(part.corpus.is_at_hand(term) for part in self.parts)]
        yield from self._stands_somewhere(terms.difference(unread))
        for start in range(0, len(unread), AT_ONCE):
            some = unread[start : start + AT_ONCE]
            for part in self.parts:
                part.corpus.fetch(some)
            yield from self._stands_somewhere(some)

    def _stands_somewhere(self, terms: Iterable[bytes]) -> Iterator[bytes]:
        return (term for term in terms if any(len(each.at) for each in self.postings(term)))


def open_postings(part: Part, term: bytes) -> Postings:
    """Where a term stands in what is open of a part; what stands elsewhere is dropped before anything is counted."""
    found = part.corpus.postings(term)
    if part.open is not None:
        may = part.open.take(part.corpus.unit.take(found.at))
        found = found if may.all() else Postings(found.at[may], found.counts[may], found.peak)
    return found if part.silent == NONE else _without(found, part.silent)


def _without(found: Postings, place: int) -> Postings:
    """Postings without a place, which nearly always is the last: what is asked was said just now."""
    number = int(found.at.searchsorted(np.int32(place)))  # of the same kind: else all of them are converted first
    if number == len(found.at) or found.at[number] != place:
        return found
    if number == len(found.at) - 1:
        return Postings(found.at[:number], found.counts[:number], found.peak)
    return Postings(np.delete(found.at, number), np.delete(found.counts, number), found.peak)
