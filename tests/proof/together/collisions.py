"""What met what: ops of different processes that were under way at the same time, about the same thing."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tests.proof.together.ops import Told


class Spans(NamedTuple):
    """From where to where some ops were under way, in sizes of the log; both sorted."""

    begins: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of(cls, some: Iterable[Told]) -> "Spans":
        """Those of these ops."""
        every = list(some)
        return cls(sorted(each.before for each in every), sorted(each.after for each in every))

    def meeting(self, told: Told) -> int:
        """How many of them overlap with an op: neither ended before the other began. Never too many: of those that
        lasted no time where one lasted none either, itself too, each takes one away.
        """
        return bisect_left(self.begins, told.after) - bisect_right(self.ends, told.before)


def met(told: Sequence[Told]) -> int:
    """While how many of these ops another process wrote."""
    every = sorted(seq for each in told for seq in each.seqs)
    own: dict[int, list[int]] = {}
    for each in told:
        own.setdefault(each.process, []).extend(each.seqs)
    for seqs in own.values():
        seqs.sort()
    return sum(_between(every, each) > _between(own[each.process], each) for each in told)


def _between(seqs: Sequence[int], told: Told) -> int:
    """How many of these came after an op began, up to when it ended."""
    return bisect_right(seqs, told.after) - bisect_right(seqs, told.before)


def collided(told: Sequence[Told]) -> tuple[int, int]:
    """How many messages were under way while another process gave the same id, and how many ops of items while another
    was about the same item.
    """
    by_thing: dict[tuple[bool, str], list[Told]] = {}
    for each in told:
        by_thing.setdefault((bool(each.op.key), each.op.key or each.op.text), []).append(each)
    counts = {True: 0, False: 0}
    for (is_message, _), some in by_thing.items():
        counts[is_message] += _together(some)
    return counts[True], counts[False]


def _together(some: Sequence[Told]) -> int:
    """How many of these overlap with one of another process: with more of all than of its own, itself among both."""
    every, own = Spans.of(some), {process: Spans.of(_of(process, some)) for process in {each.process for each in some}}
    return sum(every.meeting(each) > own[each.process].meeting(each) for each in some)


def _of(process: int, some: Iterable[Told]) -> Iterable[Told]:
    return (each for each in some if each.process == process)
