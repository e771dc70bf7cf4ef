"""A log beside a backup of it, event by event: what repairing goes through."""

from collections.abc import Iterator
from typing import NamedTuple

from projections.ids import Seq
from replay.backups.backup import Backup
from replay.lmdb_log import LmdbLog
from replay.log import Mark, StoredEvent


class Side(NamedTuple):
    """One event as the log has it and as the backup does; None where there is none."""

    seq: Seq
    mine: StoredEvent | None
    mark: Mark | None
    theirs: StoredEvent | None

    @property
    def header(self) -> bytes | None:
        """The backup's header where it has one: it was looked over."""
        if self.theirs is not None:
            return self.theirs.header
        return None if self.mine is None else self.mine.header


def sides(log: LmdbLog, backup: Backup, size: int) -> Iterator[Side]:
    """Both, event by event."""
    mine = log.marks(0, size)
    theirs = backup.events()
    here = next(mine, None)
    for seq in range(1, size + 1):
        there = next(theirs, None)
        while here is not None and here[0].seq < seq:
            here = next(mine, None)
        if here is not None and here[0].seq == seq:
            yield Side(Seq(seq), *here, there)
        else:
            yield Side(Seq(seq), None, None, there)
