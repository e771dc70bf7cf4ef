"""The documents of one zone as arrays, and where each term stands in them.

A document is known by its place in these arrays, in the order in which they came. What was said before and after it in
its unit is a chain (`before`, `after`), so that a late one is put between two others without moving anything. Two that
follow one another closely are `joined`: they are of one sitting. What lies in sealed segments on disk is handed in
whole (`Sealed`), with a way to read a term's postings; what came later is added one by one, with its postings, until it
lies there too (`settle`). A document that goes is dead from then on: it is neither found nor counted.
"""

from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Sequence, Set
from itertools import accumulate

import numpy as np

from projections.ids import EventId
from projections.recall.by_id import ById
from projections.recall.called import Called
from projections.recall.columns import NO_PEAK, Columns, Flags, Longs, Places, Postings, Raised, Sealed, short_id
from projections.recall.documents import Document
from projections.recall.kept_postings import KeptPostings
from projections.recall.numbers import Numbers, numbered
from projections.recall.words import MOST_COUNTED, TERM_BYTES
from projections.times import DAY_MS

NONE = -1
"""No place. Every array has one more element than there are documents, so that it can be looked up too."""
LONGEST = 255
"""A longer text counts as this long: as far as a byte goes, and a paste is not a conversation."""
SITTING_MS = 6 * 3_600_000
"""What follows after a longer silence is another sitting."""
MOST_KEPT = 64 << 20
"""How many bytes of postings that were read are kept at the most."""
LEAST_KEPT, KEPT_FROM, KEPT_EACH = 2 << 20, 1 << 16, 64
"""So many of them are kept of few documents, and from so many on so many bytes more for each: what is read anew takes
long only where there are many.
"""
_SPARE = 32
_SHARE = 16
"""How many times as long the arrays are as the room in them that is made at once for what comes."""
_ALIGNED = 8
"""The arrays are of as many elements as fill whole words, also those of bytes."""
_MOST_IN_ONE = 16 << 20
"""How many bytes the arrays have together at the most to lie in one piece; longer ones are mapped each by itself."""
_NOWHERE, _NOT = np.empty(0, np.int32), np.empty(0, np.bool_)
NO_POSTINGS = Postings(np.empty(0, np.int32), np.empty(0, np.uint8), NO_PEAK)


def most_kept(documents: int) -> int:
    """How many bytes of postings that were read are kept of so many documents."""
    return min(max(LEAST_KEPT, KEPT_EACH * (documents - KEPT_FROM)), MOST_KEPT)


class Names:
    """Names and their numbers, in the order in which they came."""

    def __init__(self, names: Sequence[bytes]) -> None:
        self.all = list(names)
        self._numbers = {name: number for number, name in enumerate(self.all)}

    def number(self, name: bytes) -> int:
        """The number of a name, perhaps a new one."""
        number = self._numbers.setdefault(name, len(self.all))
        if number == len(self.all):
            self.all.append(name)
        return number

    def find(self, name: bytes) -> int:
        """The number of a name; NONE where it has none."""
        return self._numbers.get(name, NONE)


