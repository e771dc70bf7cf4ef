"""Which of many patterns may match a text, by its words: what cannot is not searched for, which is nearly everything.

Of what a pattern cannot do without (`literals`), each set of literals is a bit; so are what a text has and what a
pattern needs whole numbers, and it may match where all bits that it needs are among those of the text:

    pattern                          bits                                               needs
    ──────────────────────────────   ────────────────────────────────────────────────   ───────
    ignore (?:all|the) rules?        0: ignore    1: all, the    2: rule                0b00111
    (?:system|hidden) prompt         3: system, hidden           4: prompt              0b11000

A text's bits are those of its words together, and a word's are looked up once: words come again. Of a literal only its
longest word is looked for, or the part of one, with the space before or behind it ("system prompt": " prompt"); of one
that has no letters its first sign. So what several texts say together has no bits but those of each and of the words
that lie across a seam.

Which patterns are held against the bits at all is told by one set of each, the one whose words are the longest.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from projections.policies.literals import Needs, Words, rarity

LEAST_PIECE = 2
"""Shorter pieces stand in every text."""
LONGEST_WORD = 24
"""A longer word comes once, and is not kept."""
MOST_KNOWN = 8_192
"""So many words are kept at most."""
Turn = Callable[[str], str]
_PIECE = re.compile(r"[^\W_]+")


class Lookup:
    """The patterns by their position. `needed` is what each of them needs, in lower case. A turn makes another word of
    each word, and leaves its signs: what turns every word of a text so need not be read to know what it has.
    """

    def __init__(self, needed: Sequence[Needs], turns: Sequence[Turn] = ()) -> None:
        pieced = [_pieced(each) for each in needed]
        first = [max(each, key=rarity) for each in pieced if each]
        bits = {clause: 1 << n for n, clause in enumerate(dict.fromkeys([*first, *(one for e in pieced for one in e)]))}
        self._needed = [sum(bits[each] for each in clauses) for clauses in pieced]
        self._always = [position for position, clauses in enumerate(pieced) if not clauses]
        self._by_first: dict[int, list[tuple[int, int]]] = {}
        for position, clauses in enumerate(pieced):
            if clauses:
                first_bit = bits[max(clauses, key=rarity)]
                self._by_first.setdefault(first_bit, []).append((position, self._needed[position]))
        self._firsts = sum(self._by_first)
        pieces: dict[str, int] = {}
        for clause, bit in bits.items():
            for piece in clause:
                pieces[piece] = pieces.get(piece, 0) | bit
        self._signs = [(each, has) for each, has in pieces.items() if not _PIECE.search(each)]
        self._words = _Words({each: has for each, has in pieces.items() if _PIECE.search(each)})
        self._turned = _Turned(self._words, turns)

    def bits(self, words: str, signed: str = "") -> int:
        """What a text has: its words with a space between, and the text with its signs."""
        found = 0
        known = self._words
        for word in words.split():
            found |= known[word]
        return found | self._bits_of_signs(signed)

    def bits_turned(self, words: str, signed: str) -> int:
        """What a text has as it is and in any turn."""
        found = 0
        known = self._turned
        for word in words.split():
            found |= known[word]
        return found | self._bits_of_signs(signed)

    def _bits_of_signs(self, signed: str) -> int:
        found = 0
        for sign, bits in self._signs:
            if sign in signed:
                found |= bits
        return found

    def may_match(self, bits: int, among: Sequence[int] | None = None) -> list[int]:
        """The positions of the patterns that may match what has these bits, in their order; `among` are some of which
        it is known that no others may.
        """
        if among is not None:
            return [each for each in among if bits & self._needed[each] == self._needed[each]]
        found = list(self._always)
        touched = bits & self._firsts
        while touched:
            first = touched & -touched
            touched ^= first
            for position, needed in self._by_first[first]:
                if bits & needed == needed:
                    found.append(position)
        return sorted(found)


class _Words(dict[str, int]):
    """A word's bits, looked up once for each: those of all pieces in it, which are found by what they begin with."""

    def __init__(self, pieces: dict[str, int]) -> None:
        super().__init__()
        self._beginning: dict[str, list[tuple[str, int]]] = {}
        for piece, bits in pieces.items():
            self._beginning.setdefault(piece[:LEAST_PIECE], []).append((piece, bits))

    def __missing__(self, word: str) -> int:
        bits = self._bits(f" {word} ")
        if len(word) <= LONGEST_WORD:
            if len(self) >= MOST_KNOWN:
                self.clear()
            self[word] = bits
        return bits

    def _bits(self, text: str) -> int:
        bits = 0
        for start in range(len(text) - LEAST_PIECE + 1):
            for piece, has in self._beginning.get(text[start : start + LEAST_PIECE], ()):
                if text.startswith(piece, start):
                    bits |= has
        return bits


class _Turned(dict[str, int]):
    """The bits of a word as it is and in any turn, looked up once for each."""

    def __init__(self, words: _Words, turns: Sequence[Turn]) -> None:
        super().__init__()
        self._words = words
        self._turns = turns

    def __missing__(self, word: str) -> int:
        bits = self._words[word]
        for turn in self._turns:
            bits |= self._words[turn(word)]
        if len(word) <= LONGEST_WORD:
            if len(self) >= MOST_KNOWN:
                self.clear()
            self[word] = bits
        return bits


def _pieced(needed: Needs) -> list[Words]:
    """The sets of pieces of which a text has one each, where it has one each of these sets of literals."""
    sets = (each for words in needed for each in _sets(words))
    return list(dict.fromkeys(each for each in sets if all(map(_says, each))))


def _says(piece: str) -> bool:
    """Whether a piece says anything: a sign does, or a few letters."""
    return len(piece) >= LEAST_PIECE or (piece != "" and not _PIECE.search(piece))


@lru_cache(maxsize=2_048)
def _sets(words: Words) -> list[Words]:
    """Of one literal all its pieces are there; of several, the longest of one of them."""
    pieces = [_pieces(each) for each in words]
    if len(pieces) == 1:
        return [frozenset({each}) for each in pieces[0]]
    return [frozenset(max(each, key=lambda piece: (len(piece.strip()), len(piece))) for each in pieces)]


@lru_cache(maxsize=4_096)
def _pieces(literal: str) -> list[str]:
    """What of a literal lies within one word each; of one without letters, its first sign."""
    return [_spaced(literal, each) for each in _PIECE.finditer(literal)] or [literal.strip()[:1]]


def _spaced(literal: str, piece: re.Match[str]) -> str:
    """A piece with the space before and behind it, if there is one."""
    before, behind = literal[: piece.start()], literal[piece.end() :]
    return (" " if before.endswith(" ") else "") + piece[0] + (" " if behind.startswith(" ") else "")
