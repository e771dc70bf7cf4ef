"""Ctrl-C: what is being done is broken off, and the loop above decides whether that was the last word. SIGTERM, and
SIGHUP where the terminal is gone, break it off too, and are the last word: the line editor puts the terminal right.
"""

import asyncio
import signal
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, TypeVar

from dnam.signals import TOLD_TO_END

T = TypeVar("T")


class Interrupted(Exception):
    """Somebody pressed Ctrl-C."""


class Interrupts:
    """Within a `with`, these signals break off what `run` runs, and nothing else. `told` is the one that is the last
    word, where one came. Those that are ignored, as under `nohup`, stay so.
    """

    def __init__(self) -> None:
        self._doing: asyncio.Task[Any] | None = None
        self._pressed = False
        self._heard: list[int] = []
        self.told: int | None = None

    def __enter__(self) -> "Interrupts":
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self.press)
        self._heard = [each for each in TOLD_TO_END if signal.getsignal(each) is signal.SIG_DFL]
        for each in self._heard:
            loop.add_signal_handler(each, self._end, each)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for each in (signal.SIGINT, *self._heard):
            asyncio.get_running_loop().remove_signal_handler(each)

    @property
    def code(self) -> int:
        """The exit code, as a shell has it for who ends by such a signal."""
        return 128 + (self.told or signal.SIGINT)

    def _end(self, number: int) -> None:
        self.told = number
        self.press()

    def press(self) -> None:
        """What the signal does."""
        self._pressed = True
        if self._doing is not None:
            self._doing.cancel()

    async def run(self, action: Coroutine[Any, Any, T]) -> T:
        """Do something; Interrupted when Ctrl-C came meanwhile, or since the last thing was done."""
        try:
            await _signals_heard()
        except asyncio.CancelledError:
            action.close()
            raise
        task: asyncio.Task[T] = asyncio.create_task(action)
        self._doing = task
        if self._pressed:
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            if not self._pressed:
                raise  # it is this task that somebody cancels
            self._pressed = False
            raise Interrupted from None
        finally:
            self._doing = None


async def _signals_heard() -> None:
    """Let the event loop take up the signals that have come: it reads of them in one round, and acts in the next."""
    for _ in range(2):
        await asyncio.sleep(0)
