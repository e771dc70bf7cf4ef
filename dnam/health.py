"""What a running dnam says of itself: whether it is ready, and if not, why."""

from collections.abc import Callable
from typing import NamedTuple

Fact = str | int | float | bool | None


class Report(NamedTuple):
    """`reasons` are empty where it is ready."""

    ready: bool
    reasons: dict[str, str]
    facts: dict[str, Fact]


class Health:
    """Questions, asked anew with every report."""

    def __init__(self) -> None:
        self._hindrances: dict[str, Callable[[], str]] = {}
        self._facts: dict[str, Callable[[], Fact]] = {}

    def needs(self, name: str, why_not: Callable[[], str]) -> None:
        """Something without which it is not ready: `why_not` says what is wrong, in the program's own words, else
        nothing.
        """
        self._hindrances[name] = why_not

    def tells(self, name: str, what: Callable[[], Fact]) -> None:
        """Something worth knowing, ready or not."""
        self._facts[name] = what

    def report(self) -> Report:
        """How it is now."""
        asked = {name: why_not() for name, why_not in self._hindrances.items()}
        reasons = {name: why for name, why in asked.items() if why}
        return Report(not reasons, reasons, {name: what() for name, what in self._facts.items()})
