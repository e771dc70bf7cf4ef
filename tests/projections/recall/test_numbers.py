"""Many terms at once: the same as one by one."""

import numpy as np

from projections.recall.numbers import NOTHING, among, is_among, numbered, spread_all, terms
from projections.recall.words import number_of, spread, term

WORDS = ("tea", "cake", "snow", "größe")
TERMS = [term("w", each) for each in WORDS]


def test_terms_are_numbers_in_the_same_order() -> None:
    assert terms(numbered(TERMS)) == TERMS
    assert terms(np.sort(numbered(TERMS))) == sorted(TERMS)
    assert terms(numbered([])) == []


def test_hashes_are_spread_as_one_is() -> None:
    hashes = [number_of(f"w{each}".encode()) for each in WORDS]
    assert terms(spread_all(np.array(hashes, np.uint64))) == [spread(each) for each in hashes] == TERMS


def test_which_are_among_others() -> None:
    tea, cake, snow, size = TERMS
    there = np.sort(numbered([tea, snow]))
    assert among(numbered([cake, snow, size, tea]), there) == {tea, snow}
    assert among(numbered([cake]), there) == among(NOTHING, there) == among(numbered([tea]), NOTHING) == set()
    assert [is_among(each, there) for each in TERMS] == [each in {tea, snow} for each in TERMS]
    assert not is_among(tea, NOTHING)
