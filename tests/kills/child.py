"""A `dnam` command that tells of each commit of the log or of the views as it begins, by a byte into a pipe, and shows
in a byte of a shared file whether it is inside one.
"""

import mmap
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from replay.lmdb_log import LmdbLog
from replay.views import Views


def watched(flag: mmap.mmap, pipe: int, method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, told of as it begins, with the byte set while it runs."""

    def inside(*arguments: Any, **options: Any) -> Any:
        flag[0] = 1
        with suppress(BlockingIOError):
            os.write(pipe, b".")
        try:
            return method(*arguments, **options)
        finally:
            flag[0] = 0

    return inside


def run(flag: str, pipe: int, command: Sequence[str]) -> None:
    """Watch the commits, then run the command; ends with its exit code."""
    with Path(flag).open("r+b") as file:
        shown = mmap.mmap(file.fileno(), 1)
    os.set_blocking(pipe, False)  # who does not read any more must not hold it up
    LmdbLog.append = watched(shown, pipe, LmdbLog.append)  # type: ignore[method-assign]
    Views.write = watched(shown, pipe, Views.write)  # type: ignore[method-assign]
    sys.argv = ["dnam", *command]
    from dnam.__main__ import main

    main()
