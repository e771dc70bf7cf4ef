"""Rewriting the log: a logical copy into a new folder, compared, then put in force; what was dropped is then off the
disk.

LMDB's own compacting copy keeps deleted bytes in the tails of large values, so every row is written anew. The bodies of
destroyed vaults, which nothing can open any more, are left behind. The caller holds no lock; this takes it.
"""

import shutil
from typing import NamedTuple

from projections.events import MessageRedacted
from projections.ids import UNSEALED, VaultId
from replay import codec
from replay.builder import Progress, silent
from replay.errors import Damaged
from replay.folder import sync_folder
from replay.lmdb_log import LmdbLog
from replay.log import EMPTY, Commit, Entry
from replay.store import DiskStore

BATCH = 4096


class Rewritten(NamedTuple):
    """What a rewrite did: events kept, bodies left behind, bytes before and after."""

    events: int
    left_behind: int
    bytes_before: int
    bytes_after: int


def rewrite(store: DiskStore, progress: Progress = silent) -> Rewritten:
    """Copy the log under the write lock, compare the copy, put it in force, remove the old one."""
    place = store.log_folder()
    with store.lock:
        store.refresh()
        before = place.current()
        assert before is not None
        with place.building() as fresh:
            copy = LmdbLog.create(fresh, store.log.id, store.log.key_check)
            try:
                left_behind = _copy(store, copy, progress)
                _compare(store, copy, progress)
            finally:
                copy.close()
            sizes = [(each / "data.mdb").stat().st_size for each in (before, fresh)]
            events = store.log.head().size
            place.put_in_force(fresh)
        shutil.rmtree(before)
        sync_folder(before.parent)  # what was dropped is not back after a power cut either
        store.refresh()
    return Rewritten(events, left_behind, *sizes)


def _copy(store: DiskStore, copy: LmdbLog, progress: Progress) -> int:
    head = store.log.head()
    erased = store.log.erased_vaults()
    left_behind = 0
    reached = EMPTY
    entries: list[Entry] = []
    vaults: set[VaultId] = set()
    for stored in store.log.read(0, head.size):
        header = codec.decode_header(stored.header)
        body = None if header.vault in erased else stored.body
        left_behind += body is None and stored.body is not None
        vaults |= {header.vault} - {UNSEALED}
        entries.append(Entry(header.id, stored.header, body))
        if len(entries) == BATCH or stored.seq == head.size:
            reached = copy.append(Commit(entries, header.at, vaults=sorted(vaults)), reached)
            entries, vaults = [], set()
            progress(stored.seq, head.size)
    if reached._replace(epoch=head.epoch) != head:
        raise Damaged("the log's headers are not those that its tree was made of; it stays as it is. Run `dnam verify`")
    copy.take_over(store.log.erasures(), head, store.log.ring())
    return left_behind


def _compare(store: DiskStore, copy: LmdbLog, progress: Progress) -> None:
    """The copy must be the same log: same head, same tree, and every header and every body that was to be kept."""
    head, erased = store.log.head(), store.log.erased_vaults()
    same = copy.head() == head and list(copy.kept()) == list(store.log.kept())
    for old, new in zip(store.log.read(0, head.size), copy.read(0, head.size), strict=True):
        body = None if codec.decode_header(old.header).vault in erased else old.body
        same = same and old._replace(body=body) == new
        if old.seq % BATCH == 0:
            progress(head.size, head.size)
    if not same:
        raise Damaged("the copy differs from the log; the log stays as it is. Run `dnam verify`")


def dropped_at(store: DiskStore) -> int | None:
    """When (ms) something was first dropped of which the log still holds the bytes; None when nothing was, since it was
    last rewritten. It reads the headers behind that.
    """
    log = store.log
    erasures = {seq for _, seq in log.erasures()}
    for stored in log.read(log.rewritten()):
        header = codec.decode_header(stored.header)
        if header.tag == MessageRedacted.TAG or stored.seq in erasures:
            return header.at
    return None
