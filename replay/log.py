"""The log as a small protocol: append a commit, read on from a seq, head, drop bodies, epoch. And the whole of it in
memory.

`LmdbLog` (lmdb_log.py) is the one on disk; a distributed one would be another (design §11).
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple, Protocol

from projections.ids import EventId, Seq, VaultId
from replay import codec
from replay.codec import Form
from replay.errors import HeadMoved
from replay.tree import CompactRange, Kept, leaf_hash

FORMAT = 1
"""The version of everything under `log/`. A program opens no log of a higher one."""


class Entry(NamedTuple):
    """An event to append: its id, its header, and its body as it is stored; None only in a copy, where it was
    dropped.
    """

    id: EventId
    header: bytes
    body: bytes | None


class StoredEvent(NamedTuple):
    """An event as it lies in the log; `body` is None when it was dropped."""

    seq: Seq
    header: bytes
    body: bytes | None


class Head(NamedTuple):
    """Where the log ends. `at` is the last event's, `epoch` rises with each erasure, `nodes` is the tree's right
    edge.
    """

    size: int
    at: int
    epoch: int
    nodes: tuple[bytes, ...]

    def root(self) -> bytes:
        """The hash of the whole tree."""
        return CompactRange(self.size, self.nodes).root()


EMPTY = Head(0, 0, 0, ())


class Mark(NamedTuple):
    """What the id table holds of an event: where it is, and the first bytes of its header's leaf hash.

    So a changed header is found and named without any key, also when its body is gone.
    """

    seq: Seq
    leaf: bytes


MARK_LEAF = 8
"""How many bytes of the leaf hash are in a mark."""


MINUTE_BYTES = 4
"""How many bytes of an event's id are the minute."""


class Commit(NamedTuple):
    """One commit: events, the seqs whose bodies go, the vaults that an erasure among the events names with the seq of
    that event, the vaults that seal the events, and how far the key ring goes that has their keys, as it says itself.
    """

    entries: Sequence[Entry]
    at: int
    drops: Sequence[Seq] = ()
    erased: Sequence[tuple[VaultId, Seq]] = ()
    vaults: Sequence[VaultId] = ()
    ring: bytes = b""


Syncing = Callable[[], None]
"""Called when all of a commit is handed over, before the disk is waited for: it may still come to nothing. It must not
raise.
"""


def untold() -> None:
    """For whoever has nothing to do meanwhile."""


class Glance(Protocol):
    """A log as it is at one moment, for looking up single events."""

    def get(self, seq: int) -> StoredEvent | None: ...

    def find(self, event: EventId) -> Seq | None: ...


class Log(Protocol):
    """An append-only log of headers and bodies."""

    @property
    def id(self) -> bytes:
        """16 random bytes, this log's own."""
        ...

    @property
    def key_check(self) -> bytes:
        """What its key ring must be able to make."""
        ...

    def head(self) -> Head: ...

    def ends(self) -> tuple[int, int]:
        """The last event by what the log says of itself, and by what is there: one moment's."""
        ...

    def append(self, commit: Commit, expected: Head, syncing: Syncing = untold) -> Head:
        """Append everything or nothing. HeadMoved when the log does not end at `expected` any more."""
        ...

    def read(self, after: int, upto: int | None = None) -> Iterator[StoredEvent]:
        """Events behind `after` up to and with `upto` (or the end as it is now), in order."""
        ...

    def headers(self, after: int, upto: int) -> Sequence[tuple[Seq, bytes]]:
        """Their headers alone, with where they are: for whoever opens few of them."""
        ...

    def get(self, seq: int) -> StoredEvent | None: ...

    def find(self, event: EventId) -> Seq | None: ...

    def named(self, names: Collection[bytes]) -> list[EventId]:
        """The events whose ids end so, behind the minute: one thing of a platform's, whenever that was said. It looks
        at every id.
        """
        ...

    def glancing(self) -> AbstractContextManager[Glance]:
        """The log of this moment, for many look-ups. Keep it short: what it sees stays on the disk meanwhile."""
        ...

    def marks(self, after: int, upto: int) -> Iterator[tuple[StoredEvent, Mark | None]]:
        """Events together with what the id table has under the id in their header, if that can be read."""
        ...

    def erased_vaults(self) -> frozenset[VaultId]:
        """Every vault that a `person.erased` names."""
        ...

    def erasures(self) -> list[tuple[VaultId, Seq]]:
        """Erased vaults, and the seq of the event that names each."""
        ...

    def vaults(self) -> frozenset[VaultId]:
        """Every vault that seals an event, erased ones too: the ring must have the keys of all others."""
        ...

    @property
    def noted(self) -> bytes:
        """How far the key ring went at the last commit from here; empty where it did not say so."""
        ...

    def ring(self) -> bytes:
        """How far the key ring went at the last commit that said so; empty where none did."""
        ...

    def forms(self) -> frozenset[Form]:
        """Of which kinds events are, and in which forms, as far as whoever appended them noted it."""
        ...

    def kept(self) -> Iterator[Kept]:
        """The kept subtrees, in order."""
        ...

    def subtrees(self, level: int, first: int, upto: int) -> Sequence[bytes]:
        """The roots of full subtrees of 2^level leaves, from position `first`, without `upto`: of level 0 the headers'
        leaf hashes, else kept ones. Fewer where some are missing.
        """
        ...

    def close(self) -> None: ...


