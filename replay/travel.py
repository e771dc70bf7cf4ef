"""Rows as they were: last Tuesday by either clock.

The history says which events touched a row, and when. The row of a moment is the one that the last of them made, and
that one event is folded again: nothing else is read.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import TYPE_CHECKING, NamedTuple

from projections.rows import RawRows, Stored
from replay import codec
from replay.history import history_prefix, said_of, seq_key
from replay.overlay import HISTORY

if TYPE_CHECKING:
    from replay.live import Live
    from replay.log import Log


MANY = 16
"""From how many entries on a row's past is looked up and not read."""
BEHIND = b"\xff" * 9
"""Behind every seq, as the end of a row's history."""


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


def settle(log: "Log", moment: Moment) -> Moment:
    """The moment as it is looked at."""
    return moment if moment.seq is None else moment._replace(seq=settled(log, moment.seq))


class Past:
    """Raw rows at a moment, made from the history."""

    def __init__(self, now: RawRows, live: "Live", moment: Moment) -> None:
        self._now = now
        self._live = live
        self._moment = moment

    def get(self, table: str, key: bytes) -> Stored | None:
        if not self._live.folding.has_history(table):
            return self._if_then(self._now.get(table, key))
        return self._row(table, key, self._last(history_prefix(table, key)))

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, Stored]]:
        if not self._live.folding.has_history(table):
            return self._scan_now(table, start, stop, reverse=reverse)
        return self._scan_history(table, start, stop, reverse=reverse)

    def keys(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[bytes]:
        return (key for key, _ in self.scan(table, start, stop, reverse=reverse))

    # -- rows without a history: only one event can make them ----------------------------------------------------------

    def _scan_now(self, table: str, start: bytes, stop: bytes, *, reverse: bool) -> Iterator[tuple[bytes, Stored]]:
        for key, stored in self._now.scan(table, start, stop, reverse=reverse):
            if self._if_then(stored) is not None:
                yield key, stored

    def _if_then(self, stored: Stored | None) -> Stored | None:
        """The row, when it was there: from its one event on."""
        if stored is None:
            return None
        if self._moment.said is None:
            return stored if self._moment.includes(stored.seq, 0) else None
        record = self._live.folding.record_at(stored.seq)
        return stored if record is not None and self._moment.includes(stored.seq, record.event.said) else None

    # -- rows with one -------------------------------------------------------------------------------------------------

    def _scan_history(self, table: str, start: bytes, stop: bytes, *, reverse: bool) -> Iterator[tuple[bytes, Stored]]:
        for key, last in self._last_of_each(table, start, stop, reverse=reverse):
            row = self._row(table, key, last) if start <= key < stop else None
            if row is not None:
                yield key, row

    def _row(self, table: str, key: bytes, seq: int | None) -> Stored | None:
        """The row that the last event by then made, if it can still be read and did not remove it."""
        found = None if seq is None else self._live.folding.sealed_at(seq)
        if found is None:
            return None
        body = self._live.folding.change(found.record, table, key)
        return None if body is None else Stored(found.record.seq, body, found.vault)

    def _last_of_each(
        self, table: str, start: bytes, stop: bytes, *, reverse: bool
    ) -> Iterator[tuple[bytes, int | None]]:
        """Each row that was ever touched, with the last event that touched it by then.

        Entries are read one after the other. Where a row has many, the right one is looked up, and reading goes on
        behind that row; by when it was said they are in no order, and each is looked at.
        """
        low, high = history_prefix(table, start), history_prefix(table, stop) + BEHIND
        if self._moment.said is not None:
            entries = self._now.scan(HISTORY, low, high, reverse=reverse)
            yield from ((key, self._latest(of_key)) for key, of_key in groupby(entries, key=_row_key_of_entry))
            return
        many: bytes | None = b""
        while many is not None:
            many = None
            for key, keys in groupby(self._keys(low, high, reverse=reverse), key=_row_key):
                seqs = [_seq_of(each) for each in islice(keys, MANY)]
                if len(seqs) == MANY:
                    many = key
                    break
                yield key, max((seq for seq in seqs if self._moment.includes(seq, 0)), default=None)
            if many is not None:
                prefix = history_prefix(table, many)
                yield many, self._last(prefix)
                low, high = (low, prefix) if reverse else (prefix + BEHIND, high)

    def _keys(self, low: bytes, high: bytes, *, reverse: bool) -> Iterator[bytes]:
        """The keys of entries whose events can be read: a key tells the seq, but not whose vault was destroyed."""
        if reverse or self._live.folding.erased:
            return (key for key, _ in self._now.scan(HISTORY, low, high, reverse=reverse))
        return self._now.keys(HISTORY, low, high)

    def _last(self, prefix: bytes) -> int | None:
        """The last event that touched a row by then."""
        if self._moment.said is not None:
            return self._latest(self._now.scan(HISTORY, prefix, prefix + BEHIND))
        stop = prefix + (BEHIND if self._moment.seq is None else seq_key(self._moment.seq + 1))
        return next((stored.seq for _, stored in self._now.scan(HISTORY, prefix, stop, reverse=True)), None)

    def _latest(self, entries: Iterable[tuple[bytes, Stored]]) -> int | None:
        """By when it was said, and by seq where things were said at once."""
        then = ((said_of(stored.body), stored.seq) for _, stored in entries)
        return max((each for each in then if self._moment.includes(each[1], each[0])), default=(0, None))[1]


def _row_key(key: bytes) -> bytes:
    return key[4:-8]


def _row_key_of_entry(entry: tuple[bytes, Stored]) -> bytes:
    return entry[0][4:-8]


def _seq_of(key: bytes) -> int:
    return int.from_bytes(key[-8:], "big")
