"""How far something is, for people: a bar where stderr is a terminal, else a line on it now and then, or nothing."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

Progress = Callable[[int, int | None], None]
"""Called with what is done and what there is to do, None where that is not known."""
SECONDS_BETWEEN_LINES = 5
"""How often progress is told where no bar can be drawn."""


class Counting(Protocol):
    """The same, with a few words beside what is counted."""

    def __call__(self, done: int, total: int | None, words: str = "") -> None:
        """Tell."""


def silent(done: int, total: int | None) -> None:
    """Nobody watches."""


def unless_passed(total: int | None, done: int) -> int | None:
    """What there is to do, by the word of somebody who may be wrong: it is not known once more than that was done."""
    return None if total is None or done > total else total


class Lines:
    """Progress in lines, of which one comes some seconds behind another at the least, and behind the beginning."""

    def __init__(
        self, say: Callable[[str], None], what: str, unit: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._say = say
        self._what = what
        self._unit = unit
        self._clock = clock
        self._last = clock()

    def __call__(self, done: int, total: int | None, words: str = "") -> None:
        """Tell, unless that was just done."""
        now = self._clock()
        if now - self._last >= SECONDS_BETWEEN_LINES:
            self._last = now
            of = "" if total is None else f" of {total:,}"
            self._say(f"{self._what}: {done:,}{of} {self._unit}{words and ', '}{words}")


@contextmanager
def bar(what: str, unit: str) -> Iterator[Counting]:
    """A bar on stderr, which is a terminal, with the speed and the time left; while nobody knows how much there is, one
    that pulses, with what was done and no time left.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task(what, total=None, speed="")

        def tell(done: int, total: int | None, words: str = "") -> None:
            speed = drawn.tasks[0].speed
            fast = "" if speed is None else f"{speed:,.0f} {unit}/s"
            described = f"{what}{words and ', '}{words}"
            drawn.tasks[0].total = total  # `update` takes None for what it was
            drawn.update(task, completed=done, description=described, speed=fast)

        yield tell
