"""A circuit: while the service is down nobody is kept waiting for it. While it has the rest that it asked for, nobody
is let through either; one so short that an ask waits for it holds for that ask alone.

closed ──(FAILURES asks in a row failed)──▶ open ──(REST_SECONDS)──▶ half open: one ask is let through
   ▲                                         ▲                                   │
   └────────────────(it worked)──────────────┼───────────────────────────────────┤
                                             └─────────────(it failed)───────────┘
"""

from collections.abc import Callable

from dnam.model import ModelDown

FAILURES = 3
REST_SECONDS = 30.0
LONGEST_REST_SECONDS = 3600.0
"""No service is left alone for longer, whatever it asks for: its next answer may say so once more."""
Seconds = Callable[[], float]
"""A clock that only goes forward."""
Down = Callable[[str], Exception]
"""What an ask is refused with, made from why and for how long the service is left alone."""
Refusal = Callable[[float], Exception]
"""What an ask is refused with while the service rests, made from how many seconds that lasts."""


def model_down(why: str) -> ModelDown:
    """What an ask of a model is refused with."""
    return ModelDown(f"the model's service {why}")


class Rest:
    """Until when a service asked to be left alone. Circuits of one service share it."""

    def __init__(self, seconds: Seconds) -> None:
        self._seconds = seconds
        self._until = float("-inf")
        self._refusal: Refusal | None = None

    def ask(self, seconds: float, refusal: Refusal) -> None:
        """The service asked for so many seconds; what is asked until then is refused. An earlier, longer rest stays."""
        until = self._seconds() + min(seconds, LONGEST_REST_SECONDS)
        if until > self._until:
            self._until, self._refusal = until, refusal

    def refuse(self) -> None:
        """Raise what an ask is refused with, as long as the rest lasts."""
        left = self._until - self._seconds()
        if left > 0 and self._refusal is not None:
            raise self._refusal(left)


class Circuit:
    """Counts what fails in a row. `enter` before every ask, then `worked` or `failed`, and `leave` in any case."""

    def __init__(self, seconds: Seconds, down: Down = model_down, rest: Rest | None = None) -> None:
        self._seconds = seconds
        self._down = down
        self.rest = rest or Rest(seconds)
        self._failures = 0
        self._opened: float | None = None
        self._probing = False
        self._why = ""

    @property
    def is_open(self) -> bool:
        """Whether asks are refused just now, but for one that finds out."""
        return self._opened is not None

    def enter(self) -> bool:
        """Let an ask through, and say whether it is the one that finds out; what `down` makes while it is open, and the
        refusal while the service rests.
        """
        self.rest.refuse()
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
