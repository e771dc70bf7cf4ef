"""Saving what can still be read of a log whose pages do not fit together: row by row, into a new folder.

LMDB itself is not asked to read them (pages.py says why). What is lost is missing in the copy, where examining it finds
it (repairing.py).
"""

from pathlib import Path

import lmdb

from replay.errors import Damaged, NotALog
from replay.lmdb_file import open_environment, translated
from replay.lmdb_log import TABLES, LmdbLog
from replay.page_flaws import unlike
from replay.pages import NO_TREE, BadPage, PageFile, Tree, Walk, metas


def salvaged(damaged: Path, fresh: Path) -> LmdbLog:
    """A log in an empty folder, of what another one still has. Damaged where not even its own record can be read."""
    try:
        with translated(fresh):
            _copy(damaged, fresh)
        return LmdbLog(fresh, writable=False)
    except (BadPage, NotALog) as error:
        raise Damaged(
            f"the log in {damaged} cannot be repaired, since what it says of itself cannot be read. "
            "`dnam restore-backup` puts a whole older state in force"
        ) from error


def _copy(damaged: Path, fresh: Path) -> None:
    file = PageFile(damaged / "data.mdb")
    try:
        both = metas(file)
        if why := unlike(both):  # which of them is the newer one is not known
            raise BadPage(why)
        newest = max(both, key=lambda each: each.commit)
        walk = Walk(file, newest.last)
        tables = walk.tables(newest.names)
        with open_environment(fresh, writable=True, durable=False, building=True) as environment:
            for name in TABLES:
                tree = tables.get(name.decode(), NO_TREE)
                _fill(environment, walk, name, tree)
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
