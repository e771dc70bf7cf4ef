"""What a benchmark's rows become in the scorecard."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.bench.measure import Goal, Row, Spread, compared
from tests.bench.table import as_json
from tests.proof.claim import Finding, Trial
from tests.proof.peers import PART, SUBJECTS, Measured, finding


def found(*rows: Row) -> Finding:
    return finding("append", msgspec.convert(as_json(rows), list[Measured]))


MET = compared("append", "/s", [3.0, 4.0, 5.0], "lmdb", [4.0, 4.0, 5.0], Goal("≥", 0.6))
MISSED = compared("append, again", "/s", [1.0], "lmdb", [4.0], Goal("≥", 0.6))
GONE = compared("search", "ms", [1.0], "tantivy", None, Goal("≤", 1))


def test_goals_that_are_met_hold_with_their_spread() -> None:
    line = found(MET, Row("told", "ms", Spread(1, 1, 1)))
    assert line.holds
    assert line.came_out == "append: 1 [0.75 … 1] × lmdb (≥ 0.6)"
    assert line.count == 1


def test_a_goal_that_is_missed_falls_short_and_is_named() -> None:
    line = found(MET, MISSED)
    assert (line.holds, line.short) == (False, "missed: append, again")


def test_a_peer_that_is_missing_breaks_the_line() -> None:
    line = found(MET, MISSED, GONE)
    assert (line.holds, line.short) == (False, "")
    assert "search" in line.came_out


def test_a_benchmark_that_dies_breaks_the_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 3, b"Traceback"))
    lines = list(PART.prove(Trial(tmp_path, 1, True, lambda _: None)))
    assert [each.key for each in lines] == list(SUBJECTS)
    assert {(each.holds, each.short) for each in lines} == {(False, "")}
    assert "append: the benchmark ended with 3" in lines[0].came_out


def test_every_subject_is_a_benchmark() -> None:
    listed = subprocess.run([sys.executable, "-m", "tests.bench", "--help"], capture_output=True, text=True, check=True)
    assert all(name in listed.stdout for name in SUBJECTS)
