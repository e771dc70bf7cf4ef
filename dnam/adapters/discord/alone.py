"""One bot for a token and a folder: two would answer everything twice.

The lock is on a file beside the log, named after a hash of the token, so that several bots can share a memory. The
kernel lets it go with the process, however that ends; an empty file stays, and is no lock.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from projections.errors import DnamError
from replay.folder import make_private, write_all
from replay.lmdb_file import translated


class AlreadyRunning(DnamError):
    """A bot with this token and folder runs already."""


def lock_path(data: Path, token: str) -> Path:
    """Where the lock of a token is. The name tells nothing of it."""
    return data / f"bot-{hashlib.sha256(token.encode()).hexdigest()[:16]}.lock"


@contextmanager
def alone(data: Path, token: str) -> Iterator[None]:
    """Be the only bot with this token and folder, for as long as the `with` lasts. AlreadyRunning says who is, and
    CannotWrite why the disk takes no lock.
    """
    with translated(data):
        make_private(data)
        file = os.open(lock_path(data, token), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _lock(file, data)
        with translated(data):
            os.ftruncate(file, 0)
            write_all(file, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(file)


def _lock(file: int, data: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        process = os.pread(file, 20, 0).decode(errors="replace") or "unknown"
        raise AlreadyRunning(
            f"a bot with this token already runs on {data} (process {process}): end it first, or give this one a token"
            " or a folder (--data) of its own"
        ) from None
