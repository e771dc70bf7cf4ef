"""A build's segments in a line: some folded by a helper, some here ahead of their turn, all written in their order.

A row is made by its last event alone, so a segment can be folded without those in front of it. Only a redaction needs
the rows that are there: a segment with one is folded when everything before it is written. So is whatever could not be
folded ahead, whatever the reason, and what is wrong with it is then said in its turn.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from projections.events import MessageRedacted
from replay import codec
from replay.errors import LogError
from replay.folding import Folding
from replay.helper import Helper, Ticket
from replay.log import Log, StoredEvent
from replay.overlay import Layered
from replay.packing import PackedRows, Segment
from replay.pipe import FoldJob
from replay.position import Position
from replay.snapshot import NoRows
from replay.store import DiskStore
from replay.tree import Node, cover, leaf_hash
from replay.views import Views, tables_of

SEGMENT = 4096
"""Events that are folded in memory before they are written."""
LONGEST = 5
"""How many segments may be in the line: what memory a build needs."""
_REDACTED = MessageRedacted.TAG.encode()


class Folded(msgspec.Struct, array_like=True, frozen=True):
    """What a segment comes to: its rows, and the subtrees that its headers fill."""

    rows: dict[str, PackedRows]
    nodes: list[Node]


class Made(NamedTuple):
    """A folded segment, and how far views are when its rows are written."""

    folded: Folded
    position: Position


@dataclass
class Span:
    """A segment that waits for its turn: a job of the helper's, or folded here, or neither where it could not be."""

    after: int
    position: Position
    ticket: Ticket | None = None
    folded: Folded | None = None


_answer: "msgspec.msgpack.Decoder[Folded | None]" = msgspec.msgpack.Decoder(Folded | None)


def _folded(after: int, run: Sequence[StoredEvent], segment: Segment) -> Folded:
    return Folded(segment.packed(), cover(after, [leaf_hash(stored.header) for stored in run]))


def fold_ahead(folding: Folding, log: Log, after: int, upto: int) -> Folded | None:
    """A segment, folded without those in front of it; None where that cannot be done."""
    run = list(log.read(after, upto))
    if any(_REDACTED in stored.header for stored in run):
        return None
    segment = Segment(tables_of(folding.fold))
    try:
        folding.take_stored(run, segment, NoRows())
    except LogError:
        return None
    return _folded(after, run, segment)


class Line:
    """The segments to come, up to a seq."""

    def __init__(self, views: Views, store: DiskStore, folding: Folding, upto: int, helper: Helper | None) -> None:
        self._views = views
        self._store = store
        self._folding = folding
        self._upto = upto
        self._helper = helper
        self._spans: deque[Span] = deque()

    def next(self, done: int) -> Made:
        """The segment behind `done`. Where that is not what was expected, somebody else wrote: the line begins anew."""
        if self._spans and self._spans[0].after != done:
            self._spans.clear()
        if self._helper is not None:
            folded = self._folded_next(self._helper, done)
            if folded is not None:
                return Made(folded, self._spans.popleft().position)
        self._spans.popleft() if self._spans else None
        return self._in_turn(done)

    def _folded_next(self, helper: Helper, done: int) -> Folded | None:
        """The segment behind `done`, if it can be folded ahead of its turn."""
        while True:
            while helper.free and (span := self._grow(done)) is not None:
                span.ticket = helper.ask(FoldJob(span.after, span.position.size))
            if not self._spans:
                return None
            first = self._spans[0]
            if first.ticket is None:
                return first.folded
            if helper.ready(first.ticket) or (mine := self._grow(done)) is None:
                return helper.result(first.ticket, _answer)
            self._store.ring.refresh()
            mine.folded = fold_ahead(self._folding, self._store.log, mine.after, mine.position.size)

    def _grow(self, done: int) -> Span | None:
        """Another segment at the end of the line; None where it is long enough, or the log is at its end."""
        after = self._spans[-1].position.size if self._spans else done
        if len(self._spans) >= LONGEST or after >= self._upto:
            return None
        position = self._end_of_segment(after)
        if position is None:
            return None
        self._spans.append(Span(after, position))
        return self._spans[-1]

    def _end_of_segment(self, after: int) -> Position | None:
        """About a segment on, at the end of a decision; None where the log does not say."""
        log = self._store.log
        seq = min(after + SEGMENT, self._upto)
        try:
            stored = log.get(seq)
            left = 0 if stored is None else codec.decode_header(stored.header).left
            last = log.get(seq + left) if left else stored
        except LogError:
            return None
        return None if last is None else Position(last.seq, codec.digest(last.header), log.id)

    def _in_turn(self, done: int) -> Made:
        """Fold the segment behind `done`, everything in front of it being written."""
        run = self._run(done)
        segment = Segment(self._views.tables)
        self._store.ring.refresh()
        with self._views.reading() as (_, snapshot):
            self._folding.take_stored(run, segment, Layered(segment, snapshot))
        last = run[-1]
        return Made(_folded(done, run, segment), Position(last.seq, codec.digest(last.header), self._store.log.id))

    def _run(self, after: int) -> list[StoredEvent]:
        """About a segment of events, no decision cut."""
        run: list[StoredEvent] = []
        for stored in self._store.log.read(after, self._upto):
            run.append(stored)
            if len(run) >= SEGMENT and codec.decode_header(stored.header).left == 0:
                break
        return run
