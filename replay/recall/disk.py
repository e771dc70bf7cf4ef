"""What lies on disk of the retrieval index, read through whatever look at the views is under way."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from projections.ids import Handle, VaultId
from projections.recall.columns import Columns, Peak, Raised, Sealed, nowhere
from projections.recall.corpus import LONGEST
from projections.recall.numbers import Numbers, among, numbered, terms
from projections.rows import after_prefix
from replay.recall.rows import Listed, opened, split_postings, unpack_documents, zone_key
from replay.recall.tables import levels
from replay.snapshot import Snapshot

N = TypeVar("N", bound=Hashable)
OFTEN = 16
"""From how many questions on the terms of a zone are read into memory."""
MOST_TERMS = 1 << 16
"""How many rows of postings are read for that at the most; 8 bytes a term are kept."""
SPAN_BYTES = 4


class Disk:
    """The index on disk. `snapshot` gives the look that is under way; None where there are no views."""

    def __init__(self, snapshot: Callable[[], Snapshot | None]) -> None:
        self._snapshot = snapshot

    def sealed(self, zone: bytes, erased: frozenset[VaultId]) -> Sealed | None:
        """What is sealed of a zone, without what destroyed vaults held; None where there is nothing."""
        units: dict[bytes, int] = {}
        speakers: dict[Handle, int] = {}
        columns = [
            _columns(unpack_documents(body), level.first(span), units, speakers, erased)
            for level in levels()
            for span, body in self._rows(level.documents, zone_key(zone))
        ]
        if not columns:
            return None
        joined = Columns(*map(np.concatenate, zip(*columns, strict=True)))
        vocabulary = Vocabulary(self, zone)
        return Sealed(joined, list(units), list(speakers), partial(self.postings, zone), vocabulary, vocabulary.tell)

    def postings(self, zone: bytes, terms: Sequence[bytes]) -> Raised:
        """Where some terms stand in what is sealed of a zone: read term by term, and put together at once."""
        prefix, looking = zone_key(zone), self._looking()
        firsts, offsets, counts = list[int](), list[bytes](), list[bytes]()
        ends, peaks, end = list[int](), list[Peak](), 0
        keys = [prefix + term for term in terms]
        for of_term in zip(*(looking.data_with(level.postings, keys) for level in levels()), strict=True):
            most, shortest = 0, LONGEST
            for level, rows in zip(levels(), of_term, strict=True):
                for found, data in rows:
                    of_row, often, most_of_row, shortest_of_row = split_postings(level.postings, found, data)
                    most, shortest = max(most, most_of_row), min(shortest, shortest_of_row)
                    firsts.append(level.first(int.from_bytes(found[-SPAN_BYTES:], "big")))
                    offsets.append(of_row)
                    counts.append(often)
                    end += len(often)
            ends.append(end)
            peaks.append(Peak(most, shortest))
        if not firsts:
            return nowhere(terms)
        seqs = np.frombuffer(b"".join(offsets), "<u2").astype(np.int64)
        seqs += firsts[0] if len(firsts) == 1 else np.repeat(firsts, [*map(len, counts)])
        return Raised(seqs, np.frombuffer(bytearray().join(counts), np.uint8), ends, peaks)

    def standing(self, zone: bytes, numbers: Numbers) -> set[bytes]:
        """Which of some terms, given as numbers, stand anywhere in what is sealed of a zone."""
        snapshot, prefix, in_order = self._looking(), zone_key(zone), terms(np.sort(numbers))
        return {term for level in levels() for term in snapshot.ends_there(level.postings, prefix, in_order)}

    def vocabulary(self, zone: bytes) -> Numbers | None:
        """All terms that stand in what is sealed of a zone, ascending; None where they are too many."""
        snapshot, prefix = self._looking(), zone_key(zone)
        keys = chain.from_iterable(snapshot.keys(each.postings, prefix, after_prefix(prefix)) for each in levels())
        standing = [key[len(prefix) : -SPAN_BYTES] for key in islice(keys, MOST_TERMS + 1)]
        return np.unique(numbered(standing)) if len(standing) <= MOST_TERMS else None

    def _rows(self, table: str, prefix: bytes) -> Iterator[tuple[int, bytes]]:
        """The rows with a prefix, by span."""
        for key, data in self._looking().data_in(table, prefix, prefix + b"\xff" * 5):
            yield int.from_bytes(key[-4:], "big"), opened(table, key, data)

    def _looking(self) -> Snapshot:
        snapshot = self._snapshot()
        assert snapshot is not None, "the index is read while rows are"
        return snapshot


class Vocabulary:
    """Which of some terms stand in what is sealed of a zone. For the first few questions they are looked for on disk;
    who asks often has all the terms of a zone read once, unless they are too many.

    What is sealed later is known elsewhere until it is told here, and so is what is gone: a term may be told of that
    stands nowhere any more, but none that stands somewhere is left out.
    """

    def __init__(self, disk: Disk, zone: bytes) -> None:
        self._disk = disk
        self._zone = zone
        self._asked = 0
        self._known: Numbers | None = None

    def tell(self, new: Sequence[bytes]) -> None:
        """These stand there too by now."""
        if self._known is not None and len(self._known):
            more = np.unique(numbered(new))
            at = np.searchsorted(self._known, more)
            others = self._known.take(at, mode="clip") != more
            self._known = np.insert(self._known, at[others], more[others])

    def __call__(self, numbers: Numbers) -> set[bytes]:
        """Which of some terms, given as numbers, may stand somewhere."""
        self._asked += 1
        if self._asked == OFTEN:
            self._known = self._disk.vocabulary(self._zone)
        if self._known is None or not len(self._known):
            return self._disk.standing(self._zone, numbers)
        return among(numbers, self._known)


def _columns(
    row: Listed, first: int, units: dict[bytes, int], speakers: dict[Handle, int], erased: frozenset[VaultId]
) -> Columns:
    """A row with the zone's own numbers for units and speakers."""
    unit = _numbers(row.unit_names, units)[row.units]
    speaker = _numbers([Handle(each) for each in row.speaker_names], speakers)[row.speakers]
    seqs = row.offsets.astype(np.int64) + first
    made = Columns(seqs, row.ids, row.said, row.lengths, row.flags, unit, speaker)
    if erased.isdisjoint(row.vault_names):
        return made
    there = np.array([each not in erased for each in row.vault_names])[row.vaults]
    return Columns(*(each[there] for each in made))


def _numbers(names: list[N], numbers: dict[N, int]) -> npt.NDArray[np.int32]:
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int32)
