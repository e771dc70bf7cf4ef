"""What is near in meaning, made one ranking with what words find (`projections.vectors_fusion`).

Only what may be found is handed to the encoder's side: what is open, there still, and wanted. So nothing that is closed
is near anything, however near it is.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from projections.nearness import Nearness
from projections.recall.bm25 import ONE, Longs
from projections.recall.columns import Places
from projections.recall.opened import Part
from projections.recall.scoring import Scored
from projections.recall.seeds import Allowed
from projections.vectors_fusion import BILLION, fuse_ranks, share_of_meaning

BY_WORDS = 50
"""How many of the best by words are fused with the nearest by meaning: what that was measured with."""
MOST_COMPARED = 100_000
"""How many texts are compared at the most, for a tenth of a gigabyte of vectors and a fifth of a second."""
FIELD = "meaning"
Place = tuple[int, int]
"""A document by its part and its place there."""


class _Compared(NamedTuple):
    """What is handed over: the parts of the documents, their places there, and their seqs."""

    parts: Longs
    at: Longs
    seqs: Longs


def fused(
    parts: Sequence[Part], allowed: Sequence[Allowed], by_words: Sequence[Scored], nearness: Nearness
) -> tuple[list[Scored], str]:
    """One ranking of both, best first, and what there is to note. A score stays the sum of its fields, one of which is
    what its rank by meaning is worth.
    """
    compared = _compared(parts, allowed)
    near = nearness.among(compared.seqs.tolist())
    if not near.ranks:
        return list(by_words), near.note
    words = {(each.part, each.at): each for each in by_words}
    ranks = {(int(compared.parts[index]), int(compared.at[index])): rank for index, rank in near.ranks.items()}
    ranking = fuse_ranks({place: rank for rank, place in enumerate(words, 1)}, ranks)
    return [_with(words.get(each.what), each.what, each.by_meaning) for each in ranking], near.note


def _compared(parts: Sequence[Part], allowed: Sequence[Allowed]) -> _Compared:
    """What may be found, part by part; of very much, what was recorded last."""
    at = [_findable(part, may) for part, may in zip(parts, allowed, strict=True)]
    seqs = [part.corpus.seqs[places] for part, places in zip(parts, at, strict=True)]
    numbers = [np.full(len(places), number) for number, places in enumerate(at)]
    found = _Compared(*(np.concatenate([np.empty(0, np.int64), *each]) for each in (numbers, at, seqs)))
    if len(found.seqs) <= MOST_COMPARED:
        return found
    last = np.sort(np.argpartition(found.seqs, len(found.seqs) - MOST_COMPARED)[-MOST_COMPARED:])
    return _Compared(*(column[last] for column in found))


def _findable(part: Part, allowed: Allowed) -> Places:
    """The places of what may be found in a part, in order."""
    corpus = part.corpus
    places = np.flatnonzero(corpus.alive[: corpus.size]).astype(np.int32)
    if part.open is not None:
        places = places[part.open[corpus.unit[places]]]
    found: Places = places[allowed(places)]
    return found


def _with(scored: Scored | None, place: Place, rank: int) -> Scored:
    """A document with what its rank by meaning is worth, in 1/1024."""
    scored = scored or Scored(*place, 0, {})
    if not rank:
        return scored
    points = share_of_meaning(rank) * ONE // BILLION
    fields = dict(scored.fields.items()) | {(FIELD, b""): points}
    return Scored(*place, scored.score + points, fields, rank)
