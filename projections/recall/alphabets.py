"""The alphabets in which words may be misspelt, and what their letters are worth in the number of a word."""

from functools import cache

import numpy as np

from projections.recall.numbers import Numbers
from projections.recall.words import PRIME

LATIN = "abcdefghijklmnopqrstuvwxyz"
ALPHABETS = (LATIN, "абвгдежзийклмнопрстуфхцчшщъыьэюяєіїґў", "αβγδεζηθικλμνξοπρστυφχψω")
"""Each of letters of as many bytes: UTF-8 has one for these, and two for those."""


@cache
def worth(alphabet: str, most: int) -> Numbers:
    """What each letter of an alphabet is worth with so many bytes behind it, from 0 to `most`."""
    letters = [int.from_bytes(letter.encode(), "big") for letter in alphabet]
    return np.array([[(each << 8 * behind) % PRIME for each in letters] for behind in range(most + 1)], np.uint64)
