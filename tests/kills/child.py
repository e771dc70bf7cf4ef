"""A `dnam` command that shows, in a byte of a shared file, when it is inside a commit of the log or of the views.

python -m tests.kills.child FLAG COMMAND…
"""

import mmap
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from replay.lmdb_log import LmdbLog
from replay.views import Views


def watched(flag: mmap.mmap, method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, with the byte set while it runs."""

    def inside(*arguments: Any, **options: Any) -> Any:
        flag[0] = 1
        try:
            return method(*arguments, **options)
        finally:
            flag[0] = 0

    return inside


def main() -> None:
    """Watch the commits, then run the command."""
    with Path(sys.argv[1]).open("r+b") as file:
        flag = mmap.mmap(file.fileno(), 1)
    LmdbLog.append = watched(flag, LmdbLog.append)  # type: ignore[method-assign]
    Views.write = watched(flag, Views.write)  # type: ignore[method-assign]
    sys.argv = ["dnam", *sys.argv[2:]]
    from dnam.__main__ import main as dnam

    dnam()


main()
