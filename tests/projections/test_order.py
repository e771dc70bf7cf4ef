"""Keys of several tables in order, against a sorted list of them."""

from bisect import bisect_left
from random import Random

import pytest

from projections.order import Order, RowAt

TABLES = ("turns", "items", "messages")


def drawn(dice: Random) -> RowAt:
    """Some key: short ones and their continuations, the same in several tables."""
    return RowAt(bytes(dice.choices(b"ab\x00\xff", k=dice.randrange(4))), dice.choice(TABLES))


@pytest.mark.parametrize("seed", range(40))
def test_whatever_comes_and_goes_it_is_as_a_sorted_list(seed: int) -> None:
    dice = Random(seed)
    there = {drawn(dice) for _ in range(dice.randrange(20))}
    order = Order(TABLES, there)
    for _ in range(60):
        place, comes = drawn(dice), dice.random() < 0.5
        before = len(there)
        (there.add if comes else there.discard)(place)
        assert order.set(place, there=comes) == len(there) - before
        listed = sorted(there)
        assert ([*order], len(order)) == (listed, len(listed))
        assert [order.at(at) for at in range(len(order))] == listed
        start, behind, key = dice.randrange(20), dice.randrange(20), drawn(dice).key
        assert order.between(start, behind) == listed[start:behind]
        assert order.find(key) == bisect_left(listed, (key,))
        assert order.beginning(key) == [each for each in listed if each.key.startswith(key)]
