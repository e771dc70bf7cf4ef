"""Vectors as they are kept and compared: a whole number from -127 to 127 for each dimension, and cosines of these.

    kept = round(127 · vector ÷ the largest of its numbers without their signs)
    cosine(a, b) = a·b ÷ √(a·a · b·b)

By what a vector was multiplied is not kept: a cosine does not depend on it. The sums are of whole numbers, exact in any
order. A product of two lengths is below 2⁵³ for as many as 4,096 dimensions, so the root and the quotient are each one
operation of IEEE 754 on exact numbers, correctly rounded: the same rows have the same order on every machine.

The sums are made by the multiplication of matrices in 32-bit floats, which is fast everywhere, and are exact there too:
1,040 products of two such numbers are below 2²⁴, up to which a float has every whole number, whatever is added first.
Longer vectors are added up in parts. Vectors stay bytes, a quarter of the memory, and are widened some hundreds at a
time, as many as a processor has at hand: floats that lie there would be looked through in two fifths of the time, and
in whole numbers, for which numpy has no such multiplication, it takes three times as long. A compiled loop, where there
is one (`recall.reckoners`), takes whole numbers as they lie, and a quarter of the time.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from projections.policies.closeness import Vector
from projections.recall.reckoners import reckoner

Numbers = npt.NDArray[np.int8]
"""A vector as it is kept."""
Doubles = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
LARGEST = 127
MOST_DIMENSIONS = 4096
THRESHOLD = 300
"""The cosine from which on a text is found by its meaning, in thousandths (seed 004 §5: similarity_threshold)."""
EXACT = 2**24 // LARGEST**2
"""How many products of two such numbers are added up exactly in 32-bit floats."""
_AT_ONCE = 1 << 18
"""How many numbers are widened to 32 bits at once: a megabyte."""


class Closest(NamedTuple):
    """Which of some texts are near, the nearest first, and their cosines in thousandths, rounded down."""

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


def squares(matrix: Numbers) -> Doubles:
    """The square of each row's length: a whole number."""
    found = np.empty(len(matrix))
    rows = max(1, _AT_ONCE // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), rows):
        wide = matrix[start : start + rows].astype(np.int32)
        found[start : start + rows] = np.einsum("ij,ij->i", wide, wide)
    return found


def cosines(query: Numbers, matrix: Numbers, lengths: Doubles, at: Places | None = None) -> Doubles:
    """The cosine of each row with the query; 0 where either has no length. `lengths` are the squares of the rows'
    lengths. With `at`, only of the rows at these places, in that order.

    ValueError where the query's length is another than theirs: two encoders' vectors are never compared.
    """
    if matrix.shape[1:] != query.shape:
        raise ValueError(f"vectors of {matrix.shape[1]} and of {len(query)} numbers are of two encoders")
    at = np.arange(len(matrix)) if at is None else at
    found = reckoner().products(query, matrix, at)
    if found is None:
        found = _products(query, matrix, at)
    roots = np.sqrt(lengths[at] * squares(query[None, :])[0])
    roots[roots == 0] = np.inf
    quotients: Doubles = found / roots
    return quotients


def closest(found: Doubles, most: int, least: int = THRESHOLD) -> Closest:
    """At most so many of these cosines that are at least so many thousandths; ties go by index. What is not a number
    is near nothing.
    """
    near = np.flatnonzero(np.floor(found * 1000) >= least)
    if len(near) > most > 0:
        near = near[found[near] >= np.partition(found[near], -most)[-most]]
    order = near[np.argsort(-found[near], kind="stable")][:most]
    return Closest(tuple(order.tolist()), tuple(np.floor(found[order] * 1000).astype(int).tolist()))


def _products(query: Numbers, matrix: Numbers, at: Places) -> Doubles:
    """Rows times the query, the whole numbers that they are."""
    found = np.zeros(len(at))
    rows = _AT_ONCE // min(EXACT, len(query))
    for first in range(0, len(query), EXACT):
        some = query[first : first + EXACT].astype(np.float32)
        wide = np.empty((min(rows, len(at)), len(some)), np.float32)
        for start in range(0, len(at), rows):
            sums = found[start : start + rows]
            wide[: len(sums)] = matrix[at[start : start + rows], first : first + EXACT]
            sums += wide[: len(sums)] @ some
    return found
