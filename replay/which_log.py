"""Which of the folders in `log/` is the log, where CURRENT does not say it; and which of them may be removed.

CURRENT is lost or damaged on its own, by a hand or a disk, while the log that it named lies beside it whole. Nothing
that may hold events is removed for that: a folder beside the log in force goes only where that log is known to hold
all that it held. Every rewrite leaves that behind when it breaks off: a build that never was in force, under its lock;
or what was in force before, which has the same id and never more events, nor a higher epoch, than what replaced it.
"""

from contextlib import suppress
from pathlib import Path

import lmdb

from replay.errors import CurrentLost, LogError, NewerLog, NotALog, ReadOnly
from replay.folder import BUILDING, Folder
from replay.lmdb_file import DATA, refuse_flaws
from replay.lmdb_log import LmdbLog
from replay.lock import WriteLock
from replay.pages.flaws import flaws_of


def opened(folder: Path, *, every_page: bool = False) -> LmdbLog | None:
    """A log for reading; None when it is damaged so that it cannot be read. Of a newer program it is no such thing.
    Pages of a large one are looked over where `every_page` is to be read.
    """
    try:
        log = LmdbLog(folder, writable=False)
        try:
            if every_page:
                refuse_flaws(folder / DATA, flaws_of(folder / DATA))
        except LogError:
            log.close()
            raise
        return log
    except (NewerLog, ReadOnly):
        raise
    except (LogError, lmdb.Error):
        return None


def named(place: Folder) -> Path | None:
    """The folder that CURRENT names, where there is a database in it; None where CURRENT leads nowhere."""
    with suppress(NotALog):
        current = place.current()
        if current is not None and (current / "data.mdb").exists():
            return current
    return None


def databases(place: Folder) -> list[Path]:
    """Every numbered folder that holds a database, whatever CURRENT says, in order."""
    return sorted(each.parent for each in place.path.glob("*/data.mdb") if each.parent.name.isdigit())


def only_log(place: Folder) -> Path | None:
    """The one folder that holds a log; None where none does, or more than one. What is under a builder's lock is none:
    it never was in force.
    """
    found = [each for each in databases(place) if not _is_build(each) and _is_log(each)]
    return found[0] if len(found) == 1 else None


def in_force_or_only(place: Folder) -> Path | None:
    """The folder in force; where CURRENT leads nowhere, the only log there is. What CURRENT names where there is none,
    None without a CURRENT; NotALog where it is damaged.
    """
    return named(place) or only_log(place) or place.current()


def refuse_lost(place: Folder) -> None:
    """CurrentLost where CURRENT leads nowhere, and logs lie beside it."""
    before = place.stamp()
    if named(place) is not None:
        return
    found = [each for each in databases(place) if not _is_build(each)]
    if not found or place.stamp() != before:  # somebody replaced it meanwhile
        return
    lost = f"{place.path / 'CURRENT'} does not name the log that is in force: it is missing or damaged"
    only = only_log(place)
    if only is not None:
        raise CurrentLost(f"{lost}. The log itself is in {only.name}, and `dnam repair` writes CURRENT anew")
    which = ", ".join(each.name for each in found)
    raise CurrentLost(
        f"{lost}, and which of the folders there ({which}) it named cannot be told. Put CURRENT back from where you "
        "keep it, or put a backup in force with `dnam restore-backup`, which moves them aside"
    )


def repair_current(data: Path) -> Path | None:
    """Have CURRENT name the only log there is, under the write lock; None where it leads to one, or there is not one
    alone.
    """
    place, lock = Folder(data / "log"), WriteLock(data / "write.lock")
    try:
        with lock:
            only = None if named(place) is not None else only_log(place)
            if only is not None:
                place.put_in_force(only)
            return only
    finally:
        lock.close()


def holds_more(folder: Path, log: LmdbLog) -> bool:
    """Whether a folder beside the log in force may hold events that this log does not: it must not be removed then."""
    if not (folder / "data.mdb").exists() or _is_build(folder):
        return False
    try:
        other = opened(folder)
    except LogError:
        return True
    if other is None:
        return True
    try:
        here, there = log.head(), other.head()
        return other.id != log.id or (there.epoch, there.size) > (here.epoch, here.size)
    finally:
        other.close()


def _is_build(folder: Path) -> bool:
    return (folder / BUILDING).exists()


def _is_log(folder: Path) -> bool:
    try:
        log = opened(folder)
    except LogError:  # of a newer program, or not to be opened here: a log all the same
        return True
    if log is None:
        return False
    log.close()
    return True
