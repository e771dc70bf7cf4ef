"""The write lock: a flock on `write.lock`, held by whoever writes, in whichever process. Always taken before log and
views.

A flock belongs to the open file, so it keeps processes apart and not the threads of one: those have a lock of their
own in front of it.
"""

import fcntl
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from replay.errors import Busy
from replay.lmdb_file import translated

PATIENCE = 60.0
"""Seconds after which a writer stops waiting for another process; a rewrite of a large log may take some."""
FIRST_PAUSE, LONGEST_PAUSE = 0.0002, 0.01
"""Seconds between two tries, at first and at most."""


Waits = Callable[[Path, float], None]
"""Told at each try for how long (seconds) another process has been waited for; what it raises ends the waiting."""
LOCKS = Path("/proc/locks")
"""Where Linux lists who holds which lock; other systems tell nobody."""


def silently(_path: Path, _seconds: float) -> None:
    """Wait, and tell nobody."""


class WriteLock:
    """Held with `with`. The file is made when it is first needed. `waits` is told while another process holds it."""

    def __init__(self, path: Path, patience: float = PATIENCE, waits: Waits = silently) -> None:
        self._path = path
        self._patience = patience
        self.waits = waits
        self._threads = threading.Lock()
        self._descriptor: int | None = None

    def _open(self) -> int:
        with translated(self._path.parent):
            return os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)

    def refuse_unwritable(self) -> None:
        """ReadOnly where the file cannot be opened for writing; nothing is held afterwards."""
        os.close(self._open())

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
        began = time.monotonic()
        pause = FIRST_PAUSE
        while not takes(descriptor):
            waited = time.monotonic() - began
            self.waits(self._path, waited)
            if waited > self._patience:
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


def holder(path: Path) -> int | None:
    """The process that holds the flock on a file, as far as the system tells: not of one on another machine, or in a
    container that cannot be seen from here.
    """
    try:
        file = path.stat()
        known = [line.split() for line in LOCKS.read_text(encoding="ascii", errors="replace").splitlines()]
    except OSError:
        return None
    name = f"{os.major(file.st_dev):02x}:{os.minor(file.st_dev):02x}:{file.st_ino}"
    held = (each[4] for each in known if len(each) > 5 and each[1] == "FLOCK" and each[5] == name)
    return next((int(each) for each in held if each.isdecimal() and int(each) > 0), None)
