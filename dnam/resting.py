"""What is told of a rest that a model's service asked for: that it begins, with what is put off first, and that it is
over. Whatever else is due meanwhile is put off too, and only counted.
"""

import asyncio
from collections.abc import Callable
from functools import partial

from dnam.failures import Tell
from dnam.model import Resting
from projections.counting import counted

OVER = "the rest is over that {model} asked for: it is asked again. {loops} put off meanwhile besides"


class _Rest:
    """One that is under way, until `until` by the loop's clock (seconds)."""

    def __init__(self, until: float) -> None:
        self.until = until
        self.others = 0
        self.timer: asyncio.TimerHandle | None = None


class Rests:
    """The rests that are under way, by model. `tell` hears when one is over."""

    def __init__(self, tell: Callable[[], Tell]) -> None:
        self._tell = tell
        self._rests: dict[str, _Rest] = {}

    def begins(self, error: Resting) -> bool:
        """Whether a rest begins with what this puts off; what is put off behind that is counted."""
        loop = asyncio.get_running_loop()
        until, rest = loop.time() + error.seconds, self._rests.get(error.model)
        if rest is not None:
            rest.until = max(rest.until, until)
            rest.others += 1
            return False
        self._rests[error.model] = rest = _Rest(until)
        self._wait(error.model, rest)
        return True

    def stop(self) -> None:
        """Tell nobody any more: before closing."""
        for rest in self._rests.values():
            if rest.timer is not None:
                rest.timer.cancel()
        self._rests.clear()

    def _wait(self, model: str, rest: _Rest) -> None:
        loop = asyncio.get_running_loop()
        rest.timer = loop.call_at(rest.until, partial(self._look, model, rest))

    def _look(self, model: str, rest: _Rest) -> None:
        if rest.until > asyncio.get_running_loop().time():
            self._wait(model, rest)
            return
        del self._rests[model]
        self._tell()(OVER.format(model=model or "the model", loops=_were(rest.others)))


def _were(others: int) -> str:
    return f"{counted(others, 'loop')} {'was' if others == 1 else 'were'}"
