"""The retrieval index on disk, kept up with the views in whose transaction it is written.

A document that is new lies behind the last full segment, and nothing is written for it. When a segment fills, its
documents are looked up by the list of rows that each event touched, and written at once; when a span of 64 segments
fills, it takes their place. A document of a full segment that goes, or comes back, changes the rows of its own terms
and no others. So what lies there is what a rebuild would write, whatever came before.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from projections.ids import EventId, Seq
from projections.items import QUIET
from projections.recall.corpus import LONGEST
from projections.recall.documents import TABLES as DOCUMENT_TABLES
from projections.recall.documents import document, id_of
from projections.recall.words import MOST_COUNTED
from projections.rows import Stored
from replay.history import seq_key, touched_keys
from replay.overlay import TOUCHED
from replay.packing import Packed, unpack
from replay.recall import tables as layout
from replay.recall.rows import (
    EMPTY,
    Listing,
    Mention,
    Postings,
    Sealed,
    amended,
    amended_postings,
    list_documents,
    opened,
    pack_documents,
    sealed,
    span_key,
    unpack_documents,
    zone_key,
)
from replay.recall.tables import Level

READ = (TOUCHED, QUIET.table, *DOCUMENT_TABLES)
"""The tables from which the rows of a span are made."""
Find = Callable[[EventId], Seq | None]
"""Where an event is in the log."""


class Before(NamedTuple):
    """The documents under keys that are about to change."""

    keys: frozenset[tuple[str, bytes]]
    documents: dict[tuple[str, bytes], Sealed]


class Change(NamedTuple):
    """The documents that go out of a zone's span, and those that come into it."""

    gone: list[Sealed]
    come: list[Sealed]


Made = dict[str, list[tuple[bytes, bytes]]]
"""The rows of a span, by table."""


def filled(since: int, upto: int) -> Iterator[tuple[Level, int]]:
    """The spans, and behind them the segments, that fill behind `since`."""
    yield from ((layout.SPAN, span) for span in range(layout.SPAN.full(since), layout.SPAN.full(upto)))
    first = max(layout.SEGMENT.full(since), layout.SPAN.full(upto) << layout.SPAN.bits - layout.SEGMENT.bits)
    yield from ((layout.SEGMENT, segment) for segment in range(first, layout.SEGMENT.full(upto)))


def _sealed(key: bytes, body: bytes) -> tuple[bytes, bytes]:
    return key, sealed(key, body)


def _seq(each: Sealed) -> int:
    return each.document.seq


