"""A text as the eye reads it: without characters that cannot be seen, with wide and narrow forms, dashes and spaces as
the plain ones; and where in the text as it was each code point stood.
"""

import unicodedata
from collections.abc import Iterator
from typing import NamedTuple


class Legible(NamedTuple):
    """The text, and the place of each of its code points in the one it was made from; () where nothing changed."""

    text: str
    places: tuple[int, ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """A stretch of this text as one of the text that it was made from."""
        return (self.places[start], self.places[end - 1] + 1) if self.places else (start, end)


def legible(text: str) -> Legible:
    """The text as it is read."""
    if text.isascii():
        return Legible(text)
    seen = [(shown, place) for place, each in enumerate(text) for shown in _shown(each)]
    return Legible("".join(shown for shown, _ in seen), tuple(place for _, place in seen))


def _shown(character: str) -> Iterator[str]:
    for each in unicodedata.normalize("NFKC", character):
        category = unicodedata.category(each)
        if category == "Pd":
            yield "-"
        elif category == "Zs":
            yield " "
        elif category != "Cf" and not "\ufe00" <= each <= "\ufe0f":
            yield each
