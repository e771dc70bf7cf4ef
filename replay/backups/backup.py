"""A backup: the log in files that hardly ever change, to be kept elsewhere; opening one, and looking it over.

    PLACE/manifest.json               which files count, how far, and their digests (manifest.py)
    PLACE/events/000000000001-000001  events, sealed as in the log, 4,096 to a file (pieces.py)
    PLACE/ledger                      what was erased, redacted, opted out (ledger.py)
    PLACE/keys.json                   the key ring under a passphrase, only where it was asked for (ring/wrapped.py)
    PLACE/backup.lock                 flock, held by whoever writes here; tells a place from any other folder

Why files and no second LMDB folder: a backup lies on other disks, network folders and object stores, where memory maps
and byte locks are not to be trusted; LMDB has no checksums; a body that is dropped in it stays in free pages until all
of it is written anew; and a copying tool ships the whole of a file that changed in the middle. Here new events are
appended to the last piece, a piece that loses a body is written anew under another name, and nothing counts before the
manifest, which is replaced in one step, names it. So whatever breaks off in the middle leaves the earlier backup.

Ids, tree, erased vaults and vaults are not stored: they follow from the headers and from what lies unsealed.
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from projections.errors import BadRequest
from projections.events import ImportBegan, MessageRedacted, PersonErased
from projections.ids import EventId, VaultId
from replay import codec
from replay.backups.ledger import Fact, Ledger, fact_of
from replay.backups.manifest import NAME, Manifest, read_manifest
from replay.backups.pieces import events_of
from replay.builder import Progress, silent
from replay.errors import Damaged, DamagedBackup, NotABackup, UnknownEvent
from replay.log import StoredEvent
from replay.tree import CompactRange, leaf_hash

LOCK = "backup.lock"
EVENTS = "events"


class Backup:
    """A backup that is there. Nothing in it is changed."""

    def __init__(self, place: Path) -> None:
        self.place = place
        manifest = read_manifest(place)
        if manifest is None:
            raise NotABackup(_no_backup(place))
        self.manifest: Manifest = manifest
        self.log_id = bytes.fromhex(manifest.log)
        self.key_check = bytes.fromhex(manifest.key_check)
        self.ledger = Ledger(place, manifest.facts)

    def events(self) -> Iterator[StoredEvent]:
        """Every event in order. DamagedBackup at the first piece that is not what was written."""
        expected = 1
        for piece in self.manifest.pieces:
            if piece.first != expected:
                raise DamagedBackup(f"{self.place / NAME} names no piece that begins with #{expected}")
            yield from events_of(self.place / EVENTS, piece)
            expected = piece.last + 1
        if expected != self.manifest.size + 1:
            raise DamagedBackup(f"{self.place / NAME} says {self.manifest.size} events, and names {expected - 1}")


def _no_backup(place: Path) -> str:
    if (place / LOCK).exists():
        return f"the first backup into {place} was broken off: run `dnam backup {place}` again"
    if not place.is_dir():
        return f"there is no backup in {place}: there is no such folder"
    return f"there is no backup in {place}: it has no {NAME}, as a folder has that `dnam backup` wrote"


# -- looking it over -----------------------------------------------------------------------------------------------


class Looked(NamedTuple):
    """A backup whose every byte was seen to be what was written.

    `at` is when each event was recorded (ms), `left` how many of its decision follow; `imports` are the seqs
    at which one began, `vaults` the first event that each seals, `facts` what its own events take back.
    """

    backup: Backup
    at: Sequence[int]
    left: Sequence[int]
    imports: Sequence[int]
    vaults: dict[VaultId, int]
    facts: Sequence[Fact]

    def all_facts(self) -> list[Fact]:
        """What its events and the ledger beside it know, in order, each once."""
        known = {fact.id for fact in self.facts}
        return [*self.facts, *(fact for fact in self.backup.ledger.facts if fact.id not in known)]


class _Look:
    def __init__(self, backup: Backup) -> None:
        self._manifest = backup.manifest
        self._tree = CompactRange()
        self._missing: list[tuple[int, codec.Header]] = []
        self.at = array("q")
        self.left = array("q")
        self.imports: list[int] = []
        self.vaults: dict[VaultId, int] = {}
        self.facts: list[Fact] = []

    def take(self, stored: StoredEvent) -> None:
        header = codec.decode_header(stored.header)
        self._tree.append(leaf_hash(stored.header))
        if stored.body is None:
            self._missing.append((stored.seq, header))
        elif codec.digest(stored.body) != header.body_digest:
            raise DamagedBackup(f"#{stored.seq}: the body of this {header.tag} is not what was written")
        self.at.append(header.at)
        self.left.append(header.left)
        self.vaults.setdefault(header.vault, stored.seq)
        if header.tag == ImportBegan.TAG:
            self.imports.append(stored.seq)
        if (fact := fact_of(stored, header)) is not None:
            self.facts.append(fact)

    def finish(self) -> None:
        """The tree must be the one in the manifest, and every missing body taken back by an event."""
        root = self._tree.root().hex()
        if root != self._manifest.root or tuple(self._tree.nodes) != self._manifest.head().nodes:
            raise DamagedBackup(f"the backup's headers have the root {root}, and it says {self._manifest.root}")
        gone = taken_back(self.facts)
        for seq, header in self._missing:
            if not gone.has(header):
                raise DamagedBackup(f"#{seq}: its body is missing, and no event says that it was dropped")


def look_over(backup: Backup, progress: Progress = silent) -> Looked:
    """Check every byte of a backup against its digests, its tree and itself. DamagedBackup names what is wrong."""
    look = _Look(backup)
    size = backup.manifest.size
    for stored in backup.events():
        try:
            look.take(stored)
        except (Damaged, UnknownEvent) as error:
            raise _in_backup(stored, error) from error
        if stored.seq % 4096 == 0 or stored.seq == size:
            progress(stored.seq, size)
    look.finish()
    return Looked(backup, look.at, look.left, look.imports, look.vaults, look.facts)


def _in_backup(stored: StoredEvent, error: Damaged | UnknownEvent) -> Damaged | UnknownEvent | DamagedBackup:
    return error if isinstance(error, UnknownEvent) else DamagedBackup(f"#{stored.seq} in the backup: {error}")


class TakenBack(NamedTuple):
    """The ids whose bodies were dropped, and the vaults whose keys were destroyed."""

    events: frozenset[EventId]
    vaults: frozenset[VaultId]

    def has(self, header: codec.Header) -> bool:
        """Whether an event's body is gone by that."""
        return header.id in self.events or header.vault in self.vaults


