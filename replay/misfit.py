"""Whether views were made of the log that they lie beside.

The log is synced before its events are in any view. So views that know more than the log, or another event in its
place, do not come of a crash: the log lost its end, an older copy of it was put in its place, or another's views were.
"""

from projections.counting import counted
from replay import codec
from replay.log import Head, Log
from replay.position import Position

ANEW = "where this is the log that is meant, `dnam replay` makes its views"


def fits(position: Position, log: Log, head: Head) -> bool:
    """Views ahead of the log, or of another log, are not used."""
    return position.log == log.id and position.size <= head.size and _has(log, position)


def misfit(position: Position, log: Log) -> str:
    """Why these views were not made of this log as it is now; empty where they were."""
    if position.log != log.id:
        return f"views: they are of another log, which was here before, or they were put here from elsewhere; {ANEW}"
    size = log.head().size
    if position.size > size:
        return (
            f"the log has {counted(size, 'event')}, and the views were made of {position.size}: its end is lost, or an "
            f"older copy of it was put in its place. `dnam restore-backup` brings back what a backup has; {ANEW}"
        )
    if not _has(log, position):
        return (
            f"views: they were made of another #{position.size} than the log has: it was changed (`dnam verify`), or "
            f"the log goes on from an older copy that was put in its place; {ANEW}"
        )
    return ""


def _has(log: Log, position: Position) -> bool:
    """Whether the event that the views end with is in the log."""
    stored = log.get(position.size) if position.size else None
    return position.digest == (bytes(32) if stored is None else codec.digest(stored.header))
