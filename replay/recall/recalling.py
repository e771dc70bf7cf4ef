"""The documents of the zones that were asked for, in memory, kept up with the rows.

A zone is loaded from the index on disk, and from the rows for what lies behind its last segment. From then on it
follows the rows: whatever changes at a point of a unit is looked up again there when the zone is next asked for.
Postings are read from disk when a term is asked for; what is gone or new since the zone was loaded is known here, so
that it does not matter how far the index on disk is by then. When much is new, what lies on disk is read from there.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping

from projections.ids import EventId, Handle, Seq, VaultId
from projections.items import QUIET
from projections.messages import said_at
from projections.people import PEOPLE
from projections.places import AUDIENCES, PLACES, SESSIONS
from projections.recall.corpus import NONE, Corpus
from projections.recall.documents import TABLES, Document, documents_at, id_of
from projections.rows import RawRows
from replay.history import seq_key, touched_keys
from replay.overlay import TOUCHED, Entry
from replay.recall import tables as layout
from replay.recall.disk import Disk
from replay.snapshot import LAST_KEY, Snapshot

MOST_DOCUMENTS = 2_000_000
"""How many documents are kept at the most; the zone that was not asked for the longest goes first, but for one."""
MOST_LATE = 2048
"""From how many documents on that came one by one a zone is looked over for those that lie on disk by now: they take a
thousand bytes each, and sixty where they are read from there.
"""
POINT = 24
"""The bytes of a key up to when it was said: unit and said."""
_OPENING = frozenset((AUDIENCES.table, PLACES.table, SESSIONS.table))
Find = Callable[[EventId], Seq | None]


class Recall:
    """The zones in memory. Not for two threads at once: the engine has the mutex. `has_disk`: part of what they hold is
    on disk.
    """

    def __init__(self, snapshot: Callable[[], Snapshot | None], *, has_disk: bool = True) -> None:
        self.disk = Disk(snapshot)
        self.has_disk = has_disk
        self.corpora: OrderedDict[bytes, Corpus] = OrderedDict()
        self.points: set[bytes] = set()
        self.quiet: set[EventId] = set()
        self.turn = 0
        """Rises whenever what is open may be another: whoever keeps that keeps it for one turn."""

    def changed(self, tables: Mapping[str, Iterable[bytes]]) -> None:
        """Note which rows changed, by table and key."""
        if not tables.keys().isdisjoint(_OPENING):
            self.turn += 1
        for corpus in self.corpora.values():
            corpus.called.forget(Handle(key[:16]) for key in tables.get(PEOPLE.table, ()))
        if self.corpora:
            for table in TABLES:
                self.points.update(key[:POINT] for key in tables.get(table, ()))
            self.quiet.update(map(EventId, tables.get(QUIET.table, ())))

    def changed_since(self, tables: Mapping[str, Mapping[bytes, Entry]], seq: int) -> None:
        """The same of what changed in an overlay behind a seq."""
        watched = (*TABLES, QUIET.table, PEOPLE.table, *_OPENING)
        rows = {table: [key for key, each in tables.get(table, {}).items() if each.changed > seq] for table in watched}
        self.changed({table: keys for table, keys in rows.items() if keys})


class Zones:
    """The zones of one look at the rows. `size` is how many events the index holds, `above` what is above the views."""

    def __init__(
        self,
        recall: Recall,
        raw: RawRows,
        size: int,
        above: Mapping[str, Mapping[bytes, Entry]],
        find: Find,
        erased: frozenset[VaultId],
    ) -> None:
        self._recall = recall
        self._raw = raw
        self._size = size
        self._above = above
        self._find = find
        self._erased = erased

    @property
    def turn(self) -> int:
        """As of `Recall`."""
        return self._recall.turn

    def corpus(self, zone: bytes) -> Corpus:
        """The documents of a zone as they are now."""
        self._follow()
        corpora = self._recall.corpora
        if zone not in corpora:
            corpora[zone] = self._loaded(zone)
            while len(corpora) > 1 and sum(len(each.seqs) for each in corpora.values()) > MOST_DOCUMENTS:
                corpora.popitem(last=False)
        corpora.move_to_end(zone)
        if corpora[zone].late >= MOST_LATE:
            self._settle(zone)
        return corpora[zone]

    def _settle(self, zone: bytes) -> None:
        """Have what came one by one read from disk from now on, as far as it lies there as it is now; what came back
        since the views were committed does not, and is waited for.
        """
        corpora, upto = self._recall.corpora, layout.SEGMENT.full(self._size) << layout.SEGMENT.bits
        number = corpora[zone].settled(upto)
        if number < MOST_LATE // 2 or self._above.get(QUIET.table):
            return
        above = (each for table in TABLES for each in self._above.get(table, {}).values())
        if any(each.seq <= upto for each in above):
            return
        try:
            corpora[zone].settle(number)
        except ValueError:  # there was nothing to lay it behind
            corpora[zone] = self._loaded(zone)

    def _follow(self) -> None:
        recall = self._recall
        for point in sorted(recall.points | self._points_of(recall.quiet)):
            documents = list(documents_at(self._raw, point))
            zones = {each.zone for each in documents}
            for zone, corpus in recall.corpora.items():
                if zone in zones or corpus.units.find(point[:16]) != NONE:
                    _set_right(corpus, zone, point, documents)
        recall.points.clear()  # what could not be looked up is looked up again
        recall.quiet.clear()

    def _points_of(self, events: Iterable[EventId]) -> set[bytes]:
        """Where messages and turns lie that went quiet, or returned."""
        return {key[:POINT] for event in events for key in self._keys_of(event)}

    def _keys_of(self, event: EventId) -> list[bytes]:
        """The row of one; see `recall_index` for what is done where no list tells of it."""
        seq = self._find(event)
        if seq is None:
            return []
        touched = self._raw.get(TOUCHED, seq_key(seq))
        if touched is not None:
            return [key for _, key in touched_keys(touched.body, TABLES)]
        return [key for table in TABLES for key in self._raw.keys(table, b"", LAST_KEY) if id_of(key) == event]

    def _loaded(self, zone: bytes) -> Corpus:
        full = layout.SEGMENT.full(self._size) << layout.SEGMENT.bits
        sealed = self._recall.disk.sealed(zone, self._erased) if full else None
        corpus = Corpus() if sealed is None else Corpus(sealed)
        for point in sorted(self._late_points(full)):
            _set_right(corpus, zone, point, list(documents_at(self._raw, point)))
        return corpus

    def _late_points(self, full: int) -> set[bytes]:
        """Where something lies behind the last full segment, or changed since the views were committed."""
        points: set[bytes] = set()
        for _, stored in self._raw.scan(TOUCHED, seq_key(full + 1), LAST_KEY):
            points.update(key[:POINT] for _, key in touched_keys(stored.body, TABLES))
        for table in TABLES:
            points.update(key[:POINT] for key in self._above.get(table, ()))
        return points | self._points_of(map(EventId, self._above.get(QUIET.table, ())))


def _set_right(corpus: Corpus, zone: bytes, point: bytes, documents: list[Document]) -> None:
    """Let a corpus hold at a point of a unit just the documents that are there.

    One that is there as before may have been away, and the index on disk may have been written meanwhile: it is put in
    with its words, as what comes.
    """
    now = {each.seq: each for each in documents if each.zone == zone}
    there = corpus.at(point[:16], said_at(point))
    stays = {seq for seq in there & now.keys() if not corpus.is_settled(seq)}
    for seq in there - stays:
        corpus.remove(seq)
    for seq in sorted(now.keys() - stays):
        corpus.add(now[seq])
