"""What stands in the way of every answer just now: a key that is not accepted, a service that is down, a spent budget.

Each answer that fails is an event (`turn.failed`). Whoever reads the program's log hears of it once for each kind of
failure, and once more when an answer works again; `reason` says at any time what is the matter.

    hinders    a service that is down; what only an operator mends: a key, credit, a model's name, a file that cannot be
               read. For a while: nobody may have asked since, and it may be over
    is told    all else, as one odd reply, or a day's budget that is spent: who is started anew is no better off
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dnam.failures import Tell, untold
from dnam.model import ModelDown, ModelError, TooOften
from projections.ids import MINUTE_MS

MENDED_BY_HAND = frozenset((
    "authentication_error", "billing_error", "permission_error", "not_found_error", "context_files"
))  # fmt: skip
"""The kinds of failures that last until somebody does something about them."""
LASTS_MS = 10 * MINUTE_MS
"""How long what failed hinders, where no answer is tried again."""


class Trouble:
    """`reason` is why the last answer failed, empty where it did not. `tell` hears of it without anybody's words. `now`
    is the clock, in ms.
    """

    def __init__(self, now: Callable[[], int]) -> None:
        self.tell: Tell = untold
        self.reason = ""
        self._now = now
        self._kind = ""
        self._hinders_until = 0

    @property
    def hindrance(self) -> str:
        """The reason, while it keeps the bot from being of use."""
        return self.reason if self.reason and self._now() < self._hinders_until else ""

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
        lasts = isinstance(error, ModelDown) or error.kind in MENDED_BY_HAND
        self._hinders_until = self._now() + LASTS_MS if lasts else 0
        if kind != self._kind:
            self._kind = kind
            self.tell(f"an answer failed, and the next ones may too: {error}")

    def _over(self) -> None:
        if self._kind:
            self._kind = self.reason = ""
            self.tell("answers work again")
