"""A `dnam` command during which Ctrl-C is pressed as a named commit begins.

from tests.kills.interrupted import interrupted; interrupted("log", 2)
"""

import os
import signal
from collections.abc import Mapping
from typing import Any

from replay.backups import backing_up, restore
from replay.lmdb_log import LmdbLog
from replay.repair import repairing
from replay.views import Views

COMMITS: Mapping[str, tuple[Any, str]] = {
    "log": (LmdbLog, "append"),
    "views": (Views, "write"),
    "backup": (backing_up, "write_manifest"),
    "repair": (repairing, "put_in_place"),
    "restore": (restore, "_set_aside"),
}


def interrupted(name: str, at: int, sent: int = signal.SIGINT) -> None:
    """Run the command. The signal comes as from a terminal, in front of a commit: the first one is 1."""
    owner, method = COMMITS[name]
    commit, begun = getattr(owner, method), 0

    def pressed(*arguments: Any, **options: Any) -> Any:
        nonlocal begun
        begun += 1
        if begun == at:
            os.kill(os.getpid(), sent)
        return commit(*arguments, **options)

    setattr(owner, method, pressed)
    from dnam.__main__ import main

    main()
