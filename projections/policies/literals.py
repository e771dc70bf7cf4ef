"""Which words a pattern cannot do without: looking for them is many times cheaper than searching for the pattern.

    pattern                        needs one of             and one of            and
    ────────────────────────────   ──────────────────────   ───────────────────   ───────
    ignore (?:all|the) rules?      "ignore "                " all ", " the "      " rule"
    (?:system|hidden) prompt       "system ", "hidden "     " prompt"
    (?:do not )?tell               "tell"
    \\d+                            nothing is known

A text that has none of the words of one of them has no match; another one may have. A space in front of a word or
behind it says that it begins or ends there, the text being looked at with a space around it. So does a boundary in the
pattern, where the text is nothing but words with single spaces between.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from re import _constants as op  # type: ignore[attr-defined,unused-ignore] # not in the stubs
from re import _parser as parser  # type: ignore[attr-defined] # not in the stubs
from typing import Any, NamedTuple

LEAST = 2
"""Shorter literals stand in every text."""
MOST = 80
"""So many words are looked for at most, instead of a pattern."""
Words = frozenset[str]
Needs = tuple[Words, ...]
"""Of each of these sets a match has a word."""
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_ASSERTIONS = (op.AT, op.ASSERT, op.ASSERT_NOT)


class _Part(NamedTuple):
    """One part of a pattern: what it is and of what, as the parser has it, but letters in a row are one part; and all
    that it may be, where that is little.
    """

    code: Any
    value: Any
    strings: Words | None


@lru_cache(maxsize=1_024)
def needs(pattern: str, *, in_words: bool = False) -> Needs:
    """The sets of words of which every match of a pattern has one each; none where nothing is known. The pattern tells
    large letters from small ones.
    """
    parsed = parser.parse(pattern)
    if parsed.state.flags & re.IGNORECASE:
        return ()
    return tuple(dict.fromkeys(_of(_parts(parsed, in_words), before=False, behind=False)))


def _parts(sequence: Iterable[Any], in_words: bool) -> list[_Part]:
    """A sequence as parts, and so what is in them; of boundaries, whether they tell anything."""
    found: list[_Part] = []
    letters = ""
    for code, value in sequence:
        if code is op.LITERAL:
            letters += chr(value)
        else:
            found += [*_letters(letters), _part(code, value, in_words)]
            letters = ""
    return [*found, *_letters(letters)]


def _letters(letters: str) -> list[_Part]:
    return [_Part(op.LITERAL, letters, frozenset({letters}))] if letters else []


def _part(code: Any, value: Any, in_words: bool) -> _Part:
    if code is op.BRANCH:
        return _branch([_parts(each, in_words) for each in value[1]])
    if code is op.SUBPATTERN and not value[1] & re.IGNORECASE:
        return _branch([_parts(value[3], in_words)])
    if code is op.ATOMIC_GROUP:
        return _branch([_parts(value, in_words)])
    if code in _REPEATS:
        return _repeat(value[0], value[1], _parts(value[2], in_words))
    if code is op.IN and all(each[0] is op.LITERAL for each in value):
        return _Part(code, None, frozenset(chr(each[1]) for each in value))
    return _Part(code, value is op.AT_BOUNDARY and in_words, frozenset({""}) if code in _ASSERTIONS else None)


def _branch(branches: list[list[_Part]]) -> _Part:
    of_each = [_joined(each) for each in branches]
    return _Part(op.BRANCH, branches, _few(of_each))


def _repeat(least: int, most: int, parts: list[_Part]) -> _Part:
    once = _joined(parts) if most == 1 else None
    strings = once if once is None or least else once | {""}
    return _Part(op.MAX_REPEAT, (least, most, parts), strings)


def _joined(parts: Sequence[_Part]) -> Words | None:
    """All that parts in a row may be."""
    found: Words = frozenset({""})
    for each in parts:
        if each.strings is None or len(found) * len(each.strings) > MOST:
            return None
        found = frozenset([one + other for one in found for other in each.strings])
    return found


def _few(strings: Sequence[Words | None]) -> Words | None:
    known = [each for each in strings if each is not None]
    found: Words = frozenset().union(*known)
    return found if len(known) == len(strings) and len(found) <= MOST else None


def _of(parts: Sequence[_Part], *, before: bool, behind: bool) -> list[Words]:
    """What parts in a row need. `before` and `behind`: whether it is known that a word begins or ends there."""
    spaced = zip(parts, _befores(parts, before), _behinds(parts, behind), strict=True)
    return [each for part, begins, ends in spaced for each in _need(part, begins, ends) if len(each) <= MOST]


def _need(part: _Part, before: bool, behind: bool) -> list[Words]:
    """What one part needs, if it must be there: one of all that it may be, or else what is in it."""
    if part.strings:
        return _spaced(part.strings, before, behind)
    if part.code is op.BRANCH:
        return _any(_of(each, before=before, behind=behind) for each in part.value)
    if part.code is op.MAX_REPEAT and part.value[0]:
        return _of(part.value[2], before=before, behind=behind and part.value[1] == 1)
    return []


def _spaced(strings: Words, before: bool, behind: bool) -> list[Words]:
    """Words with the space before and behind them that is known to be there; none where one says nothing."""
    found = frozenset(_padded(each, before, behind) for each in strings)
    return [found] if all(strings) and min(map(len, found)) >= LEAST else []


def _padded(word: str, before: bool, behind: bool) -> str:
    begins = " " if before and not word.startswith(" ") else ""
    return begins + word + (" " if behind and not word.endswith(" ") else "")


def _any(branches: Iterable[list[Words]]) -> list[Words]:
    """The best of what every branch needs, together; where one needs nothing, nothing is known of them. Of one branch,
    all that it needs.
    """
    of_each = list(branches)
    if len(of_each) == 1:
        return of_each[0]
    if not all(of_each):
        return []
    return [frozenset().union(*(max(each, key=rarity) for each in of_each))]


def rarity(words: Words) -> tuple[int, int, int]:
    """By which of several sets a text without a match is told soonest: the one with the longest words."""
    return min(len(each.strip()) for each in words), min(map(len, words)), -len(words)


# -- where words begin and end -------------------------------------------------------------------------------------


def _befores(parts: Iterable[_Part], before: bool) -> Iterator[bool]:
    """Of each part, whether a word begins with it."""
    for each in parts:
        yield before
        before = _ends(each, before)


def _behinds(parts: Sequence[_Part], behind: bool) -> list[bool]:
    """Of each part, whether a word ends with it."""
    found: list[bool] = []
    for each in reversed(parts):
        found.append(behind)
        behind = _begins(each, behind)
    return found[::-1]


def _ends(part: _Part, before: bool) -> bool:
    """Whether a word begins behind a part, by what stands before it."""
    code, value = part.code, part.value
    if code is op.LITERAL:
        return bool(value.endswith(" "))
    if code is op.BRANCH:
        return all(_ends_all(each, before) for each in value)
    if code is op.MAX_REPEAT:
        return (before or value[0] > 0) and _ends_all(value[2], before)
    return value or before if code is op.AT else code in _ASSERTIONS and before


def _ends_all(parts: Sequence[_Part], before: bool) -> bool:
    for each in parts:
        before = _ends(each, before)
    return before


def _begins(part: _Part, behind: bool) -> bool:
    """Whether a word ends in front of a part, by what stands behind it."""
    code, value = part.code, part.value
    if code is op.LITERAL:
        return bool(value.startswith(" "))
    if code is op.BRANCH:
        return all(_begins_all(each, behind) for each in value)
    if code is op.MAX_REPEAT:
        return (behind or value[0] > 0) and _begins_all(value[2], behind)
    return value or behind if code is op.AT else code in _ASSERTIONS and behind


def _begins_all(parts: Sequence[_Part], behind: bool) -> bool:
    for each in reversed(parts):
        behind = _begins(each, behind)
    return behind
