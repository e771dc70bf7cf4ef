"""The log as decisions may ask it: what rows do not say, read from the history and the events that it names.

What is handed in with a decision may be asked while the decision runs. Then it knows what the log holds, and not what
the same group of decisions is about to add: that is not in the log yet.
"""

from collections.abc import Iterator

from projections.events import Event
from projections.fold import AnyProjection, Record
from projections.ids import EventId, Seq
from projections.policies.closing import is_closing
from projections.rows import Rows, after_prefix
from replay.history import history_prefix
from replay.live import Live
from replay.overlay import HISTORY
from replay.reading import Reader, header_of


class LogChronicle:
    """Events by id, by the row that they touched, and by the decision that they were recorded in."""

    def __init__(self, live: Live) -> None:
        self._log = live.store.log
        self._reader = Reader(live)

    def find(self, event: EventId) -> Record | None:
        """The event, where it is in the log and can be read."""
        found = self._reader.find(event)
        return None if found is None else found.record

    def event(self, event: EventId) -> Event | None:
        """The same, without its place."""
        record = self.find(event)
        return None if record is None else record.event

    def tag(self, event: EventId) -> str:
        """What kind of event it is, read or not; empty where it is not in the log."""
        seq = self._log.find(event)
        return "" if seq is None else self._reader.tag_at(seq)

    def touched(self, rows: Rows, projection: AnyProjection, key: bytes) -> list[Record]:
        """Every event that touched a row and can be read, in recorded order; but for what only stands ahead of another
        one (`closing`), where that can be read.
        """
        prefix, size = history_prefix(projection.table, key), self._reader.size
        entries = rows.raw.scan(HISTORY, prefix, after_prefix(prefix))
        found = (self._reader.at(stored.seq).record for _, stored in entries if stored.seq <= size)
        records = [each for each in found if each is not None]
        behind = {each.seq for each in records}
        return [each for each in records if not (is_closing(each.event) and each.seq + 1 in behind)]

    def ever(self, rows: Rows, projection: AnyProjection) -> Iterator[Record]:
        """Every event that touched any row of a projection and can be read, in recorded order. The whole history of it
        is read.
        """
        prefix, size = history_prefix(projection.table, b""), self._reader.size
        seqs = sorted({stored.seq for _, stored in rows.raw.scan(HISTORY, prefix, after_prefix(prefix))})
        found = (self._reader.at(seq).record for seq in seqs if seq <= size)
        return (each for each in found if each is not None)

    def decision(self, event: EventId) -> list[Record]:
        """What was recorded in the same decision and can be read, in order."""
        found = self._reader.find(event)
        if found is None:
            return []
        readings = map(self._reader.at, range(self.beginning(found.seq), found.seq + found.header.left + 1))
        return [each.record for each in readings if each.record is not None]

    def beginning(self, seq: Seq) -> Seq:
        """Where the decision begins that an event was recorded in: what closes something stands ahead of the rest."""
        first = int(seq)
        while first > 1 and self._left(first - 1):
            first -= 1
        return Seq(first)

    def _left(self, seq: int) -> int:
        stored = self._log.get(seq)
        assert stored is not None, "it is in the log"
        return header_of(stored).left
