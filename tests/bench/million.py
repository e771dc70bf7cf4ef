"""The large log, rebuilt by a process of its own: how much memory that takes at most, and whether it slows down."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

from tests.bench.bench import Bench
from tests.bench.measure import Goal, Row, Spread, compared

MOST_MB = 300
PARTS = 5
LINEAR = 0.6


class Alone(NamedTuple):
    """What a rebuild in its own process took: see `alone.py`."""

    events: int
    rates: list[float]
    peak_mb: float
    own_mb: float


def million(bench: Bench) -> Iterator[Row]:
    """Memory and speed of a large rebuild. It is done once; the spread is over its parts, first to last."""
    folder = bench.log_of(bench.sizes[2], views=False)
    bench.say(f"replaying {bench.sizes[2]:,} events in a process of its own")
    command = [sys.executable, "-m", "tests.bench.alone", str(folder)]
    alone = Alone(**json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    what = f"replay, {alone.events:,} events"
    peak = Spread.of([alone.peak_mb])
    note = f"with its helper's; the process's own, without files it has mapped: {alone.own_mb:.0f} MB"
    yield Row(f"{what}: peak memory", "MB", peak, goal=Goal("≤", MOST_MB), note=note)
    yield _linear(what, alone.rates)


def _linear(what: str, rates: list[float]) -> Row:
    part = max(1, len(rates) // PARTS)
    first, last = rates[:part], rates[-part:]
    note = f"its last {part} of {len(rates)} stretches beside its first {part}"
    return compared(f"{what}: its last part", "/s", last, "its first part", first, Goal("≥", LINEAR), note)
