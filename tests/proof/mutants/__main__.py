"""A sample on which no test was sharpened: `python -m tests.proof.mutants --fresh 7`.

What came of it is kept in fresh.json beside this file, with its date, commit and machine, and stands in the scorecard
beside the sample that `make prove` tries itself. It takes as long as that part. `--again` tries what survived of
it, and is not explained, once more: what tests that were written since kill of it is kept too.
"""

import argparse
import sys
import tempfile
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tests.proof.__main__ import SEED
from tests.proof.claim import Trial
from tests.proof.machine import machine
from tests.proof.mutants.fresh import (
    FRESH,
    SPENT,
    Again,
    FreshRun,
    is_explained,
    kept,
    named,
    sampled,
    save,
    unlined,
)
from tests.proof.mutants.scope import SCOPES
from tests.proof.mutants.tried import Tried, sample, tried

if TYPE_CHECKING:
    from tests.proof.mutants.made import Place  # made of mutmut, which may not be installed


def main(arguments: Sequence[str] | None = None) -> int:
    """Try it, and keep what came of it."""
    options = _parser().parse_args(arguments)
    if options.again:
        return _again(options.out)
    on = machine()  # the commit that runs, whatever is committed meanwhile
    with tempfile.TemporaryDirectory(prefix="dnam-mutants-") as folder:
        every = tried(Trial(Path(folder), options.fresh, False, _say), SCOPES)
    spent = [each for seed in (SEED, *SPENT) for scope in SCOPES for each in sample(scope, seed)]
    found = tuple(sampled(scope.key, came, spent) for scope, came in zip(SCOPES, every, strict=True))
    save(options.out, FreshRun(options.fresh, _now(), on, found))
    for each in found:
        _say(f"{each.scope}: {each.share:.1%} of {each.tried:,} killed")
    return 0


def _again(out: Path) -> int:
    """Try what survived, and is not explained, against the tests that there are by now."""
    on, run = machine(), kept(out)
    if run is None:
        _say(f"{out} has no sample")
        return 1
    wanted = {unlined(name) for name in run.survived if not is_explained(name)}
    with tempfile.TemporaryDirectory(prefix="dnam-mutants-") as folder:
        every = tried(Trial(Path(folder), run.seed, False, _say), SCOPES, partial(_is_one_of, wanted))
    killed = killed_of(every)
    names = tuple(name for name in run.survived if unlined(name) in killed & wanted)
    save(out, msgspec.structs.replace(run, again=Again(_now(), on, names)))
    _say(f"{len(names)} of {len(wanted)} are killed")
    return 0


def killed_of(every: Sequence[Tried]) -> set[str]:
    """The mutants that are killed, by their file, function and change; of a change that can be made at two places of a
    function, both.
    """
    survived = {unlined(named(each)) for came in every for each in came.survivors}
    return {unlined(named(each)) for came in every for each in came.mutants} - survived


def _is_one_of(wanted: Collection[str], place: "Place") -> bool:
    from tests.proof.mutants.made import mutant

    begins = f"{place.file} {place.function}: "
    return any(each.startswith(begins) for each in wanted) and unlined(named(mutant(place))) in wanted


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d %H:%M}"


def _say(text: str) -> None:
    print(f"{datetime.now(UTC):%H:%M:%S} {text}", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.proof.mutants", description="Try another sample of mutants.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--fresh", type=int, metavar="SEED", help="what the sample is drawn by")
    what.add_argument("--again", action="store_true", help="try what survived of the sample that is kept once more")
    parser.add_argument("--out", type=Path, default=FRESH, help="where to keep what came of it (%(default)s)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
