"""The short form of the proof that one log gives one digest; and a fold that depends on the order of a set is found."""

import platform
from pathlib import Path

import pytest

from replay.builder import Check
from replay.engine import Engine
from tests.proof.claim import Finding, Trial
from tests.proof.determinism import CLAIMS, Came, Condition, findings, locales, prove, run
from tests.proof.determinism.interpreters import NEEDED, Interpreter, _entries, interpreters
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


def judged(came: list[Came], *versions: str, minors: int = 1) -> dict[str, Finding]:
    able = [Interpreter(each, Path()) for each in versions]
    conditions = [
        Condition(order(Path("/there")), {"PYTHONHASHSEED": str(seed), "TZ": "UTC", "LC_ALL": "C"})
        for seed in range(len(came))
    ]
    return {each.key: each for each in findings(able, came, conditions, 1, minors)}


def test_runs_that_all_fail_alike_or_index_nothing_or_otherwise_do_not_hold() -> None:
    good = Came("rows", "index", 300, "root", "rows")
    assert judged([good, good])["folded"].holds
    for other in (good._replace(broken="it fails"), good._replace(indexed=0)):
        assert not judged([other, other])["folded"].holds
    assert not judged([good, good._replace(postings="another")])["folded"].holds
    assert not judged([good])["folded"].holds, "one hash seed"
    assert not judged([])["folded"].holds


def test_pythons_of_too_few_minor_versions_fall_short() -> None:
    assert judged([], "3.11.2", "3.12.1", "3.13.0", minors=3)["pythons"].holds
    found = judged([], "3.11.2", "3.11.7", minors=3)["pythons"]
    assert (found.holds, found.short) == (False, "only 3.11 on this machine could be tried")


def test_this_python_is_among_those_that_are_found() -> None:
    assert platform.python_version() in {each.version for each in interpreters()}
    assert {line.partition("==")[0] for line in _entries().splitlines() if "==" in line} == set(NEEDED)
