"""Looking at everything that is stored, in units that do not depend on each other, so that a helper can take its share:
stretches of the log, and tables of the views.
"""

from collections import deque
from typing import NamedTuple

import msgspec

from replay.builder import Progress, no_collection
from replay.folding import Folding
from replay.helper import Helper, Ticket, helped
from replay.inspecting import Inspected
from replay.pipe import LookJob, TableJob
from replay.store import DiskStore
from replay.stretch import WHOLE, Stretch, look

EVERY = 4096
"""How many events between two calls of progress."""
_stretch: "msgspec.msgpack.Decoder[Stretch | None]" = msgspec.msgpack.Decoder(Stretch | None)
_table: "msgspec.msgpack.Decoder[Inspected | None]" = msgspec.msgpack.Decoder(Inspected | None)


class Looked(NamedTuple):
    """What was seen: the stretches by the seq in front of them, None where one is not sound; and the tables."""

    stretches: dict[int, Stretch | None]
    tables: dict[str, Inspected]


class Look:
    """One look at a store, up to a seq. The helper begins with the largest table, this process with the first event."""

    def __init__(self, store: DiskStore, folding: Folding, upto: int, *, opened: bool) -> None:
        self._store = store
        self._opening = folding if opened else None
        sizes = {} if store.views is None else store.views.sizes()
        self._tables = deque(TableJob(table) for table in sorted(sizes, key=sizes.__getitem__, reverse=True))
        spans = ((after, min(after + WHOLE, upto)) for after in range(0, upto, WHOLE))
        self._stretches = deque(LookJob(after, end, opened) for after, end in spans)
        self._asked: list[tuple[LookJob | TableJob, Ticket]] = []
        self._seen = Looked({}, {})
        self._vaults: dict[bytes, bytes] = {}

    def whole(self, helper: Helper | None, progress: Progress) -> Looked:
        """Look at everything."""
        upto = self._stretches[-1].upto if self._stretches else 0
        while self._stretches or self._tables:
            if helper is not None:
                self._ask(helper)
            if self._stretches:
                job = self._stretches.popleft()
                self._look(job)
                if job.upto % EVERY == 0:
                    progress(job.upto, upto)
            elif self._tables:
                self._inspect(self._tables.popleft())
        if helper is not None:
            helper.dismiss()
            self._gather(helper)
        return self._seen

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


def look_over(store: DiskStore, folding: Folding, upto: int, progress: Progress, *, opened: bool) -> Looked:
    """Look at all events up to a seq and at all rows."""
    with helped(store, folding, upto) as helper, no_collection():
        return Look(store, folding, upto, opened=opened).whole(helper, progress)
