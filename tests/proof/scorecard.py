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
from tests.proof.parts import NAMES, part

DATA = Path("docs/scorecard.json")
PAGE = Path("docs/SCORECARD.md")
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
MOST_MINUTES = 30
"""How long a whole run may take."""
OPENING = """<!-- Written by `make prove`; do not edit. -->

# Scorecard

What dnam claims, how each claim was tried, how often, and what came out. `make prove` runs all of it and writes this
page; `python -m tests.proof --only PART --seed SEED` runs one part again. A line without a run behind it fails, and so
does a whole run for more than one commit, for files that no commit has, or of more than 30 minutes. Two lines are no
part of such a run: the last of Scale and the fresh sample of Mutation testing are data that is kept in the clone, of
the commits and dates that they name.

`make test` keeps a short form of each part, with these gaps: that of mutation testing needs mutmut and is skipped
without it (`make prove` and `make bench` install it with the peers); for the fuzzer stand its kept inputs and some
changes to them; of the peers' benchmarks one runs, as small as it can be, and no time is judged; for the newcomer
stands tests/test_readme.py, which runs the README's example and its tour in the environment that is there.

- **holds**: tried so often, and never found otherwise
- **falls short**: it does not hold here, and the line tells the reason that is thought to be behind it; a peer's goal
  up to a bound that was set for it (tests/proof/shortfalls.py), and what is missed by more is BROKEN
- **BROKEN**: it was found not to hold
- **NOT RUN**: nobody tried it, whatever the reason: it fails
"""


WARM = {
    True: "warm: with what earlier runs had left in .prove/, which a fresh clone does not have",
    False: "cold: without anything of earlier runs (there was no .prove/)",
    None: "cold or warm: nobody looked whether there was a .prove/",
}
"""Whether a whole run began with what others had learned."""
BEFORE = (
    "The clock begins behind what `make prove` does first where it was not done yet, as in a fresh clone: it builds "
    "`.venv` and installs the peers, some 160 MB, which takes as long as the network does"
)


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
    anything did; for how long its processes kept a processor busy (s); whether there was a .prove/ of earlier runs when
    the run began that it was part of (None: nobody looked).
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
    is_warm: bool | None = None

    @property
    def holds(self) -> bool:
        """Whether every line was run, and none is broken; one that falls short says why."""
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
    """The scorecard, in Markdown. `names` are the parts that there are: of those that were not run, no claim was."""
    missing = [part(name) for name in names if name not in {each.name for each in every}]
    lines = [line for each in every for line in each.lines] + [line for each in missing for line in lines_of(each, ())]
    top = (_counted(lines), *_whole(every, names))
    return OPENING + "".join(f"\n{each}\n" for each in (*top, *_blocks(every), *_missing(missing)))


def _whole(every: Sequence[Ran], names: Sequence[str]) -> Iterator[str]:
    """How long all of it took, where it was one run; and why it was none."""
    wrong = [*amiss(every, names)]
    if not wrong:
        warm = {each.is_warm for each in every}
        began = WARM[warm.pop()] if len(warm) == 1 else "some of them with what others had left in .prove/"
        yield f"All parts ran for commit {_commits(every)[0]}, within {_minutes(every)} minutes, {began}. {BEFORE}."
    yield from (f"**No whole run**: {each}." for each in wrong)


def amiss(every: Sequence[Ran], names: Sequence[str] = NAMES) -> Iterator[str]:
    """Why these are no run of all parts of one program, in the time that one may take; nothing where they are."""
    missing = [name for name in names if name not in {each.name for each in every}]
    if missing:
        yield f"parts were not run: {', '.join(missing)}"
    commits = _commits(every)
    if len(commits) > 1:
        yield f"parts ran for different commits, {', '.join(commits)}"
    elif every and _minutes(every) > MOST_MINUTES:
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


def _counted(lines: Sequence[Line]) -> str:
    counts = {verdict: sum(line.verdict == verdict for line in lines) for verdict in ("holds", "falls short", "BROKEN")}
    rest = len(lines) - sum(counts.values())
    holds, short, broken = counts.values()
    return f"{len(lines)} claims: {holds} hold, {short} fall short, {broken} broken, {rest} not run."


def _blocks(every: Sequence[Ran]) -> Iterator[str]:
    for ran in every:
        yield f"## {ran.title}"
        yield _where(ran)
        if ran.broken:
            yield f"**BROKEN**: {_cell(ran.broken)}"
        yield "\n".join(_table(ran.lines))


def _missing(parts: Sequence[Part]) -> Iterator[str]:
    """Parts that were not run: their claims all the same."""
    for each in parts:
        yield f"## {each.title}"
        yield f"Not run for this page: `python -m tests.proof --only {each.name}`"
        yield "\n".join(_table(lines_of(each, ())))


def _where(ran: Ran) -> str:
    on = ran.machine
    took = f"{ran.seconds:,.0f} s" + (f" ({ran.busy:,.0f} s of a processor)" if ran.busy else "")
    warm = {True: ", warm", False: ", cold", None: ""}[ran.is_warm]
    return (
        f"`python -m tests.proof --only {ran.name} --seed {ran.seed}`, {took}{warm} on {ran.date}, commit "
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
