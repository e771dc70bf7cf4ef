"""How many inputs were accepted and refused, by kind, in a file that is mapped into memory: a fuzzer ends without a
word to Python, and whatever kills it leaves what was counted.

    ["kind", …]\\n                                  the kinds, in JSON
    accepted, refused, accepted, refused, …        of each in turn, 64 bits each, in this machine's order
"""

import mmap
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

WIDTH = 8
UNKNOWN = "of no kind"
"""The kind of inputs of which nobody can tell which they are: they are refused, and never accepted."""


class Outcome(NamedTuple):
    """What came of an input: of which kind it was, and whether it was read or refused."""

    kind: str
    is_accepted: bool


class Counted(NamedTuple):
    """Of one kind."""

    accepted: int
    refused: int


class Tally:
    """Counts outcomes in a new file."""

    def __init__(self, path: Path, kinds: Sequence[str]) -> None:
        head = msgspec.json.encode(kinds) + b"\n"
        path.write_bytes(head + bytes(2 * WIDTH * len(kinds)))
        self._at = {kind: 2 * number for number, kind in enumerate(kinds)}
        with path.open("r+b") as file:
            self._counts = memoryview(mmap.mmap(file.fileno(), 0))[len(head) :].cast("Q")

    def add(self, outcome: Outcome) -> None:
        """One more input came out so."""
        self._counts[self._at[outcome.kind] + (not outcome.is_accepted)] += 1


def read_tally(path: Path) -> dict[str, Counted]:
    """What was counted, by kind; nothing where there is no file."""
    if not path.is_file():
        return {}
    head, _, rest = path.read_bytes().partition(b"\n")
    kinds, counts = msgspec.json.decode(head, type=list[str]), memoryview(rest).cast("Q")
    return {kind: Counted(counts[2 * at], counts[2 * at + 1]) for at, kind in enumerate(kinds)}
