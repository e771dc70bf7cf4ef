"""As if one at a time: a reference model of what everybody did, in the order in which the log has it.

It knows nothing of folds, rows or decisions: an item is active or not, a key was heard or not.

    remember    the item is active
    forget      it was active, and is not; or it was not at some moment while this was asked, and nothing is recorded
    hear        the key was not heard, and is; or it was heard at some moment while this was said
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from tests.proof.together.ops import Op, Seen, Told

ACTIVE, GONE = True, False


class Change(NamedTuple):
    """From this seq on, a thing (an item's text, a message's key) is there or not."""

    seq: int
    thing: str
    state: bool


class Model:
    """What is there at every seq. `sizes` are where a decision ends: nobody may see what lies between."""

    def __init__(self, told: Iterable[Told], sizes: Sequence[int]) -> None:
        self.told = sorted(told, key=lambda each: each.seqs)
        self._ends = sorted({0, *sizes})
        self._changes: dict[str, list[Change]] = {}
        for each in self.told:
            if each.seqs:
                thing, state = _effect(each.op)
                self._changes.setdefault(thing, []).append(Change(each.seqs[-1], thing, state))

    def state(self, thing: str, at: int) -> bool:
        """Whether a thing is there when the log has this size."""
        changes = self._changes.get(thing, [])
        number = bisect_right(changes, at, key=lambda change: change.seq)
        return changes[number - 1].state if number else GONE

    def states(self, thing: str, first: int, last: int) -> set[bool]:
        """What a thing was at any size of the log between these two."""
        between = (each.seq for each in self._changes.get(thing, ()) if first < each.seq <= last)
        return {self.state(thing, at) for at in (first, *between)}

    def active(self, at: int) -> frozenset[str]:
        """The items that are active at a size."""
        return frozenset(thing.removeprefix("item ") for thing in self._items if self.state(thing, at))

    def heard(self, at: int) -> int:
        """How many messages were heard at a size: what was heard once stays so."""
        return bisect_right(self._heard, at)

    @cached_property
    def _items(self) -> list[str]:
        return [thing for thing in self._changes if thing.startswith("item ")]

    @cached_property
    def _heard(self) -> list[int]:
        """Since when (seq) each key was heard, in order."""
        return sorted(changes[0].seq for thing, changes in self._changes.items() if thing.startswith("key "))

    def wrong(self, size: int) -> Iterator[str]:
        """What cannot have happened one at a time."""
        yield from self._wrong_seqs(size)
        for each in self.told:
            yield from self._wrong_told(each)

    def _wrong_seqs(self, size: int) -> Iterator[str]:
        """Every event of the log is one acknowledged op's."""
        seqs = [seq for each in self.told for seq in each.seqs]
        if sorted(seqs) != list(range(1, size + 1)):
            yield f"{len(seqs)} seqs were acknowledged, {len(set(seqs))} of them different, and the log has {size}"

    def _wrong_told(self, told: Told) -> Iterator[str]:
        thing, state = _effect(told.op)
        if not told.seqs:
            if told.op.kind == "remember":
                yield f"nothing was recorded of {told}"
            elif state not in self.states(thing, told.before, told.after):
                yield f"nothing came of {told}, but something had to"
            return
        if not (told.before < told.seqs[0] and told.seqs[-1] <= told.after):
            yield f"{told} was recorded before it began, or after it was acknowledged"
        if told.op.kind != "remember" and self.state(thing, told.seqs[-1] - 1) is state:
            yield f"{told} came a second time"

    def wrongly_seen(self, seen: Seen) -> Iterator[str]:
        """What a reader saw that was never so."""
        if seen.upto not in self._ends:
            yield f"a reader saw half of a decision, up to #{seen.upto}"
        elif seen.active != self.active(seen.upto) or seen.heard != self.heard(seen.upto):
            yield f"a reader saw at #{seen.upto} what was not so then"


def _effect(op: Op) -> tuple[str, bool]:
    if op.kind == "hear":
        return f"key {op.key}", ACTIVE
    return f"item {op.text}", ACTIVE if op.kind == "remember" else GONE
