"""What a benchmark's rows become in the scorecard."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import msgspec
import pytest

from tests.bench import append as appending
from tests.bench.bench import Bench
from tests.bench.measure import Goal, Row, compared
from tests.bench.measure import Spread as SpreadOf
from tests.bench.table import as_json
from tests.proof.claim import Claim, Figure, Finding, Spread, Trial
from tests.proof.peers import OUTSIDE, PART, STANDING, SUBJECTS, Measured, finding, there
from tests.proof.scorecard import Line
from tests.proof.shortfalls import KNOWN as SHORTFALLS
from tests.proof.shortfalls import Shortfall, excused


def found(*rows: Row) -> Finding:
    return finding("append", msgspec.convert(as_json(rows), list[Measured]))


MET = compared("append", "/s", [3.0, 4.0, 5.0], "lmdb", [4.0, 4.0, 5.0], Goal("≥", 0.6))
SLOW = Row("slow one", "ms", SpreadOf(5, 6, 7), goal=Goal("≤", 4))
LATE = Row("slow two", "ms", SpreadOf(5, 9, 10), goal=Goal("<", 4))
MISSED = compared("append, again", "/s", [1.0], "lmdb", [4.0], Goal("≥", 0.6))
GONE = compared("search", "ms", [1.0], "tantivy", None, Goal("≤", 1))


def test_goals_that_are_met_hold_with_their_spread() -> None:
    line = found(MET, Row("told", "ms", SpreadOf(1, 1, 1)))
    assert line.holds
    assert line.came_out == "append: 1 [0.75 … 1] × lmdb (≥ 0.6)"
    assert line.count == 1


KNOWN = (Shortfall("append, *", "lmdb", 0.2, "it seals"), Shortfall("slow *", "", 9, "it is Python"))


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.proof.peers.excused", partial(excused, known=KNOWN))


@pytest.mark.usefixtures("known")
def test_a_goal_that_is_missed_falls_short_and_says_why() -> None:
    line = found(MET, MISSED, SLOW, LATE)
    why = (
        "missed: append, again × lmdb (accepted ≥ 0.2): it seals; missed: slow one (accepted ≤ 9), slow two (accepted "
        "≤ 9): it is Python"
    )
    assert (line.holds, line.short) == (False, why)


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("row", "said"),
    [
        (compared("append, again", "/s", [1.0], "lmdb", [6.0], Goal("≥", 0.6)), "by more than is known: append, again"),
        (compared("append, again", "/s", [1.0], "tantivy", [4.0], Goal("≥", 0.6)), "no reason that is known"),
        (Row("slow one", "ms", SpreadOf(8, 10, 10), goal=Goal("≤", 4)), "by more than is known: slow one"),
        (compared("slow one", "ms", [6.0], "lmdb", [1.0], Goal("≤", 4)), "no reason that is known: slow one × lmdb"),
        (Row("memory", "MB", SpreadOf(8, 8, 8), goal=Goal("<", 4)), "no reason that is known: memory"),
    ],
)
def test_a_goal_that_is_missed_for_no_known_reason_or_by_more_is_broken(row: Row, said: str) -> None:
    line = found(MET, MISSED, row)
    assert (line.holds, line.short) == (False, "")
    assert said in line.came_out
    assert Line(Claim("append", "", ""), line).verdict == "BROKEN"


def test_every_known_shortfall_is_of_another_figure_and_has_a_reason() -> None:
    assert len({(each.what, each.beside) for each in SHORTFALLS}) == len(SHORTFALLS)
    assert all(len(each.why) > 20 and each.accepted > 0 for each in SHORTFALLS)


def test_what_was_measured_once_says_so() -> None:
    line = found(Row("memory", "MB", SpreadOf(8, 8, 8), goal=Goal("≤", 9)))
    assert (line.holds, line.came_out) == (True, "memory: 8 MB (≤ 9), of one run")
    both = found(MET, MISSED, Row("memory", "MB", SpreadOf(8, 8, 8), goal=Goal("≤", 9)))
    assert both.counted.startswith("figures: 1 by rounds, as median [least … most]; 2 of one run alone")
    assert "append: 1 [0.75 … 1] × lmdb (≥ 0.6); append, again: 0.25 × lmdb (≥ 0.6), of one run; " in both.came_out


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
    assert STANDING.keys() < SUBJECTS.keys()


def test_an_append_is_measured_beside_its_peers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The benchmark itself, as small as it can be: that its rows have ratios, whatever they are."""
    for name, few in (("SLICES", 1), ("PRODUCERS", appending.SLICE), ("EACH", 1), ("WARMING", 10)):
        monkeypatch.setattr(appending, name, few)
    line = found(*appending.append(Bench(tmp_path, quick=True, rounds=2)))
    singly = [each for each in line.figures if each.what == "append, one at a time"]
    assert {each.beside for each in singly} == {OUTSIDE[name] for name in ("bare LMDB", "SQLite", "eventsourcing")}
    assert all(0 < each.ratio.min <= each.ratio.median <= each.ratio.max for each in line.figures)
    assert line.count == len(line.figures) == 7
    assert there(line.figures).came_out == "missing: SQLite FTS5, tantivy, bm25s, mem0"
