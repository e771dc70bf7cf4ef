"""Which words a pattern cannot do without: looking for them is some ten times cheaper than searching for the pattern.

    pattern                        needs one of            and one of   and
    ────────────────────────────   ─────────────────────   ──────────   ────
    ignore (?:all|the) rules?      ignore                  all, the     rule
    (?:system|hidden) prompt       system, hidden          prompt
    (?:do not )?tell               tell
    \\w+ing                         nothing is known

A text that has none of the words of one of them has no match; another one may have. Of many patterns the words are
looked for once.
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
Words = frozenset[str]
Needs = tuple[Words, ...]
"""Of each of these sets a match has a word."""


def needs(pattern: str) -> Needs:
    """The sets of words of which every match of a pattern has one each; none where nothing is known. The pattern tells
    large letters from small ones.
    """
    parsed = parser.parse(pattern)
    return () if parsed.state.flags & re.IGNORECASE else tuple(dict.fromkeys(_of(parsed)))


def all_of(needed: Iterable[Needs]) -> tuple[str, ...]:
    """Every word that one of several patterns needs, each once."""
    return tuple(sorted({word for each in needed for words in each for word in words}))


def present_in(text: str, words: Iterable[str]) -> Words:
    """Which of these words stand in a text."""
    return frozenset([word for word in words if word in text])


def may_match(present: Words, needed: Needs) -> bool:
    """Whether of each set a word is present."""
    return not any(words.isdisjoint(present) for words in needed)


def _of(sequence: Sequence[Any]) -> list[Words]:
    """What the parts of a sequence need."""
    found: list[Words] = []
    run = ""
    for code, value in sequence:
        if code is op.LITERAL:
            run += chr(value)
            continue
        found += [*_literal(run), *_part(code, value)]
        run = ""
    return [each for each in (*found, *_literal(run)) if len(each) <= MOST]


def _literal(run: str) -> list[Words]:
    return [frozenset({run})] if len(run) >= LEAST else []


def _part(code: Any, value: Any) -> list[Words]:
    """What one part needs, if it must be there."""
    if code is op.BRANCH:
        return _any(_of(each) for each in value[1])
    if code is op.SUBPATTERN:
        return [] if value[1] & re.IGNORECASE else _of(value[3])
    if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return _of(value[2]) if value[0] else []
    if code is op.ATOMIC_GROUP:
        return _of(value)
    return []


def _any(branches: Iterable[list[Words]]) -> list[Words]:
    """The best of what every branch needs, together; where one needs nothing, nothing is known of them."""
    found: set[str] = set()
    for each in branches:
        if not each:
            return []
        found |= max(each, key=lambda words: (min(map(len, words)), -len(words)))
    return [frozenset(found)]
