"""What holds for every test: nothing fails because the machine does much else, and nothing by chance.

Properties are tried on the same examples in every run; more of them: `--hypothesis-profile=default`. Nothing of dnam is
imported before a test runs: coverage begins later than this file.
"""

from collections.abc import Iterator
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("steady")


@pytest.fixture(autouse=True)
def no_log_is_slow() -> Iterator[None]:
    """A busy disk is no log that is slow: who wants one says so (`tests.dnam.patience`)."""
    with patch("dnam.unwritten.SLOW_SECONDS", 600.0):
        yield
