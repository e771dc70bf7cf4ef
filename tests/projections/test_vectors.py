"""Vectors as they are kept: how little is lost, exact sums, and one order on every machine."""

from collections.abc import Sequence
from math import inf, nan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.policies.closeness import cosine
from projections.vectors import (
    EXACT,
    LARGEST,
    MOST_DIMENSIONS,
    THRESHOLD,
    Closest,
    Doubles,
    Numbers,
    closest,
    cosines,
    quantised,
    squares,
)
from tests.projections.recall.stage import WAYS, reckon

LISTS = st.lists(st.floats(-1, 1, allow_nan=False, width=32), min_size=8, max_size=8)


def kept(*numbers: float) -> Numbers:
    return quantised(numbers)


def stacked(vectors: Sequence[Numbers]) -> Numbers:
    return np.stack(vectors)


def held_against(query: Numbers, vectors: Sequence[Numbers]) -> Doubles:
    matrix = stacked(vectors) if vectors else np.empty((0, len(query)), np.int8)
    return cosines(query, matrix, squares(matrix))


def near(query: Numbers, vectors: Sequence[Numbers], most: int, least: int = THRESHOLD) -> Closest:
    return closest(held_against(query, vectors), most, least)


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
    kept_near = exactly(quantised(one), quantised(other))
    both = zip(largest, (one, other), strict=True)
    off = [sqrt(8) * 0.5 / 127 * most / sqrt(sum(n * n for n in each)) for most, each in both]
    assert abs(kept_near - cosine(one, other)) <= 2 * sum(off) + 1e-9


@settings(max_examples=60)
@given(LISTS, st.lists(LISTS, max_size=8), st.integers(0, 12), st.integers(-1000, 1000))
def test_the_closest_are_those_that_a_plain_comparison_finds(
    query: list[float], vectors: list[list[float]], most: int, least: int
) -> None:
    looked_for, there = quantised(query), [quantised(each) for each in vectors]
    found = near(looked_for, there, most, least)
    by_hand = [exactly(looked_for, each) for each in there]
    assert all(1000 * by_hand[index] >= least - 1e-6 for index in found.indices)
    assert [int(n) for n in found.thousandths] == pytest.approx([1000 * by_hand[i] for i in found.indices], abs=1.001)
    wanted = sorted((n for n in range(len(there)) if 1000 * by_hand[n] >= least + 1e-6), key=lambda n: (-by_hand[n], n))
    assert [by_hand[n] for n in found.indices][: len(wanted)] == pytest.approx([by_hand[n] for n in wanted[:most]])


def test_ties_go_by_index() -> None:
    same = [kept(1, 2), kept(2, 4), kept(-1, 1), kept(3, 6)]
    assert near(kept(1, 2), same, 9, 0) == Closest((0, 1, 3, 2), (1000, 1000, 1000, 313))
    assert near(kept(1, 2), same, 2, 0) == Closest((0, 1), (1000, 1000))
    assert near(kept(1, 2), same, 0, 0) == Closest()


def test_what_has_no_length_is_near_nothing() -> None:
    nothing = kept(0, 0)
    assert held_against(kept(1, 0), [nothing]).tolist() == held_against(nothing, [kept(1, 0)]).tolist() == [0]
    assert near(nothing, [kept(1, 0)], 9, 1) == near(kept(1, 0), [nothing], 9, 1) == Closest()


def test_what_has_no_vector_is_near_nothing() -> None:
    assert closest(np.array([np.nan, 0.5, np.nan, 0.7]), 9, -1000) == Closest((3, 1), (700, 500))


def test_in_no_vectors_nothing_is_found() -> None:
    assert near(kept(1, 0), [], 9, -1000) == Closest()


def test_two_encoders_vectors_are_never_compared() -> None:
    with pytest.raises(ValueError, match="vectors of 2 and of 3 numbers are of two encoders"):
        held_against(kept(1, 0, 0), [kept(1, 0)])


def test_the_longest_vectors_have_exact_sums() -> None:
    largest = np.full(MOST_DIMENSIONS, 127, np.int8)
    almost = largest.copy()
    almost[0] = 126
    there = [largest, -largest, almost]
    assert squares(stacked(there)).tolist() == [127 * 127 * MOST_DIMENSIONS] * 2 + [127 * 127 * MOST_DIMENSIONS - 253]
    assert near(largest, there, 3, -1000) == Closest((0, 2, 1), (1000, 999, -1000))


def test_a_sum_that_no_float_would_have_is_made_in_parts() -> None:
    """2²⁴ + 1 is the first whole number that a 32-bit float does not have."""
    assert EXACT * LARGEST**2 <= 2**24 < (EXACT + 1) * LARGEST**2
    query = np.full(EXACT + 2, LARGEST, np.int8)
    other = query.copy()
    other[-1] = 2
    total = (EXACT + 1) * LARGEST**2 + 2 * LARGEST
    assert int(np.float32(total)) != total
    (found,) = held_against(query, [other])
    assert found == total / sqrt((EXACT + 2) * LARGEST**2 * ((EXACT + 1) * LARGEST**2 + 4))


@pytest.mark.parametrize("way", WAYS[1:])
@pytest.mark.parametrize("width", [1, 2, 384, EXACT, EXACT + 1, 2 * EXACT + 3, MOST_DIMENSIONS])
def test_products_are_those_of_whole_numbers(width: int, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reckon(way, monkeypatch)
    dice, number = np.random.default_rng(width), 5 if way == "loops" else 700
    matrix = dice.choice(np.array([-127, -126, 0, 126, 127], np.int8), (number, width))
    matrix[:3] = [[127], [-127], [126]]
    query = matrix[0]
    lengths = squares(matrix)
    exact = matrix.astype(np.int64) @ query.astype(np.int64)
    assert lengths.tolist() == np.einsum("ij,ij->i", matrix.astype(np.int64), matrix.astype(np.int64)).tolist()
    wanted = exact / np.sqrt(np.maximum(lengths * lengths[0], 1))
    assert cosines(query, matrix, lengths).tolist() == wanted.tolist()
    at = dice.permutation(number)[: number - 2]
    assert cosines(query, matrix, lengths, at).tolist() == wanted[at].tolist()


@pytest.mark.parametrize("way", WAYS[1:])
def test_it_does_not_matter_where_the_numbers_lie(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reckon(way, monkeypatch)
    matrix = np.frombuffer(bytes((127, 9, 0, 4, 1, 127)), np.int8).reshape(3, 2)
    query = matrix[1]
    wanted = [0.0, 1.0, 127 / sqrt(1 + 127 * 127)]
    wanted[0] = 9 / sqrt(127 * 127 + 81)
    assert cosines(query, matrix, squares(matrix)).tolist() == wanted
    assert cosines(query, matrix.repeat(2, axis=1)[:, ::2], squares(matrix)).tolist() == wanted


def test_many_vectors_are_looked_at_in_pieces() -> None:
    there = [kept(*[0] * 999, 1, 0) if n % 97 == 96 else kept(*[0] * 999, 0, 1) for n in range(1_000)]
    query = kept(*[0] * 999, 1, 0)
    assert near(query, there, 5).indices == (96, 193, 290, 387, 484)
    assert near(query, there, 10_000).indices[-1] == 969
