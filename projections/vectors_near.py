"""What is near a question by the vectors that are there, and when they are too few to decide anything.

What was said and what is known are looked through each for itself: an item is a key to what it rests on
(`recall.meaning`).
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from projections.nearness import Near
from projections.vectors import THRESHOLD, Doubles, closest

MOST_MISSING_PERCENT = 10
"""With more texts than this without a vector, only words decide: the rest would win by having been encoded first."""


class _Found(NamedTuple):
    """The nearest of some texts, by index, with their cosines in thousandths; how many of them have no vector, and
    whether these are too many.
    """

    near: Mapping[int, int]
    missing: int
    too_few: bool


def nearest(said: Doubles, known: Doubles, most: int, least: int = THRESHOLD) -> Near:
    """Which texts are near a question, at most so many of either kind, by their cosines with it; one that is not a
    number is that of a text that has no vector yet.
    """
    of_said, of_known = _closest(said, most, least), _closest(known, most, least)
    missing = of_said.missing + of_known.missing
    note = f"{missing} of {len(said) + len(known)} texts have no vector yet" if missing else ""
    if of_said.too_few:
        return Near(note=f"{note}: only words decide")
    if of_known.too_few:
        return Near(of_said.near, note=f"{note}: items are found by their words alone")
    return Near(of_said.near, of_known.near, note)


def _closest(cosines: Doubles, most: int, least: int) -> _Found:
    missing = int(np.isnan(cosines).sum())
    if 100 * missing > MOST_MISSING_PERCENT * len(cosines):
        return _Found({}, missing, too_few=True)
    near = closest(cosines, most, least)
    return _Found(dict(zip(near.indices, near.thousandths, strict=True)), missing, too_few=False)
