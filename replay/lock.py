"""The write lock: a flock on `write.lock`, held by whoever writes, in whichever process. Always taken before log and
views.

A flock belongs to the open file, so it keeps processes apart and not the threads of one: those have a lock of their
own in front of it.
"""

import fcntl
import os
import threading
import time
from pathlib import Path
from types import TracebackType

from replay.errors import Busy
from replay.lmdb_file import translated

PATIENCE = 60.0
"""Seconds after which a writer stops waiting for another process; a rewrite of a large log may take some."""
FIRST_PAUSE, LONGEST_PAUSE = 0.0002, 0.01
"""Seconds between two tries, at first and at most."""


class WriteLock:
    """Held with `with`. The file is made when it is first needed."""

    def __init__(self, path: Path, patience: float = PATIENCE) -> None:
        self._path = path
        self._patience = patience
        self._threads = threading.Lock()
        self._descriptor: int | None = None

    def _open(self) -> int:
        with translated(self._path.parent):
            return os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)

    def __enter__(self) -> "WriteLock":
        self._threads.acquire()
        try:
            if self._descriptor is None:
                self._descriptor = self._open()
            self._flock(self._descriptor)
        except BaseException:
            self._threads.release()
            raise
        return self

    def _flock(self, descriptor: int) -> None:
        """Wait for other processes, but not for ever: one that hangs must not make all others hang."""
        until = time.monotonic() + self._patience
        pause = FIRST_PAUSE
        while not takes(descriptor):
            if time.monotonic() > until:
                raise Busy(
                    f"another process has held {self._path} for {self._patience:g} seconds. If it hangs, end it; "
                    "what it acknowledged is safe"
                )
            time.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._descriptor is not None
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        self._threads.release()

    def close(self) -> None:
        """Let the file go."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class ThreadLock:
    """For a log in memory, which no other process sees."""

    def __init__(self) -> None:
        self._threads = threading.Lock()

    def __enter__(self) -> "ThreadLock":
        self._threads.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._threads.release()

    def close(self) -> None: ...


def takes(descriptor: int, how: int = fcntl.LOCK_EX) -> bool:
    """Try to lock an open file, for oneself alone or `how` else; False where another process has it."""
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
