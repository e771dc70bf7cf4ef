"""Saving what can still be read of a log whose pages do not fit together: row by row, into a new folder.

LMDB itself is not asked to read them (pages/fitting.py says why). Where they do not say which commit was the last, it
is looked for (pages/last_commit.py); what does not hang where it should is fetched all the same (pages/stray_rows.py).
What is lost is missing in the copy, where examining it finds it (repairing.py). Where the log's own record is lost, it
is made again (own_record.py).
"""

from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import lmdb

from projections.counting import counted
from replay.backups.backup import Backup
from replay.errors import Damaged, NotALog
from replay.lmdb_file import open_environment, translated
from replay.lmdb_log import TABLES, LmdbLog
from replay.pages.fitting import NO_TREE, BadPage, PageFile, Tree, Walk
from replay.pages.last_commit import last_commit
from replay.pages.stray_rows import fetch_strays
from replay.repair.own_record import head_again


class Salvaged(NamedTuple):
    """What was saved of a log. `is_made_again`: whether what it says of itself had to be."""

    log: LmdbLog
    is_made_again: bool


def salvaged(damaged: Path, fresh: Path, backup: Backup, data: Path) -> Salvaged:
    """A log in an empty folder, of what another one in a data folder still has. Damaged where what it says of itself
    can neither be read nor be made again; ForeignKeyRing when the keys fit neither.
    """
    try:
        with translated(fresh):
            tables, has_record = _copy(damaged, fresh)
        if has_record:
            return Salvaged(LmdbLog(fresh, writable=False), is_made_again=False)
        return Salvaged(_made_again(fresh, tables, backup, data), is_made_again=True)
    except (BadPage, NotALog, Damaged) as error:
        raise Damaged(
            f"the log in {damaged} cannot be repaired, since what it says of itself cannot be read, nor be made again: "
            f"{error}. `dnam restore-backup` puts a whole older state in force"
        ) from error


Tables = dict[str, Tree]


def _copy(damaged: Path, fresh: Path) -> tuple[Tables, bool]:
    """The tables as LMDB has them on record, and whether the log's own record is among what was saved."""
    file = PageFile(damaged / "data.mdb")
    try:
        tables, free = last_commit(file, TABLES)
        walk = Walk(file, file.pages - 1)
        with open_environment(fresh, writable=True, durable=False, building=True) as environment:
            for name in TABLES:
                tree = tables.get(name.decode(), NO_TREE)
                _fill(environment, walk, name, tree)
            if walk.flaws and free is not None:
                fetch_strays(environment, walk, free)
            with environment.begin(db=environment.open_db(b"meta")) as transaction:
                return tables, transaction.get(b"log") is not None
    finally:
        file.close()


MOST_KEY = 511
"""LMDB's keys are no longer, in bytes."""


def _fill(environment: lmdb.Environment, walk: Walk, name: bytes, tree: Tree) -> None:
    database = environment.open_db(name)
    for _, nodes in walk.rows(name.decode(), tree):
        with environment.begin(write=True, db=database) as transaction:
            for node in nodes:
                if 0 < len(node.key) <= MOST_KEY:
                    transaction.put(node.key, walk.data(node))


# -- the log's own record ------------------------------------------------------------------------------------------


def _made_again(fresh: Path, tables: Tables, backup: Backup, data: Path) -> LmdbLog:
    if set(tables) != {name.decode() for name in TABLES}:
        raise Damaged("its tables are not those of a log that this program knows, or their names are lost")
    size = tables["headers"].rows
    _refuse_more(fresh, size)
    log = LmdbLog.create(fresh, backup.log_id, backup.key_check)
    try:
        log.take_over([], head_again(log, size, backup, data))
    except BaseException:
        log.close()
        raise
    return log


def _refuse_more(fresh: Path, size: int) -> None:
    """Damaged where a table tells of an event behind the last one."""
    with closing(open_environment(fresh, writable=True, durable=False, building=True)) as environment:
        for name in TABLES:
            with environment.begin(db=environment.open_db(name)) as transaction:
                reached = max((_seq_in(name, key, value) for key, value in transaction.cursor()), default=0)
            if reached > size:
                raise Damaged(f"it had {counted(size, 'event')}, and its table of {name.decode()} tells of #{reached}")


def _seq_in(table: bytes, key: bytes, value: bytes) -> int:
    """The last event that a row tells of; 0 where it tells of none."""
    match table:
        case b"headers" | b"bodies":
            return int.from_bytes(key, "big")
        case b"ids" | b"erased":
            return int.from_bytes(value[:8], "big")
        case b"tree":
            return int.from_bytes(key[1:], "big") + 1 << key[0]
        case _:
            return 0
