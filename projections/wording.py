"""What changed between two texts, word by word.

A word carries the white space before it, so that the pieces that are in the new text are the new text, whole. Words are
compared without it: a line that is broken elsewhere is the same words. Signs are words of their own, and so is every
character of a script that is written without spaces.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby, takewhile
from typing import Literal, NamedTuple

Fate = Literal["same", "added", "removed"]
MOST_PAIRS = 100_000
"""How many pairs of equal words are looked at; texts that repeat a few words endlessly are told apart as a whole."""

_DENSE = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"\s*(?:[{_DENSE}]|(?:(?![{_DENSE}])\w)+(?:['’-](?:(?![{_DENSE}])\w)+)*|[^\w\s])|\s+\Z")


class Piece(NamedTuple):
    """Some words that stayed, came or went."""

    fate: Fate
    text: str


def wording(old: str, new: str) -> tuple[Piece, ...]:
    """The pieces, in order; what went stands before what came in its place. What stayed and what came is the new text,
    character for character; what stayed and what went is the old one but for white space.
    """
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    pieces = (piece for piece in _pieces(before, after) if piece.text)
    return tuple(
        Piece(fate, "".join(each.text for each in group)) for fate, group in groupby(pieces, key=lambda each: each.fate)
    )


def differs(pieces: Sequence[Piece]) -> bool:
    """Whether any word came or went."""
    return any(piece.fate != "same" for piece in pieces)


def _pieces(before: list[str], after: list[str]) -> Iterator[Piece]:
    old, new = [each.strip() for each in before], [each.strip() for each in after]
    start = alike(old, new)
    end = alike(old[start:][::-1], new[start:][::-1])
    yield Piece("same", "".join(after[:start]))
    for fate, first, last in _middle(old[start : len(old) - end], new[start : len(new) - end]):
        words = before if fate == "removed" else after
        yield Piece(fate, "".join(words[start + first : start + last]))
    yield Piece("same", "".join(after[len(after) - end :]))


def alike(old: Sequence[str], new: Sequence[str]) -> int:
    """With how many equal words both begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _middle(old: list[str], new: list[str]) -> Iterator[tuple[Fate, int, int]]:
    counted = Counter(old)
    if sum(counted[word] for word in new) > MOST_PAIRS:
        yield "removed", 0, len(old)
        yield "added", 0, len(new)
        return
    for what, old_first, old_last, new_first, new_last in SequenceMatcher(None, old, new, False).get_opcodes():
        if what == "equal":
            yield "same", new_first, new_last
        else:
            yield "removed", old_first, old_last
            yield "added", new_first, new_last
