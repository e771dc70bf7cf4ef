"""What is near of what was said and of what is known, and what happens where vectors are missing."""

from collections.abc import Sequence

import numpy as np

from projections.nearness import Near
from projections.vectors import THRESHOLD
from projections.vectors_near import nearest as nearest_of

SAME, NEAR, FAR = 1.0, 0.9945, 0.2


def nearest(said: Sequence[float | None], known: Sequence[float | None], most: int, least: int = THRESHOLD) -> Near:
    """By cosines; None where there is no vector."""
    return nearest_of(np.array(said, np.float64), np.array(known, np.float64), most, least)


def test_what_is_near_is_found_by_its_place_among_all_texts() -> None:
    vectors = [FAR, *[NEAR] * 2, *[FAR] * 7, None]
    assert nearest(vectors, [], 9) == Near({1: 994, 2: 994}, note="1 of 11 texts have no vector yet")
    assert nearest([NEAR, FAR], [FAR, SAME, NEAR], 9) == Near({0: 994}, {1: 1000, 2: 994})
    assert list(nearest([NEAR, SAME], [NEAR, SAME], 9).known) == [1, 0]


def test_no_more_of_either_kind_than_is_wanted_and_nothing_that_is_far() -> None:
    assert nearest([NEAR] * 3, [SAME] * 3, 2) == Near({0: 994, 1: 994}, {0: 1000, 1: 1000})
    assert nearest([NEAR], [SAME], 2, 995) == Near({}, {0: 1000})


def test_where_many_vectors_are_missing_only_words_decide_and_it_is_said() -> None:
    assert nearest([NEAR, None], [NEAR], 9) == Near(note="1 of 3 texts have no vector yet: only words decide")
    assert list(nearest([NEAR] * 9 + [None], [], 9).said) == list(range(9))
    assert nearest([], [], 9) == Near()


def test_where_many_items_have_none_they_are_no_keys() -> None:
    note = "1 of 3 texts have no vector yet: items are found by their words alone"
    assert nearest([NEAR], [NEAR, None], 9) == Near({0: 994}, note=note)
    assert nearest([NEAR], [NEAR] * 9 + [None], 1).known == {0: 994}


def test_with_a_tenth_of_them_missing_they_decide_and_with_one_more_of_a_hundred_not() -> None:
    tenth, more = [NEAR] * 90 + [None] * 10, [NEAR] * 89 + [None] * 11
    assert nearest(tenth, tenth, 1) == Near({0: 994}, {0: 994}, "20 of 200 texts have no vector yet")
    assert nearest(more, tenth, 1) == Near(note="21 of 200 texts have no vector yet: only words decide")
    note = "21 of 200 texts have no vector yet: items are found by their words alone"
    assert nearest(tenth, more, 1) == Near({0: 994}, note=note)
