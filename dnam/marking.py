"""Where the words of a search stand in a text, to be highlighted: by their stems, as recall finds them."""

from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

from projections.quoting import one_line

MOST_NEARLY = 8
"""For so many words of a search those spelled nearly so are looked for: some hundred others for each."""
MOST_CHARS = 240
"""How much of a text is shown in a list; JSON has all of it."""


class Mark(NamedTuple):
    """From where to where in a text, in code points."""

    start: int
    stop: int


Marks = Callable[[str], list[Mark]]


def marker(sought: str) -> Marks:
    """What finds the words of a search in a text; where none of them stands there, those spelled nearly so, but for
    those of a date.
    """
    from projections.recall.question import ask
    from projections.recall.spelling import all_like
    from projections.recall.words import asked

    wanted, dated = asked(sought), ask(sought, {}).dated
    exactly = frozenset(wanted)
    perhaps = (word for term, word in wanted.items() if term not in dated)
    nearly = frozenset[bytes]().union(*map(all_like, islice(perhaps, MOST_NEARLY)))
    return lambda text: _marks(text, exactly) or _marks(text, nearly)


def excerpt(text: str, marks: Marks, most: int = MOST_CHARS) -> str:
    """A text for a list, on one line: of a long one, what stands around the first of the words."""
    text = one_line(text)
    if len(text) <= most:
        return text
    found = marks(text)
    start = max(0, min(found[0].start - most // 4 if found else 0, len(text) - most))
    stop = start + most
    return f"{'…' if start else ''}{text[start:stop].strip()}{'…' if stop < len(text) else ''}"


def _marks(text: str, wanted: frozenset[bytes]) -> list[Mark]:
    from projections.recall.words import PIECE

    pieces = (each for each in PIECE.finditer(text) if _has(each[0], wanted))
    return [mark for each in pieces for mark in _of_piece(each[0], each.start(), wanted)]


def _of_piece(piece: str, start: int, wanted: frozenset[bytes]) -> list[Mark]:
    """Of languages without spaces the pairs that are looked for, and else the whole word."""
    pairs = range(0 if piece.isascii() else len(piece) - 1)
    found = [Mark(start + at, start + at + 2) for at in pairs if _has(piece[at : at + 2], wanted)]
    return found or [Mark(start, start + len(piece))]


def _has(piece: str, wanted: frozenset[bytes]) -> bool:
    from projections.recall.words import terms_of

    return not wanted.isdisjoint(terms_of(piece).counts)
