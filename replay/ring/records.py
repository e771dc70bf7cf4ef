"""Records of the key ring as they lie in its file, and what two copies of them come to.

    0      1      2            4        8       12     16      32        64      80         88
    | type | kind | generation | number | first | last | vault | payload | label | checksum |

Numbers (big-endian) run from 1. `first` and `last` are those of the records that were written at once: all of a file
that was written anew, or one append. `generation` is drawn for each file that is written anew.

    written at once    numbers      what a missing one means
    the file anew      1 to last    lost: it was made to last before it got its name
    an append, not     first to     lost
    the newest one     last
    the newest append  first to     a crash or a power cut came in between: none of it counts. No event rests on it,
                       last         unless the log says that its end was there

What holds is the union of what is valid in both copies. Copies of two generations are what a crash left of writing
anew: then it is enough that one of them is whole.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from struct import Struct
from typing import Any, Literal, NamedTuple

_HEAD = Struct(">BB2sIII16s32s16s")
_FORM = Struct(_HEAD.format + "8s")
_STAND = Struct(">2sI")
SIZE = _FORM.size

RecordType = Literal[1, 2, 3]
ID_KEY: RecordType = 1
VAULT: RecordType = 2
PERSON: RecordType = 3


class RingRecord(NamedTuple):
    """The id key; a vault with its key, kind and label; or a vault with one of its people."""

    type: int
    vault: bytes = bytes(16)
    payload: bytes = bytes(32)
    kind: int = 0
    label: bytes = bytes(16)


class Placed(NamedTuple):
    """A record where it stands: its number, and the first and last of what was written at once with it."""

    generation: bytes
    number: int
    first: int
    last: int
    record: RingRecord


class Stand(NamedTuple):
    """How far a ring goes: the number of its last record, in its generation of 2 bytes."""

    generation: bytes
    last: int

    def is_within(self, other: "Stand") -> bool:
        """Whether a ring that goes so far may be what this was said of: of another generation nothing is known."""
        return self.generation != other.generation or self.last <= other.last

    def encoded(self) -> bytes:
        """As a log keeps it: 10 bytes, the last four of them a checksum."""
        fields = _STAND.pack(*self)
        return fields + _checksum(fields)[:4]


def stand_of(data: bytes) -> Stand | None:
    """The same, read; None where it is no such thing."""
    fields = data[: _STAND.size]
    if len(fields) != _STAND.size or data != fields + _checksum(fields)[:4]:
        return None
    return Stand(*_STAND.unpack(fields))


class Seen(NamedTuple):
    """A clean ring as it was: the first copy's inode, and how far both went."""

    inode: int
    stand: Stand

    @property
    def size(self) -> int:
        """The bytes of either copy."""
        return self.stand.last * SIZE

    def reaching(self, last: int) -> "Seen":
        """The same ring, longer."""
        return Seen(self.inode, Stand(self.stand.generation, last))


class Reading(NamedTuple):
    """What copies come to: the records that hold, in order; how far each generation goes that they are of; and the
    numbers that are lost in all of them. `is_clean`: the copies are the same, and nothing else is in them.
    """

    records: list[RingRecord]
    stands: tuple[Stand, ...]
    lost: tuple[int, ...]
    is_clean: bool


def pack(records: Iterable[RingRecord], generation: bytes = bytes(2), behind: int = 0) -> bytes:
    """Records that are written at once, behind so many others."""
    every = list(records)
    first, last = behind + 1, behind + len(every)
    heads = (
        _HEAD.pack(each.type, each.kind, generation, number, first, last, each.vault, each.payload, each.label)
        for number, each in enumerate(every, first)
    )
    return b"".join(head + _checksum(head) for head in heads)


def _checksum(head: bytes) -> bytes:
    return hashlib.sha256(head).digest()[:8]


def _valid(data: bytes) -> Iterator[tuple[Any, ...]]:
    """The fields of the valid records; a damaged one is passed over, since each stands for itself."""
    whole, head, sha256 = len(data) // SIZE * SIZE, _HEAD.size, hashlib.sha256
    for at, fields in zip(range(0, whole, SIZE), _FORM.iter_unpack(memoryview(data)[:whole]), strict=True):
        if sha256(data[at : at + head]).digest()[:8] == fields[9]:
            yield fields


def unpack(data: bytes) -> Iterator[Placed]:
    """The valid records."""
    for kinds, kind, generation, number, first, last, vault, payload, label, _ in _valid(data):
        yield Placed(generation, number, first, last, RingRecord(kinds, vault, payload, kind, label))


def following(data: bytes, stand: Stand) -> list[RingRecord] | None:
    """The records in bytes behind a stand; None where they are not whole appends that go on from there."""
    records: list[RingRecord] = []
    expected, last = stand
    for found, fields in enumerate(_valid(data), stand.last + 1):
        kinds, kind, generation, number, _, last, vault, payload, label, _ = fields
        if number != found or generation != expected:
            return None
        records.append(RingRecord(kinds, vault, payload, kind, label))
    is_whole = len(data) == len(records) * SIZE and last == stand.last + len(records)
    return records if is_whole else None


def reading_of(copies: Sequence[bytes]) -> Reading:
    """What the copies of a ring come to."""
    if all(copy == copies[0] for copy in copies):
        head = next(unpack(copies[0]), None)
        records = None if head is None else following(copies[0], Stand(head.generation, 0))
        if head is not None and records is not None:
            return Reading(records, (Stand(head.generation, len(records)),), (), is_clean=True)
    return _joined(copies)


def _joined(copies: Sequence[bytes]) -> Reading:
    every = [each for copy in copies for each in unpack(copy)]
    parts: dict[bytes, _Part] = {}
    for each in every:
        parts.setdefault(each.generation, _Part()).take(each)
    held = {generation: part.held() for generation, part in parts.items()}
    records = dict.fromkeys(each.record for each in every if each.number <= held[each.generation])
    losses = [part.missing(held[generation]) for generation, part in parts.items()]
    stands = tuple(Stand(generation, last) for generation, last in held.items())
    return Reading(list(records), stands, losses[0] if losses and all(losses) else (), is_clean=False)


class _Part:
    """The records of one generation."""

    def __init__(self) -> None:
        self._numbers: set[int] = set()
        self._newest = (0, 0)

    def take(self, placed: Placed) -> None:
        self._numbers.add(placed.number)
        self._newest = max(self._newest, (placed.last, placed.first))

    def held(self) -> int:
        """The last number that counts."""
        last, first = self._newest
        is_cut_short = first > 1 and not self._numbers.issuperset(range(first, last + 1))
        return first - 1 if is_cut_short else last

    def missing(self, held: int) -> tuple[int, ...]:
        """The numbers up to there of which no copy has a valid record."""
        return tuple(number for number in range(1, held + 1) if number not in self._numbers)


def told(numbers: Sequence[int]) -> str:
    """Numbers in order, in words: how many, the first and the last."""
    if len(numbers) == 1:
        return f"1 record (#{numbers[0]})"
    return f"{len(numbers)} records (#{numbers[0]} to #{numbers[-1]})"
