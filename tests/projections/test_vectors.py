"""Vectors as they are kept: how little is lost, exact sums, and one order on every machine."""

from math import inf, nan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.policies.closeness import cosine
from projections.vectors import MOST_DIMENSIONS, Closest, Numbers, closest, quantised, stacked, thousandths

LISTS = st.lists(st.floats(-1, 1, allow_nan=False, width=32), min_size=8, max_size=8)


def kept(*numbers: float) -> Numbers:
    return quantised(numbers)


def exactly(one: Numbers, other: Numbers) -> float:
    """Their cosine, by whole numbers of any size."""
    mine, theirs = [int(n) for n in one], [int(n) for n in other]
    squares = sum(n * n for n in mine) * sum(n * n for n in theirs)
    return sum(a * b for a, b in zip(mine, theirs, strict=True)) / sqrt(squares) if squares else 0.0


def test_a_vector_is_kept_as_far_as_a_byte_goes_and_its_length_is_not() -> None:
    assert kept(0.5, -1.0, 0.0, 0.25).tolist() == [64, -127, 0, 32]
    assert kept(50, -100, 0, 25).tolist() == [64, -127, 0, 32]
    assert kept(0.0, -0.0).tolist() == [0, 0]
    assert kept(0.1).dtype == np.int8


@pytest.mark.parametrize("vector", [(), (1.0, nan), (inf,), (-inf, 0.0), [[1.0]], (0.1,) * (MOST_DIMENSIONS + 1)])
def test_what_is_no_vector_is_refused(vector: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="a vector has 1 to 4096 numbers"):
        quantised(vector)


@settings(max_examples=50)
@given(LISTS, LISTS)
def test_a_cosine_of_what_is_kept_is_hardly_another(one: list[float], other: list[float]) -> None:
    largest = [max(map(abs, each)) for each in (one, other)]
    if min(largest) < 0.01:
        return
    near = exactly(quantised(one), quantised(other))
    both = zip(largest, (one, other), strict=True)
    off = [sqrt(8) * 0.5 / 127 * most / sqrt(sum(n * n for n in each)) for most, each in both]
    assert abs(near - cosine(one, other)) <= 2 * sum(off) + 1e-9


@settings(max_examples=60)
@given(LISTS, st.lists(LISTS, max_size=8), st.integers(0, 12), st.integers(-1000, 1000))
def test_the_closest_are_those_that_a_plain_comparison_finds(
    query: list[float], vectors: list[list[float]], most: int, least: int
) -> None:
    looked_for, there = quantised(query), [quantised(each) for each in vectors]
    found = closest(looked_for, stacked(there), most, least)
    cosines = [exactly(looked_for, each) for each in there]
    assert all(1000 * cosines[index] >= least - 1e-6 for index in found.indices)
    assert [int(n) for n in found.thousandths] == pytest.approx([1000 * cosines[i] for i in found.indices], abs=1.001)
    wanted = sorted((n for n in range(len(there)) if 1000 * cosines[n] >= least + 1e-6), key=lambda n: (-cosines[n], n))
    assert [cosines[n] for n in found.indices][: len(wanted)] == pytest.approx([cosines[n] for n in wanted[:most]])


def test_all_cosines_can_be_had_as_whole_numbers() -> None:
    there = stacked([kept(1, 2), kept(-1, -2), kept(-1, 1), kept(0, 0)])
    assert thousandths(kept(1, 2), there).tolist() == [1000, -1000, 313, 0]
    assert thousandths(kept(1, 2), stacked([])).tolist() == []


def test_ties_go_by_index() -> None:
    same = [kept(1, 2), kept(2, 4), kept(-1, 1), kept(3, 6)]
    assert closest(kept(1, 2), stacked(same), 9, 0) == Closest((0, 1, 3, 2), (1000, 1000, 1000, 313))
    assert closest(kept(1, 2), stacked(same), 2, 0) == Closest((0, 1), (1000, 1000))


def test_what_has_no_length_is_near_nothing() -> None:
    nothing = kept(0, 0)
    assert closest(nothing, stacked([kept(1, 0)]), 9, 1) == closest(kept(1, 0), stacked([nothing]), 9, 1) == Closest()


def test_in_no_vectors_nothing_is_found() -> None:
    assert closest(kept(1, 0), stacked([]), 9, -1000) == Closest()


def test_two_encoders_vectors_are_never_compared() -> None:
    with pytest.raises(ValueError, match="several lengths"):
        stacked([kept(1, 0), kept(1, 0, 0)])
    with pytest.raises(ValueError, match="matmul"):
        closest(kept(1, 0, 0), stacked([kept(1, 0)]), 1)


def test_the_longest_vectors_have_exact_sums() -> None:
    largest = np.full(MOST_DIMENSIONS, 127, np.int8)
    almost = largest.copy()
    almost[0] = 126
    matrix = stacked([largest, -largest, almost])
    assert matrix.squares.tolist() == [127 * 127 * MOST_DIMENSIONS] * 2 + [127 * 127 * MOST_DIMENSIONS - 253]
    assert closest(largest, matrix, 3, -1000) == Closest((0, 2, 1), (1000, 999, -1000))


def test_many_vectors_are_looked_at_in_pieces() -> None:
    there = [kept(1, 0) if n % 97 == 96 else kept(0, 1) for n in range(10_000)]
    assert closest(kept(1, 0), stacked(there), 5).indices == (96, 193, 290, 387, 484)
    assert closest(kept(1, 0), stacked(there), 10_000).indices[-1] == 9_990
