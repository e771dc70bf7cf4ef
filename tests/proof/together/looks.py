"""What processes saw while they all wrote: no process sees less than it did, or than there was for certain."""

from collections.abc import Iterator, Sequence

from tests.proof.together.ops import Seen


def went_back(seen: Sequence[Seen]) -> Iterator[str]:
    """Looks that reach less far than an earlier one of the same process. Each process's are in order."""
    reached: dict[int, int] = {}
    for each in seen:
        before = reached.setdefault(each.process, each.upto)
        if each.upto < before:
            yield f"process {each.process} saw up to #{before}, and then up to #{each.upto}"
        reached[each.process] = max(before, each.upto)


def stale(seen: Sequence[Seen]) -> Iterator[str]:
    """Looks that reach less far than what was acknowledged, or committed, before they began."""
    for each in seen:
        if each.upto < each.least:
            yield f"process {each.process} saw up to #{each.upto}, and #{each.least} was there before it looked"
