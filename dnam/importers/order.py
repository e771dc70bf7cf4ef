"""Bringing messages into the order in which they were said, without holding a large file in memory."""

import heapq
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from dnam.importers.source import Arrival, ImportFailed, Skipped

Value = TypeVar("Value")
NEARBY = 256
"""How many messages are held back, so that a few which stand out of order find their places."""


def settled(values: Iterable[Value], said: Callable[[Value], int | None]) -> Iterator[Value]:
    """Values that are nearly in order, in order; one without a time stays behind the one before it.

    What was held back is given before a break is raised.
    """
    held: list[tuple[int, int, Value]] = []
    last = 0
    broken: list[ImportFailed] = []
    for ordinal, value in enumerate(until_broken(values, broken)):
        time = said(value)
        last = last if time is None else time
        heapq.heappush(held, (last, ordinal, value))
        if len(held) > NEARBY:
            yield heapq.heappop(held)[2]
    while held:
        yield heapq.heappop(held)[2]
    if broken:
        raise broken[0]


def backwards(values: Iterable[Value]) -> Iterator[Value]:
    """Values in the opposite order, by way of a file on disk, for an export whose newest message comes first."""
    broken: list[ImportFailed] = []
    with tempfile.TemporaryFile() as spool:
        begins = []
        for value in until_broken(values, broken):
            begins.append(spool.tell())
            pickle.dump(value, spool)
        for begin in reversed(begins):
            spool.seek(begin)
            yield pickle.load(spool)
    if broken:
        raise broken[0]


def until_broken(values: Iterable[Value], broken: list[ImportFailed]) -> Iterator[Value]:
    """Values up to a break, which is put into the list instead of being raised."""
    try:
        yield from values
    except ImportFailed as error:
        broken.append(error)


def timed(arrivals: Iterable[Arrival]) -> Iterator[tuple[int, Arrival]]:
    """Each with the time it is merged by: its own, or for something skipped the time of what came before it."""
    last = 0
    for arrival in arrivals:
        last = last if isinstance(arrival, Skipped) else arrival.said
        yield last, arrival
