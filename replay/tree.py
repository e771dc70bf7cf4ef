"""The Merkle tree over the headers, as in RFC 6962: leaf = SHA-256(0x00 ‖ header), node = SHA-256(0x01 ‖ left ‖ right).

What is kept of it while it grows is the compact range: the roots of the full subtrees that cover all leaves, largest
first, one for each set bit of the size. Appending is carrying in binary. Whenever a subtree of 256, 256², … leaves
fills, its root is handed out, to be kept, so that a proof never has to re-hash more than 256 entries on a level.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

FANOUT_BITS = 8
"""Roots are kept of subtrees of 2⁸, 2¹⁶, … leaves."""


class Kept(NamedTuple):
    """The root of a full subtree of 2^level leaves, the `position`-th of them."""

    level: int
    position: int
    hash: bytes


def leaf_hash(header: bytes) -> bytes:
    """The hash of one entry."""
    return sha256(b"\x00" + header).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of two subtrees side by side."""
    return sha256(b"\x01" + left + right).digest()


class CompactRange:
    """The tree's right edge, which is all that appending needs."""

    def __init__(self, size: int = 0, nodes: Sequence[bytes] = ()) -> None:
        assert len(nodes) == size.bit_count()
        self.size = size
        self.nodes = list(nodes)

    def append(self, leaf: bytes) -> list[Kept]:
        """Add a leaf's hash; the subtrees of a kept size that it fills."""
        node, level, carry = leaf, 0, self.size
        kept: list[Kept] = []
        while carry & 1:
            node = sha256(b"\x01" + self.nodes.pop() + node).digest()
            level += 1
            carry >>= 1
            if level % FANOUT_BITS == 0:
                kept.append(Kept(level, carry, node))
        self.nodes.append(node)
        self.size += 1
        return kept

    def root(self) -> bytes:
        """The tree head's hash; of no leaves, the hash of nothing (RFC 6962 §2.1)."""
        if not self.nodes:
            return sha256(b"").digest()
        root = self.nodes[-1]
        for node in reversed(self.nodes[:-1]):
            root = node_hash(node, root)
        return root


class Node(NamedTuple):
    """The root of a full subtree of 2^level leaves."""

    level: int
    hash: bytes


def cover(after: int, leaves: Sequence[bytes]) -> list[Node]:
    """The full subtrees that the leaves behind the first `after` fill, left to right: few, however many leaves."""
    nodes: list[Node] = []
    done = 0
    while done < len(leaves):
        start = after + done
        level = (len(leaves) - done).bit_length() - 1
        if start:
            level = min(level, (start & -start).bit_length() - 1)
        row = list(leaves[done : done + (1 << level)])
        while len(row) > 1:
            pairs = iter(row)
            row = [sha256(b"\x01" + left + right).digest() for left, right in zip(pairs, pairs, strict=True)]
        nodes.append(Node(level, row[0]))
        done += 1 << level
    return nodes


def graft(tree: CompactRange, level: int, node: bytes) -> list[Kept]:
    """Add a full subtree of 2^level leaves at a place where one begins; the larger kept ones that it fills."""
    kept: list[Kept] = []
    carry = tree.size >> level
    tree.size += 1 << level
    while carry & 1:
        node = node_hash(tree.nodes.pop(), node)
        level += 1
        carry >>= 1
        if level % FANOUT_BITS == 0:
            kept.append(Kept(level, carry, node))
    tree.nodes.append(node)
    return kept