class Index:
    """The index within one transaction of the views. With `beside` it is written elsewhere: into this transaction, with
    these tables. `look` is called at every step of what is written, and may raise.
    """

    def __init__(
        self,
        transaction: Any,
        tables: Mapping[str, Any],
        beside: tuple[Any, Mapping[str, Any]] | None = None,
        *,
        look: Callable[[], object] = lambda: None,
    ) -> None:
        self._look = look
        self._transaction = transaction
        self._tables = tables
        self._into, self._tables_into = beside or (transaction, tables)

    # -- kept up -------------------------------------------------------------------------------------------------------

    def before(self, rows: Packed, find: Find, since: int) -> Before:
        """What full segments have of whatever these rows change; to be asked before they are written, at `since`."""
        keys = {(table, key) for table in DOCUMENT_TABLES if table in rows for key in rows[table].keys}
        for event in rows[QUIET.table].keys if QUIET.table in rows else ():
            seq = find(EventId(event))
            if seq is not None and seq <= since:  # what is new is among the rows that change
                keys |= self._rows_of(EventId(event), seq)
        found = ((place, self._document(*place, since)) for place in keys)
        return Before(frozenset(keys), {place: made for place, made in found if made is not None})

    def advance(self, before: Before, since: int, upto: int) -> None:
        """Bring the index to `upto` events, once the rows of the events behind `since` are written. What these made is
        sealed from the rows when its segment is full: only what lies in one is looked at before.
        """
        gone: list[Sealed] = []
        come: list[Sealed] = []
        for place in sorted(before.keys):
            self._look()
            was, now = before.documents.get(place), self._document(*place, since)
            if was != now:
                gone += [was] if was is not None else []
                come += [now] if now is not None else []
        self._amend(gone, come, since)
        self.seal(since, upto)

    def seal(self, since: int, upto: int) -> None:
        """Write the segments and spans that fill behind `since`."""
        if layout.SPAN.full(since) < layout.SPAN.full(upto):
            self._drop_segments()  # there were no others than these spans take the place of
        for level, span in filled(since, upto):
            self.write(self._rows_of_span(level, span))

    def _drop_segments(self) -> None:
        for table in (layout.SEGMENT.documents, layout.SEGMENT.postings):
            self._into.drop(self._tables_into[table], delete=False)

    def rows_of(self, level: Level, span: int) -> Made:
        """The rows of a span, by table and in key order, as they follow from the rows that there are."""
        return {table: list(rows) for table, rows in self._rows_of_span(level, span).items()}

    def _rows_of_span(self, level: Level, span: int) -> dict[str, Iterable[tuple[bytes, bytes]]]:
        """The same, of which those of postings are made as they are asked for: of a large span there are many."""
        first = level.first(span)
        zones: dict[bytes, tuple[Listing, Postings]] = {}
        for made, vault in self.documents(first, first + (1 << level.bits) - 1):
            self._look()
            zone = zone_key(made.zone)
            listing, postings = zones.get(zone) or zones.setdefault(zone, (Listing(first), Postings()))
            listing.add(made, vault)
            postings.add(made.terms.counts)
        lists = {zone: zones[zone][0].listed() for zone in sorted(zones)}
        listed = [_sealed(zone + span_key(span), pack_documents(row)) for zone, row in lists.items()]

        def posted() -> Iterator[tuple[bytes, bytes]]:
            for zone, row in lists.items():
                for term, body in zones.pop(zone)[1].rows(row.offsets, row.lengths):
                    self._look()
                    yield _sealed(zone + term + span_key(span), body)

        return {level.documents: listed, level.postings: posted()}

    def write(self, made: Mapping[str, Iterable[tuple[bytes, bytes]]]) -> None:
        """Write the rows of a span."""
        for table, rows in made.items():
            self._into.cursor(db=self._tables_into[table]).putmulti(rows)

    # -- documents -----------------------------------------------------------------------------------------------------

    def documents(self, first: int, last: int) -> Iterator[Sealed]:
        """The documents that the events from `first` to `last` made and that are there, by seq."""
        cursor = self._transaction.cursor(db=self._tables[TOUCHED])
        rows, stop = cursor if cursor.set_range(seq_key(first)) else (), seq_key(last)
        for key, data in takewhile(lambda row: row[0] <= stop, rows):
            seq = int.from_bytes(key, "big")
            for table, place in touched_keys(unpack(TOUCHED, key, data).body, DOCUMENT_TABLES):
                made = self._document(table, place)
                if made is not None and made.document.seq == seq:
                    yield made

    def _rows_of(self, event: EventId, seq: int) -> set[tuple[str, bytes]]:
        """The row of a message or turn. Where its first event's body was dropped and a later one's was not, no list
        tells of it, and all keys are looked through.
        """
        data = self._transaction.get(seq_key(seq), db=self._tables[TOUCHED])
        if data is not None:
            return set(touched_keys(unpack(TOUCHED, seq_key(seq), data).body, DOCUMENT_TABLES))
        return {(table, key) for table in DOCUMENT_TABLES for key in self._keys(table) if id_of(key) == event}

    def _keys(self, table: str) -> Iterator[bytes]:
        cursor = self._transaction.cursor(db=self._tables[table])
        keys: Iterator[bytes] = cursor.iternext(values=False)
        return keys

    def _document(self, table: str, key: bytes, size: int | None = None) -> Sealed | None:
        """The document that a row is; with a `size`, none behind the last segment that a log of that size fills."""
        data = self._transaction.get(key, db=self._tables[table])
        if data is None or self._transaction.get(id_of(key), db=self._tables[QUIET.table]) is not None:
            return None
        stored: Stored = unpack(table, key, data)
        if size is not None and _level(stored.seq, size) is None:
            return None
        made = document(table, key, stored)
        return None if made is None else Sealed(made, stored.vault)

    # -- amended -------------------------------------------------------------------------------------------------------

    def _amend(self, gone: Iterable[Sealed], come: Iterable[Sealed], size: int) -> None:
        """Take documents out of full segments and spans, and put others in."""
        spans: dict[tuple[Level, int, bytes], Change] = defaultdict(lambda: Change([], []))
        for which, documents in enumerate((gone, come)):
            for each in documents:
                level = _level(each.document.seq, size)
                if level is not None:
                    place = (level, level.span(each.document.seq), zone_key(each.document.zone))
                    spans[place][which].append(each)
        for (level, span, zone), change in spans.items():
            self._look()
            self._amend_span(level, zone, span, change)

    def _amend_span(self, level: Level, zone: bytes, span: int, change: Change) -> None:
        first, key = level.first(span), zone + span_key(span)
        data = self._transaction.get(key, db=self._tables[level.documents])
        there = list_documents((), first) if data is None else unpack_documents(opened(level.documents, key, data))
        gone = sorted(each.document.seq - first for each in change.gone)
        row = amended(there, gone, list_documents(sorted(change.come, key=_seq), first))
        self._put(level.documents, key, pack_documents(row) if len(row.offsets) else None)
        lengths = np.zeros(1 << level.bits, np.uint8)
        lengths[row.offsets] = row.lengths
        left, new = _mentions(change.gone, first), _mentions(change.come, first)
        for term in sorted(left.keys() | new.keys()):
            key = zone + term + span_key(span)
            data = self._transaction.get(key, db=self._tables[level.postings])
            body = EMPTY if data is None else opened(level.postings, key, data)
            self._put(level.postings, key, amended_postings(body, left[term], new[term], lengths))

    # -- rows ----------------------------------------------------------------------------------------------------------

    def _put(self, table: str, key: bytes, body: bytes | None) -> None:
        if body is None:
            self._into.delete(key, db=self._tables_into[table])
        else:
            self._into.put(key, sealed(key, body), db=self._tables_into[table])


def _mentions(documents: Iterable[Sealed], first: int) -> Mapping[bytes, list[Mention]]:
    """Where each term stands in documents of a span that begins with `first`, by seq."""
    mentions: dict[bytes, list[Mention]] = defaultdict(list)
    for each in sorted(documents, key=_seq):
        terms = each.document.terms
        for term, count in terms.counts.items():
            mention = Mention(each.document.seq - first, min(count, MOST_COUNTED), min(terms.length, LONGEST))
            mentions[term].append(mention)
    return mentions


def _level(seq: int, size: int) -> Level | None:
    """Where a document of a log of that size lies; None behind the last full segment."""
    return next((level for level in layout.levels() if level.span(seq) < level.full(size)), None)
