"""Words that are spelled like one that stands nowhere: it may be misspelt.

Such a word is one letter away from it: one less, one more, another one, two the other way round. Stems are compared.

There are some hundred of them, and their terms are reckoned all at once. The number of a word (`words.number_of`) is
that of its letters, each times 256 as often as bytes stand behind it: with a letter put between two parts it is a sum
of what the parts and the letter are worth there.
"""

from collections.abc import Iterator
from functools import cache, lru_cache

import numpy as np

from projections.recall.numbers import NOTHING, Numbers, spread_all
from projections.recall.words import LONGEST, PRIME, number_of, stem_of

FEWEST_LETTERS = 5
"""How long a word is at least that may be misspelt."""
_LIKES = 256
"""Of how many words is remembered what is spelled like them."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_KIND = b"w"
UTF8 = 4
"""How many bytes a letter takes at the most."""


@lru_cache(_LIKES)
def spelled_like(word: str) -> Numbers:
    """The numbers of the terms of whatever is spelled like a word, ascending, some twice: so it is found without a list
    of all the words there are.
    """
    stem = _may_be_misspelt(word)
    if not stem:
        return NOTHING
    whole, letters = _KIND + stem.encode(), sorted(set(stem).difference(_LETTERS))
    parts, behind, others = list[int](), list[int](), list[int]()
    for left, right in _gaps(stem):
        parts.append(number_of(left + b"\0" + right))
        behind.append(len(right))
        others += [number_of(left + letter.encode() + right) for letter in letters]
    near = (
        np.array(parts, np.uint64)[:, None] + _worth(LONGEST if max(behind) <= LONGEST else UTF8 * LONGEST)[behind]
    ) % np.uint64(PRIME)
    numbers = np.concatenate([near.reshape(-1), np.array([*others, *_shorter_and_turned(stem)], np.uint64)])
    likes = spread_all(numbers[numbers != number_of(whole)])
    likes.sort()
    return likes


def _gaps(stem: str) -> Iterator[tuple[bytes, bytes]]:
    """What stands before and behind one letter that may be anywhere in a stem: between two, or in the place of one."""
    for at in range(len(stem) + 1):
        left = _KIND + stem[:at].encode()
        yield left, stem[at:].encode()
        if at < len(stem):
            yield left, stem[at + 1 :].encode()


def _shorter_and_turned(stem: str) -> Iterator[int]:
    """The numbers of a stem without one letter, and with two of them the other way round."""
    for at in range(len(stem)):
        yield number_of(_KIND + f"{stem[:at]}{stem[at + 1 :]}".encode())
        yield number_of(_KIND + f"{stem[:at]}{stem[at + 1 : at + 2]}{stem[at]}{stem[at + 2 :]}".encode())


@cache
def _worth(most: int) -> Numbers:
    """What each letter from a to z is worth with so many bytes behind it, from 0 to `most`."""
    worth = [[(ord(letter) << 8 * behind) % PRIME for letter in _LETTERS] for behind in range(most + 1)]
    return np.array(worth, np.uint64)


def _may_be_misspelt(word: str) -> str:
    """The stem of a word that may be; of words of four letters and less too many others are spelled like them."""
    stem = stem_of(word) if word.isalpha() else ""
    return stem if len(stem) >= FEWEST_LETTERS and stem.isalpha() else ""
