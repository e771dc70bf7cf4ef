"""The write lock: a flock on `write.lock`, held by whoever writes, in whichever process. Always taken before log and
views.

A flock belongs to the open file, so it keeps processes apart and not the threads of one: those have a lock of their
own in front of it.
"""

import fcntl
import os
import threading
from pathlib import Path
from types import TracebackType

from replay.lmdb_file import translated


class WriteLock:
    """Held with `with`. The file is made when it is first needed."""

    def __init__(self, path: Path) -> None:
        self._path = path
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
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        except BaseException:
            self._threads.release()
            raise
        return self

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
