"""A sample on which no test was sharpened: `python -m tests.proof.mutants --fresh 7`.

What came of it is kept in fresh.json beside this file, with its date, commit and machine, and stands in the scorecard
beside the sample that `make prove` tries itself. It takes as long as that part.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.proof.__main__ import SEED
from tests.proof.claim import Trial
from tests.proof.machine import machine
from tests.proof.mutants.fresh import FRESH, SPENT, FreshRun, sampled, save
from tests.proof.mutants.scope import SCOPES
from tests.proof.mutants.tried import sample, tried


def main(arguments: Sequence[str] | None = None) -> int:
    """Try it, and keep what came of it."""
    options = _parser().parse_args(arguments)
    on = machine()  # the commit that runs, whatever is committed meanwhile
    with tempfile.TemporaryDirectory(prefix="dnam-mutants-") as folder:
        every = tried(Trial(Path(folder), options.fresh, False, _say), SCOPES)
    spent = [each for seed in (SEED, *SPENT) for scope in SCOPES for each in sample(scope, seed)]
    found = tuple(sampled(scope.key, came, spent) for scope, came in zip(SCOPES, every, strict=True))
    save(options.out, FreshRun(options.fresh, f"{datetime.now(UTC):%Y-%m-%d %H:%M}", on, found))
    for each in found:
        _say(f"{each.scope}: {each.share:.1%} of {each.tried:,} killed")
    return 0


def _say(text: str) -> None:
    print(f"{datetime.now(UTC):%H:%M:%S} {text}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.proof.mutants", description="Try another sample of mutants.")
    parser.add_argument("--fresh", type=int, required=True, metavar="SEED", help="what the sample is drawn by")
    parser.add_argument("--out", type=Path, default=FRESH, help="where to keep what came of it (%(default)s)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
