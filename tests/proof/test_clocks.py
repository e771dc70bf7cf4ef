"""The short form of the proof about time; clocks that run backwards and words that mean another time are found."""

from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from dnam import when
from dnam.cli.shell import Shell, View
from replay.clock import Recorder
from tests.proof.claim import Finding, Trial
from tests.proof.clocks import CLAIMS, prove


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
