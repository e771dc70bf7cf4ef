"""Compiled recall for a bot: loaded beside it, and nothing is missing where it cannot be had."""

import sys
from types import ModuleType

import pytest

from dnam.quickening import quicken
from dnam.settings import read
from projections.recall import reckoners
from projections.recall.compiled import CompiledReckoning
from projections.recall.reckoning import Reckoning


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reckoners, "_used", [Reckoning])


def quickened(environment: dict[str, str]) -> list[str]:
    """What is told, once it is over."""
    told: list[str] = []
    loading = quicken(read(environment, {}), told.append)
    if loading is not None:
        loading.join()
    return told


def test_a_bot_recalls_by_compiled_loops() -> None:
    assert quickened({}) == []
    assert reckoners.reckoner() is CompiledReckoning


def test_not_where_nobody_wants_them() -> None:
    assert quickened({"DNAM_RECALL_COMPILED": "0"}) == []
    assert reckoners.reckoner() is Reckoning


def test_where_numba_is_not_installed_nothing_is_said_and_nothing_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "projections.recall.compiled", None)
    assert quickened({}) == []
    assert reckoners.reckoner() is Reckoning


def test_a_compiler_that_fails_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(ModuleType):
        def __getattr__(self, name: str) -> object:
            raise RuntimeError("cannot cache function")

    monkeypatch.setitem(sys.modules, "projections.recall.compiled", Failing("compiled"))
    assert quickened({}) == ["recall is not compiled, and goes on without: cannot cache function"]
    assert reckoners.reckoner() is Reckoning
