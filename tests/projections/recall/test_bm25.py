"""BM25 in whole numbers: exact against fractions, and no number that a machine could round otherwise."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.recall.bm25 import ONE, Average, idf, log2, weights
from tests.projections.recall import oracle

COUNTS = st.integers(1, 10**7)


@given(COUNTS, COUNTS)
def test_a_logarithm_is_rounded_down_and_no_further(one: int, other: int) -> None:
    over, under = max(one, other), min(one, other)
    found = log2(over, under)
    odds = Fraction(over, under)
    assert Fraction(2) ** found <= odds**1024
    assert odds**1024 < Fraction(2) ** (found + 1)


@pytest.mark.parametrize(
    ("over", "under", "found"), [(1, 1, 0), (2, 1, ONE), (3, 1, 1623), (10**6, 1, 20409), (3, 2, 599)]
)
def test_logarithms_that_are_known(over: int, under: int, found: int) -> None:
    assert log2(over, under) == found


@given(st.integers(1, 10**6), st.integers(0, 10**6))
def test_the_rarer_a_term_the_more_it_tells(documents: int, having: int) -> None:
    having = min(having, documents)
    assert idf(documents, having) >= idf(documents, min(having + 1, documents)) >= 0
    assert idf(documents + 1, having) >= idf(documents, having)


@given(st.integers(1, 5000), st.integers(0, 5000))
def test_idf_is_the_formula(documents: int, having: int) -> None:
    having = min(having, documents)
    assert idf(documents, having) == oracle.idf(documents, having)
    exact = np.log(1 + (documents - having + 0.5) / (having + 0.5)) * ONE
    assert exact - 2 < idf(documents, having) <= exact


@given(
    st.lists(st.tuples(st.integers(0, 255 * 15), st.integers(0, 255 * 15)), min_size=1, max_size=20),
    st.integers(1, 10**7),
    st.integers(1, 10**6),
)
def test_weights_are_the_floors_of_the_fractions(pairs: list[tuple[int, int]], words: int, texts: int) -> None:
    counts = np.array([count for count, _ in pairs], np.int64)
    lengths = np.array([length for _, length in pairs], np.int64)
    found = weights(counts, lengths, Average(words, texts)).tolist()
    assert found == [oracle.weight(*pair, Fraction(words, texts)) for pair in pairs]


def test_a_length_that_is_just_a_whole_number_is_not_rounded_away() -> None:
    """7 texts of 450/7 each are 450 thousandths, and not the 449.999… of a quotient that was rounded before."""
    lengths = np.arange(1, 256)
    for words, texts in ((7, 1), (11, 3), (49, 5), (107, 9)):
        expected = [
            floor(Fraction(1024 * 1900, 1000 + 450 + 450 * length * texts // words)) for length in range(1, 256)
        ]
        assert weights(np.ones(255, np.uint8), lengths, Average(words, texts)).tolist() == expected


def test_a_term_weighs_more_the_more_often_it_stands_and_the_shorter_the_text() -> None:
    counts, lengths = np.arange(256)[:, None], np.arange(256)[None, :]
    table = weights(counts, lengths, Average(1000, 90))
    assert (np.diff(table, axis=0) >= 0).all()
    assert (np.diff(table, axis=1) <= 0).all()
    assert not table[0].any()
    assert table.max() < 1900 * ONE // 1000


def test_bytes_and_longs_weigh_the_same() -> None:
    average = Average(12345, 678)
    for count in (0, 1, 255):
        small = weights(np.array([count], np.uint8), np.array([255], np.uint8), average)
        large = weights(np.array([count], np.int64), np.array([255], np.int64), average)
        assert small.tolist() == large.tolist()


def test_where_nothing_was_said_nothing_is_divided_by() -> None:
    assert weights(np.array([1]), np.array([0]), Average(0, 0)).tolist() == [1024 * 1900 // 1450]
