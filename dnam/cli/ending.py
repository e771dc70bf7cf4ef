"""Being told to end: SIGTERM, and SIGHUP where the terminal is gone, break a command off as Ctrl-C does.

So it says how far it came, closes what it has open, and what was recorded stays.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from dnam.cli.screen import note
from dnam.signals import TOLD_TO_END


class ToldToEnd(KeyboardInterrupt):
    """An interruption that came by another signal than Ctrl-C's."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number

    @property
    def code(self) -> int:
        """The exit code, as a shell has it for who ends by this signal."""
        return 128 + self.number


@contextmanager
def told_how_to_go_on(words: str) -> Iterator[None]:
    """Whoever breaks off what runs here is told what stays of it, and what goes on with it."""
    try:
        yield
    except KeyboardInterrupt:
        note(f"broken off: {words}")
        raise


@contextmanager
def ending_as_by_ctrl_c() -> Iterator[None]:
    """Whatever runs here is interrupted by these signals too, and ToldToEnd says by which. One that is ignored, as
    under `nohup`, stays so.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    told: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        told.append(number)
        interrupt = signal.getsignal(signal.SIGINT)  # an event loop has its own, which cancels what it runs
        if not callable(interrupt):
            raise KeyboardInterrupt
        interrupt(signal.SIGINT, frame)

    heard = [each for each in TOLD_TO_END if signal.getsignal(each) is signal.SIG_DFL]
    for each in heard:
        signal.signal(each, end)
    try:
        yield
    except KeyboardInterrupt:
        if told:
            raise ToldToEnd(told[0]) from None
        raise
    finally:
        for each in heard:
            signal.signal(each, signal.SIG_DFL)
