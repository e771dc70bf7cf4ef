"""The write lock: a flock on `write.lock`, held by whoever writes, in whichever process. Always taken before log and
views.
"""

import errno
import fcntl
import os
from pathlib import Path
from types import TracebackType

from replay.errors import ReadOnly


class WriteLock:
    """Held with `with`. The file is made when it is first needed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def _open(self) -> int:
        try:
            return os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
                raise ReadOnly(f"{self._path.parent} cannot be written to: {error.strerror}") from error
            raise

    def __enter__(self) -> "WriteLock":
        if self._descriptor is None:
            self._descriptor = self._open()
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._descriptor is not None
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let the file go."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class NoLock:
    """For a log in memory, which has one writer."""

    def __enter__(self) -> "NoLock":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def close(self) -> None: ...
