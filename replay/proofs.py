"""Proofs about the tree of the headers, as in RFC 9162 §2.1 (RFC 6962 hashes in the same way).

    inclusion proof      one header is among the first n: the hashes beside its way up to the root
    consistency proof    the first m headers of a tree of n are what they were: subtrees that give both roots

Making a proof needs the roots of some subtrees. Those of 256, 256², … leaves are kept by the log, those at the right
edge are in its head, and the rest is hashed from the kept ones of the level below. The subtrees that a proof names do
not overlap, so at most 256 entries are read on a level. An edge that is not the head's own (`edge_at`) costs up to 255
more on each.

Checking knows nothing of this: it walks from the leaf up, as the RFC says, while making walks from the root down.
Leaves are counted from 0 there and from 1 here: #seq is the leaf seq - 1.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from replay.errors import Damaged
from replay.tree import FANOUT_BITS, CompactRange, node_hash

Hashes = list[bytes]
"""The hashes of a proof, each 32 bytes, in the RFC's order."""


class Subtrees(Protocol):
    """Where the hashes come from: a log."""

    def subtrees(self, level: int, first: int, upto: int) -> Sequence[bytes]:
        """The roots of the full subtrees of 2^level leaves from position `first`, without `upto`; level 0, 8, 16, …

        Fewer where some are missing.
        """
        ...


# -- the tree at a size --------------------------------------------------------------------------------------------


def edge_at(log: Subtrees, size: int) -> CompactRange:
    """The right edge of the tree when it had `size` leaves: the log must have at least as many now."""
    nodes, start = [], 0
    for level in _bits(size):
        nodes.append(_full(log, level, start >> level))
        start += 1 << level
    return CompactRange(size, nodes)


def root_at(log: Subtrees, size: int) -> bytes:
    """The root of the tree when it had `size` leaves."""
    return edge_at(log, size).root()


def _bits(size: int) -> Iterator[int]:
    """The levels of the full subtrees that cover `size` leaves, largest first."""
    return (level for level in reversed(range(size.bit_length())) if size >> level & 1)


def _full(log: Subtrees, level: int, position: int) -> bytes:
    """The root of a full subtree, from the kept ones below it. Damaged when one is missing."""
    above = level % FANOUT_BITS
    first, upto = position << above, (position + 1) << above
    hashes = list(log.subtrees(level - above, first, upto))
    if len(hashes) != upto - first:
        raise Damaged(
            f"the tree over #{(position << level) + 1} to #{(position + 1) << level} is not whole: nothing can be "
            "proved with it. `dnam verify` names what is damaged"
        )
    while len(hashes) > 1:
        hashes = [node_hash(*pair) for pair in zip(hashes[::2], hashes[1::2], strict=True)]
    return hashes[0]


def _over(log: Subtrees, edge: CompactRange, first: int, upto: int) -> bytes:
    """The root over the leaves from `first`, without `upto`: a full subtree, or what the edge ends with."""
    if upto == edge.size and (not first or upto - first < first & -first):
        nodes = edge.nodes[first.bit_count() :]
        return CompactRange(upto - first, nodes).root()
    level = (upto - first).bit_length() - 1
    return _full(log, level, first >> level)


# -- making --------------------------------------------------------------------------------------------------------


def inclusion_proof(log: Subtrees, seq: int, edge: CompactRange) -> Hashes:
    """The audit path of #seq in the tree with this edge (RFC 9162 §2.1.3.1), from the leaf up."""
    if not 0 < seq <= edge.size:
        raise ValueError(f"#{seq} is not among the first {edge.size}")
    leaf, first, upto = seq - 1, 0, edge.size
    beside: list[tuple[int, int]] = []
    while upto - first > 1:
        middle = _split(first, upto)
        if leaf < middle:
            beside.append((middle, upto))
            upto = middle
        else:
            beside.append((first, middle))
            first = middle
    return [_over(log, edge, *each) for each in reversed(beside)]


def consistency_proof(log: Subtrees, size: int, edge: CompactRange) -> Hashes:
    """That the first `size` leaves of the tree with this edge were a tree of their own (RFC 9162 §2.1.4.1).

    Empty for a tree of none, which every tree begins with, and for the whole.
    """
    if not 0 <= size <= edge.size:
        raise ValueError(f"the first {size} are not in a tree of {edge.size}")
    if size in (0, edge.size):
        return []
    first, upto, whole = 0, edge.size, True
    beside: list[tuple[int, int]] = []
    while size != upto:
        middle = _split(first, upto)
        if size <= middle:
            beside.append((middle, upto))
            upto = middle
        else:
            beside.append((first, middle))
            first, whole = middle, False
    if not whole:  # else it is the old tree itself, whose root is known
        beside.append((first, upto))
    return [_over(log, edge, *each) for each in reversed(beside)]


def _split(first: int, upto: int) -> int:
    """Where a tree has its two halves: the left has the largest power of two smaller than all."""
    return first + (1 << (upto - first - 1).bit_length() - 1)


# -- checking ------------------------------------------------------------------------------------------------------


def verify_inclusion(leaf: bytes, seq: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether a path leads from the hash of #seq to the root of a tree of `size` leaves (RFC 9162 §2.1.3.2)."""
    if not 0 < seq <= size:
        return False
    here, last, computed = seq - 1, size - 1, leaf
    for beside in path:
        if not last:
            return False
        if here & 1 or here == last:
            computed = node_hash(beside, computed)
            while here and not here & 1:
                here, last = here >> 1, last >> 1
        else:
            computed = node_hash(computed, beside)
        here, last = here >> 1, last >> 1
    return not last and computed == root


def verify_consistency(old_size: int, new_size: int, path: Sequence[bytes], old_root: bytes, new_root: bytes) -> bool:
    """Whether a path shows that a tree of `old_size` leaves is the beginning of the newer (RFC 9162 §2.1.4.2).

    The RFC asks for 0 < old < new. A tree of none begins every tree, and one as large is the same: both need no path.
    """
    if not 0 < old_size < new_size:
        return not path and (old_root == new_root if old_size == new_size else old_root == CompactRange().root())
    hashes = list(path)
    if old_size & (old_size - 1) == 0:  # then the old tree is a subtree, and its root is not in the path
        hashes.insert(0, old_root)
    here, last = old_size - 1, new_size - 1
    while here & 1:
        here, last = here >> 1, last >> 1
    if not hashes:
        return False
    old = new = hashes[0]
    for beside in hashes[1:]:
        if not last:
            return False
        if here & 1 or here == last:
            old, new = node_hash(beside, old), node_hash(beside, new)
            while here and not here & 1:
                here, last = here >> 1, last >> 1
        else:
            new = node_hash(new, beside)
        here, last = here >> 1, last >> 1
    return not last and old == old_root and new == new_root
