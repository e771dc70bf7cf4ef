"""The command line, as a person meets it: whole processes, from start to end."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.bench.bench import Bench
from tests.bench.measure import Goal, Row, Spread, seconds
from tests.bench.talk import account

PROGRAM = Path(sys.executable).parent / "dnam"


def commands(bench: Bench) -> Iterator[Row]:
    """`dnam --help` and `dnam show`."""
    folder = bench.log_of(bench.sizes[1])
    yield _command(bench, "dnam --help", ["--help"], folder, 0.25)
    user = account(0).id
    yield _command(bench, f"dnam show, {bench.sizes[1]:,} events", ["show", user], folder, 0.4)
    yield from _floor(bench)


def _command(bench: Bench, what: str, arguments: list[str], folder: Path, most: float) -> Row:
    goal = Goal("≤", most)
    environment = {**os.environ, "DNAM_DATA": str(folder)}
    command = [str(PROGRAM), *arguments]
    if not PROGRAM.exists():
        return Row(what, "s", None, goal=goal, broken=f"there is no {PROGRAM.name} beside {Path(sys.executable).name}")
    first = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if first.returncode:
        lines = first.stderr.strip().splitlines() or ["it said nothing"]
        return Row(what, "s", None, goal=goal, broken=f"exit {first.returncode}: {lines[-1]}")
    bench.say(what)
    took = [
        seconds(lambda: subprocess.run(command, env=environment, capture_output=True, check=True))
        for _ in range(max(7, bench.rounds))
    ]
    return Row(what, "s", Spread.of(took), goal=goal)


def _floor(bench: Bench) -> Iterator[Row]:
    took = [
        seconds(lambda: subprocess.run([sys.executable, "-c", ""], check=True)) for _ in range(max(7, bench.rounds))
    ]
    yield Row("a Python that does nothing, for comparison", "s", Spread.of(took))
