"""A tree head that somebody keeps, as in c2sp.org/tlog-checkpoint, and what can be proved with it.

    dnam/0123…cdef           origin: which log, by its id
    1042                     how many events it had
    mB5x…Wow=                the root of the tree over their headers, in base64
                             perhaps more lines, which are others' own

Signed (notes.py), it is a checkpoint.
"""

from base64 import b64decode, b64encode
from typing import NamedTuple

from projections.counting import counted
from projections.errors import BadRequest
from replay.errors import CheckpointAhead, Damaged, HistoryRewritten, NotACheckpoint
from replay.log import Log
from replay.proofs import consistency_proof, edge_at, inclusion_proof, verify_consistency, verify_inclusion
from replay.tree import CompactRange, leaf_hash

ROOT_BYTES = 32


class Checkpoint(NamedTuple):
    """A tree head: which log, how many events, and the root over their headers. Extensions are others' own lines."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def text(self) -> str:
        """What is signed."""
        return "\n".join((self.origin, str(self.size), b64encode(self.root).decode(), *self.extensions, ""))

    @classmethod
    def parse(cls, text: str) -> "Checkpoint":
        """The tree head that a note's text is. NotACheckpoint when it is none."""
        lines = text.removesuffix("\n").split("\n")
        if len(lines) < 3 or not all(lines):
            raise NotACheckpoint("this note is no checkpoint: it begins with an origin, a size and a root, a line each")
        origin, size, root, *extensions = lines
        if not (size.isascii() and size.isdigit()) or str(int(size[:20])) != size:
            raise NotACheckpoint(f"this note is no checkpoint: {size!r} is no number of events")
        return cls(origin, int(size), _root(root), tuple(extensions))


def _root(text: str) -> bytes:
    try:
        root = b64decode(text, validate=True)
    except ValueError:
        root = b""
    if len(root) != ROOT_BYTES or b64encode(root).decode() != text:
        raise NotACheckpoint(f"this note is no checkpoint: {text!r} is no root of a tree")
    return root


# -- that a log only grew ------------------------------------------------------------------------------------------


class Grown(NamedTuple):
    """That a log only grew: by how many events, and the consistency proof of it."""

    added: int
    path: list[bytes]


def grown_since(log: Log, old: Checkpoint, size: int, root: bytes) -> Grown:
    """Prove that the log's tree of `size` leaves with this root begins with the old one.

    CheckpointAhead when it is shorter; HistoryRewritten when it begins with something else; Damaged when the old tree
    still stands and what follows does not fit it.
    """
    if old.size > size:
        raise CheckpointAhead(
            f"the checkpoint has {counted(old.size, 'event')} and the log {size}: it lacks "
            f"{_span(size + 1, old.size)}. The log was cut, or an older copy was put in its place"
        )
    before = edge_at(log, old.size).root()
    if before != old.root:
        raise HistoryRewritten(
            f"history was rewritten: {_span(1, old.size)} had the root {old.root.hex()} when the checkpoint was "
            f"signed, and now {before.hex()}"
        )
    path = consistency_proof(log, old.size, edge_at(log, size))
    if not verify_consistency(old.size, size, path, old.root, root):
        raise Damaged(
            f"{_span(1, size)} cannot be proved to begin with the checkpoint's events: the headers are not those that "
            "the tree was made of"
        )
    return Grown(size - old.size, path)


def _span(first: int, last: int) -> str:
    return f"#{first}" if first == last else f"#{first} to #{last}"


# -- one event -----------------------------------------------------------------------------------------------------


class Inclusion(NamedTuple):
    """That a header is in the tree of a checkpoint; all that is needed to check it, and nothing that anybody said.

    `seq` counts from 1: to the RFC it is the leaf seq - 1. `checkpoint` is the signed note.
    """

    origin: str
    seq: int
    size: int
    header: bytes
    path: list[bytes]
    root: bytes
    checkpoint: str


def refuse_unknown(seq: int, size: int) -> None:
    """BadRequest when no event of a log of this size has this seq."""
    if not 0 < seq <= size:
        raise BadRequest(f"there is no event #{seq}: the log has {size}")


def prove(log: Log, seq: int, checkpoint: Checkpoint, edge: CompactRange, note: str) -> Inclusion:
    """The proof that #seq is in the tree of a checkpoint, which has this edge. BadRequest when it is not.

    It is checked before it is handed out: Damaged when a header or a kept subtree is not what was written.
    """
    origin, size, root, _ = checkpoint
    refuse_unknown(seq, size)
    stored = log.get(seq)
    if stored is None:
        raise Damaged(f"event #{seq} is missing. `dnam verify` names what is damaged")
    path = inclusion_proof(log, seq, edge)
    if not verify_inclusion(leaf_hash(stored.header), seq, size, path, root):
        raise Damaged(
            f"#{seq} cannot be proved: its header, or the tree near it, is not what was written. `dnam verify` names "
            "what is damaged"
        )
    return Inclusion(origin, seq, size, stored.header, path, root, note)
