"""Where secrets stand in a text: what lies over each other is one, what only touches is two."""

import pytest

from projections.policies.secret_shapes import Stretch
from projections.policies.secrets import _apart

KEY, CARD = "api key", "card number"


@pytest.mark.parametrize(
    ("found", "apart"),
    [
        ([(0, 5, KEY), (5, 9, CARD)], [(0, 5, KEY), (5, 9, CARD)]),
        ([(5, 9, CARD), (0, 5, KEY)], [(0, 5, KEY), (5, 9, CARD)]),
        ([(0, 6, KEY), (5, 9, CARD)], [(0, 9, KEY)]),
        ([(0, 9, KEY), (2, 5, CARD)], [(0, 9, KEY)]),
        ([(0, 5, KEY), (0, 9, CARD)], [(0, 9, CARD)]),
        ([], []),
    ],
)
def test_what_lies_over_each_other_is_one_and_what_touches_is_two(
    found: list[tuple[int, int, str]], apart: list[tuple[int, int, str]]
) -> None:
    assert [*_apart(Stretch(*each) for each in found)] == [Stretch(*each) for each in apart]
