"""Several sources as one stream, in the order of what was said."""

import heapq
from collections.abc import Iterable, Iterator
from pathlib import Path

from dnam.importers import order
from dnam.importers.source import Arrival, Arrived, ImportedSummary, Skipped
from dnam.times import is_ahead

AHEAD = "its time lies more than a day in the future"
"""Why something is skipped: once it was summarised, all that is said by then would count as summarised, too."""


def in_order(sources: Iterable[Iterable[Arrival]]) -> Iterator[Arrival]:
    """What several readings give, by `said`; ties in the order of the sources.

    A source that breaks raises its error when its turn comes: right after the last thing it could give, when everything
    that was said before that has been given, from all of them.
    """
    for _, arrival in heapq.merge(*map(order.timed, sources), key=lambda timed: timed[0]):
        yield arrival


def by_now(arrivals: Iterable[Arrival], now: int) -> Iterator[Arrival]:
    """The same without messages and summaries of a time that is yet to come."""
    for arrival in arrivals:
        match arrival:
            case Arrived(said=said, request=request) if is_ahead(said, now):
                yield Skipped(AHEAD, f"message {request.key}")
            case ImportedSummary(said=said, session_key=session) if is_ahead(said, now):
                yield Skipped(AHEAD, f"summary of {session}")
            case _:
                yield arrival


def located(arrivals: Iterable[Arrival], path: Path) -> Iterator[Arrival]:
    """The same, and what is skipped says in which file or folder."""
    for arrival in arrivals:
        yield arrival._replace(where=f"{path}, {arrival.where}") if isinstance(arrival, Skipped) else arrival
