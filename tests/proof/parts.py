"""Every part of the proof, in the order of the scorecard."""

from importlib import import_module

from tests.proof.claim import Part

NAMES: tuple[str, ...] = (
    "crashes",
    "power",
    "rot",
    "full",
    "together",
    "determinism",
    "fuzzing",
    "clocks",
    "mutants",
    "scale",
    "peers",
    "newcomer",
)
"""Modules of this package that have a `PART`."""


def part(name: str) -> Part:
    """A part by its name."""
    found: Part = import_module(f"tests.proof.{name}").PART
    return found
