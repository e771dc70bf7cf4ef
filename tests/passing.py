"""Time that passes at once: the monotonic clock, by which the program and its event loop measure how long something
takes, goes on by as much as a test says. Nothing sleeps for it.
"""

import time
from collections.abc import Callable

import pytest

Passes = Callable[[float], None]
"""Lets so many seconds pass."""


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> Passes:
    """Seconds pass where this is called, beside those that really do."""
    really, ahead = time.monotonic, [0.0]

    def go_on(seconds: float) -> None:
        ahead.append(ahead.pop() + seconds)

    monkeypatch.setattr(time, "monotonic", lambda: really() + ahead[0])
    return go_on
