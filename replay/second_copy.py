"""Writing the second copy of the key ring while the first is written."""

import os
from queue import SimpleQueue
from threading import Thread

from replay.folder import write_all

Outcome = SimpleQueue[Exception | None]
"""Where it arrives how a write went, once: None where all went well."""


class SecondCopy:
    """A thread that writes the second copy while the first is written. It is begun when it is first needed.

    Its queues are made of C alone: an executor's futures take a third as long as the writing itself.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[tuple[bytes, tuple[int, int], Outcome] | None] = SimpleQueue()
        self._thread: Thread | None = None

    def begin(self, data: bytes, copy: tuple[int, int]) -> Outcome:
        """Begin to write behind `copy`, an open file and a place in it."""
        if self._thread is None:
            self._thread = Thread(target=self._write, name="ring", daemon=True)
            self._thread.start()
        outcome: Outcome = SimpleQueue()
        self._jobs.put((data, copy, outcome))
        return outcome

    def _write(self) -> None:
        while (job := self._jobs.get()) is not None:
            data, copy, outcome = job
            outcome.put(_failure_of(data, copy))

    def end(self) -> None:
        """Let the thread go."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None


def _failure_of(data: bytes, copy: tuple[int, int]) -> Exception | None:
    try:
        write_synced(data, copy)
    except Exception as error:  # noqa: BLE001 - whoever waits for it raises it
        return error
    return None


def write_synced(data: bytes, copy: tuple[int, int]) -> None:
    """Write into an open file, from a place on, and make it last."""
    descriptor, start = copy
    write_all(descriptor, data, start)
    os.fdatasync(descriptor)
