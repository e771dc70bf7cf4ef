"""When something was recorded: never backwards, and never far ahead of the time that really passed."""

import time
from typing import Protocol

from replay.errors import ClockJumped

MOST_AHEAD_MS = 60 * 60 * 1000
"""How far the clock may run ahead of the monotonic one between two looks before it is no longer believed."""


class Clock(Protocol):
    """Milliseconds: since 1970, and since some fixed moment."""

    def now(self) -> int: ...

    def monotonic(self) -> int: ...


class SystemClock:
    """The machine's clocks. The monotonic one counts sleep too, where the system has such a clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> int:
        source = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
        return time.clock_gettime_ns(source) // 1_000_000


class Recorder:
    """Gives the `at` of each event. A jump forward is refused until `accept`, or until the program is started again."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.accept()

    def now(self) -> int:
        """The clock's time, in ms."""
        return self.clock.now()

    def accept(self) -> None:
        """Believe the clock as it now is."""
        self._now = self.clock.now()
        self._monotonic = self.clock.monotonic()

    def at(self, last: int) -> int:
        """The time for the next event, given the last one's. Raises ClockJumped."""
        now, monotonic = self.clock.now(), self.clock.monotonic()
        ahead = (now - self._now) - (monotonic - self._monotonic)
        if ahead > MOST_AHEAD_MS:
            raise ClockJumped(
                f"the clock went {ahead // 60_000} minutes ahead of the time that really passed, and a time once "
                "recorded cannot be taken back. If the clock is right now, start dnam again to accept it"
            )
        self._now, self._monotonic = now, monotonic
        return max(now, last)
