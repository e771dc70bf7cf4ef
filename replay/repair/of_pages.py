"""Repairing a log whose pages do not fit together: what can be read of it is saved first (salvaging.py), and the rest
is missing, as for any other repair (repairing.py). Where it does not even say any more what it is, that is made again
(own_record.py).
"""

from collections.abc import Callable
from pathlib import Path

from projections.registry import FOLD
from replay.backups.backup import Backup
from replay.builder import Progress, silent
from replay.errors import Damaged, NotALog
from replay.folder import Folder
from replay.lmdb_file import DATA, refuse_flaws
from replay.lmdb_log import LmdbLog
from replay.lock import WriteLock
from replay.pages.flaws import flaws_of
from replay.repair.own_record import known_beside
from replay.repair.repairing import Examined, Repair, examine, fold_again, put_in_place, unproved, with_ring
from replay.repair.salvaging import salvaged
from replay.store import DiskStore


def refuse_bad_pages(data: Path) -> None:
    """DamagedPages where those of the log do not fit together. Those of a large one are not looked at when it is
    opened: LMDB follows them, and has words of its own for what it finds.
    """
    current = Folder(data / "log").current()
    if current is not None:
        refuse_flaws(current / DATA, flaws_of(current / DATA))


def agreed(found: Examined) -> Progress:  # noqa: ARG001 - whatever was found
    """Nobody is asked, and nothing is shown."""
    return silent


def repair_pages(data: Path, backup: Backup, agree: Callable[[Examined], Progress] = agreed) -> Examined:
    """What `repair` does, of a log that cannot be opened, since its pages do not fit together: of what can be saved.

    What was found is shown to `agree` before anything is changed, under the write lock: a log like that must not be
    written to meanwhile. It returns who is told how far it is, or raises.
    """
    place = Folder(data / "log")
    lock = WriteLock(data / "write.lock")
    try:
        with lock, place.building() as scratch:
            damaged = place.current()
            if damaged is None:
                raise NotALog(f"there is no log in {data}")
            if not (damaged / "data.mdb").exists():
                raise NotALog(
                    f"there is nothing left of the log in {data}: `dnam restore-backup` puts a backup of it in force"
                )
            log, is_made_again = salvaged(damaged, scratch, backup, data)
            try:
                found = examine(log, backup)
                if not found.proved:
                    raise Damaged(unproved(found, backup))
                found = _with_record(found, log, backup) if is_made_again else _with_lost(found, log, backup, data)
                put_in_place(place, log, backup, found, agree(found))
            finally:
                log.close()
    finally:
        lock.close()
    store = DiskStore(data, FOLD, writable=True)
    try:
        fold_again(store)
    finally:
        store.close()
    return with_ring(found, store)


def _with_record(found: Examined, log: LmdbLog, backup: Backup) -> Examined:
    """What a log says of itself was made again (own_record.py)."""
    end = log.head().size
    what = (
        "what the log says of itself is lost, and follows from its headers and the backup: it ends with "
        f"#{end}, and the backup with #{backup.manifest.size}"
    )
    return found._replace(repairs=(Repair(0, "record", what, can=True), *found.repairs), end=end)


def _with_lost(found: Examined, log: LmdbLog, backup: Backup, data: Path) -> Examined:
    """Of a log of which an earlier commit was found: what came behind it."""
    end, known = log.head().size, known_beside(backup, data)
    if known <= end:
        return found
    what = f"what can be read of the log ends before it, and events up to #{known} are known to have been there"
    if known == backup.manifest.size:
        what += "; `dnam restore-backup` puts the backup's in force"
    return found._replace(repairs=(*found.repairs, Repair(end + 1, "header", what, can=False)))
