"""The scorecard: what every part found, kept as data beside the page that is made of it.

    tests/proof/parts.py ── run ──▶ docs/scorecard.json ── rendered ──▶ docs/SCORECARD.md

The page is never written by hand: `make check` renders the data again, and compares.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from math import ceil
from pathlib import Path

import msgspec

from tests.proof.claim import Claim, Finding, Part
from tests.proof.machine import Machine
from tests.proof.parts import NAMES

DATA = Path("docs/scorecard.json")
PAGE = Path("docs/SCORECARD.md")
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
MOST_MINUTES = 30
"""How long a whole run may take."""
OPENING = """<!-- Written by `make prove`; do not edit. -->

# Scorecard

What dnam claims, how each claim was tried, how often, and what came out. `make prove` runs all of it and writes this
page; `python -m tests.proof --only PART --seed SEED` runs one part again. A line without a run behind it fails, and so
does a whole run for more than one commit, for files that no commit has, or of more than 30 minutes.

- **holds**: tried so often, and never found otherwise
- **falls short**: what was measured does not hold here, and the line says why
- **BROKEN**: it was found not to hold
- **NOT RUN**: nobody tried it, whatever the reason: it fails
"""


class Line(msgspec.Struct, frozen=True):
    """One line of the table: a claim and what came of it; without a finding, or with a count of 0, nobody tried it."""

    claim: Claim
    finding: Finding | None

    @property
    def verdict(self) -> str:
        """In a word or two."""
        if self.finding is None or not self.finding.count:
            return "NOT RUN"
        if self.finding.holds:
            return "holds"
        return "falls short" if self.finding.short else "BROKEN"


class Ran(msgspec.Struct, frozen=True):
    """A part that was run: when it ended (UTC, ISO 8601), for how long (s), where, with which seed; what broke it, if
    anything did; for how long its processes kept a processor busy (s).
    """

    name: str
    title: str
    lines: tuple[Line, ...]
    seed: int
    seconds: float
    date: str
    machine: Machine
    broken: str = ""
    busy: float = 0.0

    @property
    def holds(self) -> bool:
        """Whether every line was run, and none is broken."""
        return not self.broken and all(each.verdict in ("holds", "falls short") for each in self.lines)


def lines_of(part: Part, findings: Iterable[Finding]) -> tuple[Line, ...]:
    """A line for each claim of a part. ValueError for a finding that answers no claim, or one that was answered."""
    found: dict[str, Finding] = {}
    keys = {claim.key for claim in part.claims}
    for each in findings:
        if each.key not in keys or each.key in found:
            raise ValueError(f"{part.name}: {each.key} is no claim, or was answered before")
        found[each.key] = each
    return tuple(Line(claim, found.get(claim.key)) for claim in part.claims)


def load(path: Path) -> tuple[Ran, ...]:
    """What was found until now; nothing where there is no file."""
    return msgspec.json.decode(path.read_bytes(), type=tuple[Ran, ...]) if path.is_file() else ()


def save(path: Path, every: Sequence[Ran]) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(every), indent=1) + b"\n")


def page(every: Sequence[Ran], names: Sequence[str] = NAMES) -> str:
    """The scorecard, in Markdown. `names` are the parts that there are: those that were not run are told."""
    missing = [name for name in names if name not in {each.name for each in every}]
    told = [f"Not run for this page: {', '.join(missing)}."] if missing else [*_whole(every)]
    return OPENING + "".join(f"\n{each}\n" for each in (*_blocks(every), *told))


def _whole(every: Sequence[Ran]) -> Iterator[str]:
    """How long all of it took, where it was one commit's, and why it was no whole run."""
    commits = _commits(every)
    if len(commits) == 1:
        yield f"All parts ran for commit {commits[0]}, within {_minutes(every)} minutes."
    yield from (f"**No whole run**: {each}." for each in amiss(every))


def amiss(every: Sequence[Ran]) -> Iterator[str]:
    """Why these parts are no whole run of one program, in the time that one may take; nothing where they are."""
    commits = _commits(every)
    if len(commits) > 1:
        yield f"parts ran for different commits, {', '.join(commits)}"
    elif _minutes(every) > MOST_MINUTES:
        yield f"it took {_minutes(every)} minutes, and may take {MOST_MINUTES}"
    without = [each.name for each in every if not each.machine.commit or each.machine.commit.endswith("+")]
    if without:
        yield f"files differed from every commit when these ran: {', '.join(without)}"


def _commits(every: Sequence[Ran]) -> list[str]:
    return list(dict.fromkeys(each.machine.commit or "none" for each in every))


def _minutes(every: Sequence[Ran]) -> int:
    """From the first part's beginning to the last one's end, of which the second is known."""
    ends = [(datetime.fromisoformat(each.date), timedelta(seconds=each.seconds)) for each in every]
    took = max(end for end, _ in ends) + SECOND - min(end - seconds for end, seconds in ends)
    return ceil(took / MINUTE)


def _blocks(every: Sequence[Ran]) -> Iterator[str]:
    lines = [line for each in every for line in each.lines]
    counts = {verdict: sum(line.verdict == verdict for line in lines) for verdict in ("holds", "falls short")}
    rest = len(lines) - sum(counts.values())
    yield f"{len(lines)} claims: {counts['holds']} hold, {counts['falls short']} fall short, {rest} broken or not run."
    for ran in every:
        yield f"## {ran.title}"
        yield _where(ran)
        if ran.broken:
            yield f"**BROKEN**: {_cell(ran.broken)}"
        yield "\n".join(_table(ran.lines))


def _where(ran: Ran) -> str:
    on = ran.machine
    took = f"{ran.seconds:,.0f} s" + (f" ({ran.busy:,.0f} s of a processor)" if ran.busy else "")
    return (
        f"`python -m tests.proof --only {ran.name} --seed {ran.seed}`, {took} on {ran.date}, commit "
        f"{on.commit}; Python {on.python}, {on.system}, {on.cores} cores, {on.memory:g} GiB"
    )


def _table(lines: Sequence[Line]) -> Iterator[str]:
    yield "| claim | how it was tried | how often | what came out | |"
    yield "|---|---|---|---|---|"
    for line in lines:
        found = line.finding
        often = "" if found is None else f"{found.count:,} {found.counted}"
        said = "" if found is None else found.came_out + (f"; {found.short}" if found.short else "")
        cells = (line.claim.says, line.claim.how, often, said, line.verdict)
        yield f"| {' | '.join(map(_cell, cells))} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
