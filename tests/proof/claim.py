"""A claim, what trying it found, and what a part of the proof is given to try its claims with."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec


class Claim(msgspec.Struct, frozen=True):
    """What is claimed, and how it is tried. `key` is its name within its part."""

    key: str
    says: str
    how: str


class Spread(msgspec.Struct, frozen=True):
    """The least, the median and the most of some figures."""

    min: float
    median: float
    max: float

    @classmethod
    def only(cls, value: float) -> "Spread":
        """Of what was measured once."""
        return cls(value, value, value)


class Figure(msgspec.Struct, frozen=True):
    """What was measured beside something else, in `unit`: ours and theirs, ours ÷ theirs, and what that ratio has to
    reach (a rate, whose unit ends with `/s`) or to stay under (everything else), if anything.
    """

    what: str
    unit: str
    ours: Spread
    beside: str
    theirs: Spread
    ratio: Spread
    goal: float | None = None


class Finding(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of trying one claim so many times; with a count of 0 nobody did, which fails. `short` says why that is,
    or why what was measured does not hold here, where it is known: the line then stands in the table as one that falls
    short, and not as one that was broken. `figures` are what charts are made of.
    """

    key: str
    count: int
    counted: str
    came_out: str
    holds: bool
    short: str = ""
    figures: tuple[Figure, ...] = ()


class Trial(NamedTuple):
    """One run of a part: a folder of its own, its seed, and whether it is the short form that the tests take. `say` is
    told of how far it is.
    """

    folder: Path
    seed: int
    is_short: bool
    say: Callable[[str], None]

    def dice(self, name: str) -> random.Random:
        """Dice of their own for whatever is named: what others throw does not change them."""
        return random.Random(f"{self.seed} {name}")


Prove = Callable[[Trial], Iterator[Finding]]


class Part(NamedTuple):
    """A part of the proof: its name, what it is about, its claims, and what tries them. What is timed runs alone."""

    name: str
    title: str
    claims: tuple[Claim, ...]
    prove: Prove
    is_timed: bool = False
