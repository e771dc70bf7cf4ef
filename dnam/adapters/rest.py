"""A rest: what a service asked for. Until it is over nothing is sent there by whoever has it; one so short that an ask
waits for it holds for that ask alone.
"""

from collections.abc import Callable

from dnam.adapters.circuit import Seconds

LONGEST_REST_SECONDS = 3600.0
"""No service is left alone for longer, whatever it asks for: its next answer may say so once more."""
Refusal = Callable[[float], Exception]
"""What an ask is refused with while the service rests, made from how many seconds that lasts."""


class Rest:
    """Until when a service asked to be left alone. `refuse` before every ask."""

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
