"""Looking at everything that is stored, in units that do not depend on each other, so that a helper can take its share:
stretches of the log, and tables of the views.
"""

from collections import deque
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from replay.builder import Progress, no_collection
from replay.folding import Folding
from replay.helper import Helper, Ticket, helped
from replay.inspecting import Inspected
from replay.lmdb_file import DATA, OF_A_LOG, OF_VIEWS, Remedies, refuse_flaws
from replay.pages.flaws import Seen, seen_in
from replay.pipe import LookJob, PagesJob, TableJob
from replay.store import DiskStore
from replay.stretch import WHOLE, Stretch, look
from replay.views import Views

SLOWEST = 10_000
"""Bytes a millisecond that a disk reads at the least, page by page."""
EVERY = 4096
"""How many events between two calls of progress."""
_stretch: "msgspec.msgpack.Decoder[Stretch | None]" = msgspec.msgpack.Decoder(Stretch | None)
_pages: "msgspec.msgpack.Decoder[Seen | None]" = msgspec.msgpack.Decoder(Seen | None)
_table: "msgspec.msgpack.Decoder[Inspected | None]" = msgspec.msgpack.Decoder(Inspected | None)


class Looked(NamedTuple):
    """What was seen: the stretches by the seq in front of them, None where one is not sound; and the tables."""

    stretches: dict[int, Stretch | None]
    tables: dict[str, Inspected]


class Look:
    """One look at a store. Pages come first, since LMDB must not follow those that do not fit: the log's when this is
    made. The helper begins with the views', and this process with the first event.
    """

    def __init__(self, store: DiskStore, folding: Folding, helper: Helper | None) -> None:
        self._store = store
        self._folding = folding
        self._helper = helper
        self._views = store.views
        self._opening: Folding | None = None
        self._tables: deque[TableJob] = deque()
        self._stretches: deque[LookJob] = deque()
        self._asked: list[tuple[LookJob | TableJob, Ticket]] = []
        self._seen = Looked({}, {})
        self._vaults: dict[bytes, bytes] = {}
        self._pages = Ticket(done=True)
        if helper is not None and self._views is not None:
            self._pages = helper.ask(PagesJob(list(self._views.summed)), _extra_ms(self._views.folder))
        _refuse_flaws(store.log.folder, _seen_in(store.log.folder, ()), OF_A_LOG)

    def whole(self, upto: int, progress: Progress, *, opened: bool) -> Looked:
        """Look at all events up to a seq and at all rows; `opened` also opens every body. DamagedPages where those of
        the views do not fit.
        """
        self._opening = self._folding if opened else None
        spans = ((after, min(after + WHOLE, upto)) for after in range(0, upto, WHOLE))
        self._stretches.extend(LookJob(after, end, opened) for after, end in spans)
        with no_collection():
            while self._stretches or self._tables or self._views is not None:
                if self._views is not None and (not self._stretches or self._are_pages_seen()):
                    self._take_up(self._views)
                    self._views = None
                if self._helper is not None:
                    self._ask(self._helper)
                self._do_one(progress, upto)
            if self._helper is not None:
                self._helper.dismiss()
                self._gather(self._helper)
        return self._seen

    def _do_one(self, progress: Progress, upto: int) -> None:
        if self._stretches:
            job = self._stretches.popleft()
            self._look(job)
            if job.upto % EVERY == 0:
                progress(job.upto, upto)
        elif self._tables:
            self._inspect(self._tables.popleft())

    def _are_pages_seen(self) -> bool:
        return self._helper is None or self._helper.ready(self._pages)

    def _take_up(self, views: Views) -> None:
        """What is to be looked at of the views, their pages being known: tables of which not every row was seen to be
        whole on the way. The largest are first.
        """
        seen = None if self._helper is None else self._helper.result(self._pages, _pages)
        if seen is None:
            seen = _seen_in(views.folder, views.summed)
        _refuse_flaws(views.folder, seen, OF_VIEWS)
        self._seen.tables.update({table: Inspected(rows, []) for table, rows in seen.whole.items()})
        left = [table for table in views.summed if table not in seen.whole]
        sizes = views.sizes() if left else {}
        self._tables.extend(TableJob(table) for table in sorted(left, key=sizes.__getitem__, reverse=True))

    def _ask(self, helper: Helper) -> None:
        for ticket in [ticket for _, ticket in self._asked if not ticket.done][:1]:
            helper.ready(ticket)
        while helper.free and (self._tables or self._stretches):
            job = self._tables.popleft() if self._tables else self._stretches.popleft()
            self._asked.append((job, helper.ask(job)))

    def _look(self, job: LookJob) -> None:
        self._saw(job, look(self._store.log, job.after, job.upto, self._opening))

    def _saw(self, job: LookJob, stretch: Stretch | None) -> None:
        """Keep what was seen of a stretch. Each names hundreds of vaults, which come again and again: their ids are
        kept once.
        """
        if stretch is not None:
            vaults = [self._vaults.setdefault(each, each) for each in stretch.vaults]
            stretch = msgspec.structs.replace(stretch, vaults=vaults)
        self._seen.stretches[job.after] = stretch

    def _inspect(self, job: TableJob) -> None:
        assert self._store.views is not None
        self._seen.tables[job.table] = self._store.views.inspect_table(job.table)

    def _gather(self, helper: Helper) -> None:
        """What the helper saw; what it did not see is looked at here."""
        for job, ticket in self._asked:
            if isinstance(job, LookJob):
                self._saw(job, helper.result(ticket, _stretch))
                if self._seen.stretches[job.after] is None:
                    self._look(job)
                ticket.answer = None
            else:
                table = helper.result(ticket, _table)
                if table is None:
                    self._inspect(job)
                else:
                    self._seen.tables[job.table] = table


def _extra_ms(folder: Path) -> int:
    """How much longer a look at a file may take before a helper is taken for dead."""
    with suppress(FileNotFoundError):  # others are in force by now
        return (folder / DATA).stat().st_size // SLOWEST
    return 0


def _seen_in(folder: Path, summed: Collection[str]) -> Seen:
    try:
        return seen_in(folder / DATA, summed)
    except FileNotFoundError:  # others are in force by now
        return Seen((), {})


def _refuse_flaws(folder: Path, seen: Seen, remedies: Remedies) -> None:
    refuse_flaws(folder / DATA, seen.flaws, remedies)


@contextmanager
def looking(store: DiskStore, folding: Folding) -> Iterator[Look]:
    """Begin to look at a store; DamagedPages where those of the log do not fit. A helper is there until the end."""
    with helped(store, folding, store.log.head().size) as helper:
        yield Look(store, folding, helper)
