"""The ids of what a request comes to: the same ones whenever it is decided, and others for each of its decisions."""

from itertools import pairwise

import pytest

from projections.decisions.draft import Minter, Origin, part
from projections.ids import EventId, Identity
from tests.world import NOW, World

NAMED = Origin(Identity("discord", "message", "1", "asked", NOW), now=NOW)
UNNAMED = Origin(seed=bytes(range(32)), now=NOW)


def ids(origin: Origin, number: int) -> list[EventId]:
    """The first two of a decision of this number."""
    minter = Minter(World().rows, part(origin, number))
    return [minter.next(), minter.next()]


@pytest.mark.parametrize("origin", [NAMED, UNNAMED], ids=["named", "unnamed"])
def test_each_decision_of_a_request_has_ids_of_its_own_and_the_same_ones_again(origin: Origin) -> None:
    made = [ids(origin, number) for number in range(4)]
    assert made == [ids(origin, number) for number in range(4)]
    assert len({each for some in made for each in some}) == 8
    assert part(origin, 0) == origin
    assert all(one != other for one, other in pairwise(part(origin, number) for number in range(3)))
