"""The short form of the proof about time; clocks that run backwards and words that mean another time are found."""

from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dnam import when
from dnam.cli.shell import Shell, View
from replay.clock import Recorder
from tests.proof.claim import Finding, Trial
from tests.proof.clocks import CLAIMS, LEAST_SHORT, prove
from tests.proof.clocks.lived import DAY_MS, milliseconds, turning_points
from tests.proof.clocks.stood import Least, Stood


def found(folder: Path) -> dict[str, Finding]:
    return {each.key: each for each in prove(Trial(folder, 7, True, lambda _: None))}


def test_time_is_what_it_says(tmp_path: Path) -> None:
    came = found(tmp_path)
    assert came.keys() == {claim.key for claim in CLAIMS}
    assert [each for each in came.values() if not each.holds] == []


def test_a_clock_that_is_believed_and_words_that_are_misread_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Recorder, "at", lambda self, _: self.now())
    monkeypatch.setitem(when._DAYS_BACK, "yesterday", 2)
    came = found(tmp_path)
    assert {key for key, each in came.items() if not each.holds} >= {"forward", "ahead", "words"}


@pytest.mark.parametrize("option", ["at", "said"])
def test_a_show_that_does_not_look_at_its_moment_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    looking = Shell.looking

    def today(self: Shell, at: str | None = None, said: str | None = None) -> AbstractContextManager[View]:
        return looking(self, None if option == "at" else at, None if option == "said" else said)

    monkeypatch.setattr(Shell, "looking", today)
    assert {key for key, each in found(tmp_path).items() if not each.holds} == {"shown"}


def test_changes_of_the_clocks_and_leap_days_are_where_they_were() -> None:
    """Of 2024, by the time zone database itself."""
    first, last = (milliseconds(datetime(year, 1, 2, tzinfo=UTC)) for year in (2024, 2025))
    found = [turn for turn in turning_points(first, last) if turn.zone == "Europe/Berlin"]
    assert len(found) == 2 + 2 + 12
    spring, autumn = (turn.ms for turn in found if turn.kind == "change")
    assert spring == milliseconds(datetime(2024, 3, 31, 1, tzinfo=UTC))
    assert autumn == milliseconds(datetime(2024, 10, 27, 1, tzinfo=UTC))
    begins, ends = (turn.ms for turn in found if turn.kind == "leap day")
    assert (begins, ends - begins) == (milliseconds(datetime(2024, 2, 28, 23, tzinfo=UTC)), DAY_MS)


def test_a_life_that_meets_nothing_of_it_is_not_enough() -> None:
    noon, spring = datetime(2024, 2, 29, 12, tzinfo=UTC), datetime(2024, 3, 31, 1, tzinfo=UTC)
    nothing = Stood.of([milliseconds(datetime(2026, 6, 15, tzinfo=UTC))])
    assert nothing == Stood(0, 0, 0, 0, ())
    assert not nothing.is_enough(LEAST_SHORT)
    found = Stood.of([milliseconds(noon), milliseconds(noon), milliseconds(spring) + 1000, milliseconds(spring) + 1001])
    assert (found.leap_days, found.years, found.changes, found.months) == (2, 1, 1, 0)
    assert found.is_enough(Least(2, 1, 1, 0, 1, 0))
    assert not found.is_enough(Least(2, 1, 2, 0, 1, 0))
