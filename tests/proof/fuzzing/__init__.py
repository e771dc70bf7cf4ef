"""Hostile input: fuzzing, guided by coverage, of everything that reads what others wrote."""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.fuzzing.corpus import CORPUS, FOUND, GROWN
from tests.proof.fuzzing.tally import UNKNOWN, Counted, read_tally

SECONDS = 600
"""How long in all, at the least; each target gets its share."""
SHARES = {"envelope": 2, "reply": 2, "importers": 3, "discoclaw": 1, "commands": 1, "time": 1}
INSTRUMENTED = ("dnam", "replay", "projections")
"""What is imported so that it shows what of it is reached: nothing of it may be imported before."""
HANG_S, MOST_MB, MOST_BYTES = 10, 1024, 16_384


class Least(NamedTuple):
    """What a target that does its work comes to: edges of the code reached, and of its inputs that are not the
    project's own, how many of each kind are accepted, and refused. What is of no kind is refused, and never accepted.
    """

    edges: int
    accepted: int
    refused: int


LEAST = {
    "envelope": Least(12, 500, 500),
    "reply": Least(130, 2_000, 2_000),
    "importers": Least(600, 20, 20),
    "discoclaw": Least(110, 50, 50),
    "commands": Least(35, 500, 500),
    "time": Least(50, 1_000, 1_000),
}
"""In the whole run: nine tenths of the edges that a quarter of a minute reaches, and some hundredths of the inputs of
the whole time. Of the envelope, which msgspec reads in C, where no edges are seen, it is the inputs that count.
"""
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
GUIDED = "coverage-guided, by atheris; so much of the code, so many changed inputs accepted and refused, or it fails"
HOW = {
    "importers": f"{GUIDED}; so many of each format; of dnam's own exports, which end with the digest of their lines, "
    "most with the digest put right, one time of ten changed as a tree",
    "envelope": "by atheris; headers and bodies of every kind, as often each, their trees changed (types, lengths, "
    "nesting, numbers, bytes) and encoded again, and one time of five any bytes; so many accepted and refused of each "
    "kind, or it fails",
}
CLAIMS = (
    *(
        Claim(
            name,
            f"no input of up to {MOST_BYTES // 1024} KiB crashes {what}, holds it up for {HANG_S} s or takes "
            f"{MOST_MB / 1024:g} GiB of memory",
            HOW.get(name, GUIDED),
        )
        for name, what in READERS.items()
    ),
    Claim("long", "that was at least ten minutes in all", "by the clock of the fuzzer"),
)


class Fuzzed(NamedTuple):
    """A run: inputs tried, the seconds that it told of (none where it was broken off), edges of the code that they
    reached, how many inputs that are not the project's own came out how, by kind, and the inputs that broke it.
    """

    units: int
    seconds: int
    reached: int
    counted: Mapping[str, Counted]
    code: int
    broke: tuple[Path, ...]
    told: str

    @property
    def fewest(self) -> Counted:
        """Of the kind that has fewest, of each."""
        refused = [each.refused for each in self.counted.values()]
        accepted = [each.accepted for kind, each in self.counted.items() if kind != UNKNOWN]
        return Counted(min(accepted, default=0), min(refused, default=0))

    def reaches(self, least: Least) -> bool:
        """Whether its target did its work."""
        return all(here >= least_here for here, least_here in zip((self.reached, *self.fewest), least, strict=True))

    def says(self) -> str:
        """What came of inputs, in words."""
        kinds = [kind for kind in self.counted if kind != UNKNOWN]
        each = f"of each of {len(kinds)} kinds at least " if len(kinds) > 1 else ""
        accepted, refused = self.fewest
        inputs = f"of changed inputs {each}{accepted:,} accepted, {refused:,} refused"
        return f"{self.reached:,} edges of the code reached; {inputs}"


def prove(trial: Trial) -> Iterator[Finding]:
    """Fuzz every target for its share of the time."""
    seconds = 12 if trial.is_short else SECONDS
    if find_spec("atheris") is None:
        for claim in CLAIMS:
            yield Finding(claim.key, 0, "inputs", "not tried", False, "atheris is not installed for this Python")
        return
    spent = 0
    for name, share in SHARES.items():
        ran = _fuzzed(trial, name, max(1, seconds * share // sum(SHARES.values())))
        spent += ran.seconds
        trial.say(f"{name}: {ran.units:,} inputs, {ran.reached:,} edges reached")
        yield _finding(name, ran, _least(name, is_short=trial.is_short))
    yield Finding("long", spent, "s", f"{len(SHARES)} runs, one after the other", spent >= seconds)


def _least(name: str, *, is_short: bool) -> Least:
    whole = LEAST[name]
    return Least(whole.edges // 2, 1, 1) if is_short else whole


def _finding(name: str, ran: Fuzzed, least: Least) -> Finding:
    by = ", ".join(each.name for each in ran.broke) or "no input that was kept"
    broke = "" if not ran.code else f"; broken by {by}: {ran.told}"
    is_enough = ran.reaches(least)
    fewer = "" if is_enough else f"; too few: {least.edges:,}, {least.accepted:,} and {least.refused:,} must be"
    holds = not ran.code and is_enough
    return Finding(name, ran.units, f"inputs, {ran.seconds} s", ran.says() + fewer + broke, holds)


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
    counted = trial.folder / f"{name}.tally"
    command = [sys.executable, "-m", "tests.proof.fuzzing.run", name, str(counted), str(grown), *seeds, *options]
    done = subprocess.run(command, capture_output=True, check=False)
    units, took, reached = _UNITS.search(done.stderr), _TOOK.search(done.stderr), _REACHED.findall(done.stderr)
    return Fuzzed(
        int(units[1]) if units else 0,
        int(took[1]) if took else 0,
        int(reached[-1]) if reached else 0,
        read_tally(counted),
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
    with tempfile.TemporaryDirectory() as folder:
        run = (sys.executable, "-m", "tests.proof.fuzzing.run", name, f"{folder}/tally")
        subprocess.run([*run, "-merge=1", str(fresh), *sources], check=True, capture_output=True)
    shutil.rmtree(CORPUS / name, ignore_errors=True)
    fresh.rename(CORPUS / name)


PART = Part("fuzzing", "Hostile input", CLAIMS, prove)
