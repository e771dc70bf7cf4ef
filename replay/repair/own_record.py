"""What a log says of itself, made again where that cannot be read: of its headers, and of a backup of it.

    log id, key check   the backup's: it is of this log where its last header stands in the log too, at its place; the
                        key ring must fit them
    size                as LMDB counts the headers; the last one must be there, it must end a decision, and neither
                        another table nor the views, the backup or the last signed checkpoint may tell of more
    nodes, at           follow from the headers
    epoch               the backup's, one for each erasure behind it, and one more: higher than it was, as after a
                        restore, so that whatever was noted beside the log under an epoch is looked at again

The tree's edge, which proves headers otherwise, is lost with it. So each is proved on its own: the backup has it, or
the id table has its leaf hash, or its body opens with it as associated data; or the last signed checkpoint is of a tree
that has it. What is not proved is not put in force.
"""

from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

import lmdb

from projections.counting import counted
from projections.events import PersonErased
from projections.ids import UNSEALED
from projections.registry import FOLD
from replay import codec
from replay.backups.backup import Backup
from replay.checkpoint import last_signed
from replay.errors import Damaged, ForeignKeyRing, LogError
from replay.folder import Folder
from replay.lmdb_log import LmdbLog
from replay.log import MARK_LEAF, Head, StoredEvent
from replay.position import Position
from replay.repair.sides import Side, sides
from replay.ring.file import FileRingStore
from replay.ring.keyring import KeyRing
from replay.sealer import Sealer
from replay.tree import CompactRange, leaf_hash
from replay.tree_head import Checkpoint
from replay.views import Views

_TOLD = 9


def head_again(log: LmdbLog, size: int, backup: Backup, data: Path) -> Head:
    """The head of what was saved of the log in a data folder, of which LMDB counted `size` headers.

    Damaged where it cannot be known, or not be proved: it says why. ForeignKeyRing when the keys are another log's.
    """
    end, there = log.ends()[1], backup.manifest.size
    if end != size or not size:
        raise Damaged(f"it had {counted(size, 'event')}, and the last that can be read is #{end}")
    if there > size:
        raise Damaged(f"it had {counted(size, 'event')}, and the backup has {there}")
    with closing(KeyRing.open(FileRingStore(data / "keys"))) as ring:
        if ring.check(backup.log_id) != backup.key_check:
            raise ForeignKeyRing(f"the key ring in {data / 'keys'} belongs to another log than the backup")
        signed = last_signed(data / "keys", backup.log_id)
        making = _Making(size, Sealer(ring), backup, _views_position(data), signed)
        for side in sides(log, backup, size):
            making.take(side)
        return making.finish()


def known_beside(backup: Backup, data: Path) -> int:
    """The last event that is known of beside a log, which may end before it: an earlier commit of it was found."""
    views, signed = _views_position(data), last_signed(data / "keys", backup.log_id)
    sizes = [backup.manifest.size, 0 if signed is None else signed.size]
    return max(*sizes, views.size if views is not None and views.log == backup.log_id else 0)


def _views_position(data: Path) -> Position | None:
    """How far the views are that lie beside the log; None where nobody can say."""
    with suppress(LogError, lmdb.Error):
        current = Folder(data / "views").current()
        if current is not None:
            with closing(Views(current, FOLD, writable=False)) as views:
                return views.position()
    return None


class _Making:
    def __init__(
        self, size: int, sealer: Sealer, backup: Backup, views: Position | None, signed: Checkpoint | None
    ) -> None:
        self._size = size
        self._sealer = sealer
        self._backup = backup
        self._views = views
        self._signed = signed
        self._tree = CompactRange()
        self._linked = 0
        """The last event of which the backup has the header that the log has."""
        self._last = b""
        self._erasures = 0
        self._lost: list[int] = []
        self._unproved: list[int] = []

    def take(self, side: Side) -> None:
        if side.header is None:
            self._lost.append(side.seq)
            return
        leaf = leaf_hash(side.header)
        self._tree.append(leaf)
        if side.theirs is not None and side.mine is not None and side.mine.header == side.header:
            self._linked = side.seq
        if side.theirs is None and not self._is_proved(side, side.header, leaf):
            self._unproved.append(side.seq)
        if self._views is not None and side.seq == self._views.size:
            self._hold_views(self._views, side.header)
        if self._signed is not None and side.seq == self._signed.size and not self._lost:
            self._hold_signed(self._signed)
        if side.seq == self._size:
            self._last = side.header

    def _is_proved(self, side: Side, data: bytes, leaf: bytes) -> bool:
        """Whether an event that came after the backup has the header that was written."""
        assert side.mine is not None
        try:
            header = codec.decode_header(data)
        except LogError:
            return False
        self._erasures += header.tag == PersonErased.TAG
        return side.mark == (side.seq, leaf[:MARK_LEAF]) or self._opens(side.mine, header)

    def _opens(self, stored: StoredEvent, header: codec.Header) -> bool:
        """Whether a body is the header's, and was sealed under it: then no byte of the header is another."""
        if stored.body is None or header.vault == UNSEALED or codec.digest(stored.body) != header.body_digest:
            return False
        try:
            self._sealer.open(header, stored.body)
        except LogError:
            return False
        return True

    def _hold_views(self, views: Position, header: bytes) -> None:
        if (views.digest, views.log) != (codec.digest(header), self._backup.log_id):
            raise Damaged(f"the views were made of another log, or of another #{views.size} than is there")

    def _hold_signed(self, signed: Checkpoint) -> None:
        if signed.root != self._tree.root():
            raise Damaged(f"the last checkpoint that was signed is of other events up to #{signed.size}")
        self._unproved = []

    def finish(self) -> Head:
        if self._lost:
            raise Damaged(f"{_told(self._lost)}, which came after the backup, cannot be read")
        if self._linked < self._backup.manifest.size:
            there = self._backup.manifest.size
            raise Damaged(f"nothing proves that the backup is of its history: #{there} is another there, or is lost")
        if self._unproved:
            raise Damaged(f"nothing proves the headers of {_told(self._unproved)}, which came after the backup")
        if self._views is not None and self._views.size > self._size:
            raise Damaged(f"it had {counted(self._size, 'event')}, and the views were made of {self._views.size}")
        if self._signed is not None and self._signed.size > self._size:
            raise Damaged(f"it had {counted(self._size, 'event')}, and a checkpoint was signed of {self._signed.size}")
        last = codec.decode_header(self._last)
        if last.left:
            raise Damaged(f"of its last decision {last.left} more should follow #{self._size}")
        epoch = self._backup.manifest.epoch + self._erasures + 1
        return Head(self._size, last.at, epoch, tuple(self._tree.nodes))


def _told(seqs: Sequence[int]) -> str:
    """Some events, the first ones."""
    return ", ".join(f"#{seq}" for seq in seqs[:_TOLD]) + (" …" if len(seqs) > _TOLD else "")
