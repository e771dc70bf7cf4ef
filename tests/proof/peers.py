"""Peers in the same run: what `make bench` prints, in its quick form, with the spread of five rounds.

A goal that is missed falls short where the reason is known (`shortfalls`), which the line then tells; for any other
reason, or by more than is known, it is broken, and so is a peer that is missing.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from math import nan

import msgspec

from tests.bench.peers import LMDB, SOURCED, SQLITE
from tests.bench.remembered import MEM0
from tests.bench.searchers import BM25S, FTS5, TANTIVY
from tests.proof.claim import Claim, Figure, Finding, Part, Spread, Trial
from tests.proof.shortfalls import excused

ROUNDS = 5
SUBJECTS = {
    "append": "appending, beside bare LMDB, SQLite and eventsourcing",
    "vaults": "an append that opens a vault, beside one that does not",
    "replay": "rebuilding, beside eventsourcing",
    "past": "the past, beside eventsourcing",
    "recall": "searching and adding, beside tantivy, SQLite FTS5, bm25s and mem0",
    "forgetting": "forgetting",
    "differing": "comparing a shadow",
    "rederive": "deriving anew",
}
"""The benchmarks, and what each is about."""

OUTSIDE = {
    "bare LMDB": LMDB,
    "SQLite": SQLITE,
    "eventsourcing": SOURCED,
    "SQLite FTS5": FTS5,
    "tantivy": TANTIVY,
    "bm25s": BM25S,
    "mem0": MEM0,
}
"""Who stands beside dnam that is not dnam, and how rows begin their names."""
STANDING = {
    "append": "; LMDB and SQLite are given the bytes that ours left in the log, and eventsourcing keeps its aggregates "
    "in memory: none of them decides, looks up or seals",
    "replay": "; eventsourcing seals nothing; its projection writes one row an event, its aggregates are made in "
    "memory, and nothing is written",
    "recall": "; mem0 with its local store, but without a model (it keeps texts as they are) and with a hash of words "
    "in the place of its encoder, which costs it nothing; bm25s keeps all scores in memory, and takes no additions",
}
"""What is to be known of how peers were run, by benchmark."""
CLAIMS = (
    *(
        Claim(
            name,
            f"the goals are met of {about}",
            f'`make bench BENCH_ARGS="--only {name} --quick --rounds {ROUNDS}"`{STANDING.get(name, "")}',
        )
        for name, about in SUBJECTS.items()
    ),
    Claim("there", "every peer that is named was measured in the same run", "by the rows of these benchmarks"),
)


class _Peer(msgspec.Struct):
    name: str
    measured: Spread | None


class _Goal(msgspec.Struct):
    sign: str
    bound: float


class Measured(msgspec.Struct):
    """A row of a benchmark, as `--json` prints it."""

    what: str
    unit: str
    met: bool
    measured: Spread | None = None
    peer: _Peer | None = None
    ratio: Spread | None = None
    goal: _Goal | None = None
    broken: str = ""

    def told(self) -> str:
        """With its peer, if it has one."""
        figure, unit = (self.measured, self.unit) if self.ratio is None else (self.ratio, "×")
        if self.broken or figure is None:
            return f"{self.what}: {self.broken}"
        beside = f" {self.peer.name}" if self.peer else ""
        goal = f" ({self.goal.sign} {self.goal.bound:g})" if self.goal else ""
        if self.is_of_one_run:
            return f"{self.what}: {figure.median:.3g} {unit}{beside}{goal}, of one run"
        spread = f"[{figure.min:.3g} … {figure.max:.3g}]"
        return f"{self.what}: {figure.median:.3g} {spread} {unit}{beside}{goal}"

    @property
    def is_of_one_run(self) -> bool:
        """Whether it was measured once, and has no spread."""
        figure = self.measured if self.ratio is None else self.ratio
        return figure is not None and figure.min == figure.max

    @property
    def beside(self) -> str:
        """Its peer's name; empty where it has none."""
        return self.peer.name if self.peer else ""

    @property
    def judged(self) -> float:
        """The median that is held against the goal."""
        figure = self.measured if self.ratio is None else self.ratio
        return figure.median if figure else nan  # which covers no goal

    @property
    def is_to_reach(self) -> bool:
        """Whether its goal is to be reached; else it is to be stayed under."""
        return self.goal is not None and self.goal.sign == "≥"

    def figure(self) -> Figure | None:
        """Beside its peer; None where there is none, or one of both was not measured."""
        if self.measured is None or self.peer is None or self.peer.measured is None or self.ratio is None:
            return None
        goal = self.goal.bound if self.goal else None
        return Figure(self.what, self.unit, self.measured, self.peer.name, self.peer.measured, self.ratio, goal)


def prove(trial: Trial) -> Iterator[Finding]:
    """Run the benchmarks, one after the other."""
    figures: list[Figure] = []
    for name in SUBJECTS:
        trial.say(name)
        found = finding(name, _measured(trial, name))
        figures += found.figures
        yield found
    yield there(figures)


def _measured(trial: Trial, name: str) -> list[Measured]:
    command = [sys.executable, "-m", "tests.bench", "--only", name, "--quick", "--rounds", str(ROUNDS), "--json"]
    done = subprocess.run([*command, "--dir", str(trial.folder)], stdout=subprocess.PIPE, check=False)
    try:
        return msgspec.json.decode(done.stdout, type=list[Measured])
    except (msgspec.DecodeError, json.JSONDecodeError):
        return [Measured(name, "", met=False, broken=f"the benchmark ended with {done.returncode}")]


def finding(name: str, rows: Sequence[Measured]) -> Finding:
    """What a benchmark's rows say: those with a goal, and what was missed of it."""
    judged = [row for row in rows if row.goal is not None or row.broken or row.peer is not None]
    broken = [row for row in rows if row.broken]
    missed = excused([row for row in rows if not row.met and not row.broken])
    told = "; ".join((*(row.told() for row in judged), *filter(None, [missed.broken])))
    holds = bool(judged) and not broken and missed == excused([])
    short = "" if broken or missed.broken else missed.why
    figures = tuple(figure for row in rows if (figure := row.figure()))
    return Finding(name, len(judged), _counted(judged), told, holds, short, figures)


def _counted(judged: Sequence[Measured]) -> str:
    """How often figures were measured."""
    once = sum(row.is_of_one_run for row in judged)
    rest = len(judged) - once
    return f"figures: {rest} by rounds, as median [least … most]; {once} of one run alone, whose spread is not known"


def there(figures: Sequence[Figure]) -> Finding:
    """Whether each of the peers has figures beside ours."""
    missing = [name for name, begins in OUTSIDE.items() if not any(each.beside.startswith(begins) for each in figures)]
    came_out = f"missing: {', '.join(missing)}" if missing else "all were there"
    return Finding("there", len(OUTSIDE) - len(missing), f"of {len(OUTSIDE)} peers", came_out, not missing)


PART = Part("peers", "Peers in the same run", CLAIMS, prove, is_timed=True)
