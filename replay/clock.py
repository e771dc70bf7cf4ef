"""When something was recorded: never backwards, and never far ahead of the time that really passed."""

import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from replay.errors import ClockJumped
from replay.folder import replace_file

MOST_AHEAD_MS = 60 * 60 * 1000
"""How far the clock may run ahead of the monotonic one between two looks before it is no longer believed."""
CLOCK_NOTE = "clock"
"""The file of a data folder that says which clock was accepted by hand, for whoever has the folder open."""


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


class Instant(NamedTuple):
    """What the clock and the monotonic one showed at once. Both are the machine's, so any process may hold its own
    clock against what another one read, until the machine starts anew.
    """

    now: int
    monotonic: int

    def ahead_of(self, sooner: "Instant") -> int:
        """How far the clock went ahead of the time that really passed in between; what fell behind is negative."""
        return (self.now - sooner.now) - (self.monotonic - sooner.monotonic)


def instant_of(clock: Clock) -> Instant:
    """What a clock shows now."""
    return Instant(clock.now(), clock.monotonic())


def note_accepted(path: Path, accepted: Instant) -> None:
    """Say that the clock was right when it showed this: whoever refused it believes it with their next event."""
    replace_file(path, f"{accepted.now} {accepted.monotonic}\n".encode())


def accepted_in(path: Path) -> Instant | None:
    """What was accepted by hand, if anything was. OSError where that is there and cannot be read."""
    with suppress(FileNotFoundError, ValueError):
        now, monotonic = path.read_bytes().split()
        return Instant(int(now), int(monotonic))
    return None


class Recorder:
    """Gives the `at` of each event. A jump forward is refused until it is accepted by hand, here or in the file `note`,
    or until the program is started again.
    """

    def __init__(self, clock: Clock, note: Path | None = None) -> None:
        self.clock = clock
        self._note = note
        self.accept()

    def now(self) -> int:
        """The clock's time, in ms."""
        return self.clock.now()

    def accept(self) -> None:
        """Believe the clock as it now is."""
        self._believed = instant_of(self.clock)

    def at(self, last: int) -> int:
        """The time for the next event, given the last one's. Raises ClockJumped."""
        shown = instant_of(self.clock)
        ahead = shown.ahead_of(self._believed)
        if ahead > MOST_AHEAD_MS and not self._is_accepted(shown):
            minutes = (ahead + 30_000) // 60_000  # rounded: a jump by whole hours is always told in the same words
            raise ClockJumped(
                f"the clock went {minutes} minutes ahead of the time that really passed, and a time once "
                "recorded cannot be taken back. If the clock is right now, `dnam accept-clock` accepts it, also beside "
                "a bot that runs; if it is not, set it right"
            )
        self._believed = shown
        return max(shown.now, last)

    def _is_accepted(self, shown: Instant) -> bool:
        """Whether somebody said of this clock that it is right, and it has gone on since as time has."""
        accepted = None if self._note is None else accepted_in(self._note)
        return accepted is not None and abs(shown.ahead_of(accepted)) <= MOST_AHEAD_MS