class Corpus:
    """The documents of a zone. Arrays are longer than `size`; the last place of each says nothing, for NONE."""

    def __init__(self, sealed: Sealed = Sealed()) -> None:  # noqa: B008 - a frozen value
        self.units = Names(sealed.units)
        self.speakers = Names(sealed.speakers)
        self.size = len(sealed.columns.seqs)
        self.dead = 0
        self.called = Called()
        self.begun = 0
        """Rises with each unit in which something is said where nothing was."""
        self.open: object = None
        """Whoever searches keeps here which units are open, and as of when (`opened`)."""
        self._read, self._standing, self._told = sealed.postings, sealed.standing, sealed.tell
        self._kept: OrderedDict[bytes, KeptPostings] = OrderedDict()
        self._kept_bytes = 0
        self._late: dict[bytes, tuple[array[int], array[int]]] = {}
        self._late_numbers: set[int] = set()
        self._late_places: dict[int, int] = {}
        self._by_id: ById | None = None
        self._late_ids: dict[int, int] = {}
        self._sealed = self.size
        self._is_in_order = True
        self._arrange(sealed.columns)

    def _arrange(self, columns: Columns) -> None:
        self.seqs, self.ids, self.said, self.lengths, self.flags, self.unit, self.speaker = columns
        self.day = self.before = self.after = self.scores = self.slots = _NOWHERE
        self.alive = self.joined = self.touched = _NOT
        self._move(self.size + _SPARE + self.size // _SHARE)
        self.alive[: self.size] = True
        self._link(np.lexsort((columns.seqs, columns.said, columns.units)).astype(np.int32))
        self._first_seq = int(columns.seqs[0]) if self.size else 0
        self._places = np.full(int(columns.seqs[-1]) - self._first_seq + 1 if self.size else 0, NONE, np.int32)
        self._places[columns.seqs - self._first_seq] = np.arange(self.size, dtype=np.int32)
        self._count(columns)

    def _link(self, order: Places) -> None:
        """Chain what was there from the beginning, given in order."""
        self.before[: self.size] = self.after[: self.size] = NONE
        first, second = order[:-1], order[1:]
        same = self.unit[first] == self.unit[second]
        self.before[second[same]] = first[same]
        self.after[first[same]] = second[same]
        self.joined[second] = same & (self.said[second] - self.said[first] <= SITTING_MS)
        ends = order[np.append(~same, True)] if self.size else order
        self._last = dict(zip(self.unit[ends].tolist(), ends.tolist(), strict=True))

    def _count(self, columns: Columns) -> None:
        """How many documents each unit has, and how long they are together; the same of its days."""
        self.documents = np.bincount(columns.units, minlength=len(self.units.all)).tolist()
        self.words = np.bincount(columns.units, columns.lengths, len(self.units.all)).astype(np.int64).tolist()
        days = columns.said // DAY_MS
        first, behind = int(days.min(initial=0)), int(days.max(initial=0)) + 1
        days += columns.units * np.int64(behind - first) - first  # as one number: pairs take more to sort
        found, of = np.unique(days, return_inverse=True)
        units, dates = np.divmod(found, behind - first)
        dates += first
        self.day[: self.size] = of
        self._days = dict(zip(zip(units.tolist(), dates.tolist(), strict=True), range(len(found)), strict=True))
        self._date_of = array("q", dates.tolist())
        self.day_documents = np.bincount(of, minlength=len(self._days)).tolist()
        self.day_words = np.bincount(of, columns.lengths, len(self._days)).astype(np.int64).tolist()
        self.unit_days = np.bincount(units, minlength=len(self.units.all)).tolist()

    # -- what comes and goes -------------------------------------------------------------------------------------------

    def add(self, document: Document) -> None:
        """Put a document in."""
        at = self.size
        if at + 1 >= len(self.seqs):
            self._grow()
        self.size += 1
        unit = self.units.number(document.unit)
        self.seqs[at], self.ids[at], self.said[at] = document.seq, short_id(document.id), document.said
        self.lengths[at], self.flags[at] = min(document.terms.length, LONGEST), document.flags
        self.unit[at], self.speaker[at] = unit, self.speakers.number(document.speaker)
        self.day[at] = self._day(unit, document.said // DAY_MS)
        self.alive[at] = True
        self._late_places[document.seq] = at
        self._late_ids[short_id(document.id)] = at
        self._tell(at, 1)
        self._chain(at, unit)
        for term, count in document.terms.counts.items():
            late = self._late.get(term)
            if late is None:
                late = self._late[term] = array("i"), array("B")
                self._late_numbers.add(int.from_bytes(term, "big"))
            late[0].append(at)
            late[1].append(min(count, MOST_COUNTED))

    def remove(self, seq: int) -> None:
        """Let a document go, if it is here."""
        at = self.place(seq)
        if at == NONE or not self.alive[at]:
            return
        self.alive[at] = False
        self.dead += 1
        self._tell(at, -1)
        before, after = int(self.before[at]), int(self.after[at])
        if before != NONE:
            self.after[before] = after
        if after != NONE:
            self.before[after] = before
            self._join(after)
        elif before != NONE:
            self._last[int(self.unit[at])] = before
        else:
            del self._last[int(self.unit[at])]

    @property
    def late(self) -> int:
        """How many documents came one by one: each takes a thousand bytes more than one that lies on disk."""
        return self.size - self._sealed

    def is_settled(self, seq: int) -> bool:
        """Whether a document's words are read from disk."""
        return NONE < self.place(seq) < self._sealed

    def settled(self, upto: int) -> int:
        """How many of those that came one by one lie on disk, where that has all that was recorded up to a seq: those
        in front of the first one that was recorded later.
        """
        behind = self.seqs[self._sealed : self.size] > upto
        return int(behind.argmax()) if behind.any() else len(behind)

    def settle(self, number: int) -> None:
        """Read so many of them from disk from now on, as what was there from the beginning. ValueError where nothing
        was there, or one is older than all of that: the zone is to be read anew.
        """
        first, end = self._sealed, self._sealed + number
        seqs = self.seqs[first:end]
        if not first or int(seqs.min()) < self._first_seq:
            raise ValueError("what came cannot be laid behind what was there")
        self._is_in_order &= bool((np.diff(self.seqs[first - 1 : end]) > 0).all())
        offsets = seqs - self._first_seq
        more = max(int(offsets.max()) + 1 - len(self._places), 0)
        self._places = np.concatenate([self._places, np.full(more, NONE, np.int32)])
        self._places[offsets] = np.arange(first, end, dtype=np.int32)  # of one that went and returned, the last
        self._late_places = {seq: at for seq, at in self._late_places.items() if at >= end}
        self._late_ids = {short: at for short, at in self._late_ids.items() if at >= end}
        if self._by_id is not None:
            self._by_id = self._by_id.with_more(self.ids[:end])
        self._sealed = end
        self._told(self._let_go(end))

    def _let_go(self, end: int) -> list[bytes]:
        """Forget where terms stand in front of a place, since it is read from disk; which they are. What is kept of a
        term of many places has them where somebody asked since; all others are read again when they are asked for.
        """
        gone = [term for term, (places, _) in self._late.items() if places[0] < end]
        for term in gone:
            places, counts = self._late.pop(term)
            cut = bisect_left(places, end)
            if cut < len(places):
                self._late[term] = places[cut:], counts[cut:]
            else:
                self._late_numbers.remove(int.from_bytes(term, "big"))
            kept = self._kept.get(term)
            if kept is not None and not kept.settle(cut):
                del self._kept[term]
                self._kept_bytes -= kept.bytes
        return gone

    def _day(self, unit: int, day: int) -> int:
        number = self._days.setdefault((unit, day), len(self._days))
        if number == len(self.day_words):
            self.day_words.append(0)
            self.day_documents.append(0)
            self._date_of.append(day)
        return number

    def _tell(self, at: int, by: int) -> None:
        """Count a document in, or out."""
        unit, day, length = int(self.unit[at]), int(self.day[at]), int(self.lengths[at])
        if unit == len(self.documents):
            for counts in (self.documents, self.words, self.unit_days):
                counts.append(0)
        self.begun += by > 0 and not self.documents[unit]
        self.documents[unit] += by
        self.words[unit] += by * length
        self.day_words[day] += by * length
        was = self.day_documents[day]
        self.day_documents[day] += by
        self.unit_days[unit] += (self.day_documents[day] > 0) - (was > 0)

    def _chain(self, at: int, unit: int) -> None:
        """Put a document where it belongs among what was said in its unit; nearly always at the end."""
        before, after = self._last.get(unit, NONE), NONE
        while before != NONE and (self.said[before], self.seqs[before]) > (self.said[at], self.seqs[at]):
            before, after = int(self.before[before]), before
        self.before[at], self.after[at] = before, after
        if before != NONE:
            self.after[before] = at
        self._join(at)
        if after == NONE:
            self._last[unit] = at
        else:
            self.before[after] = at
            self._join(after)

    def _join(self, at: int) -> None:
        before = int(self.before[at])
        self.joined[at] = before != NONE and self.said[at] - self.said[before] <= SITTING_MS

    def _grow(self) -> None:
        self._move(len(self.seqs) + _SPARE + len(self.seqs) // _SHARE)

    def _move(self, room: int) -> None:
        """Make the arrays so long. Where they are short they lie in one piece of memory: side by side each would leave
        a hole whenever it moves, and the heap would fall to pieces. What is not written to yet takes no memory.
        """
        room += -room % _ALIGNED
        sizes = [room * kind.itemsize for kind in _KINDS.values()]
        piece = np.zeros(sum(sizes) if sum(sizes) <= _MOST_IN_ONE else 0, np.uint8)
        ends = accumulate(sizes)
        for (name, kind), size, end in zip(_KINDS.items(), sizes, ends, strict=True):
            old = getattr(self, name)
            new = piece[end - size : end].view(kind) if len(piece) else np.zeros(room, kind)
            new[: len(old[: self.size])] = old[: self.size]
            setattr(self, name, new)
        self.before[NONE] = self.after[NONE] = NONE

    # -- looked up -----------------------------------------------------------------------------------------------------

    def at(self, unit: bytes, said: int) -> set[int]:
        """The seqs of the living documents that were said at a time in a unit."""
        number = self.units.find(unit)
        last = self._last.get(number)
        if last is None or said > self.said[last]:
            return set()
        size = self.size
        found = np.flatnonzero((self.said[:size] == said) & (self.unit[:size] == number) & self.alive[:size])
        return set(self.seqs[found].tolist())

    def dates(self) -> Longs:
        """Which date each of the `day` numbers is, in days since 1970."""
        return np.array(self._date_of, np.int64)

    def on_days(self, days: Flags) -> Places:
        """Where the living documents are that were said on some of the days, by their numbers."""
        return np.flatnonzero(days.take(self.day[: self.size]) & self.alive[: self.size]).astype(np.int32)

    def number(self, places: Places) -> None:
        """Let `slots` say at each of these places its number among them, and where nothing is, how many there are."""
        self.slots[places] = np.arange(len(places), dtype=np.int32)
        self.slots[NONE] = len(places)

    def place(self, seq: int) -> int:
        """Where a document is in the arrays; NONE where it is not."""
        offset = seq - self._first_seq
        if seq in self._late_places:
            return self._late_places[seq]
        return int(self._places[offset]) if 0 <= offset < len(self._places) else NONE

    def places_of(self, events: Iterable[EventId]) -> list[int]:
        """Where the messages and turns of these ids are; NONE for those that are not here."""
        return [self.place_of(short_id(event)) for event in events]

    def place_of(self, short: int) -> int:
        """Where the message or turn is whose id has this short form; NONE where it is not."""
        late = self._late_ids.get(short)
        if late is not None:
            return late if self.alive[late] else NONE
        if self._by_id is None:
            self._by_id = ById.of(self.ids[: self._sealed])
        for place in self._by_id.places(self.ids, short):
            if self.alive[place]:  # what was edited or returned may be there twice
                return place
        return NONE

    def standing(self, terms: Set[bytes]) -> Set[bytes]:
        """Which of some terms may stand somewhere."""
        known = self._late.keys() & terms | self._kept.keys() & terms
        return known | self._standing(numbered(terms - known))

    def like(self, likes: Numbers) -> Set[bytes]:
        """The same of many, given as numbers."""
        there = self._standing(likes)
        if not self._late_numbers:
            return there
        late = self._late_numbers.intersection(likes.tolist())
        return there | {number.to_bytes(TERM_BYTES, "big") for number in late}

    def is_at_hand(self, term: bytes) -> bool:
        """Whether it is known without looking on disk where a term stands."""
        return term in self._kept or not self._sealed

    def fetch(self, terms: Iterable[bytes]) -> None:
        """Read where some terms stand that is not kept yet: sooner together than each when it is asked for."""
        unread = [term for term in terms if term not in self._kept] if self._sealed else []
        for term, sealed in zip(unread, self._placed(self._read(unread)) if unread else (), strict=True):
            self._keep(term, sealed)

    def postings(self, term: bytes) -> Postings:
        """Where a term stands among the living."""
        late, kept = self._late.get(term), self._kept.get(term)
        if kept is None:
            (sealed,) = self._placed(self._read([term])) if self._sealed else (NO_POSTINGS,)
            if late is None and not len(sealed.at):
                return sealed
            kept = self._keep(term, sealed)
        else:
            self._kept.move_to_end(term)
        if kept.is_behind(0 if late is None else len(late[0]), self.dead):
            self._kept_bytes -= kept.bytes
            if late is not None:
                kept.follow(*late, self.lengths)
            kept.bury(self.alive, self.dead)
            self._kept_bytes += kept.bytes
        most = most_kept(self.size)
        while self._kept_bytes > most:
            _, gone = self._kept.popitem(last=False)
            self._kept_bytes -= gone.bytes
        return kept.postings()

    def _keep(self, term: bytes, sealed: Postings) -> KeptPostings:
        kept = self._kept[term] = KeptPostings(sealed)
        self._kept_bytes += kept.bytes
        return kept

    def _placed(self, raised: Raised) -> list[Postings]:
        """Postings from disk, term by term. It may be further than what is here of it."""
        offsets, counts, ends = raised.seqs - self._first_seq, raised.counts, raised.ends
        at = self._places.take(offsets, mode="clip")
        there = at != NONE
        if len(offsets) and offsets.view(np.uint64).max() >= len(self._places):  # or below 0
            there &= (offsets >= 0) & (offsets < len(self._places))
        if not there.all():
            before = np.concatenate([[0], there.cumsum()])
            at, counts, ends = at[there], counts[there], before[ends].tolist()
        if not self._is_in_order:  # what returned lies behind what was recorded later
            order = np.lexsort((at, np.repeat(np.arange(len(ends)), np.diff([0, *ends]))))
            at, counts = at[order], counts[order]
        if len(ends) == 1:
            return [Postings(at, counts, raised.peaks[0])]
        # Of each a copy: what is kept of a rare word would hold what was read together with it.
        return [
            Postings(at[start:end].copy(), counts[start:end].copy(), peak)
            for start, end, peak in zip([0, *ends], ends, raised.peaks, strict=False)
        ]


_KINDS = {
    name: np.dtype(kind)
    for kind, names in (
        (np.int64, ("seqs", "ids", "said")),
        (np.int32, ("unit", "speaker", "day", "before", "after", "scores", "slots")),
        (np.uint8, ("lengths", "flags")),
        (np.bool_, ("alive", "joined", "touched")),
    )
    for name in names
}
"""The arrays. `scores` and `touched` hold nothing between two searches; `slots` whatever a search numbers last, and
nothing is read there that it did not write.
"""


def corpus_of(documents: Iterable[Document]) -> Corpus:
    """A corpus of documents alone: of rows in memory, and of last Tuesday."""
    made = Corpus()
    for each in sorted(documents, key=lambda each: each.seq):
        made.add(each)
    return made
