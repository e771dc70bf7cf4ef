"""Which two items say nearly the same, so that a model is asked to make one of them (seed 004 §8.1).

With vectors of an encoder, close means that their cosine is above a threshold (0.85 by seed 004); without, that more
than 60 % of all tokens of the two are shared. A name of a letter or two is no token: two that differ in one ("likes Go"
and "likes C#") are not close. Only items of one owner, compartment, kind and `about` are compared: a merge changes
nobody's privacy, and a project is no preference.

What a person wrote takes no part: what they asked to keep, put in other words or brought back stands as they left it,
and is neither absorbed nor rewritten by a model. It is such an item as long as the last event of it is theirs, or its
source is still their own command; a model that changed it since did so from what the person said later.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import hypot
from typing import NamedTuple

from projections.events.values import Item
from projections.items import ItemRow
from projections.retrieval import Vocabulary, tokens

VERSION = "closeness@2"
THRESHOLD = 850
"""The cosine above which two items are close, in thousandths (seed 004 §5)."""
SHARED_PERCENT = 60
"""The share of tokens above which they are, where there are no vectors."""

_SHORT_NAME = re.compile(r"(?<![^\W_])(?!I\b)[A-Z0-9][^\W_]?(?![^\W_])[+#]*")

Vector = Sequence[float]


class Nearness(NamedTuple):
    """How near two texts are, in thousandths, and the same in words; `close` when they are near enough."""

    thousandths: int
    close: bool
    reason: str


Measure = Callable[[str, str], Nearness]
"""How near two texts are."""


class Pair(NamedTuple):
    """Two items that are close: `newer` rests on what was said last. Where both do, it is the one added last."""

    older: ItemRow
    newer: ItemRow
    reason: str


def by_tokens(vocabulary: Vocabulary, percent: int = SHARED_PERCENT) -> Measure:
    """Shared tokens ÷ all tokens of two texts, against a percentage; at it is not above it."""

    def measure(one: str, other: str) -> Nearness:
        if _short_names(one) != _short_names(other):
            return Nearness(0, False, "they name different things")
        mine, theirs = tokens(one, vocabulary), tokens(other, vocabulary)
        shared, every = len(mine & theirs), len(mine | theirs)
        words = f"{shared} of {every} words are shared, more than {percent} % is close"
        return Nearness(1000 * shared // max(every, 1), 100 * shared > percent * every, words)

    return measure


def _short_names(text: str) -> frozenset[str]:
    return frozenset(_SHORT_NAME.findall(text))


def by_vectors(vectors: Mapping[str, Vector], encoder: str, threshold: int) -> Measure:
    """The cosine of the vectors of two texts, against a threshold in thousandths. A text without one is near none."""

    def measure(one: str, other: str) -> Nearness:
        near = 1000 * cosine(vectors.get(one, ()), vectors.get(other, ()))
        words = f"cosine {near / 1000:.3f} by {encoder}, more than {threshold / 1000:.3f} is close"
        return Nearness(round(near), near > threshold, words)

    return measure


def cosine(one: Vector, other: Vector) -> float:
    """The cosine of two vectors of one length; 0 where either is empty or all zeros."""
    if len(one) != len(other):
        return 0.0
    mine, theirs = hypot(*one), hypot(*other)
    if not mine or not theirs:
        return 0.0
    return sum((a / mine) * (b / theirs) for a, b in zip(one, other, strict=True))


def may_merge(row: ItemRow) -> bool:
    """Whether an item may be absorbed or rewritten: an active one that is not as a person left it."""
    by_hand = row.intent is not None or row.item.source.type == "manual"
    return row.item.status == "active" and not by_hand


def comparable(one: Item, other: Item) -> bool:
    """Whether two items are compared at all."""
    return one.id != other.id and _group(one) == _group(other)


def _group(item: Item) -> tuple[bytes, str, str, str]:
    return item.owner, item.compartment, item.kind, item.about


def close_pairs(rows: Iterable[ItemRow], added: Sequence[str], measure: Measure) -> list[Pair]:
    """Each item that was added or changed, by id, with the one nearest to it; every item is in one pair at most."""
    free = {row.item.id: row for row in rows if may_merge(row)}
    order = {item_id: number for number, item_id in enumerate(added)}
    pairs: list[Pair] = []
    for item_id in order:
        pair = _nearest(free, item_id, measure, order)
        if pair is not None:
            pairs.append(pair)
            del free[pair.older.item.id], free[pair.newer.item.id]
    return pairs


def _nearest(free: Mapping[str, ItemRow], item_id: str, measure: Measure, order: Mapping[str, int]) -> Pair | None:
    row = free.get(item_id)
    if row is None:
        return None
    others = [each for each in free.values() if comparable(row.item, each.item)]
    measured = [(measure(row.item.text, other.item.text), other) for other in others]
    near = [(nearness, other) for nearness, other in measured if nearness.close]
    if not near:
        return None
    nearness, other = max(near, key=lambda each: (each[0].thousandths, each[1].item.updated, each[1].item.id))
    older, newer = sorted((row, other), key=lambda each: (each.item.updated, order.get(each.item.id, -1)))
    return Pair(older, newer, nearness.reason)
