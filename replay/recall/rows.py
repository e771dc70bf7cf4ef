"""The rows of the retrieval index: what was said, and where each of its terms stands, by zone and span of seqs.

    documents   zone (8) ‖ span (4)              → columns
    postings    zone (8) ‖ term (8) ‖ span (4)   → most (1) ‖ shortest (1) ‖ offset (2) … ‖ count (1) …

each in one table for spans of 2^16 seqs that are full, and in one for the segments of 1,024 that come after these; what
is behind the last full segment is in neither, and scored from the rows themselves. Offsets (least byte first,
ascending) count from the first seq of the span. `most` is the greatest count of the row, `shortest` the least length
among its documents: no document in it scores more than these two would. So it is known how much a term gives at the
most anywhere, once its rows are read (`seeds.by_bound`). A row ends in the CRC-32 of its key and itself. Which rows
there are, and every byte of them, follows from the documents and the number of events alone, whatever came before.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple
from zlib import crc32

import msgspec
import numpy as np
import numpy.typing as npt

from projections.ids import VaultId
from projections.recall.columns import short_id
from projections.recall.corpus import LONGEST
from projections.recall.documents import Document
from projections.recall.words import MOST_COUNTED, TERM_BYTES
from replay.errors import DamagedViews
from replay.packing import WHOLE, damage_of

_KINDS = ("<u2", "<i8", "<i8", "u1", "u1", "<u2", "<u2", "<u2")
"""Of the columns: offsets, ids, said, lengths, flags, units, speakers, vaults."""
_TYPES = "HqqBBHHH"
"""The same, while they are gathered."""
_NUMBERED = 5
"""How many columns stand before those of numbers of names."""
Twos = npt.NDArray[np.uint16]


class Sealed(NamedTuple):
    """A document and the vault that sealed the event which made it."""

    document: Document
    vault: VaultId


class Columns(msgspec.Struct, array_like=True, frozen=True):
    """The documents of a zone in a span, by seq. Names stand once, in the order in which they come; numbers are of
    these.

    `offsets`, `units`, `speakers` and `vaults` are 2 bytes each, `ids` (of an id the last eight) and `said` (ms) 8,
    `lengths` and `flags` 1, all least byte first.
    """

    unit_names: list[bytes]
    speaker_names: list[bytes]
    vault_names: list[bytes]
    offsets: bytes
    ids: bytes
    said: bytes
    lengths: bytes
    flags: bytes
    units: bytes
    speakers: bytes
    vaults: bytes


_encode = msgspec.msgpack.Encoder().encode
_columns = msgspec.msgpack.Decoder(Columns).decode


def zone_key(zone: bytes) -> bytes:
    """A zone's eight bytes; whether a unit in it is open is decided by its audience, not by these."""
    return zone[:8]


def span_key(span: int) -> bytes:
    """A span's four bytes."""
    return span.to_bytes(4, "big")


def sealed(key: bytes, body: bytes) -> bytes:
    """A row as it lies on disk."""
    return body + crc32(body, crc32(key)).to_bytes(4, "little")


def opened(table: str, key: bytes, data: bytes) -> bytes:
    """The body of a row, or DamagedViews."""
    if crc32(data, crc32(key)) != WHOLE:
        raise DamagedViews(damage_of(table))
    return data[:-4]


EMPTY = bytes((0, LONGEST))
"""A row of postings in which nothing stands."""


def split_postings(table: str, key: bytes, data: bytes) -> tuple[bytes, bytes, int, int]:
    """A row of postings as it lies, for whoever joins many: the bytes of its offsets, two each, and of its counts, and
    what bounds their scores. DamagedViews where it is not whole.
    """
    if crc32(data, crc32(key)) != WHOLE:
        raise DamagedViews(damage_of(table))
    ends = 2 + (len(data) - 6) // 3 * 2
    return data[2:ends], data[ends:-4], data[0], data[1]


class Listed(NamedTuple):
    """The documents of a zone in a span, as arrays of one length by offset, and the names that their numbers are of."""

    offsets: Twos
    ids: npt.NDArray[np.int64]
    said: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.uint8]
    flags: npt.NDArray[np.uint8]
    units: Twos
    speakers: Twos
    vaults: Twos
    unit_names: list[bytes]
    speaker_names: list[bytes]
    vault_names: list[bytes]


