"""Ctrl-C: what is being done is broken off, and the loop above decides whether that was the last word."""

import asyncio
import signal
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, TypeVar

T = TypeVar("T")


class Interrupted(Exception):
    """Somebody pressed Ctrl-C."""


class Interrupts:
    """Within a `with`, Ctrl-C breaks off what `run` runs, and nothing else."""

    def __init__(self) -> None:
        self._doing: asyncio.Task[Any] | None = None
        self._pressed = False

    def __enter__(self) -> "Interrupts":
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self.press)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)

    def press(self) -> None:
        """What the signal does."""
        self._pressed = True
        if self._doing is not None:
            self._doing.cancel()

    async def run(self, action: Coroutine[Any, Any, T]) -> T:
        """Do something; Interrupted when Ctrl-C came meanwhile, or since the last thing was done."""
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
