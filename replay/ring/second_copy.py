"""Making the second copy of the key ring last while something else is done."""

import os
from queue import SimpleQueue
from threading import Thread

Outcome = SimpleQueue[Exception | None]
"""Where it arrives how a sync went, once: None where all went well."""


class SecondCopy:
    """A thread that syncs the second copy meanwhile. It is begun when it is first needed.

    Its queues are made of C alone: an executor's futures take a third as long as the syncing itself.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[tuple[int, Outcome] | None] = SimpleQueue()
        self._thread: Thread | None = None

    def begin(self, descriptor: int) -> Outcome:
        """Begin to make last what was written to an open file."""
        if self._thread is None:
            self._thread = Thread(target=self._sync, name="ring", daemon=True)
            self._thread.start()
        outcome: Outcome = SimpleQueue()
        self._jobs.put((descriptor, outcome))
        return outcome

    def _sync(self) -> None:
        while (job := self._jobs.get()) is not None:
            descriptor, outcome = job
            outcome.put(_failure_of(descriptor))

    def end(self) -> None:
        """Let the thread go."""
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
            self._thread = None


def _failure_of(descriptor: int) -> Exception | None:
    try:
        os.fdatasync(descriptor)
    except Exception as error:  # noqa: BLE001 - whoever waits for it is told
        return error
    return None
