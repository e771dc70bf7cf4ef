"""Texts whose words are as unequally common as those of a language: the n-th word n times rarer than the first.

The words are invented, and end in vowels that no stemmer touches, so that every engine indexes the same ones.
"""

from collections.abc import Iterator

import numpy as np

WORDS = 50_000
LEAST, MOST = 4, 20
"""How many words a text has."""
TERMS = 8
"""How many different words a query has."""
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprtvz" for vowel in "aou"]
_CHUNK = 50_000


def word(number: int) -> str:
    """The word of this rank, from 0: two syllables at least."""
    made = ""
    rest = number + len(_SYLLABLES)
    while rest:
        rest, last = divmod(rest, len(_SYLLABLES))
        made += _SYLLABLES[last]
    return made


class Zipf:
    """Draws words; the same ones for the same seed, on every machine."""

    def __init__(self, seed: int) -> None:
        self._words = [word(number) for number in range(WORDS)]
        shares = np.cumsum(1 / np.arange(1, WORDS + 1))
        self._shares = shares / shares[-1]
        self._dice = np.random.default_rng(seed)

    def texts(self, count: int) -> Iterator[str]:
        """So many texts."""
        for start in range(0, count, _CHUNK):
            yield from self._some(min(_CHUNK, count - start))

    def _some(self, count: int) -> Iterator[str]:
        lengths = self._dice.integers(LEAST, MOST + 1, count)
        drawn = self._draw(int(lengths.sum()))
        at = 0
        for length in lengths.tolist():
            words = [self._words[each] for each in drawn[at : at + length]]
            # As a sentence: twelve bare words may be a passphrase, which dnam does not keep.
            yield f"{' '.join(words).capitalize()}."
            at += length

    def queries(self, count: int) -> list[str]:
        """So many queries, as somebody who talks like the texts would ask: common words among them."""
        return [" ".join(self._words[each] for each in self._different()) for _ in range(count)]

    def _different(self) -> list[int]:
        found: dict[int, None] = {}
        while len(found) < TERMS:
            found |= dict.fromkeys(self._draw(TERMS))
        return list(found)[:TERMS]

    def _draw(self, count: int) -> list[int]:
        return [int(each) for each in np.searchsorted(self._shares, self._dice.random(count), side="right")]
