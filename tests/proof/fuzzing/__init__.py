"""Hostile input: fuzzing, guided by coverage, of everything that reads what others wrote."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.fuzzing.corpus import CORPUS, FOUND, GROWN

SECONDS = 600
"""How long in all, at the least; each target gets its share."""
SHARES = {"envelope": 2, "reply": 2, "importers": 3, "discoclaw": 1, "commands": 1, "time": 1}
HANG_S, MOST_MB, MOST_BYTES = 10, 1024, 16_384
_UNITS = re.compile(rb"stat::number_of_executed_units:\s+(\d+)")
_REACHED = re.compile(rb"cov: (\d+)")
_TOOK = re.compile(rb"Done \d+ runs in (\d+) second")

READERS = {
    "envelope": "the envelope's decoder",
    "reply": "the parser of models' replies",
    "importers": "the importers of files",
    "discoclaw": "the importer of DiscoClaw's folders",
    "commands": "the parser of commands",
    "time": "the parser of times",
}
CLAIMS = (
    *(
        Claim(
            name, f"nothing that is written crashes, hangs or fills the memory of {what}", "coverage-guided, by atheris"
        )
        for name, what in READERS.items()
    ),
    Claim("long", "that was at least ten minutes in all", "by the clock of the fuzzer"),
)


class Fuzzed(NamedTuple):
    """A run: inputs tried, the seconds that it told of (none where it was broken off), edges of the code that they
    reached, and the inputs that broke it.
    """

    units: int
    seconds: int
    reached: int
    code: int
    broke: tuple[Path, ...]
    told: str


def prove(trial: Trial) -> Iterator[Finding]:
    """Fuzz every target for its share of the time."""
    seconds = 6 if trial.is_short else SECONDS
    if find_spec("atheris") is None:
        for claim in CLAIMS:
            yield Finding(claim.key, 0, "inputs", "not tried", False, "atheris is not installed for this Python")
        return
    spent = 0
    for name, share in SHARES.items():
        ran = _fuzzed(trial, name, max(1, seconds * share // sum(SHARES.values())))
        spent += ran.seconds
        trial.say(f"{name}: {ran.units:,} inputs, {ran.reached:,} edges reached")
        broke = "" if not ran.code else f"; broken by {', '.join(each.name for each in ran.broke)}: {ran.told}"
        came_out = f"{ran.reached:,} edges of the code reached{broke}"
        yield Finding(name, ran.units, f"inputs, {ran.seconds} s", came_out, not ran.code and ran.units > 0)
    yield Finding("long", spent, "s", f"{len(SHARES)} runs, one after the other", spent >= seconds)


def _fuzzed(trial: Trial, name: str, seconds: int) -> Fuzzed:
    """One run. What it finds goes to the corpus of this machine; what breaks it is kept in `found` there too."""
    grown, broken = (trial.folder / "grown" / name, trial.folder / "broken" / name)
    if not trial.is_short:
        grown, broken = GROWN / name, GROWN.parent / "found" / name
    for folder in (grown, broken):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(broken.iterdir())
    seeds = [str(folder / name) for folder in (CORPUS, FOUND) if (folder / name).is_dir()]
    options = (
        f"-max_total_time={seconds}", f"-timeout={HANG_S}", f"-rss_limit_mb={MOST_MB}", f"-max_len={MOST_BYTES}",
        f"-artifact_prefix={broken}/", f"-seed={trial.dice(name).randrange(1, 2**31)}", "-print_final_stats=1",
    )  # fmt: skip
    command = [sys.executable, "-m", "tests.proof.fuzzing.run", name, str(grown), *seeds, *options]
    done = subprocess.run(command, capture_output=True, check=False)
    units, took, reached = _UNITS.search(done.stderr), _TOOK.search(done.stderr), _REACHED.findall(done.stderr)
    return Fuzzed(
        int(units[1]) if units else 0,
        int(took[1]) if took else 0,
        int(reached[-1]) if reached else 0,
        done.returncode,
        tuple(sorted(set(broken.iterdir()) - before)),
        _last_error(done.stderr.decode("utf-8", "replace")) if done.returncode else "",
    )


def _last_error(told: str) -> str:
    """The line that says what went wrong."""
    lines = [line.strip() for line in told.splitlines() if "Error" in line or "ERROR" in line]
    return (lines or told.splitlines() or [""])[-1][:200]


def keep(name: str) -> None:
    """Take the smallest set of inputs that reaches as much into the project: by hand, after a run."""
    fresh = CORPUS / f"{name}.new"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    sources = [str(folder) for folder in (CORPUS / name, GROWN / name) if folder.is_dir()]
    command = [sys.executable, "-m", "tests.proof.fuzzing.run", name, "-merge=1", str(fresh), *sources]
    subprocess.run(command, check=True, capture_output=True)
    shutil.rmtree(CORPUS / name, ignore_errors=True)
    fresh.rename(CORPUS / name)


PART = Part("fuzzing", "Hostile input", CLAIMS, prove)
