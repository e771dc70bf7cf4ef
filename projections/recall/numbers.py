"""Many terms at once: as an array of numbers, in the order of the terms."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from projections.recall.words import FACTOR, HALF, TERM_BYTES

Numbers = npt.NDArray[np.uint64]
NOTHING: Numbers = np.empty(0, np.uint64)


def numbered(terms: Iterable[bytes]) -> Numbers:
    """The numbers of some terms."""
    return np.frombuffer(b"".join(terms), ">u8").astype(np.uint64)


def terms(numbers: Numbers) -> list[bytes]:
    """The terms of some numbers."""
    return [number.to_bytes(TERM_BYTES, "big") for number in numbers.tolist()]


def spread_all(hashes: Numbers) -> Numbers:
    """The numbers of the terms that `words.spread` makes of some hashes."""
    spread = hashes * np.uint64(FACTOR)
    spread ^= spread >> np.uint64(HALF)
    return spread


def among(numbers: Numbers, ascending: Numbers) -> set[bytes]:
    """The terms of those numbers that are among some others, which are ascending."""
    if not len(ascending):
        return set()
    there = ascending.take(ascending.searchsorted(numbers), mode="clip") == numbers
    return set(terms(numbers[there]))


def is_among(term: bytes, ascending: Numbers) -> bool:
    """Whether the number of a term is among some others, which are ascending."""
    number = int.from_bytes(term, "big")
    at = int(ascending.searchsorted(np.uint64(number)))
    return at < len(ascending) and ascending.item(at) == number
