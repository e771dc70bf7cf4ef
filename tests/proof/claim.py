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


class Finding(msgspec.Struct, frozen=True):
    """What came of trying one claim so many times. `short` says why it cannot hold here, where that is known: the line
    then stands in the table as one that falls short, and not as one that was broken.
    """

    key: str
    count: int
    counted: str
    came_out: str
    holds: bool
    short: str = ""


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