def taken_back(facts: Sequence[Fact]) -> TakenBack:
    """What these facts take back."""
    events = [fact.event for fact in facts]
    redacted = (each for event in events if isinstance(event, MessageRedacted) for each in event.events)
    erased = (each for event in events if isinstance(event, PersonErased) for each in event.vaults)
    return TakenBack(frozenset(redacted), frozenset(erased))


# -- a moment in it ------------------------------------------------------------------------------------------------


class Wanted(NamedTuple):
    """A moment that somebody wants back: a seq, a time in ms, or that before the last import; none of them: all."""

    seq: int | None = None
    ms: int | None = None
    last_import: bool = False


def seq_of(looked: Looked, wanted: Wanted) -> int:
    """The last event of a moment; inside a decision, its end. BadRequest when there is no such moment in the backup."""
    seq = _seq(looked, wanted)
    if seq == 0:
        raise BadRequest("nothing was recorded by then: that would restore an empty log")
    return seq + looked.left[seq - 1]


def _seq(looked: Looked, wanted: Wanted) -> int:
    size = looked.backup.manifest.size
    if wanted.last_import:
        if not looked.imports:
            raise BadRequest("nothing was ever imported in this backup, so there is no 'before the last import'")
        return looked.imports[-1] - 1
    if wanted.seq is not None:
        if wanted.seq > size:
            raise BadRequest(f"there is no event #{wanted.seq} in the backup: it ends at #{size}")
        return wanted.seq
    return size if wanted.ms is None else bisect_right(looked.at, wanted.ms)
