"""The charts of the README: dnam beside each of its peers, and a long log beside a short one.

    docs/scorecard.json ── drawn ──▶ docs/charts/*.svg

They are never drawn by hand: `make check` draws the data again, and compares. What was not measured yet says so.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.proof.claim import Figure, Spread
from tests.proof.drawing import Bar, svg
from tests.proof.peers import OUTSIDE, ROUNDS
from tests.proof.scale.measuring import LONG
from tests.proof.scorecard import Ran

FOLDER = Path("docs/charts")
SPEED = "How many times as fast as each peer, in the same run: right of 1 is faster. Dashed: the goal"
GROWTH = "How many times as much at {1:,} events as at {0:,}: 1 is as much. Dashed: what is allowed".format(
    *LONG.events
)


class Chart(NamedTuple):
    """A file, and what it shows of a part of the proof: the bars of what it found, by claim."""

    name: str
    title: str
    says: str
    part: str
    bars: Callable[[Mapping[str, Sequence[Figure]]], Iterable[Bar]]


def _beside_peers(claim: str, wanted: Callable[[Figure], bool] = lambda _: True) -> Callable[..., Iterator[Bar]]:
    """The bars of a claim's figures that have one of the peers beside them."""

    def bars(found: Mapping[str, Sequence[Figure]]) -> Iterator[Bar]:
        for each in found.get(claim, ()):
            if wanted(each) and any(each.beside.startswith(begins) for begins in OUTSIDE.values()):
                yield faster(each)

    return bars


def faster(figure: Figure) -> Bar:
    """How many times as fast as the peer: of what takes time, the ratio the other way round."""
    times, goal = figure.ratio, figure.goal
    if not figure.unit.endswith("/s"):
        times = Spread(1 / times.max, 1 / times.median, 1 / times.min)
        goal = goal and 1 / goal
    return Bar(f"{figure.what}, beside {figure.beside}", times, times.median >= 1, goal, "goal ≥")


def _is_search(figure: Figure) -> bool:
    return figure.unit in ("ms", "/s") and not _is_add(figure)


def _is_add(figure: Figure) -> bool:
    return figure.what.endswith(": add")


GROWN: Mapping[str, str] = {
    "open": "opening",
    "append": "an append",
    "show": "show --at of a person",
    "audit": "audit of a person",
    "person": "recall in direct messages",
    "guild": "the first recall in a guild",
    "replay": "replay",
    "verify": "verify",
    "erase": "erasing, until the keys are gone",
    "disk": "the log on disk",
}
"""By claim, what the first of its figures is."""


def _grown(found: Mapping[str, Sequence[Figure]]) -> Iterator[Bar]:
    for claim, name in GROWN.items():
        for each in found.get(claim, ())[:1]:
            by = each.unit.partition(", ")[2]
            is_good = each.goal is None or each.ratio.median <= each.goal
            yield Bar(f"{name}{f', {by}' if by else ''}", each.ratio, is_good, each.goal, "allowed ≤")


CHARTS = (
    Chart("append", "Appending, durable", SPEED, "peers", _beside_peers("append")),
    Chart("rebuild", "Rebuilding what is known from the log", SPEED, "peers", _beside_peers("replay")),
    Chart("search", "Searching what was said", SPEED, "peers", _beside_peers("recall", _is_search)),
    Chart("add", "Adding to a memory", SPEED, "peers", _beside_peers("recall", _is_add)),
    Chart("history", "What was known at a moment of the past", SPEED, "peers", _beside_peers("past")),
    Chart("scale", "A log ten times as long", GROWTH, "scale", _grown),
)


def drawn(every: Sequence[Ran]) -> dict[Path, str]:
    """Every chart, by its file."""
    found = {each.name: each for each in every}
    return {FOLDER / f"{each.name}.svg": _drawn(each, found.get(each.part)) for each in CHARTS}


def _drawn(chart: Chart, ran: Ran | None) -> str:
    lines = () if ran is None else ran.lines
    figures = {line.claim.key: line.finding.figures for line in lines if line.finding is not None}
    return svg(chart.title, chart.says, [*chart.bars(figures)], "" if ran is None else _foot(ran))


def _foot(ran: Ran) -> str:
    rounds = f"medians of {ROUNDS} rounds, whiskers least to most (without: measured once); "
    on = ran.machine
    ran_on = f"commit {on.commit}, {ran.date} UTC, {on.cores} cores, {on.memory:g} GiB, Python {on.python}"
    return f"{rounds}{ran_on}" if ran.name == "peers" else ran_on


def draw(every: Sequence[Ran]) -> None:
    """Write them all."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path, picture in drawn(every).items():
        path.write_text(picture, encoding="utf-8")
