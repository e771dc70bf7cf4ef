"""A sample on which no test was sharpened, tried apart from `make prove`, and kept in the clone: fresh.json.

It stands for all mutants as far as a sample of its size does: what is held against the share that must be killed is the
lower end of the interval (Wilson's, 95%) in which theirs lies.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from math import sqrt
from pathlib import Path

import msgspec

from tests.proof import since
from tests.proof.claim import Finding
from tests.proof.machine import Machine
from tests.proof.mutants.orders import Mutant
from tests.proof.mutants.scope import SCOPES
from tests.proof.mutants.survivors import explained
from tests.proof.mutants.tried import Tried

FRESH = Path(__file__).with_name("fresh.json")
SPENT = {7: "91.8% of 388 policies, 95.8% of 239 of the log, at 31e1a1c46312"}
"""Seeds of samples that were fresh once, with what came of them: then tests were sharpened on what survived. Every seed
that was ever tried stands here or in fresh.json.
"""
Z = 1.96
"""How many standard deviations an interval of 95% reaches to either side."""
_NAME = re.compile(r"(?P<file>[^:]+):(?P<line>\d+) (?P<function>[^:]+): (?P<change>.*)", re.DOTALL)


def interval(killed: int, tried: int) -> tuple[float, float]:
    """The share of all that is killed, by Wilson's score: with 95% it lies between these two; anywhere, for a sample of
    none.
    """
    if not tried:
        return 0.0, 1.0
    share, much = killed / tried, Z * Z / tried
    middle, reach = share + much / 2, Z * sqrt((share * (1 - share) + much / 4) / tried)
    return (middle - reach) / (1 + much), (middle + reach) / (1 + much)


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

    @property
    def least(self) -> float:
        """The lower end of the interval in which the share of all mutants lies."""
        return interval(self.tried - len(self.survived), self.tried)[0]

    def told(self) -> str:
        """In words."""
        low, high = interval(self.tried - len(self.survived), self.tried)
        return (
            f"{self.scope}: {self.share:.1%} of {self.tried:,} (of {self.total:,}) killed, of all {low:.1%} to "
            f"{high:.1%} (Wilson, 95%), {len(self.survived)} survive"
        )


class Again(msgspec.Struct, frozen=True):
    """What survived and was tried again, since tests were added: when (UTC), where, and what is killed by now."""

    date: str
    machine: Machine
    killed: tuple[str, ...]


class FreshRun(msgspec.Struct, frozen=True):
    """One run: by which seed, when (UTC), where, what came of each scope; and what came of its survivors later."""

    seed: int
    date: str
    machine: Machine
    sampled: tuple[Sampled, ...]
    again: Again | None = None

    @property
    def survived(self) -> list[str]:
        """Of all scopes."""
        return [name for each in self.sampled for name in each.survived]

    @property
    def killed_since(self) -> list[str]:
        """Of those, what tests kill by now."""
        return [name for name in self.survived if self.again is not None and name in self.again.killed]

    @property
    def open(self) -> list[str]:
        """Of those, what no test kills and nobody explained."""
        return [name for name in self.survived if name not in self.killed_since and not is_explained(name)]


def sampled(scope: str, came: Tried, spent: Collection[Mutant]) -> Sampled:
    """What is kept of a scope: of mutants that were in no sample on which tests were sharpened."""
    known = {named(each) for each in spent}
    new = [each for each in came.mutants if named(each) not in known]
    survived = tuple(name for each in came.survivors if (name := named(each)) not in known)
    return Sampled(scope, came.total, len(new), survived)


def named(each: Mutant) -> str:
    """Its place and change, as it is kept."""
    return f"{each.file}:{each.lines[0]} {each.function}: {each.before} -> {each.after}"


def save(path: Path, run: FreshRun) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=1) + b"\n")


def kept(path: Path) -> FreshRun | None:
    """The last run; None where there was none."""
    return msgspec.json.decode(path.read_bytes(), type=FreshRun) if path.is_file() else None


def fresh(run: FreshRun | None, seed: int, least: float) -> Finding:
    """The run that was kept, held against the share that must be killed: of all scopes, and by another seed than those
    of the samples on which tests were sharpened. It falls short where the sample is too small to say so of all mutants,
    or a survivor is neither explained nor killed by now.
    """
    if run is None:
        return Finding("fresh", 0, "mutants", "not run", False, "it takes as long as this whole part")
    told = "; ".join(each.told() for each in run.sampled)
    where = f"seed {run.seed}, {run.date}, commit {run.machine.commit}"
    sound = [each.scope for each in run.sampled] == [each.key for each in SCOPES] and run.seed not in (seed, *SPENT)
    sound &= all(each.share >= least for each in run.sampled)
    before = "".join(f"; sharpened since on that of seed {seed}: {came}" for seed, came in SPENT.items())
    came_out = f"{where}: {told}; {_survivors(run)}; {_since(run)}{before}"
    short = "; ".join(_short(run, least)) if sound else ""
    return Finding("fresh", _count(run.sampled), "mutants", came_out, sound and not short, short)


def _short(run: FreshRun, least: float) -> Iterator[str]:
    """Why it says less than is claimed."""
    for each in run.sampled:
        if each.least < least:
            yield f"a sample of {each.tried:,} cannot tell that of all {each.scope} {least:.0%} are killed"
    if run.open:
        yield f"{len(run.open)} of {len(run.survived)} survivors are neither explained nor killed since"


def _survivors(run: FreshRun) -> str:
    """What became of those that survived."""
    rest = len(run.survived) - len(run.killed_since) - len(run.open)
    when = "" if run.again is None else f" (tried again on {run.again.date}, commit {run.again.machine.commit})"
    return (
        f"of {len(run.survived)} survivors {rest} are explained in survivors.toml, {len(run.killed_since)} are killed "
        f"since{when}, {len(run.open)} are neither"
    )


def _since(run: FreshRun) -> str:
    """How old the data is."""
    files = [each for scope in SCOPES for each in scope.files]
    return since.told([run.machine.commit], files, "policies, tree and key ring")


def is_explained(name: str) -> bool:
    """Whether a survivor is among those that are accepted: its line may have moved."""
    return any(map(explained, _read(name)))


def unlined(name: str) -> str:
    """A survivor by its file, function and change."""
    found = _NAME.fullmatch(name)
    return f"{found['file']} {found['function']}: {found['change']}" if found else name


def _read(name: str) -> Iterator[Mutant]:
    """What a name may be of: an arrow may stand in the code, too."""
    found = _NAME.fullmatch(name)
    if found is None:
        return
    arrow, line = " -> ", int(found["line"])
    parts = found["change"].split(arrow)
    for n in range(1, len(parts)):
        before, after = arrow.join(parts[:n]), arrow.join(parts[n:])
        yield Mutant(found["file"], found["function"], before, after, "", (line, line), (line, line))


def _count(every: Sequence[Sampled]) -> int:
    return sum(each.tried for each in every)
