"""A chat of another process, in which one fact after the other is typed as long as it is let."""

import os
import re
import select
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import TracebackType
from typing import Self

from tests.kills.nursery import MOST_BYTES
from tests.kills.victims import Child

ACKNOWLEDGED = re.compile("^(?:.*> )?Remembered: (fact .*)$", re.MULTILINE)
ANSWER = b"Remembered: "
WAITING = 5
"""How many facts are typed ahead of their answers at the most."""
PAUSE = 0.02
"""Seconds between one fact and the next: nobody else comes to write beside one who never pauses."""
PATIENCE = 60.0
"""Seconds that it has for its first answer."""


class Beside:
    """The other process, and a thread that types: the next fact when one is acknowledged."""

    def __init__(self, child: Child, facts: Iterator[str]) -> None:
        self.child = child
        self._facts = facts
        self._has_answered, self._is_enough = Event(), Event()
        self._thread = ThreadPoolExecutor(1)

    def __enter__(self) -> Self:
        self._printed = self._thread.submit(self._type)
        assert self._has_answered.wait(PATIENCE), "the other process does not answer"
        return self

    def enough(self) -> None:
        """What is typed is the last: it ends in peace."""
        self._is_enough.set()

    def ended(self) -> list[str]:
        """Let it end in peace; the facts that it acknowledged."""
        self.enough()
        printed = self._printed.result()
        assert not (code := self.child.process.wait()), f"the other process ended with {code}: {printed[-1_000:]}"
        return ACKNOWLEDGED.findall(printed)

    def _type(self) -> str:
        stdout, printed, typed = self.child.process.stdout, b"", 0
        while not self._is_enough.wait(PAUSE):
            if typed < printed.count(ANSWER) + WAITING:
                self.child.process.write(next(self._facts))
                typed += 1
            if select.select([stdout], [], [], 0)[0]:
                some = os.read(stdout, MOST_BYTES)
                assert some, "the other process has ended"
                printed += some
            if ANSWER in printed:
                self._has_answered.set()
        self.child.process.write("exit\n")
        return printed.decode() + self.child.process.read()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_enough.set()
        if error is not None:
            self.child.kill()
        self._thread.shutdown()
