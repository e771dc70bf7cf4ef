"""Several sources as one stream, in the order of what was said."""

import heapq
from collections.abc import Iterable, Iterator

from dnam.importers import order
from dnam.importers.source import Arrival


def in_order(sources: Iterable[Iterable[Arrival]]) -> Iterator[Arrival]:
    """What several readings give, by `said`; ties in the order of the sources.

    A source that breaks raises its error when its turn comes: right after the last thing it could give, when everything
    that was said before that has been given, from all of them.
    """
    for _, arrival in heapq.merge(*map(order.timed, sources), key=lambda timed: timed[0]):
        yield arrival
