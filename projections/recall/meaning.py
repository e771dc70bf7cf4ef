"""What is near in meaning, beside what words find.

Each document stands as near a question as its own text, or as the nearest item that rests on it: what is noted of a
chat is nearer to most questions than the chat. From the nearest on they have ranks, and a rank gives points to the
score (`fields`), as a word does:

    points = 10 · 10 ÷ (10 + rank)

It is the summand of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009), by which no cosine has to be
calibrated for its encoder. What it is added to is not the reciprocal of a rank by words but their score itself: that
says by how much one is better than the next. Of the five development conversations of LoCoMo, with a small encoder
(`make eval` with DNAM_ENCODER=local), in per cent:

                              without facts             with facts
                          recall@10  MRR  nDCG@10   recall@10  MRR  nDCG@10
    words alone              84.8    67.4   69.6       86.0    69.4   71.6
    ranks by meaning too     86.1    67.8   70.3       86.9    71.1   73.0

Under weights that are fitted to four conversations, 85.9 and 87.0 is found in the fifth, each in turn. Without what is
near itself it would be 0.7 and 0.9 less, without what stands beside it 0.2 and 0.3. Items as keys bring nothing among
the first ten, where their words are keys already; without what they bring MRR would be 1.5 less.

Items have points of the same kind where they are ranked themselves (`facts`), by their ranks among those that are open.

Only what may be found is handed to the encoder's side: what is open, there still, and wanted; and of items those that
words are looked for in. So nothing that is closed is near anything, however near it is.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from projections.ids import Seq
from projections.nearness import MOST_NEAR, Meant, Near, Nearness
from projections.recall.bm25 import Longs
from projections.recall.columns import Places
from projections.recall.facts import Known
from projections.recall.opened import Part
from projections.recall.seeds import Allowed

VERSION = "meaning@3"
Place = tuple[int, int]
"""A document by its part and its place there."""


class Nearby(NamedTuple):
    """What is near in meaning, the nearest first, and what there is to note."""

    meant: Mapping[Place, Meant] = MappingProxyType({})
    note: str = ""


class _Compared(NamedTuple):
    """What is handed over: the parts of the documents, their places there, in order, and their seqs. A part's documents
    lie between two `bounds`.
    """

    parts: Longs
    at: Longs
    seqs: Longs
    bounds: Sequence[int]

    def place(self, index: int) -> Place:
        """Where a document is."""
        return int(self.parts[index]), int(self.at[index])

    def find(self, place: Place) -> int | None:
        """Which document is there; None where it is not handed over."""
        part, at = place
        start, stop = self.bounds[part], self.bounds[part + 1]
        index = start + int(self.at[start:stop].searchsorted(at))
        return index if index < stop and self.at[index] == at else None


class _Candidate(NamedTuple):
    """How a document may have come near: the greater its cosine (in thousandths), the sooner it has a rank; ties go to
    its own text, then to what was recorded later.
    """

    cosine: int
    by_item: bool
    seq: int
    place: Place

    @property
    def order(self) -> tuple[int, bool, int]:
        """By this they are ranked."""
        return -self.cosine, self.by_item, -self.seq


def nearby(
    parts: Sequence[Part],
    allowed: Sequence[Allowed],
    nearness: Nearness,
    known: Sequence[Known],
    evidence: Callable[[Known], Iterable[Place]],
) -> Nearby:
    """What is near of all that may be found: by itself, or by one of the items that are known. `evidence` says where
    that lies which an item rests on.
    """
    if nearness.kept is not None and not nearness.kept:
        return Nearby(note=nearness.note)
    compared = _compared(parts, allowed)
    if nearness.kept is not None:
        return Nearby(_as_kept(compared, nearness.kept))
    near = nearness.among(compared.seqs, [each.found.seq for each in known])
    meant: dict[Place, Meant] = {}
    for each in merge(_said(compared, near), _resting(compared, near, known, evidence), key=attrgetter("order")):
        if each.place not in meant:
            meant[each.place] = Meant(len(meant) + 1, each.by_item)
            if len(meant) == MOST_NEAR:
                break
    return Nearby(meant, near.note)


def _as_kept(compared: _Compared, ranks: Mapping[Seq, int]) -> dict[Place, Meant]:
    there = np.flatnonzero(np.isin(compared.seqs, list(ranks))).tolist()
    found = [(ranks[Seq(int(compared.seqs[index]))], compared.place(index)) for index in there]
    return {place: Meant(rank) for rank, place in sorted(found)}


def _said(compared: _Compared, near: Near) -> Iterable[_Candidate]:
    """What is near by its own text, in order."""
    found = (
        _Candidate(cosine, False, int(compared.seqs[index]), compared.place(index))
        for index, cosine in near.said.items()
    )
    return sorted(found, key=attrgetter("order"))


def _resting(
    compared: _Compared, near: Near, known: Sequence[Known], evidence: Callable[[Known], Iterable[Place]]
) -> Iterator[_Candidate]:
    """What near items rest on, in order; of items that are as near as each other, one behind the other."""
    for number, cosine in near.known.items():
        there = ((compared.find(place), place) for place in evidence(known[number]))
        found = [(int(compared.seqs[index]), place) for index, place in there if index is not None]
        for seq, place in sorted(found, reverse=True):
            yield _Candidate(cosine, True, seq, place)


def _compared(parts: Sequence[Part], allowed: Sequence[Allowed]) -> _Compared:
    """What may be found, part by part."""
    each_at = [_findable(part, may) for part, may in zip(parts, allowed, strict=True)]
    each_seqs = [part.corpus.seqs[places] for part, places in zip(parts, each_at, strict=True)]
    nothing = [np.empty(0, np.int64)]
    numbers = np.repeat(np.arange(len(parts)), [len(places) for places in each_at])
    at, seqs = np.concatenate(nothing + each_at), np.concatenate(nothing + each_seqs)
    return _Compared(numbers, at, seqs, np.searchsorted(numbers, np.arange(len(parts) + 1)).tolist())


def _findable(part: Part, allowed: Allowed) -> Places:
    """The places of what may be found in a part, in order."""
    corpus = part.corpus
    places = np.flatnonzero(corpus.alive[: corpus.size]).astype(np.int32)
    if part.open is not None:
        places = places[part.open[corpus.unit[places]]]
    found: Places = places[allowed(places)]
    return found
