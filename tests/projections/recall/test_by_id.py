"""Where documents are by their ids: what is kept of what was asked says the same, and does not grow."""

import numpy as np

from projections.recall.by_id import MOST_ASKED, ById


def test_what_was_asked_is_kept_up_to_a_bound_and_says_the_same() -> None:
    ids = np.arange(2 * MOST_ASKED, dtype=np.int64) // 2
    by_id = ById.of(ids)
    for _ in range(2):
        for short in range(MOST_ASKED + 2):
            assert by_id.places(ids, short) == ((2 * short, 2 * short + 1) if short < MOST_ASKED else ())
            assert len(by_id._asked) <= MOST_ASKED


def test_what_comes_is_found_beside_what_was_asked_before() -> None:
    ids = np.array([7, 3, 7], np.int64)
    by_id = ById.of(ids[:2])
    assert by_id.places(ids, 7) == (0,)
    assert by_id.with_more(ids).places(ids, 7) == (0, 2)
