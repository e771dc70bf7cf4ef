"""A log that grows while somebody looks: what other processes record is seen within some hundredths of a second.

Between two looks nothing is held: no read transaction, no lock. A look that finds nothing new reads two small files and
the log's own record.
"""

import select
import sys
import time
from collections.abc import Generator
from typing import TYPE_CHECKING, NamedTuple

from dnam.cli.screen import note
from dnam.cli.shell import Shell

if TYPE_CHECKING:
    from projections.rows import Rows
    from replay.engine import Engine

LOOK_SECONDS = 0.025
"""How long is waited between two looks."""


class Grown(NamedTuple):
    """New events: those behind `after` up to `upto`, and the rows with all that they made."""

    engine: "Engine"
    rows: "Rows"
    after: int
    upto: int


def growth(shell: Shell, after: int) -> Generator[Grown, None, None]:
    """What is behind `after` now, and then whatever comes, for as long as somebody reads stdout.

    A folder without a log is waited for. Where the log was replaced (compacted, erased from, restored), it is followed;
    one that is another log, or shorter than what was seen, is said to be, and its events from there on are shown.
    """
    first = True
    while True:
        with shell.opened() as (engine, empty):
            if not empty:
                yield from _grown(engine, after, first=first)
                return
        first = False
        while not _has_log(shell):
            if _nobody_reads():
                return
            time.sleep(LOOK_SECONDS)


def _has_log(shell: Shell) -> bool:
    return (shell.data / "log" / "CURRENT").exists()


def _grown(engine: "Engine", after: int, *, first: bool) -> Generator[Grown, None, None]:
    seen, log_id, ended = after, b"", 0
    while True:
        with engine.reading() as rows:
            log, size = engine.store.log, engine.head().size
            if log_id and (log.id != log_id or size < ended):
                note(f"the log was replaced by one that ends at #{size}; what follows is recorded in that one")
                seen = 0 if log.id != log_id else size
            log_id, ended = log.id, size
            if first and (stopped := engine.stopped()) is not None:
                note(f"names are as of #{engine.live.folded}: {stopped}")
            if first or size > seen:
                yield Grown(engine, rows, seen, size)
                sys.stdout.flush()
                seen, first = max(seen, size), False
        if _nobody_reads():
            return
        time.sleep(LOOK_SECONDS)


def _nobody_reads() -> bool:
    """Whether stdout is a pipe that nobody reads any more: a quiet log would not find out by writing."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)  # errors are reported whatever is asked for
        return any(events & select.POLLERR for _, events in poll.poll(0))
    except (AttributeError, OSError, ValueError):  # no such call here, or stdout is no file
        return False
