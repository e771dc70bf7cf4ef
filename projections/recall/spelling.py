"""Words that are spelled like one that stands nowhere: it may be misspelt.

Such a word is one letter away from it: one less, one more, another one, two the other way round. Stems are compared.
"""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from projections.recall.words import TERM_BYTES, stem_of, term, words

FEWEST_LETTERS = 5
"""How long a word is at least that may be misspelt."""
_LIKES = 256
"""Of how many words is remembered what is spelled like them."""
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")


class Vocabulary:
    """All words of some texts, ready to be compared: with a bit for each letter, most are told apart at once."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._stems = sorted({stem_of(word) for text in texts for word in words(text) if not word.isdigit()})
        self._letters = np.array([_letters_of(each) for each in self._stems], np.uint64)

    def like(self, word: str) -> list[bytes]:
        """The terms of those spelled like a word: what `spelled_like` says, of what stands here."""
        stem = _may_be_misspelt(word)
        if not stem:
            return []
        near = np.flatnonzero(np.bitwise_count(self._letters ^ np.uint64(_letters_of(stem))) <= 2).tolist()
        letters = _LETTERS.union(stem)
        others = [each for each in map(self._stems.__getitem__, near) if letters.issuperset(each)]
        return [term("w", each) for each in others if is_one_away(stem, each)]


def is_one_away(stem: str, other: str) -> bool:
    """Whether two are one letter apart."""
    short, long = sorted((stem, other), key=len)
    at = next((at for at, letter in enumerate(short) if letter != long[at]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    is_another = short[at + 1 :] == long[at + 1 :]
    is_turned = short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    return short != long and (is_another or is_turned)


@lru_cache(_LIKES)
def spelled_like(word: str) -> tuple[bytes, ...]:
    """The terms of whatever is spelled like a word: so it is found without a list of all the words there are."""
    stem = _may_be_misspelt(word)
    if not stem:
        return ()
    letters = [each.encode() for each in _LETTERS.union(stem)]
    near = set[bytes]()
    for at in range(len(stem) + 1):
        left, right, rest = f"w{stem[:at]}".encode(), stem[at:].encode(), stem[at + 1 :].encode()
        others = [left + letter for letter in letters]
        near.update([other + right for other in others])
        if right:
            near.update([other + rest for other in others])
            near |= {left + rest, f"w{stem[:at]}{stem[at + 1 : at + 2]}{stem[at]}{stem[at + 2 :]}".encode()}
    near.discard(f"w{stem}".encode())
    return tuple(sorted([blake2b(each, digest_size=TERM_BYTES).digest() for each in near]))


def _may_be_misspelt(word: str) -> str:
    """The stem of a word that may be; of words of four letters and less too many others are spelled like them."""
    stem = stem_of(word) if word.isalpha() else ""
    return stem if len(stem) >= FEWEST_LETTERS and stem.isalpha() else ""


def _letters_of(stem: str) -> int:
    """A bit for each letter, whichever it is: some share one."""
    bits = 0
    for letter in stem:
        bits |= 1 << (ord(letter) & 63)
    return bits
