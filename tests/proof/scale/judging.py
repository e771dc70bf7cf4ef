"""Straight lines: what the design says of how a figure goes with the log, and whether it went so.

`flat` stays as it is however long the log is; `even` is what it takes an event, which stays as it is, so that the whole
goes with the log; `ring` is what it takes a record of the key ring. All are held between two sizes, ten times apart.
The tolerance of a line is for deeper trees and colder caches; its `slack`, in the figure's own unit, is for what no
clock measures well.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from replay.ring.records import SIZE
from tests.proof.claim import Figure, Spread
from tests.proof.scale.measuring import Measured

Shape = Literal["flat", "even", "ring"]
RING = "ring_disk_mb"


class Straight(NamedTuple):
    """A figure, how it goes with the log, and how many times as much it may be at the larger size."""

    figure: str
    unit: str
    shape: Shape
    most: float
    slack: float = 0.0

    def value(self, at: Measured) -> float:
        """What is compared: the figure itself, or that of an event or a record."""
        return at[self.figure] / self.by(at)

    def by(self, at: Measured) -> float:
        """What it is divided by: events, MB of the ring, nothing."""
        return {"even": float(at.events), "ring": at.figures.get(RING, 1.0), "flat": 1.0}[self.shape]


class Judged(NamedTuple):
    """What came of a line between two sizes."""

    line: Straight
    smaller: Measured
    larger: Measured

    @property
    def ratio(self) -> float:
        """How many times as much it is at the larger size, the slack taken off."""
        before, after = (self.line.value(each) for each in (self.smaller, self.larger))
        return max(0.0, after - self.line.slack / self.line.by(self.larger)) / before if before else float(after > 0)

    @property
    def holds(self) -> bool:
        """Whether the line is straight."""
        return self.ratio <= self.line.most

    def told(self) -> str:
        """In words."""
        one, other = (_told(each, self.line) for each in (self.smaller, self.larger))
        before, after = (self.line.value(each) for each in (self.smaller, self.larger))
        times = after / before if before else 0.0
        return f"{NAMES[self.line.figure]} {one} → {other} ({times:.2f} times{BY[self.line.shape]}; {self.bound()})"

    @property
    def straight(self) -> float:
        """What the larger size would take if the line were straight."""
        return self.line.value(self.smaller) * self.line.by(self.larger)

    @property
    def most(self) -> float:
        """The most that the larger size may take, in the figure's own unit."""
        return self.line.most * self.straight + self.line.slack

    def bound(self) -> str:
        """The most, as it is reckoned, and how many times as much that is."""
        slack = f" + {self.line.slack:g}" if self.line.slack else ""
        times = f", {self.most / self.straight:.2f} times" if slack and self.straight else ""
        return (
            f"at most {self.line.most:g} × {_short(self.straight)}{slack} = {_short(self.most)} {self.line.unit}{times}"
        )

    def figure(self) -> Figure | None:
        """The larger size beside the smaller, the slack in the goal; None where the smaller took nothing."""
        before, after = (self.line.value(each) for each in (self.smaller, self.larger))
        if not before:
            return None
        goal = self.most / self.straight
        what, unit = NAMES[self.line.figure] + BY[self.line.shape], self.line.unit + BY[self.line.shape]
        beside, ratio = f"{self.smaller.events:,} events", Spread.only(after / before)
        return Figure(what, unit, Spread.only(after), beside, Spread.only(before), ratio, goal)


def is_whole(at: Measured) -> bool:
    """Whether everything that is judged was measured: a run may have been broken off."""
    return all(line.figure in at.figures for lines in LINES.values() for line in lines)


def load(at: Measured, figure: str) -> float:
    """How many processes ran or waited when this figure was measured, with its own; 0 where that was not kept."""
    return at.figures.get(f"{_asked(figure)}_load", 0.0)


def _asked(figure: str) -> str:
    """What was asked when a figure was measured: those of replay, verify and erase bear its name."""
    told = {"open_writer_ms": "write", "append_ms": "write", "many_ms": "write", "keys_gone_ms": "erase"}
    told |= {"extent_s": "erase", "write_mb": "write"}
    first = figure.partition("_")[0]
    return told.get(figure, first if first in ("replay", "verify", "erase") else "look")


def _told(at: Measured, line: Straight) -> str:
    """A figure; seconds that go with the log as a rate, and disk by event."""
    value = at[line.figure]
    if line.shape == "even" and line.unit == "s":
        return f"{at.events / value:,.0f} events/s"
    if line.shape == "even" and line.unit == "MB":
        return f"{1e6 * value / at.events:,.0f} bytes/event"
    return f"{_short(value)} {line.unit}"


