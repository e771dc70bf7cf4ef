"""How deep JSON is nested, counted in its bytes before anything parses it.

The parser keeps the whole path of every value, so that its memory grows with the square of the depth, and what builds
values calls itself once for each level: both are only given what is known to be shallow.
"""

import re
from itertools import accumulate
from typing import NamedTuple

MOST_DEPTH = 64
"""How many arrays and objects may lie in each other: more than any program nests that dnam reads."""
STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*(?:"|(\\?)\Z)', re.DOTALL)
"""A string, or one that the data ends in: with group 1, which has a backslash whose second byte is yet to come."""
STRINGS_REST = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*(?:"|(\\?)\Z)', re.DOTALL)
"""The same from inside a string."""
BRACKET = re.compile(rb"[\[\]{}]")
NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}


class Shallow(NamedTuple):
    """The data up to where it is too deep, and whether that is short of its end."""

    data: bytes
    is_cut: bool


class DepthCounter:
    """Follows JSON piece by piece, in memory bounded by a piece. What is no JSON is for the parser to find."""

    def __init__(self, most: int = MOST_DEPTH) -> None:
        self._most = most
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def take(self, data: bytes) -> Shallow:
        """As much of the next piece as is nested no deeper than allowed: it ends before the bracket that is."""
        begins, bare = self._bare(data)
        depths = list(accumulate(map(STEP.__getitem__, bare.translate(None, NO_BRACKETS)), initial=self._depth))
        if max(depths) <= self._most:
            self._depth = depths[-1]
            return Shallow(data, False)
        nth = next(number for number, depth in enumerate(depths) if depth > self._most)
        return Shallow(data[: begins + _place(bare, nth)], True)

    def _bare(self, data: bytes) -> tuple[int, bytes]:
        """Where the data leaves the string it begins in, and what follows with every string blanked out."""
        begins = 0
        if self._in_string:
            begins = min(int(self._escaped), len(data))
            rest = STRINGS_REST.match(data, begins)
            assert rest is not None
            begins = rest.end()
            self._note(rest)
            if self._in_string:
                return begins, b""
        return begins, STRING.sub(self._blank, data[begins:])

    def _blank(self, match: re.Match[bytes]) -> bytes:
        self._note(match)
        return b" " * len(match[0])

    def _note(self, match: re.Match[bytes]) -> None:
        """Whether the data ends in this string, and there behind a backslash."""
        self._in_string = match[1] is not None
        self._escaped = bool(match[1])


def _place(bare: bytes, nth: int) -> int:
    """Where the nth bracket stands, counted from one."""
    return next(match.start() for number, match in enumerate(BRACKET.finditer(bare), 1) if number == nth)
