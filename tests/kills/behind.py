"""A `dnam` command that is killed right behind the first commit which holds an event of a kind.

from tests.kills.behind import killed_behind; killed_behind("summary.answered")
"""

import os
import signal
from typing import Any
from unittest.mock import patch

from replay.codec import decode_header
from replay.lmdb_log import LmdbLog
from replay.log import Commit, Head


def killed_behind(tag: str) -> None:
    """Run the command. It dies as soon as the commit is on the disk, before anybody hears of it."""
    append = LmdbLog.append

    def take(self: LmdbLog, commit: Commit, *rest: Any) -> Head:
        head = append(self, commit, *rest)
        if any(decode_header(each.header).tag == tag for each in commit.entries):
            os.kill(os.getpid(), signal.SIGKILL)
        return head

    from dnam.__main__ import main

    with patch.object(LmdbLog, "append", take):
        main()
