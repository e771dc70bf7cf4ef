"""What of others is told in an answer: what a context opens of them, but not how they are to be answered."""

from collections.abc import Iterable, Iterator

from projections.events.values import Item
from projections.ids import NOBODY, Handle
from projections.policies.compartments import Opening, Setting, opened_of
from projections.policies.kinds import BEHAVIORAL, GUIDANCE

STEERING = frozenset({GUIDANCE, BEHAVIORAL})
"""Kinds that say how somebody is to be answered."""


def opened_there(setting: Setting, people: Iterable[Handle]) -> Iterator[Opening]:
    """What a context opens of others."""
    return (opening for person in people for opening in opened_of(setting, person))


def is_told_to(item: Item, *askers: Handle) -> bool:
    """Whether what is open may be told in an answer to one of these: what says how somebody is to be answered is for
    them alone.
    """
    return item.owner == NOBODY or item.owner in askers or item.kind not in STEERING
