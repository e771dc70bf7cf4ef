"""What holds for every test: nothing fails because the machine does much else, and nothing by chance.

Properties are tried on the same examples in every run, others with `--hypothesis-profile=default`; laws that take
long are tried on more of them with DNAM_EXAMPLES=thorough. Nothing of dnam is imported before a test runs: coverage
begins later than this file.
"""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings

from tests.examples import PROFILE

settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("thorough", settings.get_profile("steady"))
settings.load_profile(PROFILE)

TESTS = Path(__file__).parent

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
)
"""Tests of the program as a whole, and those that repeat what others show on many examples. The longest come first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Coverage looks away from them: traced, they take twice as long, and what a line of the core or of the log does is
    to be shown by a test of its own. They come last: what is made once and kept is then made where coverage looks.
    """
    items.sort(key=_turn)
    for item in items:
        if _turn(item):
            item.add_marker("no_cover")


def _turn(item: pytest.Item) -> int:
    """0 for a test that coverage looks at, then the place in WHOLE, from 1."""
    path = item.path.relative_to(TESTS).as_posix()
    return next((turn for turn, name in enumerate(WHOLE, 1) if path.startswith(name)), 0)


@pytest.fixture(autouse=True)
def no_log_is_slow() -> Iterator[None]:
    """A busy disk is no log that is slow: who wants one says so (`tests.dnam.patience`)."""
    with patch("dnam.unwritten.SLOW_SECONDS", 600.0):
        yield
