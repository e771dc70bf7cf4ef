"""Where the document of an id is, among those that came from disk: their places, in the order of their ids.

Of one in so many the id is kept beside it, so that the few between two of these are all that is looked at.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence

import numpy as np

from projections.recall.columns import Longs, Places

RUNG = 16
"""Of one place in so many the id is kept."""
MOST_ASKED = 1024
"""Of how many ids is kept where they are."""


class ById:
    """Places in the order of their ids, four bytes each. The ids themselves are handed in with each question."""

    def __init__(self, order: Places, ids: Longs) -> None:
        self._order = order
        self._rungs = array("q", ids[order[::RUNG]].tobytes())
        self._asked: dict[int, Sequence[int]] = {}

    @classmethod
    def of(cls, ids: Longs) -> "ById":
        """All places that have these ids."""
        return cls(np.argsort(ids, kind="stable").astype(np.int32), ids)

    def with_more(self, ids: Longs) -> "ById":
        """With the places that come next: these are the ids of all."""
        there = len(self._order)
        order = there + np.argsort(ids[there:], kind="stable").astype(np.int32)
        between = np.searchsorted(ids[:there], ids[order], side="right", sorter=self._order)
        return ById(np.insert(self._order, between, order), ids)

    def places(self, ids: Longs, short: int) -> Sequence[int]:
        """The places that have an id, in the order in which they came. What items rest on is asked after in nearly
        every search: of MOST_ASKED ids it is kept.
        """
        found = self._asked.get(short)
        if found is None:
            if len(self._asked) == MOST_ASKED:
                self._asked.clear()
            found = self._asked[short] = tuple(self._found(ids, short))
        return found

    def _found(self, ids: Longs, short: int) -> Iterator[int]:
        rung = bisect_left(self._rungs, short)
        low, high = max(rung - 1, 0) * RUNG, min(rung * RUNG, len(self._order))
        at = bisect_left(self._order, short, low, high, key=ids.item)
        while at < len(self._order) and ids.item(place := self._order.item(at)) == short:
            yield place
            at += 1
