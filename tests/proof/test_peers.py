"""What a benchmark's rows become in the scorecard."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.bench.measure import Goal, Row, compared
from tests.bench.measure import Spread as SpreadOf
from tests.bench.table import as_json
from tests.proof.claim import Figure, Finding, Spread, Trial
from tests.proof.peers import OUTSIDE, PART, SUBJECTS, Measured, finding, there


def found(*rows: Row) -> Finding:
    return finding("append", msgspec.convert(as_json(rows), list[Measured]))


MET = compared("append", "/s", [3.0, 4.0, 5.0], "lmdb", [4.0, 4.0, 5.0], Goal("≥", 0.6))
MISSED = compared("append, again", "/s", [1.0], "lmdb", [4.0], Goal("≥", 0.6))
GONE = compared("search", "ms", [1.0], "tantivy", None, Goal("≤", 1))


def test_goals_that_are_met_hold_with_their_spread() -> None:
    line = found(MET, Row("told", "ms", SpreadOf(1, 1, 1)))
    assert line.holds
    assert line.came_out == "append: 1 [0.75 … 1] × lmdb (≥ 0.6)"
    assert line.count == 1


def test_a_goal_that_is_missed_falls_short_and_is_named() -> None:
    line = found(MET, MISSED)
    assert (line.holds, line.short) == (False, "missed: append, again")


def test_a_peer_that_is_missing_breaks_the_line() -> None:
    line = found(MET, MISSED, GONE)
    assert (line.holds, line.short) == (False, "")
    assert "search: tantivy is missing" in line.came_out


def test_figures_beside_a_peer_are_kept_for_charts() -> None:
    four, ratio = Spread(4, 4, 5), Spread(0.75, 1, 1)
    kept = Figure("append", "/s", Spread(3, 4, 5), "lmdb", four, ratio, 0.6)
    assert found(MET, GONE, Row("told", "ms", SpreadOf(1, 1, 1))).figures == (kept,)


@pytest.mark.parametrize("name", OUTSIDE)
def test_every_named_peer_has_to_be_there(name: str) -> None:
    one = Spread.only(1)
    figures = [Figure("", "/s", one, f"{begins}, so and so", one, one) for begins in OUTSIDE.values()]
    assert (there(figures).holds, there(figures).count) == (True, len(OUTSIDE))
    line = there([each for each in figures if not each.beside.startswith(OUTSIDE[name])])
    assert (line.holds, line.short, line.came_out) == (False, "", f"missing: {name}")


def test_a_benchmark_that_dies_breaks_the_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 3, b"Traceback"))
    lines = list(PART.prove(Trial(tmp_path, 1, True, lambda _: None)))
    assert [each.key for each in lines] == [*SUBJECTS, "there"]
    assert {(each.holds, each.short) for each in lines} == {(False, "")}
    assert "append: the benchmark ended with 3" in lines[0].came_out


def test_every_subject_is_a_benchmark() -> None:
    listed = subprocess.run([sys.executable, "-m", "tests.bench", "--help"], capture_output=True, text=True, check=True)
    assert all(name in listed.stdout for name in SUBJECTS)
