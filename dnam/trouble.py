"""What stands in the way of every answer just now: a key that is not accepted, a service that is down, a spent budget.

Each answer that fails is an event (`turn.failed`). Whoever reads the program's log hears of it once for each kind of
failure, and once more when an answer works again; `reason` says at any time what is the matter.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from dnam.failures import Tell, untold
from dnam.model import ModelError, TooOften


class Trouble:
    """`reason` is why the last answer failed, empty where it did not. `tell` hears of it without anybody's words."""

    def __init__(self) -> None:
        self.tell: Tell = untold
        self.reason = ""
        self._kind = ""

    @contextmanager
    def noticed(self) -> Iterator[None]:
        """Notice how an answer goes. Whoever asked too often is no trouble of anybody else's."""
        try:
            yield
        except TooOften:
            raise
        except ModelError as error:
            self._met(error)
            raise
        self._over()

    def _met(self, error: ModelError) -> None:
        kind, self.reason = error.kind or type(error).__name__, f"the last answer failed: {error}"
        if kind != self._kind:
            self._kind = kind
            self.tell(f"an answer failed, and the next ones may too: {error}")

    def _over(self) -> None:
        if self._kind:
            self._kind = self.reason = ""
            self.tell("answers work again")
