"""BM25 in whole numbers, so that a score is the same on every machine and after every rebuild.

    score = Σ over terms:  idf(term) · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average))

after Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009); idf = ln(1 + (n - df + ½) /
(df + ½)). Everything is in 1/1024 and rounded down; k1 and b are thousandths.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

ONE = 1024
"""What counts as 1."""
K1, B = 900, 500
LEAST_NORM = K1 * (1000 - B) // 1000
LEAST_WORTH = 64
"""So much a term is worth at the least, in 1/1024: where it stands it gives something then, however long the text is,
and be it in every document there is.
"""
_LN2 = 45426
"""ln 2 in 1/65536."""
Longs = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]


class Average(NamedTuple):
    """An average length as a fraction: so many words in so many texts."""

    words: int
    texts: int


def log2(over: int, under: int) -> int:
    """floor(1024 · log2(over / under)) for over ≥ under > 0, by squaring whole numbers."""
    whole = (over // under).bit_length() - 1
    rest = (over << 64) // (under << whole)  # 1 ≤ rest / 2^64 < 2
    fraction = 0
    for _ in range(10):
        rest = rest * rest >> 64
        fraction = fraction << 1 | rest >> 65
        rest >>= rest >> 65
    return (whole << 10) + fraction


@lru_cache(4096)
def idf(documents: int, having: int) -> int:
    """How much a term tells that `having` of so many documents have, in 1/1024."""
    return log2(2 * documents + 2, 2 * having + 1) * _LN2 >> 16


def worth(documents: int, having: int, share: int) -> int:
    """The idf of a term that counts so much (in 1/1024) in a question: in 1/1024, LEAST_WORTH at the least."""
    return max(idf(documents, having) * share // ONE, LEAST_WORTH)


def weights(counts: npt.NDArray[Any], lengths: npt.NDArray[Any], average: Average) -> Longs:
    """What a term weighs that stands so often in texts of these lengths, in 1/1024; the arrays broadcast."""
    return weigh(counts, lengths, average).astype(np.int64)


def weigh(counts: npt.NDArray[Any], lengths: npt.NDArray[Any], average: Average) -> Doubles:
    """The same as doubles, for whoever goes on reckoning with them.

    The quotients are of whole numbers below 2^53, too small for a double to round them up to the next whole number: the
    floors are those of the fractions, on every machine.
    """
    return weigh_by_norm(counts, norm_of(lengths, average))


def norm_of(lengths: npt.NDArray[Any], average: Average, together: Doubles | float = 1.0) -> Doubles:
    """What the lengths of texts take from how often a term stands in them, in thousandths. Each may be of so many texts
    `together`; the arrays broadcast.
    """
    words, texts = max(average.words, 1), max(average.texts, 1)
    norm: Doubles = np.floor(lengths * float(K1 * B // 1000 * texts) / (together * words))
    norm += LEAST_NORM
    return norm


def weigh_by_norm(counts: npt.NDArray[Any], norm: Doubles) -> Doubles:
    """What `weigh` says, by the norms of the texts."""
    below: Doubles = counts * 1000.0 + norm
    made: Doubles = counts * float(ONE * (K1 + 1000)) / below
    return np.floor(made, out=made)
