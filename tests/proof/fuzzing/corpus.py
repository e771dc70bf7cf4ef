"""What the fuzzers begin with, and what was found once: files by target, beside this one.

    corpus/TARGET/…     small inputs that reach different parts of it; part of the project
    found/TARGET/…      inputs that once broke something: they are tried in every run of the tests

What a run finds beyond is kept in the folder .prove, which is this machine's.
"""

from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
CORPUS, FOUND = HERE / "corpus", HERE / "found"
REFUSED = {
    "envelope": {"nested"},
    "importers": {"0b7e416a2057", "45ecdf198f00", "return-in-no-csv", "nested-event", "nested-row", "dnam"},
    "commands": {"7", "8", "10"},
    "time": {"14"},
}
"""Inputs that are refused, by target: what is no command, time or form, what is damaged, and what breaks off. All
others are accepted.
"""
GROWN = HERE.parents[2] / ".prove" / "corpus"


def inputs(target: str) -> Iterator[Path]:
    """Every input that is part of the project."""
    for folder in (CORPUS / target, FOUND / target):
        yield from sorted(folder.glob("*")) if folder.is_dir() else ()
