"""What lies on disk of the retrieval index, read through whatever look at the views is under way."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from projections.ids import Handle, VaultId
from projections.recall.columns import Columns, Raised, Sealed, nowhere
from replay.recall_rows import Listed, opened, split_postings, unpack_documents, zone_key
from replay.recall_tables import levels
from replay.views import Snapshot

N = TypeVar("N", bound=Hashable)


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
        return Sealed(joined, list(units), list(speakers), partial(self.postings, zone), partial(self.standing, zone))

    def postings(self, zone: bytes, term: bytes) -> Raised:
        """Where a term stands in what is sealed of a zone."""
        key = zone_key(zone) + term
        found = [
            (level.first(span), split_postings(body))
            for level in levels()
            for span, body in self._rows(level.postings, key)
        ]
        if not found:
            return nowhere(term)
        seqs = np.frombuffer(b"".join([row.offsets for _, row in found]), "<u2").astype(np.int64)
        seqs += np.repeat([first for first, _ in found], [len(row.counts) for _, row in found])
        return Raised(seqs, np.frombuffer(b"".join([row.counts for _, row in found]), np.uint8))

    def standing(self, zone: bytes, terms: Sequence[bytes]) -> set[bytes]:
        """Which of some terms, given in order, stand anywhere in what is sealed of a zone."""
        snapshot, prefix = self._looking(), zone_key(zone)
        return {term for level in levels() for term in snapshot.ends_there(level.postings, prefix, terms)}

    def _rows(self, table: str, prefix: bytes) -> Iterator[tuple[int, bytes]]:
        """The rows with a prefix, by span."""
        for key, data in self._looking().data_in(table, prefix, prefix + b"\xff" * 5):
            yield int.from_bytes(key[-4:], "big"), opened(table, key, data)

    def _looking(self) -> Snapshot:
        snapshot = self._snapshot()
        assert snapshot is not None, "the index is read while rows are"
        return snapshot


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
