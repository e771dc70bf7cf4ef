"""Vectors as they are kept and compared: a whole number from -127 to 127 for each dimension, and cosines of these.

    kept = round(127 · vector ÷ the largest of its numbers without their signs)
    cosine(a, b) = a·b ÷ √(a·a · b·b)

By what a vector was multiplied is not kept: a cosine does not depend on it. The sums are of whole numbers, exact in any
order. A product of two lengths is below 2⁵³ for as many as 4,096 dimensions, so the root and the quotient are each one
operation of IEEE 754 on exact numbers, correctly rounded: the same rows have the same order on every machine.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from projections.policies.closeness import Vector

Numbers = npt.NDArray[np.int8]
"""A vector as it is kept."""
LARGEST = 127
MOST_DIMENSIONS = 4096
THRESHOLD = 300
"""The cosine from which on a text is found by its meaning, in thousandths (seed 004 §5: similarity_threshold)."""
_AT_ONCE = 4096
"""How many vectors are widened to 32 bits at once: 16 MB of 1,024 dimensions."""


class Matrix(NamedTuple):
    """Vectors one below the other, `numbers` (n × dimensions, int8), and the square of each one's length (n, int64)."""

    numbers: Numbers
    squares: npt.NDArray[np.int64]


class Closest(NamedTuple):
    """Which of a matrix's vectors are near, the nearest first, and their cosines in thousandths, rounded down."""

    indices: tuple[int, ...] = ()
    thousandths: tuple[int, ...] = ()


def quantised(vector: Vector) -> Numbers:
    """A vector as it is kept; all zeros where it is. ValueError for one that is empty, too long or not of numbers."""
    exact = np.asarray(vector, dtype=np.float64)
    if exact.ndim != 1 or not 0 < len(exact) <= MOST_DIMENSIONS or not np.isfinite(exact).all():
        raise ValueError(f"a vector has 1 to {MOST_DIMENSIONS} numbers, and no other values")
    largest = np.abs(exact).max()
    if largest == 0:
        return np.zeros(len(exact), np.int8)
    kept: Numbers = np.rint(exact / largest * LARGEST).astype(np.int8)
    return kept


def stacked(vectors: Sequence[Numbers]) -> Matrix:
    """A matrix of vectors of one length. ValueError where they differ: two encoders' are never compared."""
    if len(set(map(len, vectors))) > 1:
        raise ValueError("vectors of several lengths are of several encoders")
    numbers = np.concatenate(vectors).reshape(len(vectors), -1) if vectors else np.empty((0, 0), np.int8)
    return Matrix(numbers, _products(numbers, None))


def thousandths(query: Numbers, matrix: Matrix) -> npt.NDArray[np.int64]:
    """The cosine of each vector with the query, in thousandths, rounded down: for whoever adds them to other scores."""
    return np.floor(_cosines(query, matrix) * 1000).astype(np.int64)


def closest(query: Numbers, matrix: Matrix, most: int, least: int = THRESHOLD) -> Closest:
    """At most so many vectors whose cosine with the query is at least so many thousandths; ties go by index.

    ValueError where the query's length is another than theirs.
    """
    if not len(matrix.numbers):
        return Closest()
    cosines = _cosines(query, matrix)
    near = np.flatnonzero(np.floor(cosines * 1000) >= least)
    order = near[np.argsort(-cosines[near], kind="stable")][:most]
    return Closest(tuple(order.tolist()), tuple(np.floor(cosines[order] * 1000).astype(int).tolist()))


def _cosines(query: Numbers, matrix: Matrix) -> npt.NDArray[np.float64]:
    """The cosine of each vector with the query; 0 where either has no length."""
    length = int(_products(query[None, :], None)[0])
    squares = np.sqrt((matrix.squares * length).astype(np.float64))
    products = _products(matrix.numbers, query).astype(np.float64)
    return np.divide(products, squares, out=np.zeros_like(products), where=squares > 0)


def _products(numbers: Numbers, query: Numbers | None) -> npt.NDArray[np.int64]:
    """Each row times the query, or times itself: below 2²⁷, so 32 bits hold it."""
    products = np.empty(len(numbers), np.int64)
    for start in range(0, len(numbers), _AT_ONCE):
        wide = numbers[start : start + _AT_ONCE].astype(np.int32)
        some = np.einsum("ij,ij->i", wide, wide) if query is None else wide @ query.astype(np.int32)
        products[start : start + _AT_ONCE] = some
    return products
