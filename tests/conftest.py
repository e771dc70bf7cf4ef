"""What holds for every test: nothing fails because the machine does much else, and nothing by chance.

Properties are tried on the same examples in every run, others with `--hypothesis-profile=default`; laws that take
long are tried on more of them with DNAM_EXAMPLES=thorough. Nothing of dnam is imported before a test runs: coverage
begins later than this file.
"""

import gc
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.examples import PROFILE

settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("thorough", settings.get_profile("steady"))
settings.load_profile(PROFILE)
# Else some of what is drawn are constants of the modules that happen to be imported by then, and that differs from run
# to run, as does which tests ran before in the same process.
patch.object(providers, "is_local_module_file", lambda _: False).start()

TESTS = Path(__file__).parent

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Whatever a shell begins in the background ignores Ctrl-C, and so would all that the tests begin and break off.
    signal.signal(signal.SIGINT, signal.default_int_handler)

WHOLE = (
    "test_wheel.py",
    "scenario",
    "kills",
    "proof",
    "privacy",
    "laws/test_rows.py",
    "injection/test_injection.py",
    "dnam/claude",
    "dnam/cli",
    "dnam/discord",
    "bench",
    "evaluation",
    "loopback",
    "dnam",
)
"""Tests of the program as a whole, and those that repeat what others show on many examples. The longest come first."""
SHOWING = (
    "dnam/encoders/test_understanding.py",
    "dnam/rederiving/test_what_changes.py",
    "dnam/test_belongings.py",
    "dnam/test_config_command.py",
    "dnam/test_secrets.py",
    "dnam/test_snapshot.py",
    "projections/recall/test_seeds.py",
    "projections/test_wording.py",
    "replay/test_proofs.py",
    "replay/test_recall_index.py",
)
"""Those among them, and laws, that show lines of the core or of the log which no other test shows yet."""


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """In a worker pytest-cov begins a second time, here. The first would go on underneath, and trace all the same where
    coverage is to look away.
    """
    cover = session.config.pluginmanager.get_plugin("_cov")
    if hasattr(session.config, "workerinput") and cover is not None and cover.cov_controller is not None:
        cover.cov_controller.pause()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """The tests that are collected stay to the end: no search for garbage need look at them, then or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Coverage looks away from them, and from laws: traced, they take twice as long, and what a line of the core or of
    the log does is to be shown by a test of its own. They come last: what is made once and kept is then made where
    coverage looks.
    """
    items.sort(key=_turn)
    for item in items:
        if _turn(item):
            item.add_marker("no_cover")


def _turn(item: pytest.Item) -> int:
    """0 for a test that coverage looks at, 1 for a law or what is marked itself, then the place in WHOLE, from 2."""
    if item.get_closest_marker("no_cover"):
        return 1
    path = item.path.relative_to(TESTS).as_posix()
    if path in SHOWING:
        return 0
    is_law = getattr(getattr(item, "function", None), "is_hypothesis_test", False)
    return next((turn for turn, name in enumerate(WHOLE, 2) if path.startswith(name)), int(is_law))


@pytest.fixture(autouse=True)
def no_log_is_slow() -> Iterator[None]:
    """A busy disk is no log that is slow: who wants one says so (`tests.dnam.patience`)."""
    with patch("dnam.unwritten.SLOW_SECONDS", 600.0):
        yield
