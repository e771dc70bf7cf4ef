"""The short form of the proof that one log gives one digest; and a fold that depends on the order of a set is found."""

import platform
from pathlib import Path

from tests.proof.claim import Trial
from tests.proof.determinism import CLAIMS, locales, prove
from tests.proof.determinism.interpreters import NEEDED, _entries, interpreters


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


def test_this_python_is_among_those_that_are_found() -> None:
    assert platform.python_version() in {each.version for each in interpreters()}
    assert {line.partition("==")[0] for line in _entries().splitlines() if "==" in line} == set(NEEDED)
