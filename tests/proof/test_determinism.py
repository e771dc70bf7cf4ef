"""The short form of the proof that one log gives one digest; and a fold that depends on the order of a set is found."""

import platform
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from replay.builder import Check
from replay.engine import Engine
from tests.proof.claim import Finding, Trial
from tests.proof.determinism import CLAIMS, Came, Condition, findings, locales, prove, run
from tests.proof.determinism.interpreters import (
    FIRST,
    NEEDED,
    RELEASED,
    Interpreter,
    _entries,
    interpreters,
    released,
)
from tests.proof.determinism.run import Order
from tests.replay.stage import FakeClock, says


def short(folder: Path, told: list[str]) -> Trial:
    return Trial(folder, 7, True, told.append)


def test_one_log_gives_one_digest(tmp_path: Path) -> None:
    told: list[str] = []
    found = {each.key: each for each in prove(short(tmp_path, told))}
    assert found.keys() == {claim.key for claim in CLAIMS}
    assert all(each.holds for each in found.values()), told
    assert told == []
    assert any(each in found["folded"].counted for each in locales())


def test_a_fold_that_depends_on_the_order_of_a_set_is_found(tmp_path: Path) -> None:
    told: list[str] = []
    found = {each.key: each for each in prove(short(tmp_path, told), planted=True)}
    assert not found["folded"].holds
    assert len(told) == 1


def order(folder: Path) -> Order:
    return Order(str(folder / "given"), "", str(folder), 40, 100, [], "", planted=False)


def test_views_that_differ_from_a_rebuild_are_broken_and_no_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine.open(tmp_path / "given", create=True, clock=FakeClock()) as engine:
        engine.record(says("a", "hello"))
    monkeypatch.setattr(run, "check", lambda *_: Check(1, b"one", b"other", index_is_sound=True))
    (tmp_path / "there").mkdir()
    found = run._folded(order(tmp_path)._replace(folder=str(tmp_path / "there")))
    assert found["broken"] == "the views differ from a rebuild"
    assert not judged([Came(**found), Came(**found)])["folded"].holds  # type: ignore[arg-type]  # one of each kind


def judged(came: list[Came], *versions: str, wanted: Sequence[str] = ()) -> dict[str, Finding]:
    able = [Interpreter(each, Path()) for each in versions]
    conditions = [
        Condition(order(Path("/there")), {"PYTHONHASHSEED": str(seed), "TZ": "UTC", "LC_ALL": "C"})
        for seed in range(len(came))
    ]
    return {each.key: each for each in findings(able, came, conditions, 1, wanted)}


def test_runs_that_all_fail_alike_or_index_nothing_or_otherwise_do_not_hold() -> None:
    good = Came("rows", "index", 300, "root", "rows")
    assert judged([good, good])["folded"].holds
    for other in (good._replace(broken="it fails"), good._replace(indexed=0)):
        assert not judged([other, other])["folded"].holds
    assert not judged([good, good._replace(postings="another")])["folded"].holds
    assert not judged([good])["folded"].holds, "one hash seed"
    assert not judged([])["folded"].holds


def test_a_released_minor_version_that_is_not_here_falls_short() -> None:
    wanted = released(date(2025, 10, 6))
    assert judged([], "3.11.2", "3.12.1", "3.13.0", wanted=wanted)["pythons"].holds
    assert judged([], "3.11.2", "3.12.1", "3.13.0", "3.14.1", wanted=wanted)["pythons"].holds
    found = judged([], "3.11.2", "3.11.7", "3.13.0", wanted=released(date(2026, 11, 23)))["pythons"]
    why = "not tried, since not on this machine, and none is installed for this: 3.12, 3.14, 3.15"
    assert (found.holds, found.short) == (False, why)


def test_a_python_whose_environment_cannot_be_made_falls_short_once() -> None:
    able = [Interpreter("3.11.2", Path()), Interpreter("3.12.1", Path(), "3.12.1: no package index")]
    *_, found = findings(able, [], [], 1, ["3.11", "3.12"])
    assert (found.key, found.holds, found.short) == ("pythons", False, "3.12.1: no package index")
    assert found.came_out == "1 tried: 3.11.2"


def test_versions_are_released_on_their_day() -> None:
    assert released(date(2025, 10, 6)) == ["3.11", "3.12", "3.13"]
    assert released(date(2025, 10, 7)) == ["3.11", "3.12", "3.13", "3.14"]
    assert released(date(2022, 1, 1)) == []
    assert next(iter(RELEASED)) == f"{FIRST[0]}.{FIRST[1]}"


def test_this_python_is_among_those_that_are_found() -> None:
    assert platform.python_version() in {each.version for each in interpreters()}
    assert {line.partition("==")[0] for line in _entries().splitlines() if "==" in line} == set(NEEDED)
