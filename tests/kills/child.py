"""A `dnam` command that tells of each write as it begins, of the log, the views, the key ring, or of which folder is in
force, by a byte into a pipe, and shows in a byte of a shared file which one it is inside of, if any.
"""

import mmap
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from replay.backups import backing_up
from replay.folder import Folder
from replay.lmdb_log import LmdbLog
from replay.ring.file import FileRingStore
from replay.views import Views

Write = Literal["log", "views", "ring", "keys destroyed", "swap", "backup"]
WATCHED: tuple[tuple[Any, str, Write], ...] = (
    (LmdbLog, "append", "log"),
    (Views, "write", "views"),
    (FileRingStore, "append", "ring"),
    (FileRingStore, "rewrite", "keys destroyed"),
    (Folder, "put_in_force", "swap"),
    (backing_up._Run, "_append", "backup"),
    (backing_up, "write_manifest", "backup"),
)
WRITES: dict[int, Write] = {number: what for number, (_, _, what) in enumerate(WATCHED, 1)}


def watched(flag: mmap.mmap, pipe: int, number: int, method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, told of as it begins, with the byte set to its number while it runs."""

    def inside(*arguments: Any, **options: Any) -> Any:
        before, flag[0] = flag[0], number
        with suppress(BlockingIOError):
            os.write(pipe, b".")
        try:
            return method(*arguments, **options)
        finally:
            flag[0] = before

    return inside


def run(flag: str, pipe: int, command: Sequence[str]) -> None:
    """Watch the commits, then run the command; ends with its exit code."""
    with Path(flag).open("r+b") as file:
        shown = mmap.mmap(file.fileno(), 1)
    os.set_blocking(pipe, False)  # who does not read any more must not hold it up
    for number, (owner, name, _) in enumerate(WATCHED, 1):
        setattr(owner, name, watched(shown, pipe, number, getattr(owner, name)))
    sys.argv = ["dnam", *command]
    from dnam.__main__ import main

    main()
