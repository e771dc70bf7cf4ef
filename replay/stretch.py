"""A stretch of the log, looked at as a whole: by columns, so that hardly any Python runs for each event.

Where everything in it is as it was written, what is left to know of it is a `Stretch`: how it fits what lies before
and behind, its subtrees, and what only the whole log can judge. Where anything is not, nothing is said here, and
whoever verifies looks at its events one by one, to name what is wrong.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from projections.events import MessageRedacted, PersonErased
from replay import codec
from replay.errors import LogError
from replay.lmdb_log import LmdbLog
from replay.log import MARK_LEAF, StoredEvent
from replay.tree import FANOUT_BITS, CompactRange, Kept

if TYPE_CHECKING:
    from replay.folding import Folding

WHOLE = 1 << 11
"""How many events a stretch has; the last one has fewer. It ends where a kept subtree does."""
TAKE_BACK = frozenset((MessageRedacted.TAG, PersonErased.TAG))
"""Events that say why bodies may be missing, and vaults erased."""


class Missing(msgspec.Struct, array_like=True, frozen=True):
    """An event without a body."""

    seq: int
    id: bytes
    vault: bytes


class Stretch(msgspec.Struct, array_like=True, frozen=True):
    """What a sound stretch comes to.

    `first` and `last` are `at` and `left` of its first and last event, `nodes` its full subtrees (level and hash, left
    to right), `kept` those of them whose hashes the log keeps, `vaults` those that seal its bodies; `locked` says what
    was wrong with bodies when opened.
    """

    first: tuple[int, int]
    last: tuple[int, int]
    nodes: list[tuple[int, bytes]]
    kept: list[Kept]
    vaults: list[bytes]
    missing: list[Missing]
    taken_back: list[int]
    locked: list[tuple[int, str]]


def look(log: LmdbLog, after: int, upto: int, folding: "Folding | None" = None) -> Stretch | None:
    """The events behind `after` up to and with `upto`, where all are sound; with a `folding`, every body is opened."""
    events = log.columns(after, upto)
    if events is None:
        return None
    try:
        versions, ids, ats, lefts, tags, _, vaults, digests = zip(*map(codec.fields_of, events.headers), strict=True)
    except codec.UNREADABLE:
        return None
    leaves = [sha256(b"\0" + header).digest() for header in events.headers]
    if set(versions) != {codec.HEADER_VERSION} or events.marks != list(zip(ids, _marks(after, leaves), strict=True)):
        return None
    if list(ats) != sorted(ats) or not _whole(lefts):
        return None
    bodies = events.bodies
    pairs = zip(bodies, digests, strict=True)
    if [digest if body is None else sha256(body).digest() for body, digest in pairs] != list(digests):
        return None
    nodes, kept = _subtrees(after, leaves)
    return Stretch(
        first=(ats[0], lefts[0]),
        last=(ats[-1], lefts[-1]),
        nodes=nodes,
        kept=kept,
        vaults=sorted(set(vaults)),
        missing=_missing(after, bodies, ids, vaults),
        taken_back=[] if TAKE_BACK.isdisjoint(tags) else _tagged(after, tags),
        locked=[] if folding is None else open_bodies(folding, log.read(after, upto)),
    )


def _marks(after: int, leaves: Sequence[bytes]) -> list[bytes]:
    """What the id table should hold of these events."""
    return [seq.to_bytes(8, "big") + leaf[:MARK_LEAF] for seq, leaf in enumerate(leaves, after + 1)]


def _whole(lefts: Sequence[int]) -> bool:
    """Whether no decision is cut: the number that is left falls by one with each event."""
    return not any(lefts) or all(then == left - 1 for left, then in pairwise(lefts) if left)


def _missing(
    after: int, bodies: Sequence[bytes | None], ids: Sequence[bytes], vaults: Sequence[bytes]
) -> list[Missing]:
    if None not in bodies:
        return []
    events = enumerate(zip(bodies, ids, vaults, strict=True), after + 1)
    return [Missing(seq, event, vault) for seq, (body, event, vault) in events if body is None]


def _tagged(after: int, tags: Sequence[str]) -> list[int]:
    return [seq for seq, tag in enumerate(tags, after + 1) if tag in TAKE_BACK]


def open_bodies(folding: "Folding", events: Iterable[StoredEvent]) -> list[tuple[int, str]]:
    """Open and decode every body; what is wrong with those that cannot be."""
    problems: list[tuple[int, str]] = []
    for stored in events:
        try:
            folding.record(stored)
        except LogError as error:
            problems.append((stored.seq, str(error)))
    return problems


def _subtrees(after: int, leaves: list[bytes]) -> tuple[list[tuple[int, bytes]], list[Kept]]:
    """The full subtrees of a stretch, and what is kept of them. `after` is a multiple of WHOLE."""
    if len(leaves) < WHOLE:
        return _last_subtrees(after, leaves)
    row, level = leaves, 0
    kept: list[Kept] = []
    while len(row) > 1:
        pairs = iter(row)
        row = [sha256(b"\1" + left + right).digest() for left, right in zip(pairs, pairs, strict=True)]
        level += 1
        if level % FANOUT_BITS == 0:
            kept += [Kept(level, position, node) for position, node in enumerate(row, after >> level)]
    return [(level, row[0])], kept


def _last_subtrees(after: int, leaves: list[bytes]) -> tuple[list[tuple[int, bytes]], list[Kept]]:
    """The same of the log's last stretch, which is not whole."""
    tree = CompactRange()
    kept = [each for leaf in leaves for each in tree.append(leaf)]
    levels = [level for level in range(WHOLE.bit_length(), -1, -1) if tree.size >> level & 1]
    moved = [each._replace(position=each.position + (after >> each.level)) for each in kept]
    return list(zip(levels, tree.nodes, strict=True)), moved