class Listing:
    """Columns of documents of a span that begins with `first`, which are handed in by seq."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._columns = [array(kind) for kind in _TYPES]
        self._units: dict[bytes, int] = {}
        self._speakers: dict[bytes, int] = {}
        self._vaults: dict[bytes, int] = {}

    def add(self, document: Document, vault: VaultId) -> None:
        """Put the next one in."""
        units, speakers, vaults = self._units, self._speakers, self._vaults
        row = (
            document.seq - self._first,
            short_id(document.id),
            document.said,
            min(document.terms.length, LONGEST),
            document.flags,
            units.setdefault(document.unit, len(units)),
            speakers.setdefault(document.speaker, len(speakers)),
            vaults.setdefault(vault, len(vaults)),
        )
        for column, value in zip(self._columns, row, strict=True):
            column.append(value)

    def listed(self) -> Listed:
        """All that were handed in."""
        arrays = [np.array(column).astype(kind) for column, kind in zip(self._columns, _KINDS, strict=True)]
        return _listed(arrays, (list(self._units), list(self._speakers), list(self._vaults)))


def list_documents(documents: Iterable[Sealed], first: int) -> Listed:
    """Documents in the order of their seqs, in a span that begins with `first`."""
    listing = Listing(first)
    for each, vault in documents:
        listing.add(each, vault)
    return listing.listed()


def amended(there: Listed, gone: Sequence[int], come: Listed) -> Listed:
    """The same without the documents at the offsets that are `gone`, which ascend, and with others."""
    places = there.offsets.searchsorted(gone).tolist()
    arrays = [np.frombuffer(_without(each, places), each.dtype) for each in _arrays(there)]
    names = [there.unit_names, there.speaker_names, there.vault_names]
    if len(come.offsets):
        order = np.argsort(np.concatenate([arrays[0], come.offsets]))
        shifts = [*[0] * _NUMBERED, *map(len, names)]
        both = zip(arrays, _arrays(come), shifts, strict=True)
        arrays = [
            np.concatenate([was, new.astype(np.int64) + shift if shift else new])[order] for was, new, shift in both
        ]
        more = (come.unit_names, come.speaker_names, come.vault_names)
        names = [[*some, *others] for some, others in zip(names, more, strict=True)]
    for column, its_names in enumerate(names, _NUMBERED):
        if len(come.offsets) or not _in_order(arrays[column], len(its_names)):
            arrays[column], names[column - _NUMBERED] = _renumbered(arrays[column], its_names)
    return _listed(arrays, names)


def _without(column: npt.NDArray[Any], places: Sequence[int]) -> bytes:
    """A column without what stands at these places, which ascend; the rest is taken over in pieces."""
    edges = pairwise([-1, *places, len(column)])
    return b"".join([column[before + 1 : upto].data for before, upto in edges])


def _in_order(numbers: Twos, names: int) -> bool:
    """Whether each of so many names is used, and is first used when all before it have been."""
    most = np.concatenate([[-1], np.maximum.accumulate(numbers)])
    return most[-1] == names - 1 and bool((np.diff(most) <= 1).all())


def _arrays(row: Listed) -> Sequence[npt.NDArray[Any]]:
    return row.offsets, row.ids, row.said, row.lengths, row.flags, row.units, row.speakers, row.vaults


def _listed(arrays: Sequence[npt.NDArray[Any]], names: Sequence[list[bytes]]) -> Listed:
    offsets, ids, said, lengths, flags, units, speakers, vaults = arrays
    return Listed(offsets, ids, said, lengths, flags, units, speakers, vaults, names[0], names[1], names[2])


def _renumbered(numbers: npt.NDArray[Any], names: Sequence[bytes]) -> tuple[Twos, list[bytes]]:
    """The names that are used, each once, in the order in which they come; and the numbers of these."""
    same: dict[bytes, int] = {}
    number_of = np.array([same.setdefault(name, at) for at, name in enumerate(names)], np.int64)
    used, first, of = np.unique(number_of[numbers], return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.uint16)
    rank[order] = np.arange(len(order), dtype=np.uint16)
    return rank[of], [names[used[at]] for at in order]


def pack_documents(row: Listed) -> bytes:
    """A row of columns, without its CRC."""
    arrays = [each.astype(kind).tobytes() for each, kind in zip(_arrays(row), _KINDS, strict=True)]
    return _encode(Columns(row.unit_names, row.speaker_names, row.vault_names, *arrays))


def unpack_documents(body: bytes) -> Listed:
    """The row in these bytes."""
    row = _columns(body)
    packed = (row.offsets, row.ids, row.said, row.lengths, row.flags, row.units, row.speakers, row.vaults)
    arrays = [np.frombuffer(each, kind) for each, kind in zip(packed, _KINDS, strict=True)]
    return _listed(arrays, (row.unit_names, row.speaker_names, row.vault_names))


class Mention(NamedTuple):
    """A document that has a term: its offset in the span, how often it has it, and its length."""

    offset: int
    times: int
    length: int


def amended_postings(
    body: bytes, gone: Sequence[Mention], come: Sequence[Mention], lengths: npt.NDArray[np.uint8]
) -> bytes | None:
    """A row of postings, without its CRC, after documents have gone from it and others have come, both by offset. What
    bounds their scores is looked for anew only when it may be another: the row of a common word is long. `lengths` has
    the length of every document of the span by its offset. None when nothing is left.
    """
    most, shortest, number = body[0], body[1], len(body) // 3
    offsets = np.frombuffer(body, "<u2", number, 2)
    counts = np.frombuffer(body, np.uint8, number, 2 + 2 * number)
    places = offsets.searchsorted([each.offset for each in gone]).tolist()
    twos, ones = _without(offsets, places), _without(counts, places)
    if come:
        there = np.concatenate([np.frombuffer(twos, "<u2"), np.array([each.offset for each in come], "<u2")])
        order = np.argsort(there)
        twos, ones = (
            there[order].tobytes(),
            np.frombuffer(ones + bytes(each.times for each in come), np.uint8)[order].tobytes(),
        )
    if not ones:
        return None
    if come or any(each.times == most or each.length == shortest for each in gone):
        most, shortest = max(ones), int(lengths[np.frombuffer(twos, "<u2")].min())
    return bytes((most, shortest)) + twos + ones


class Postings:
    """The postings of a zone in a span, of documents that are handed in by seq. Of each no more is kept than its terms,
    one behind the other: a span has a million and more, and is sorted at the end in some steps over all of them.
    """

    def __init__(self) -> None:
        self._terms = bytearray()
        self._counts = array("I")
        self._sizes = array("I")

    def add(self, counts: Mapping[bytes, int]) -> None:
        """Put in how often each term stands in the next document."""
        self._terms += b"".join(counts)
        self._counts.extend(counts.values())
        self._sizes.append(len(counts))

    def rows(self, offsets: Twos, lengths: npt.NDArray[np.uint8]) -> Iterator[tuple[bytes, bytes]]:
        """The row of each term, in the order of terms, where these are the offsets and the lengths of the documents."""
        terms = np.frombuffer(self._terms, ">u8").astype(np.uint64)  # in this order bytes are, too
        if not len(terms):
            return
        order = np.argsort(terms, kind="stable").astype(np.int32)
        terms = terms[order]
        starts = np.flatnonzero(np.concatenate([np.ones(1, np.bool_), terms[1:] != terms[:-1]]))
        names = terms[starts].astype(">u8").tobytes()
        del terms
        documents = np.repeat(np.arange(len(self._sizes), dtype=np.int32), np.array(self._sizes))[order]
        counts = np.minimum(np.array(self._counts), MOST_COUNTED).astype(np.uint8)[order]
        del order
        most, shortest = np.maximum.reduceat(counts, starts), np.minimum.reduceat(lengths[documents], starts)
        heads = np.stack([most, shortest], axis=1).tobytes()
        twos, ones = offsets[documents].astype("<u2").tobytes(), counts.tobytes()
        del documents, counts
        for number, (start, end) in enumerate(pairwise([*starts.tolist(), len(ones)])):
            name = names[TERM_BYTES * number : TERM_BYTES * (number + 1)]
            yield name, heads[2 * number : 2 * number + 2] + twos[2 * start : 2 * end] + ones[start:end]
