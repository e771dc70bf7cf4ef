"""From a message's arrival to the model's request, a crowd of sessions, and memory over a long day.

The model answers at once, so what is measured is the memory's share: decide, append, fold, recall, assemble.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from statistics import median, quantiles
from typing import Any

from tests.bench.bench import Bench
from tests.bench.measure import Goal, Row, Spread

CHARS_PER_TOKEN = 4


def answering(bench: Bench) -> Iterator[Row]:
    """The numbers of a running bot."""
    yield from _arrival(bench)
    yield from _in_discord(bench)
    yield from _crowd(bench)
    yield from _flat(bench)


def _run(bench: Bench, mode: str, count: int, name: str = "") -> dict[str, Any]:
    folder = bench.folder(f"answers-{mode}{name}")
    command = [sys.executable, "-m", "tests.bench.answers", mode, str(folder), str(count)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def _arrival(bench: Bench) -> Iterator[Row]:
    count = 300 if bench.quick else 1_500
    bench.say(f"{count:,} messages to somebody of whom 200 items are known")
    runs = [_run(bench, "arrival", count, f"-{number}") for number in range(3)]
    arrivals = [[each * 1000 for each in run["arrivals"]] for run in runs]
    yield Row("arrival → model's request, p50", "ms", Spread.of([median(each) for each in arrivals]), goal=Goal("≤", 5))
    p99 = Spread.of([quantiles(each, n=100)[98] for each in arrivals])
    yield Row("arrival → model's request, p99", "ms", p99, goal=Goal("≤", 25), note="200 items, a full window")
    last = runs[-1]
    injected = Spread.of([last["injected"] / CHARS_PER_TOKEN])
    note = "items, people in the room, the summary, past conversations, each line whole"
    yield Row("tokens of memory injected per turn", "tokens", injected, note=note)
    yield Row("tokens of a whole prompt", "tokens", Spread.of([last["prompt"] / CHARS_PER_TOKEN]))
    by = ", ".join(f"{purpose} {calls:.0f}" for purpose, calls in last["by_purpose"].items())
    yield Row("model calls per 100 turns", "calls", Spread.of([last["calls"]]), note=by)


def _in_discord(bench: Bench) -> Iterator[Row]:
    count = 200 if bench.quick else 1_000
    bench.say(f"{count:,} messages at a Discord on loopback")
    folder = bench.folder("answers-discord")
    command = [sys.executable, "-m", "tests.bench.in_discord", "town", str(folder), str(count)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    took = [each * 1000 for each in json.loads(done.stdout)]
    note = "the real bot: from discord.py's event on"
    yield Row(
        "in Discord: arrival → model's request, p50", "ms", Spread.of([median(took)]), goal=Goal("≤", 5), note=note
    )
    p99 = Spread.of([quantiles(took, n=100)[98]])
    yield Row("in Discord: arrival → model's request, p99", "ms", p99, goal=Goal("≤", 25), note=note)


def _crowd(bench: Bench) -> Iterator[Row]:
    seconds = 10 if bench.quick else 60
    bench.say(f"50 messages a second in 200 sessions, {seconds} s")
    run = _run(bench, "crowd", 50 * seconds)
    lags = [each * 1000 for each in run["lags"]]
    dropped = 50 * seconds - run["answered"] + run["waits"]
    yield Row("200 sessions, 50 messages/s: dropped", "messages", Spread.of([dropped]), goal=Goal("≤", 0))
    p99 = Spread.of([quantiles(lags, n=100)[98]])
    yield Row("200 sessions, 50 messages/s: event loop lag, p99", "ms", p99, goal=Goal("≤", 20))
    arrivals = [each * 1000 for each in run["arrivals"]]
    yield Row("200 sessions, 50 messages/s: arrival, p99", "ms", Spread.of([quantiles(arrivals, n=100)[98]]))


def _flat(bench: Bench) -> Iterator[Row]:
    count = 10_000 if bench.quick else 100_000
    bench.say(f"{count:,} messages through one process")
    held = _run(bench, "flat", count)["held"]
    note = f"{held[1]:.0f} MB after a fifth, {held[4]:.0f} after a half, {held[-1]:.0f} at the end"
    what = f"memory after {count:,} messages ÷ after a fifth"
    yield Row(what, "×", Spread.of([held[-1] / held[1]]), goal=Goal("≤", 1.1), note=note)
