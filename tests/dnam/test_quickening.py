"""Compiled recall for a bot: loaded beside it, and nothing is missing where it cannot be had."""

import sys
import threading
from collections.abc import Callable
from types import ModuleType

import pytest

from dnam.quickening import NO_FOLDER, quickened, remedy
from dnam.settings import read
from projections.recall import reckoners
from projections.recall.compiled import CompiledReckoning
from projections.recall.reckoning import Reckoning
from tests.projections.recall.stage import without_numba


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reckoners, "_used", [Reckoning])


def loaded(environment: dict[str, str]) -> list[str]:
    """What is told, once it is over."""
    told: list[str] = []
    with quickened(read(environment, {}), told.append) as loading:
        if loading is not None:
            loading.join()
    return told


def test_a_bot_recalls_by_compiled_loops() -> None:
    assert loaded({}) == []
    assert reckoners.reckoner() is CompiledReckoning


def test_not_where_nobody_wants_them() -> None:
    assert loaded({"DNAM_RECALL_COMPILED": "0"}) == []
    assert reckoners.reckoner() is Reckoning


def test_where_numba_is_not_installed_nothing_is_said_and_nothing_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    without_numba(monkeypatch)
    assert loaded({}) == []
    assert reckoners.reckoner() is Reckoning


def test_a_compiler_that_fails_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(ModuleType):
        def __getattr__(self, name: str) -> object:
            raise RuntimeError("cannot cache function")

    monkeypatch.setitem(sys.modules, "projections.recall.compiled", Failing("compiled"))
    (told,) = loaded({})
    assert told.startswith("recall is not compiled, and goes on without: cannot cache function. If it says the same")
    assert reckoners.reckoner() is Reckoning


def test_what_to_do_depends_on_what_went_wrong() -> None:
    assert "NUMBA_CACHE_DIR" in remedy(RuntimeError(f"cannot cache function 'weigh': {NO_FOLDER} for file 'x.py'"))
    assert "*.nbi" in remedy(EOFError("Ran out of input"))


def test_a_bot_that_ends_waits_for_no_more_than_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ends = threading.Event(), threading.Event()
    asked = list[bool]()

    def use_compiled(stops: Callable[[], bool]) -> bool:
        begun.set()
        ends.wait()
        asked.append(stops())
        return False

    monkeypatch.setattr(reckoners, "use_compiled", use_compiled)
    with quickened(read({}, {}), lambda _: None) as loading:
        begun.wait()
    ends.set()
    assert loading is not None
    loading.join()
    assert asked == [True]
