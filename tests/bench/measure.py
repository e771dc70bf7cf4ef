"""What a figure is: its spread over alternating rounds, its peer's beside it, and the goal that it is held against.

The machine is never quiet, so ours and the peers take turns within each round, in slices, and a ratio is taken round
by round: what slows the one slows the other. Medians are judged; the spread is printed with them.
"""

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from time import perf_counter
from typing import Literal, NamedTuple

ROUNDS = 7
"""How often everything is measured, unless a row says otherwise."""
FEWEST_ROUNDS = 5


class Spread(NamedTuple):
    """The least, the median and the most of some figures."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """The spread of these figures, at least one."""
        return cls(min(values), median(values), max(values))


class Goal(NamedTuple):
    """What a median has to reach, or to stay under."""

    sign: Literal["≥", "≤", "<"]
    bound: float

    def met(self, value: float) -> bool:
        """Whether a median reaches it."""
        if self.sign == "≥":
            return value >= self.bound
        return value < self.bound if self.sign == "<" else value <= self.bound


class Peer(NamedTuple):
    """Who stands beside us, and what they measured in the same run; None when they could not be measured."""

    name: str
    figure: Spread | None


class Row(NamedTuple):
    """One demand. The goal holds for the ratio where there is one, else for the figure; without a goal it informs.

    A peer that is missing fails its row, and so does whatever `broken` says.
    """

    what: str
    unit: str
    ours: Spread | None
    peer: Peer | None = None
    ratio: Spread | None = None
    goal: Goal | None = None
    note: str = ""
    broken: str = ""

    @property
    def met(self) -> bool:
        """Whether this row may stand."""
        if self.broken or self.ours is None or (self.peer is not None and self.peer.figure is None):
            return False
        judged = self.ours if self.ratio is None else self.ratio
        return self.goal is None or self.goal.met(judged.middle)


def compared(
    what: str,
    unit: str,
    ours: Sequence[float],
    peer: str,
    theirs: Sequence[float] | None,
    goal: Goal | None = None,
    note: str = "",
) -> Row:
    """Ours beside theirs, with the ratio taken round by round. `theirs` is None when the peer is missing."""
    if theirs is None:
        return Row(what, unit, Spread.of(ours), Peer(peer, None), goal=goal, note=note, broken=f"{peer} is missing")
    ratio = Spread.of([one / other for one, other in zip(ours, theirs, strict=True)])
    return Row(what, unit, Spread.of(ours), Peer(peer, Spread.of(theirs)), ratio, goal, note)


def seconds(work: Callable[[], object]) -> float:
    """How long it takes, once."""
    start = perf_counter()
    work()
    return perf_counter() - start


Side = Callable[[], float]
"""One slice of work of one competitor: the seconds that it took."""


def alternate(sides: Mapping[str, Side], rounds: int, slices: int = 1) -> dict[str, list[float]]:
    """Seconds by side and round. Within a round the sides take turns slice by slice; who begins moves on."""
    taken = {name: [0.0] * rounds for name in sides}
    names = list(sides)
    for at in range(rounds):
        for cut in range(slices):
            for step in range(len(names)):
                name = names[(at + cut + step) % len(names)]
                taken[name][at] += sides[name]()
    return taken


def rates(events: int, took: Sequence[float]) -> list[float]:
    """Events per second, round by round."""
    return [events / each for each in took]
