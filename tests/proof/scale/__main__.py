"""The same at any size, for a night: `python -m tests.proof.scale --events 10000000`.

What was measured is kept in long.json beside this file, with its date, commit and machine, and stands in the scorecard
beside what `make prove` measures itself. It needs 5 to 6 KB of disk an event while an erasure goes on.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from os import getloadavg
from pathlib import Path

from tests.proof.machine import machine
from tests.proof.scale import LONG_EVENTS
from tests.proof.scale.kept import LONG_RUN, Again, LongRun, kept, save
from tests.proof.scale.measuring import LONG, Measured, asked_apart, events_of, measured

SEED = 20261122


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and keep what was measured as it comes."""
    options = _parser().parse_args(arguments)
    if options.again:
        return _again(options.again, options.data, options.out)
    plan = LONG._replace(events=[*(each for each in LONG.events if each < options.events), options.events])
    found: dict[int, Measured] = {}
    on = machine()  # the commit that runs, whatever is committed meanwhile
    with _folder(options.dir, options.keep) as folder:
        for each in measured(folder, plan, options.seed, _say):
            found[each.events] = each
            date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
            save(options.out, LongRun(tuple(found.values()), options.seed, date, on))
    return 0


@contextmanager
def _folder(parent: Path | None, keep: Path | None) -> Iterator[Path]:
    """Where the log is made: gone afterwards, but for one that is to be kept."""
    if keep is not None:
        keep.mkdir(parents=True)
        yield keep
        return
    with tempfile.TemporaryDirectory(prefix="dnam-scale-", dir=parent) as folder:
        yield Path(folder)


def _again(what: str, data: Path, out: Path) -> int:
    """Measure one thing again on a log that was kept, and put its figures in the place of those of its size."""
    on, run = machine(), kept(out)
    events = events_of(data)
    at = None if run is None else run.alike(events)
    if run is None or at is None:
        _say(f"{out} has no run of a log like {data}, which has {events:,} events")
        return 1
    _say(f"{what} at {events:,} events")
    figures = asked_apart(what, data, LONG.size.people + at) | {f"{what}_load": getloadavg()[0]}
    again = Again(what, run.sizes[at].events, datetime.now(UTC).strftime("%Y-%m-%d %H:%M"), on)
    save(out, run.with_again(at, figures, again))
    return 0


def _say(text: str) -> None:
    print(f"{datetime.now(UTC):%H:%M:%S} {text}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.proof.scale", description="Measure a large community.")
    parser.add_argument("--events", type=int, default=LONG_EVENTS, help="how many, at the last (%(default)s)")
    parser.add_argument("--seed", type=int, default=SEED, help="what chance begins with (%(default)s)")
    parser.add_argument("--dir", type=Path, help="where to make the log")
    parser.add_argument("--keep", type=Path, help="make the log in this new folder, and leave it there")
    parser.add_argument("--again", choices=("verify", "look"), help="measure this again alone, on the log in --data")
    parser.add_argument("--data", type=Path, default=Path("data"), help="a log that --again looks at (%(default)s)")
    parser.add_argument("--out", type=Path, default=LONG_RUN, help="where to keep what was measured (%(default)s)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
