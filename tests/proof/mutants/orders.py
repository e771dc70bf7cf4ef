"""What the process is asked in which tests run, and what it answers (`run.py`)."""

from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[3]
STUCK = "it does not end"
"""How a test fails that takes too long."""


class Mutant(msgspec.Struct, frozen=True):
    """A function with one change: the lines before and after, its source, the lines in its file and those of its body
    (from, to); the source of its whole module, where it runs at import.
    """

    file: str
    function: str
    before: str
    after: str
    source: str
    lines: tuple[int, int]
    body: tuple[int, int]
    module: str = ""


class Reached(msgspec.Struct, frozen=True):
    """Tests that pass, the seconds that each takes (under coverage), and by file and line the tests that reach it, by
    their places; the lines that run when a module is imported.
    """

    tests: list[str]
    seconds: list[float]
    lines: dict[str, dict[int, list[int]]]
    imported: dict[str, list[int]]


class ReachOrder(msgspec.Struct, frozen=True):
    """Which tests, and the files that are looked at."""

    tests: list[str]
    files: list[str]


class Attempt(msgspec.Struct, frozen=True):
    """A mutant and the tests that may kill it, with the seconds they take: single tests, or all of a file."""

    mutant: Mutant
    tests: list[tuple[str, float]]


class TryOrder(msgspec.Struct, frozen=True):
    """What to try, in this order, which tests to collect, and a folder for what they write."""

    folder: str
    tests: list[str]
    attempts: list[Attempt]


class Outcome(msgspec.Struct, frozen=True):
    """What became of a mutant: which test failed, and how; empty where it survived."""

    test: str = ""
    how: str = ""


class Tries(msgspec.Struct, frozen=True):
    """An outcome for each attempt; and which of the tests that killed something fail without a mutant too."""

    outcomes: list[Outcome]
    false: list[Outcome]
