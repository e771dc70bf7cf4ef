"""What is near a question by the vectors that are there, and when they are too few to decide anything.

What was said and what is known are looked through each for itself: an item is a key to what it rests on
(`recall.meaning`).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from projections.nearness import Near
from projections.vectors import THRESHOLD, Numbers, closest, stacked

MOST_MISSING_PERCENT = 10
"""With more texts than this without a vector, only words decide: the rest would win by having been encoded first."""


class _Found(NamedTuple):
    """The nearest of some texts, by index, with their cosines in thousandths; how many of them have no vector, and
    whether these are too many.
    """

    near: Mapping[int, int]
    missing: int
    too_few: bool


def nearest(
    query: Numbers, said: Sequence[Numbers | None], known: Sequence[Numbers | None], most: int, least: int = THRESHOLD
) -> Near:
    """Which texts are near a query, at most so many of either kind; None is a text that has no vector yet."""
    of_said, of_known = _closest(query, said, most, least), _closest(query, known, most, least)
    missing = of_said.missing + of_known.missing
    note = f"{missing} of {len(said) + len(known)} texts have no vector yet" if missing else ""
    if of_said.too_few:
        return Near(note=f"{note}: only words decide")
    if of_known.too_few:
        return Near(of_said.near, note=f"{note}: items are found by their words alone")
    return Near(of_said.near, of_known.near, note)


def _closest(query: Numbers, vectors: Sequence[Numbers | None], most: int, least: int) -> _Found:
    there = [index for index, vector in enumerate(vectors) if vector is not None]
    missing = len(vectors) - len(there)
    if 100 * missing > MOST_MISSING_PERCENT * len(vectors):
        return _Found({}, missing, too_few=True)
    near = closest(query, stacked([vector for vector in vectors if vector is not None]), most, least)
    found = {there[index]: cosine for index, cosine in zip(near.indices, near.thousandths, strict=True)}
    return _Found(found, missing, too_few=False)
