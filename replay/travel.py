"""Rows as they were: last Tuesday by either clock.

The history says which events touched a row, and when. The row of a moment is the one that the last of them made, and
that one event is folded again: nothing else is read.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from projections.rows import RawRows, Stored
from replay import codec
from replay.overlay import HISTORY
from replay.views import history_prefix, said_of

if TYPE_CHECKING:
    from replay.live import Live
    from replay.log import Log


class Moment(NamedTuple):
    """A moment by recorded order (`seq`: everything up to and with it) or by what had been said (`said`, in ms)."""

    seq: int | None = None
    said: int | None = None

    def includes(self, seq: int, said: int) -> bool:
        """Whether an event had happened by then."""
        return (self.seq is None or seq <= self.seq) and (self.said is None or said <= self.said)


def settled(log: "Log", seq: int) -> int:
    """A look inside a decision is a look at its end."""
    stored = log.get(seq)
    return seq if stored is None else seq + codec.decode_header(stored.header).left


class Past:
    """Raw rows at a moment, made from the history."""

    def __init__(self, now: RawRows, live: "Live", moment: Moment) -> None:
        self._now = now
        self._live = live
        self._moment = moment

    def get(self, table: str, key: bytes) -> Stored | None:
        if not self._live.folding.has_history(table):
            return self._if_then(self._now.get(table, key))
        prefix = history_prefix(table, key)
        return self._row(table, key, self._entries(prefix, prefix + b"\xff" * 9))

    def _entries(self, start: bytes, stop: bytes) -> Iterator[tuple[bytes, Stored]]:
        return self._now.scan(HISTORY, start, stop)

    def _if_then(self, stored: Stored | None) -> Stored | None:
        """A row that only one event can make: there from that event on."""
        if stored is None:
            return None
        if self._moment.said is None:
            return stored if self._moment.includes(stored.seq, 0) else None
        record = self._live.folding.record_at(stored.seq)
        return stored if record is not None and self._moment.includes(stored.seq, record.event.said) else None

    def _row(self, table: str, key: bytes, entries: Iterator[tuple[bytes, Stored]]) -> Stored | None:
        """The row that the last event by then made, if it can still be read and did not remove it."""
        then = [
            (said_of(stored.body) if self._moment.said is not None else 0, stored.seq, stored.vault)
            for _, stored in entries
            if self._moment.includes(stored.seq, said_of(stored.body))
        ]
        if not then:
            return None
        _, seq, vault = max(then)
        record = self._live.folding.record_at(seq)
        body = None if record is None else self._live.folding.change(record, table, key)
        return None if body is None else Stored(seq, body, vault)

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, Stored]]:
        if not self._live.folding.has_history(table):
            return self._scan_now(table, start, stop, reverse=reverse)
        return self._scan_history(table, start, stop, reverse=reverse)

    def _scan_now(self, table: str, start: bytes, stop: bytes, *, reverse: bool) -> Iterator[tuple[bytes, Stored]]:
        for key, stored in self._now.scan(table, start, stop, reverse=reverse):
            if self._if_then(stored) is not None:
                yield key, stored

    def _scan_history(self, table: str, start: bytes, stop: bytes, *, reverse: bool) -> Iterator[tuple[bytes, Stored]]:
        low, high = history_prefix(table, start), history_prefix(table, stop) + b"\xff" * 9
        entries = self._now.scan(HISTORY, low, high, reverse=reverse)
        for key, of_key in groupby(entries, key=lambda entry: entry[0][4:-8]):
            row = self._row(table, key, of_key) if start <= key < stop else None
            if row is not None:
                yield key, row
