"""The doctor and recall: compiled, not wanted, not installed, and a compiler that fails."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from dnam.doctor import recall
from dnam.doctor.check import Finding
from projections.recall import reckoners
from tests.dnam.doctor.patients import looked, patient
from tests.projections.recall.stage import without_numba


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What recall reckons by is put back."""
    monkeypatch.setattr(reckoners, "_used", list(reckoners._used))


async def test_where_it_is_installed(tmp_path: Path) -> None:
    assert await looked(recall.compiled, patient(tmp_path)) == Finding("well", "recall is compiled")


async def test_where_nobody_wants_it(tmp_path: Path) -> None:
    found = await looked(recall.compiled, patient(tmp_path, {"DNAM_RECALL_COMPILED": "0"}))
    assert (found.state, found.do) == ("skipped", "")
    assert "DNAM_RECALL_COMPILED" in found.what


async def test_where_it_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_numba(monkeypatch)
    found = await looked(recall.compiled, patient(tmp_path))
    assert (found.state, found.what) == ("skipped", "recall is not compiled: numba is not installed")
    assert found.do.startswith("pip install 'dnam[compiled]'")


async def test_where_the_compiler_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(ModuleType):
        def __getattr__(self, name: str) -> object:
            raise RuntimeError("cannot cache function")

    monkeypatch.setitem(sys.modules, "projections.recall.compiled", Failing("compiled"))
    found = await looked(recall.compiled, patient(tmp_path))
    assert (found.state, found.what) == ("wrong", "recall cannot be compiled: cannot cache function")
    assert "DNAM_RECALL_COMPILED=0" in found.do
