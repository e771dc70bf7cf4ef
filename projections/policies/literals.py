"""Which words a pattern cannot do without: looking for them is some ten times cheaper than searching for the pattern.

    pattern                        needs one of
    ────────────────────────────   ─────────────────────
    ignore (?:all|the) rules?      ignore
    (?:system|hidden) prompt       system, hidden
    (?:do not )?tell                tell
    \\w+ing                         nothing is known

Where nothing is known, the pattern is searched for. A text without any of the words has no match; one with them may.
Of many patterns the words are looked for once.
"""

import re
from collections.abc import Iterable, Sequence
from re import _constants as op  # type: ignore[attr-defined,unused-ignore] # not in the stubs
from re import _parser as parser  # type: ignore[attr-defined] # not in the stubs
from typing import Any

LEAST = 3
"""Shorter literals stand in every text."""
MOST = 80
"""So many words are looked for at most, instead of a pattern."""
Needs = frozenset[str]


def needs(pattern: str) -> Needs | None:
    """Words of which every match of a pattern contains one; None where none are known. The pattern tells large letters
    from small ones.
    """
    parsed = parser.parse(pattern)
    if parsed.state.flags & re.IGNORECASE:
        return None
    return _of(parsed)


def all_of(needed: Iterable[Needs | None]) -> tuple[str, ...]:
    """Every word that one of several patterns needs, each once."""
    return tuple(sorted({word for each in needed if each is not None for word in each}))


def present_in(text: str, words: Iterable[str]) -> Needs:
    """Which of these words stand in a text."""
    return frozenset([word for word in words if word in text])


def _of(sequence: Sequence[Any]) -> Needs | None:
    """The best of what a sequence's parts need."""
    found: list[Needs | None] = []
    run = ""
    for code, value in sequence:
        if code is op.LITERAL:
            run += chr(value)
            continue
        found.append(_literal(run))
        run = ""
        found.append(_part(code, value))
    known = [each for each in (*found, _literal(run)) if each is not None and len(each) <= MOST]
    return max(known, key=lambda each: (min(map(len, each)), -len(each)), default=None)


def _literal(run: str) -> Needs | None:
    return frozenset({run}) if len(run) >= LEAST else None


def _part(code: Any, value: Any) -> Needs | None:
    """What one part needs, if it must be there."""
    if code is op.BRANCH:
        return _any(_of(each) for each in value[1])
    if code is op.SUBPATTERN:
        return None if value[1] & re.IGNORECASE else _of(value[3])
    if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return _of(value[2]) if value[0] else None
    if code is op.ATOMIC_GROUP:
        return _of(value)
    return None


def _any(branches: Iterable[Needs | None]) -> Needs | None:
    """Every branch must need something, or nothing is known of them together."""
    found: set[str] = set()
    for each in branches:
        if each is None:
            return None
        found |= each
    return frozenset(found)
