"""Verifying: every stored byte against what the log itself says of it.

    pages       of the log and of the views: they fit together; where not, nothing else is said
    header      its place in order, its time, its decision, its leaf in the tree, its mark in the id table
    body        its digest; missing only where an event says so
    tree        the kept subtrees, the right edge
    tables      nothing lies in them that is of no event
    erased      the vaults that a person.erased names, no more and no less
    views       every row's checksum, and how many each table has
    key ring    both copies; the log's own check value, and its note of how far the ring goes
    --open      every body, opened and decoded

Nothing is changed, and a finding names the event.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import NamedTuple

from projections.counting import counted
from projections.events import MessageRedacted, PersonErased
from projections.ids import UNSEALED, Seq, VaultId
from replay import codec
from replay.builder import Progress, silent
from replay.errors import LogError
from replay.folding import Folding
from replay.lmdb_log import LmdbLog
from replay.log import MARK_LEAF, Head, Log, Mark, StoredEvent
from replay.looking import looking
from replay.ring.keyring import NoKeyRing
from replay.ring.records import stand_of
from replay.store import RING, DiskStore
from replay.stretch import TAKE_BACK, WHOLE, Stretch, open_bodies
from replay.tree import CompactRange, Kept, graft, leaf_hash


class Problem(NamedTuple):
    """Something that is not as it was written; `seq` is 0 where it concerns no single event."""

    seq: int
    what: str


class Verified(NamedTuple):
    """What was looked at, and what was found."""

    events: int
    rows: int
    root: bytes
    problems: tuple[Problem, ...]


Found = Callable[[int, str], None]


class _Walk:
    """One walk over the log, from the first event to the last."""

    def __init__(self, log: Log, head: Head, erasures: Mapping[VaultId, Seq], found: Found) -> None:
        self._log = log
        self._elsewhere = log.erased_vaults() - erasures.keys()  # of a shadow, the live log names them
        self._head = head
        self.upto = head.size
        self._erased = erasures
        self._found = found
        self._tree = CompactRange()
        self._kept: list[Kept] = []
        self._at = 0
        self._left = 0
        self._expected = 1
        self._missing: list[tuple[int, bytes]] = []
        self.bodies = 0
        self._vaults: set[bytes] = set()
        self.in_the_clear: list[StoredEvent] = []

    def look(self, stored: StoredEvent, mark: Mark | None) -> codec.Header | None:
        """Check one event; its header, when it can be read."""
        seq, data, body = stored
        leaf = leaf_hash(data)
        if seq != self._expected:
            self._found(seq, f"expected #{self._expected} here: events are missing")
        self._expected = seq + 1
        if kept := self._tree.append(leaf):
            self._kept += kept
        if mark != (seq, leaf[:MARK_LEAF]):
            self._found(seq, "its header, or its entry in the id table, is not what was written")
        try:
            header = codec.decode_header(data)
        except LogError as error:
            self._found(seq, str(error))
            return None
        if header.at < self._at or self._left:
            self._order(seq, header)
        self._at, self._left = header.at, header.left
        self._vaults.add(header.vault)
        self.bodies += body is not None
        if body is None:
            self._gone(seq, header.id, header.vault)
        elif sha256(body).digest() != header.body_digest:
            self._found(seq, f"the body of this {header.tag} is not what was written")
        if header.tag in TAKE_BACK:
            self.in_the_clear.append(stored)
        return header

    def take(self, stretch: Stretch) -> bool:
        """Take over what is known of the next stretch; False where it does not fit what is in front of it."""
        at, left = stretch.first
        after = self._expected - 1
        if self._tree.size != after or after % WHOLE or at < self._at or (self._left and left != self._left - 1):
            return False
        self._kept += stretch.kept
        self._vaults.update(stretch.vaults)
        for level, node in stretch.nodes:
            self._kept += graft(self._tree, level, node)
        self._at, self._left = stretch.last
        self._expected = self._tree.size + 1
        self.bodies += self._tree.size - after - len(stretch.missing)
        for each in stretch.missing:
            self._gone(each.seq, each.id, each.vault)
        taken_back = map(self._log.get, stretch.taken_back)
        self.in_the_clear += [stored for stored in taken_back if stored is not None]
        self.report(stretch.locked)
        return True

    def report(self, problems: Iterable[tuple[int, str]]) -> None:
        """Take in what was found elsewhere."""
        for seq, what in problems:
            self._found(seq, what)

    def _order(self, seq: int, header: codec.Header) -> None:
        if header.at < self._at:
            self._found(seq, "recorded before the event in front of it")
        if self._left and header.left != self._left - 1:
            self._found(seq, f"its decision should have {counted(self._left - 1, 'event')} left and says {header.left}")

    def _gone(self, seq: int, event: bytes, vault: bytes) -> None:
        if vault not in self._erased and vault not in self._elsewhere:
            self._missing.append((seq, event))

    def finish(self, redacted: set[bytes], erased: Mapping[bytes, int]) -> bytes:
        """Check what concerns the whole; the root as computed."""
        for seq, event in self._missing:
            if event not in redacted:
                self._found(seq, "its body is missing, and no event says that it was dropped")
        if erased != self._erased:  # which vaults, and by which events
            self._found(0, "the list of erased vaults is not what the erasures in the log name")
        if self._at != self._head.at:
            self._found(0, f"the log says that its last event was recorded at {self._head.at}, not {self._at}")
        if self._left:
            missing = "1 event is missing" if self._left == 1 else f"{self._left} events are missing"
            self._found(self._expected - 1, f"its decision is cut short: {missing}")
        if self._tree.size != self._head.size:
            there = "1 is there" if self._tree.size == 1 else f"{self._tree.size} are there"
            self._found(0, f"the log says it has {counted(self._head.size, 'event')}, and {there}")
        if tuple(self._tree.nodes) != self._head.nodes:
            self._found(0, "the tree of the headers is not the one that was kept: a header was changed")
        self._subtrees()
        return self._tree.root()

    def hold_vaults(self, before: frozenset[VaultId], now: frozenset[VaultId]) -> None:
        """Check the table of vaults, as it was before the head was read and as it is: it only grows."""
        used = self._vaults - {UNSEALED}
        for vault in sorted(used - now):
            self._found(0, f"the list of vaults lacks {vault.hex()}, which seals events")
        for vault in sorted(before - used):
            self._found(0, f"the list of vaults has {vault.hex()}, which seals no event")

    def _subtrees(self) -> None:
        """A header that still reads well but was changed is narrowed down by the subtrees that were kept."""
        kept = {each[:2]: each.hash for each in self._log.kept()}
        for each in sorted(self._kept):
            stood = kept.pop(each[:2], None)
            if stood != each.hash:
                first = (each.position << each.level) + 1
                last = (each.position + 1) << each.level
                self._found(first, f"the subtree over #{first} to #{last} is not the one that was kept")
        for level, position in kept:
            self._found(0, f"a subtree is kept that the log does not have: level {level}, position {position}")


def verify(store: DiskStore, folding: Folding, *, opened: bool = False, progress: Progress = silent) -> Verified:
    """Check everything in a data folder; `opened` also opens and decodes every body, where there is a key ring."""
    problems: list[Problem] = []
    opened = opened and not isinstance(store.ring, NoKeyRing)

    def found(seq: int, what: str) -> None:
        problems.append(Problem(seq, what))

    with looking(store, folding) as look:
        damage, vaults = set(store.ring.damage()), store.log.vaults()
        head, erasures = _stand(store.log)
        looked = look.whole(head.size, progress, opened=opened)
    walk = _Walk(store.log, head, erasures, found)
    _walk_on(walk, store.log, looked.stretches, folding if opened else None)
    progress(head.size, head.size)
    redacted, named = _taken_back(folding, walk.in_the_clear, found)
    redacted |= _taken_back(folding, store.log.read(head.size), found)[0]  # while we walked
    root = walk.finish(redacted, named)
    walk.hold_vaults(vaults, store.log.vaults())
    walk.report((0, stray) for stray in store.log.strays(walk.bodies, head.size))
    for each in sorted(damage.intersection(store.ring.damage())):  # an append was going on where only one look sees it
        found(0, f"{RING}{each}")
    for each in (*_lost_keys(store), *filter(None, [store.misfit()])):
        found(0, each)
    miscounted = [] if store.views is None else store.views.miscounted()
    for each in (*(damage for table in looked.tables.values() for damage in table.damage), *miscounted):
        found(0, f"views: {each}")
    return Verified(head.size, sum(table.rows for table in looked.tables.values()), root, tuple(sorted(problems)))


def _lost_keys(store: DiskStore) -> Iterator[str]:
    """The keys that ought to be there, and what the log says of how far the ring goes. Of a ring that is gone as a
    whole, opening said so.
    """
    note = store.log.ring()
    if note and stand_of(note) is None:
        yield (
            "the log's note of how far the key ring goes cannot be read: until the next event is recorded, which notes "
            "it anew, it would not be noticed that the ring's end is lost"
        )
    if isinstance(store.ring, NoKeyRing):
        return
    store.ring.refresh()
    for vault in sorted(store.log.vaults() - store.log.erased_vaults() - store.ring.vaults.keys()):
        yield f"the key of vault {vault.hex()} is missing, and no erasure destroyed it"


def _walk_on(walk: _Walk, log: Log, stretches: Mapping[int, Stretch | None], folding: Folding | None) -> None:
    """Walk from stretch to stretch, and event by event through one that is not sound or does not fit."""
    for after in sorted(stretches):
        stretch = stretches[after]
        if stretch is None or not walk.take(stretch):
            for stored, mark in log.marks(after, min(after + WHOLE, walk.upto)):
                readable = walk.look(stored, mark) is not None
                if readable and folding is not None and stored.body is not None:
                    walk.report(open_bodies(folding, [stored]))


def _stand(log: Log) -> tuple[Head, dict[VaultId, Seq]]:
    """The head, and the erased vaults as of then with the events that name them."""
    while True:
        head, erasures = log.head(), dict(log.erasures())
        if log.head().epoch == head.epoch:
            return head, erasures


def lost_bodies(log: LmdbLog, folding: Folding) -> list[Seq]:
    """The events whose body is missing though no event says that it was dropped. The log is read only where any is
    missing at all. What is no event is passed over: whoever folds it says so.
    """
    size, missing = log.head().size, dict[bytes, Seq]()
    if log.bodies() >= size:
        return []
    redacted = _taken_back(folding, _without_a_body(log, size, missing), lambda _, __: None)[0]
    redacted |= _taken_back(folding, log.read(size), lambda _, __: None)[0]  # while that was read
    return sorted(seq for event, seq in missing.items() if event not in redacted)


def _without_a_body(log: LmdbLog, size: int, missing: dict[bytes, Seq]) -> Iterator[StoredEvent]:
    """Events that can be read; those that have no body are noted on the way, unless their vault was erased."""
    erased = log.erased_vaults()
    for stored in log.read(0, size):
        with suppress(LogError):
            header = codec.decode_header(stored.header)
            if stored.body is None and header.vault not in erased:
                missing[header.id] = stored.seq
            yield stored


def _taken_back(folding: Folding, events: Iterable[StoredEvent], found: Found) -> tuple[set[bytes], dict[bytes, int]]:
    """The events that are said to be redacted, and the vaults that are said to be erased, with the events that do."""
    redacted: set[bytes] = set()
    erased: dict[bytes, int] = {}
    for stored in events:
        if codec.decode_header(stored.header).tag not in TAKE_BACK:
            continue
        try:
            record = folding.record(stored)
        except LogError as error:
            found(stored.seq, str(error))
            continue
        if record is not None and isinstance(record.event, MessageRedacted):
            redacted.update(record.event.events)
        elif record is not None and isinstance(record.event, PersonErased):
            erased |= dict.fromkeys(record.event.vaults, stored.seq)
    return redacted, erased
