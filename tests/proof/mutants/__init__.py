"""Mutation testing: the policies, the tree and the key ring, changed by mutmut in one place; does a test notice?

scope.py       what is changed, how much of it, and which tests are to notice
made.py        what can be changed, and the sample that is drawn of it
reaching.py    which tests reach which line, kept under .prove/ while no file changes
orders.py      what the process is asked in which tests run, and what it answers
run.py         that process
forks.py       a fork of it for each mutant
tried.py       what came of all
survivors.py   the survivors that are accepted, each with its reason
fresh.py       another sample, on which no test was sharpened, tried by `python -m tests.proof.mutants` and kept
"""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.mutants.fresh import FRESH, fresh, kept
from tests.proof.mutants.scope import SCOPES, SHORT, Scope
from tests.proof.mutants.tried import SPENT_S, Tried, tried

LEAST = 0.9
"""The share of mutants that must be killed."""
CLAIMS = (
    *(
        Claim(
            scope.key,
            f"Of {scope.says}, tests kill at least {LEAST:.0%} of a sample of {scope.share:.0%} of all mutants, on "
            "which they were sharpened",
            f"mutmut's mutants of their functions, but for decorated ones and tables of a module: {scope.share:.0%} of "
            "each file's, those that come first by the hash of seed, file, function and number, which stay when other "
            "functions change; a fork each, in which tests "
            "run until one fails, those that reach the line before others that reach the file, those of the file's own "
            f"tests before the quickest of each test file in turn, {SPENT_S:g} s of a processor at most; every test "
            "that killed one is tried without it. Tests were sharpened by what survived of this very sample: of all of "
            "them more may survive",
        )
        for scope in SCOPES
    ),
    Claim(
        "survivors",
        "Every mutant of the sample that survives is explained",
        "held against tests/proof/mutants/survivors.toml; what is listed there counts as surviving, untried",
    ),
    Claim(
        "fresh",
        f"Of a fresh sample, on which tests were not sharpened, they kill at least {LEAST:.0%} too",
        "drawn by another seed, tried in the same way, without those that were in an earlier sample; kept in "
        "tests/proof/mutants/fresh.json by `python -m tests.proof.mutants --fresh SEED`, since it takes as long as "
        "this part. It is data of the commit that the line names. It falls short where the lower end of the interval "
        f"in which the share of all mutants lies (Wilson's, 95%) is less than {LEAST:.0%}, and where a survivor is "
        "neither explained in survivors.toml nor killed by now, which `--again` tries. Of replay/ring/records.py tests "
        "were sharpened on all",
    ),
    Claim("control", "What is not changed survives", "functions put in as they are, in the same way"),
)
MANY = 10


def prove(trial: Trial) -> Iterator[Finding]:
    """Try a sample of all mutants; in short, a handful."""
    if find_spec("mutmut") is None:
        for claim in CLAIMS:
            yield Finding(claim.key, 0, "mutants", "not tried", False, "mutmut is not installed for this Python")
        return
    every = tried(trial, SHORT if trial.is_short else SCOPES)
    for line in (line for came in every for line in came.by_file()):
        trial.say(line)
    yield from findings(every)
    yield fresh(kept(FRESH), trial.seed, LEAST)


def findings(every: Sequence[Tried]) -> Iterator[Finding]:
    """What came of each scope, and of all."""
    yield from (_rate(scope, came) for scope, came in zip(SCOPES, every, strict=True))
    yield _explained(every)
    yield _control(every)


def _rate(scope: Scope, came: Tried) -> Finding:
    share = came.killed / len(came.mutants) if came.mutants else 0.0
    came_out = (
        f"{share:.1%} killed ({came.killed - came.stuck} by a test that fails, {came.stuck} by one that does not end); "
        f"{len(came.mutants) - came.killed} survive"
    )
    counted = f"of {came.total:,} mutants in {came.files} files"
    return Finding(scope.key, len(came.mutants), counted, came_out, share >= LEAST)


def _explained(every: Sequence[Tried]) -> Finding:
    survivors = [each for came in every for each in came.survivors]
    unknown = [each for came in every for each in came.unexplained]
    came_out = f"{len(survivors)} survive: {len(survivors) - len(unknown)} explained, {len(unknown)} not"
    if unknown:
        named = [f"{each.file} {each.function}: `{each.before}` → `{each.after}`" for each in unknown[:MANY]]
        came_out += ": " + "; ".join(named) + (" …" if len(unknown) > MANY else "")
    return Finding("survivors", sum(len(came.mutants) for came in every), "mutants", came_out, not unknown)


def _control(every: Sequence[Tried]) -> Finding:
    same = [each for came in every for each in came.unchanged]
    killed = [f"{each.test}: {each.how}" for each in same if each.test]
    came_out = f"{len(same) - len(killed)} survive" + "".join(f"; {each}" for each in killed)
    return Finding("control", len(same), "functions", came_out, bool(same) and not killed)


PART = Part("mutants", "Mutation testing", CLAIMS, prove)
