"""Whether another process has a data folder open: whoever replaces a log must know.

Holding the write lock is not enough. A chat or a bot takes it for each group of events and lets it go again; between
two messages nobody holds it, and yet what it keeps in memory (windows, turns that it owes an answer) belongs to this
log. But as long as a process has an LMDB environment open, for reading or writing, LMDB keeps a POSIX lock on the
first byte of its `lock.mdb`; the system lets it go when the process ends, however it ends. Asking for that lock says
which process holds it, and takes nothing.

Two things it cannot see: processes on other machines that share the folder, and this process itself. Closing a file
gives up a process's own POSIX locks on it, so this must not be asked while this process has that environment open.
"""

import fcntl
import os
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

from replay.errors import InUse

_LAYOUTS = {"linux": ("hhqqi4x", (0, 1, 2, 3, 4)), "darwin": ("qqihh", (3, 4, 0, 1, 2))}
"""The system's `struct flock`, and where in it stand type, whence, start, length and process."""
_FORM, _PLACES = _LAYOUTS.get(sys.platform, _LAYOUTS["linux"])


def users(data: Path) -> list[int]:
    """The processes that have a log or views of this folder open, by number."""
    locks = sorted(each for name in ("log", "views") for each in (data / name).glob("*/lock.mdb"))
    return sorted({process for lock in locks for process in _holder(lock)})


def _holder(lock: Path) -> Iterator[int]:
    with lock.open("rb") as file:
        first_byte = (fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0)
        asked = struct.pack(_FORM, *(first_byte[_PLACES.index(place)] for place in range(5)))
        answer = struct.unpack(_FORM, fcntl.fcntl(file, fcntl.F_GETLK, asked))
    kind, process = answer[_PLACES[0]], answer[_PLACES[4]]
    if kind != fcntl.F_UNLCK:
        yield process


def refuse_in_use(data: Path) -> None:
    """InUse when another process has the folder open, with its number."""
    found = users(data)
    if found:
        which = ", ".join(map(str, found))
        raise InUse(
            f"{data} is open in another process ({which}): a chat, a bot or a command. What it records would be lost "
            "with the log that it belongs to. End it first; nothing was changed"
        )
