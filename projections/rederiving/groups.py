"""What of a difference belongs together, and is adopted together or not at all.

Pairs are connected where one has an id that another one has, or replaces (`supersedes`: what an item replaced, and what
became part of it), and where both replace the same. So an item and what came in its place, an item that went elsewhere,
and all that was merged into one are a group. So is what comes to say what another one says until it is changed: without
that, both would say it. What is the same on both sides is in none.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from projections.ids import Handle, digest16
from projections.items import ItemRow
from projections.rederiving.pairs import Pair, Says, says

KEY_DIGITS = 12

Node = tuple[Handle, str] | Says
"""An owner and an id, in whatever compartment; or what an item of theirs says."""


class Group(NamedTuple):
    """Differing pairs that are connected, in the order of `compare`. `key` is a name of it: hex digits of a digest of
    the addresses of its items, so that it stays the same as long as the same items are in it.
    """

    key: str
    pairs: tuple[Pair, ...]


def groups(pairs: Iterable[Pair]) -> list[Group]:
    """The groups, each where its first pair stands."""
    differing = [pair for pair in pairs if pair.kind != "same"]
    joined = _Joined()
    for pair in differing:
        joined.join(list(_nodes(pair)))
    found: dict[Node, list[Pair]] = {}
    for pair in differing:
        found.setdefault(joined.root(next(_nodes(pair))), []).append(pair)
    return [Group(_key(each), tuple(each)) for each in found.values()]


class _Joined:
    """Which nodes are connected: a tree of each set, whose root stands for it (Tarjan, Efficiency of a Good But Not
    Linear Set Union Algorithm, 1975; with path halving).
    """

    def __init__(self) -> None:
        self._above: dict[Node, Node] = {}

    def join(self, nodes: list[Node]) -> None:
        """They are connected."""
        for each in nodes[1:]:
            self._above[self.root(each)] = self.root(nodes[0])

    def root(self, node: Node) -> Node:
        """Who stands for its set."""
        above = self._above
        while (parent := above.get(node, node)) != node:
            above[node] = above.get(parent, parent)
            node = above[node]
        return node


def _rows(pair: Pair) -> list[ItemRow]:
    return [row for row in (pair.old, pair.new) if row is not None]


def _nodes(pair: Pair) -> Iterator[Node]:
    """Its own ids, those of what it replaces, and what it says on either side."""
    for row in _rows(pair):
        yield row.item.owner, row.item.id
        yield says(row.item)
        yield from ((row.item.owner, each) for each in row.item.supersedes)


def _key(pairs: Iterable[Pair]) -> str:
    sides = ((side, row) for pair in pairs for side, row in (("old", pair.old), ("new", pair.new)) if row is not None)
    names = sorted(f"{side}/{row.item.owner.hex()}/{row.item.compartment}/{row.item.id}" for side, row in sides)
    return digest16(*names).hex()[:KEY_DIGITS]
