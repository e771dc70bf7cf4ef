"""A sample on which no test was sharpened, tried apart from `make prove`, and kept in the clone: fresh.json."""

from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from tests.proof.claim import Finding
from tests.proof.machine import Machine
from tests.proof.mutants.orders import Mutant
from tests.proof.mutants.scope import SCOPES
from tests.proof.mutants.tried import Tried

FRESH = Path(__file__).with_name("fresh.json")
SPENT = {7: "91.8% of 388 policies, 95.8% of 239 of the log, at 31e1a1c46312"}
"""Seeds of samples that were fresh once, with what came of them: then tests were sharpened on what survived. Every seed
that was ever tried stands here or in fresh.json.
"""


class Sampled(msgspec.Struct, frozen=True):
    """What came of the sample of a scope: how many mutants there are, how many were tried, and what survived."""

    scope: str
    total: int
    tried: int
    survived: tuple[str, ...]

    @property
    def share(self) -> float:
        """How many of those that were tried were killed."""
        return 1 - len(self.survived) / self.tried if self.tried else 0.0


class FreshRun(msgspec.Struct, frozen=True):
    """One run: by which seed, when (UTC), where, what came of each scope."""

    seed: int
    date: str
    machine: Machine
    sampled: tuple[Sampled, ...]


def sampled(scope: str, came: Tried, spent: Collection[Mutant]) -> Sampled:
    """What is kept of a scope: of mutants that were in no sample on which tests were sharpened."""
    known = {_named(each) for each in spent}
    new = [each for each in came.mutants if _named(each) not in known]
    survived = tuple(name for each in came.survivors if (name := _named(each)) not in known)
    return Sampled(scope, came.total, len(new), survived)


def _named(each: Mutant) -> str:
    return f"{each.file}:{each.lines[0]} {each.function}: {each.before} -> {each.after}"


def save(path: Path, run: FreshRun) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=1) + b"\n")


def kept(path: Path) -> FreshRun | None:
    """The last run; None where there was none."""
    return msgspec.json.decode(path.read_bytes(), type=FreshRun) if path.is_file() else None


def fresh(run: FreshRun | None, seed: int, least: float) -> Finding:
    """The run that was kept, held against the share that must be killed: of all scopes, and by another seed than those
    of the samples on which tests were sharpened.
    """
    if run is None:
        return Finding("fresh", 0, "mutants", "not run", False, "it takes as long as this whole part")
    told = [
        f"{each.scope}: {each.share:.1%} of {each.tried:,} (of {each.total:,}) killed, {len(each.survived)} survive"
        for each in run.sampled
    ]
    where = f"seed {run.seed}, {run.date}, commit {run.machine.commit}"
    holds = [each.scope for each in run.sampled] == [each.key for each in SCOPES] and run.seed not in (seed, *SPENT)
    holds &= all(each.share >= least for each in run.sampled)
    before = "".join(f"; sharpened since on that of seed {seed}: {came}" for seed, came in SPENT.items())
    return Finding("fresh", _count(run.sampled), "mutants", f"{where}: {'; '.join(told)}{before}", holds)


def _count(every: Sequence[Sampled]) -> int:
    return sum(each.tried for each in every)
