"""The short form of the proof about time; clocks that run backwards and words that mean another time are found."""

from pathlib import Path

import pytest

from dnam import when
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
