"""A circuit: while the service is down nobody is kept waiting for it.

closed ──(FAILURES asks in a row failed)──▶ open ──(REST_SECONDS)──▶ half open: one ask is let through
   ▲                                         ▲                                   │
   └────────────────(it worked)──────────────┼───────────────────────────────────┤
                                             └─────────────(it failed)───────────┘
"""

from collections.abc import Callable

from dnam.model import ModelDown

FAILURES = 3
REST_SECONDS = 30.0
Seconds = Callable[[], float]
"""A clock that only goes forward."""
Down = Callable[[str], Exception]
"""What an ask is refused with, made from why and for how long the service is left alone."""


def model_down(why: str) -> ModelDown:
    """What an ask of a model is refused with."""
    return ModelDown(f"the model's service {why}")


class Circuit:
    """Counts what fails in a row. `enter` before every ask, then `worked` or `failed`, and `leave` in any case."""

    def __init__(self, seconds: Seconds, down: Down = model_down) -> None:
        self._seconds = seconds
        self._down = down
        self._failures = 0
        self._opened: float | None = None
        self._probing = False
        self._why = ""

    @property
    def is_open(self) -> bool:
        """Whether asks are refused just now, but for one that finds out."""
        return self._opened is not None

    def enter(self) -> bool:
        """Let an ask through, and say whether it is the one that finds out; what `down` makes while it is open."""
        if self._opened is None:
            return False
        left = self._opened + REST_SECONDS - self._seconds()
        if left > 0 or self._probing:
            raise self._down(f"is down ({self._why}); it is tried again in {max(left, 0):.0f} s")
        self._probing = True
        return True

    def worked(self) -> None:
        """The service is there, whatever it said."""
        self._failures, self._opened, self._why = 0, None, ""

    def failed(self, why: str) -> None:
        """The service is not there, or not in order."""
        self._failures += 1
        if self._failures >= FAILURES or self._opened is not None:
            self._opened, self._why = self._seconds(), why

    def leave(self, *, probed: bool) -> None:
        """The ask ended, perhaps broken off; `probed` is what `enter` said."""
        self._probing = self._probing and not probed
