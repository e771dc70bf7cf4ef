"""On which leap days, at which changes of the clocks and ends of months a life recorded something."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from tests.proof.clocks.lived import SECOND_MS, ZONES, Turn, is_on_leap_day, met, turning_points


class Least(NamedTuple):
    """How many events have to be on leap days, at changes and at ends of months, at least; and in how many years, at
    how many different changes, and at ends of months in how many zones.
    """

    leap_days: int
    years: int
    changes: int
    months: int
    different_changes: int
    zones: int


class Stood(NamedTuple):
    """When events were recorded: how many of them on the 29th of February in a zone, and in how many years; how many
    within a second of a change of the clocks, and of the end of a month; which those were.
    """

    leap_days: int
    years: int
    changes: int
    months: int
    turns: tuple[Turn, ...]

    @classmethod
    def of(cls, ats: Sequence[int]) -> "Stood":
        """Of these times of events, ms, in order."""
        turns = turning_points(ats[0] - SECOND_MS, ats[-1] + SECOND_MS)
        leap = [at for at in ats if any(is_on_leap_day(at, zone) for zone in ZONES)]
        near = {kind: [turn for turn in turns if turn.kind == kind] for kind in ("change", "month")}
        changes, months = (_near(each, ats) for each in near.values())
        there = {turn for each in near.values() for turn in met(each, ats)}
        return cls(
            len(leap),
            len({datetime.fromtimestamp(at / 1000, UTC).year for at in leap}),
            changes,
            months,
            tuple(sorted(there)),
        )

    @property
    def different_changes(self) -> int:
        """At how many changes of the clocks something was recorded."""
        return sum(turn.kind == "change" for turn in self.turns)

    @property
    def zones(self) -> int:
        """In how many zones something was recorded at the end of a month."""
        return len({turn.zone for turn in self.turns if turn.kind == "month"})

    def is_enough(self, least: Least) -> bool:
        """Whether it was often enough."""
        return all(getattr(self, name) >= most for name, most in least._asdict().items())

    def told(self) -> str:
        """In words."""
        return (
            f"{self.leap_days} of them on leap days of {self.years} years, {self.changes} within a second of "
            f"{self.different_changes} changes of the clocks, {self.months} of an end of a month in {self.zones} zones"
        )


def _near(turns: Sequence[Turn], ats: Sequence[int]) -> int:
    return sum(bool(met(turns, [at])) for at in ats)