def _short(value: float) -> str:
    """In three digits, or as a whole."""
    return f"{value:,.3g}" if value < 1_000 else f"{value:,.0f}"


BY: Mapping[Shape, str] = {"even": ", by event", "ring": ", by record of the ring", "flat": ""}
NAMES = {
    "open_reader_ms": "opening by a reader",
    "open_writer_ms": "opening by a writer",
    "append_ms": "one append",
    "many_ms": "one append of 64 at once",
    "show_ms": "show --at",
    "audit_ms": "audit",
    "person_p50_ms": "recall in direct messages: p50",
    "person_p95_ms": "recall in direct messages: p95",
    "guild_p50_ms": "recall in a guild: p50",
    "guild_p95_ms": "recall in a guild: p95",
    "guild_first_ms": "recall in a guild: the first",
    "replay_s": "replay",
    "verify_s": "verify",
    "write_mb": "memory of a writer",
    "guild_mb": "memory of recall in a guild",
    "replay_mb": "memory of a replay",
    "verify_mb": "memory of verify",
    "erase_mb": "memory of an erasure",
    "replay_cpu_s": "CPU of a replay",
    "verify_cpu_s": "CPU of verify",
    "erase_cpu_s": "CPU of an erasure",
    "extent_s": "what an erasure would take",
    "keys_gone_ms": "keys gone",
    "erase_s": "an erasure",
    "log_disk_mb": "log",
    "views_disk_mb": "views",
}

SPAN_MB = 64
"""What a span of the retrieval index takes while it is made: a short log fills the first with hardly a document."""

LINES: dict[str, Sequence[Straight]] = {
    "open": (
        Straight("open_reader_ms", "ms", "ring", 1.5, slack=20),
        Straight("open_writer_ms", "ms", "ring", 1.5, slack=20),
        Straight("write_mb", "MB", "flat", 1.5, slack=SPAN_MB),
    ),
    "append": (Straight("append_ms", "ms", "flat", 1.5, slack=1), Straight("many_ms", "ms", "flat", 1.6, slack=0.1)),
    "show": (Straight("show_ms", "ms", "flat", 2, slack=0.5),),
    "audit": (Straight("audit_ms", "ms", "flat", 2, slack=5),),
    "person": (
        Straight("person_p50_ms", "ms", "flat", 2, slack=1),
        Straight("person_p95_ms", "ms", "flat", 2, slack=5),
    ),
    "guild": (
        Straight("guild_first_ms", "ms", "even", 1.5, slack=50),
        Straight("guild_p50_ms", "ms", "even", 1.5, slack=5),
        Straight("guild_p95_ms", "ms", "even", 1.5, slack=10),
        Straight("guild_mb", "MB", "even", 1.5, slack=8),
    ),
    "replay": (
        Straight("replay_s", "s", "even", 1.7, slack=1),
        Straight("replay_cpu_s", "s", "even", 1.7, slack=1),
        Straight("replay_mb", "MB", "flat", 1.5, slack=SPAN_MB),
    ),
    "verify": (
        Straight("verify_s", "s", "even", 1.7, slack=1),
        Straight("verify_cpu_s", "s", "even", 1.7, slack=1),
        Straight("verify_mb", "MB", "flat", 1.5, slack=SPAN_MB),
    ),
    "erase": (
        Straight("keys_gone_ms", "ms", "ring", 1.5, slack=50),
        Straight("extent_s", "s", "even", 1.7, slack=1),
        Straight("erase_s", "s", "even", 1.7, slack=1),
        Straight("erase_cpu_s", "s", "even", 1.7, slack=1),
        Straight("erase_mb", "MB", "flat", 1.5, slack=SPAN_MB),
    ),
    "disk": (Straight("log_disk_mb", "MB", "even", 1.15), Straight("views_disk_mb", "MB", "even", 1.15)),
}
"""By claim, what has to be straight."""


def allowed(key: str) -> str:
    """What the lines of a claim allow, in words: what is measured, how many times as much it may be, and what on top
    of that no clock measures well.
    """
    return "; ".join(
        f"{NAMES[each.figure]}{BY[each.shape]} {each.most:g} times"
        + (f" and {each.slack:g} {each.unit}" if each.slack else "")
        for each in LINES[key]
    )


def records(at: Measured) -> int:
    """How many records the key ring has: both copies are counted in its size on the disk."""
    return round(at[RING] * 1e6 / (2 * SIZE))


def judged(key: str, smaller: Measured, larger: Measured) -> list[Judged]:
    """Every line of a claim, between two sizes."""
    return [Judged(line, smaller, larger) for line in LINES[key]]