class Growth(NamedTuple):
    """What a commit makes of the tree: the new head, the leaves' hashes, and the subtrees that it fills."""

    head: Head
    leaves: list[bytes]
    kept: list[Kept]


def grow(expected: Head, commit: Commit) -> Growth:
    """The tree after a commit."""
    tree = CompactRange(expected.size, expected.nodes)
    leaves = [leaf_hash(entry.header) for entry in commit.entries]
    kept = [each for leaf in leaves for each in tree.append(leaf)]
    epoch = expected.epoch + (1 if commit.erased else 0)
    return Growth(Head(tree.size, commit.at, epoch, tuple(tree.nodes)), leaves, kept)


class MemoryLog:
    """A log that is gone with the process."""

    def __init__(self, log_id: bytes, key_check: bytes) -> None:
        self.id = log_id
        self.key_check = key_check
        self._head = EMPTY
        self._events: list[StoredEvent] = []
        self._marks: dict[EventId, Mark] = {}
        self._kept: dict[tuple[int, int], bytes] = {}
        self._erased: dict[VaultId, Seq] = {}
        self._vaults: set[VaultId] = set()
        self.noted = b""

    def head(self) -> Head:
        return self._head

    def ends(self) -> tuple[int, int]:
        return self._head.size, len(self._events)

    def append(self, commit: Commit, expected: Head, syncing: Syncing = untold) -> Head:
        if expected != self._head:
            raise HeadMoved("the log moved on")
        head, leaves, kept = grow(expected, commit)
        for seq, (entry, leaf) in enumerate(zip(commit.entries, leaves, strict=True), expected.size + 1):
            self._events.append(StoredEvent(Seq(seq), entry.header, entry.body))
            self._marks[entry.id] = Mark(Seq(seq), leaf[:MARK_LEAF])
        for seq in commit.drops:
            self._events[seq - 1] = self._events[seq - 1]._replace(body=None)
        self._kept |= {each[:2]: each.hash for each in kept}
        self._erased |= dict(commit.erased)
        self._vaults |= set(commit.vaults)
        self.noted = commit.ring or self.noted
        syncing()
        self._head = head
        return head

    def read(self, after: int, upto: int | None = None) -> Iterator[StoredEvent]:
        yield from self._events[after : self._head.size if upto is None else upto]

    def headers(self, after: int, upto: int) -> Sequence[tuple[Seq, bytes]]:
        return [(stored.seq, stored.header) for stored in self._events[after:upto]]

    def get(self, seq: int) -> StoredEvent | None:
        return self._events[seq - 1] if 0 < seq <= len(self._events) else None

    def find(self, event: EventId) -> Seq | None:
        mark = self._marks.get(event)
        return None if mark is None else mark.seq

    def named(self, names: Collection[bytes]) -> list[EventId]:
        return sorted(each for each in self._marks if each[MINUTE_BYTES:] in names)

    def glancing(self) -> AbstractContextManager[Glance]:
        return nullcontext(self)

    def marks(self, after: int, upto: int) -> Iterator[tuple[StoredEvent, Mark | None]]:
        return ((stored, self._marks.get(codec.header_id(stored.header))) for stored in self.read(after, upto))

    def erased_vaults(self) -> frozenset[VaultId]:
        return frozenset(self._erased)

    def erasures(self) -> list[tuple[VaultId, Seq]]:
        return list(self._erased.items())

    def vaults(self) -> frozenset[VaultId]:
        return frozenset(self._vaults)

    def ring(self) -> bytes:
        return self.noted

    def forms(self) -> frozenset[Form]:
        forms = (codec.form_of(stored.header) for stored in self._events)
        return frozenset(form for form in forms if form is not None)

    def kept(self) -> Iterator[Kept]:
        return (Kept(*place, root) for place, root in sorted(self._kept.items()))

    def subtrees(self, level: int, first: int, upto: int) -> Sequence[bytes]:
        if level == 0:
            return [leaf_hash(stored.header) for stored in self._events[first:upto]]
        return [self._kept[level, each] for each in range(first, upto) if (level, each) in self._kept]

    def close(self) -> None: ...
