"""A secret in a sentence: "my password is …". How that is said is language knowledge, and comes in as a value.

my password for the router is   hunter2         a word: what has a digit or a sign in it, what stands in quotes, and
└── lead ──────────────────────┘└─ value ─┘     words that no plain sentence goes on with ("is wrong", "is required")
swordfish   is my password                      the same before a trail
my PIN is   4821                                a number
my seed phrase is   apple river …               a phrase: all that follows on its line
"""

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import takewhile
from typing import Literal, NamedTuple

from projections.policies.secret_shapes import Stretch

ValueKind = Literal["word", "number", "phrase"]
MOST_WORDS = 8
"""The most words that a password of words has."""
LEAST_PHRASE = 4
"""From so many words on, one of them may be plain: "correct horse battery staple"."""
_OPENING = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "|": "|", "*": "*"}
_WORD = re.compile(r"\S+")
_NUMBER = re.compile(r"[\"'`*|]{0,3}(?P<value>\d(?:[\d -]{1,14})\d)\b")
_CLOSING = ".,;:!?)\"'`*|”’"
_MARK = "[redacted:"


class SecretWords(NamedTuple):
    """How one kind of secret is said: what stands before it and behind it (regular expressions, without regard to
    case, a space for any white space), and what it is. `hints`: a text with one holds one of these, in lower case.
    """

    name: str
    hints: tuple[str, ...]
    leads: tuple[str, ...] = ()
    trails: tuple[str, ...] = ()
    value: ValueKind = "word"


class Spoken(NamedTuple):
    """All that is known of how secrets are said; `plain` are words that go on a sentence and are no secret."""

    kinds: tuple[SecretWords, ...] = ()
    plain: frozenset[str] = frozenset()


def spoken_secrets(text: str, spoken: Spoken) -> Iterator[Stretch]:
    """Everything in a text that is said to be a secret."""
    lower = text.lower()
    for kind in spoken.kinds:
        if any(hint in lower for hint in kind.hints):
            yield from _led(text, kind, spoken.plain)
            yield from _trailed(text, kind, spoken.plain)


def _led(text: str, kind: SecretWords, plain: frozenset[str]) -> Iterator[Stretch]:
    for lead in _compiled(kind.leads):
        for found in lead.finditer(text):
            value = _WORD.search(text, found.end())
            stretch = value and _VALUES[kind.value](text, value.start(), plain)
            if stretch:
                yield Stretch(*stretch, kind.name)


def _trailed(text: str, kind: SecretWords, plain: frozenset[str]) -> Iterator[Stretch]:
    for trail in _compiled(kind.trails):
        for found in trail.finditer(text):
            start, end = found.span("value")
            is_value = _is_bare(text[start:end], plain) or _is_odd(text[start:end])
            if is_value and not text[:start].endswith(f"{_MARK} "):
                yield Stretch(*_trimmed(text, start, end), kind.name)


@cache
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(each.replace(" ?", r"\s*").replace(" ", r"\s+"), re.IGNORECASE) for each in patterns)


def _word(text: str, start: int, plain: frozenset[str]) -> tuple[int, int] | None:
    """A value in quotes; or an odd one; or words up to the end of the clause, none of which is plain."""
    if text.startswith(_MARK, start):
        return None
    closing = _OPENING.get(text[start])
    end = text.find(closing, start + 1) if closing else -1
    if 0 < end - start <= 200 and "\n" not in text[start:end]:
        return (start + 1, end) if end > start + 1 else None
    line = text[start:].split("\n", 1)[0]
    words = _clause(line)
    if _is_odd(words[0][0]):
        return _trimmed(text, start, start + words[0].end())
    said = sum(not _is_bare(each[0], plain) for each in words)
    if len(words) > MOST_WORDS or said > (len(words) >= LEAST_PHRASE):
        return None
    return _trimmed(text, start, start + words[-1].end())


def _clause(line: str) -> list[re.Match[str]]:
    """The words up to the first that ends a clause."""
    words = list(_WORD.finditer(line))
    whole = list(takewhile(lambda each: each[0][-1] not in ".,;:!?)", words))
    return words[: len(whole) + 1]


def _is_bare(word: str, plain: frozenset[str]) -> bool:
    """Whether a word may be a secret for lack of any other sense."""
    return len(word.strip(_CLOSING)) > 2 and _key(word) not in plain


def _key(word: str) -> str:
    return word.strip(_CLOSING + "(").replace("’", "'").casefold()


def _is_odd(word: str) -> bool:
    """Whether a word is none: with a digit among letters, a sign inside, or capitals where none belong."""
    inner = word.strip(_CLOSING + "(")
    if len(inner) < 3:
        return False
    digits, letters = any(map(str.isdecimal, inner)), any(map(str.isalpha, inner))
    signs = any(not each.isalnum() and each not in "'’-./…" for each in inner)
    capital = letters and any(map(str.isupper, inner[1:])) and any(map(str.islower, inner))
    return (digits and (letters or len(inner) > 3)) or (signs and (letters or digits)) or capital


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the sign that ends the sentence: a full stop may be part of a password, and goes with it then."""
    while end - 1 > start and text[end - 1] in ".,;:?)" and not text[start:end].startswith("("):
        end -= 1
    return start, end


def _number(text: str, start: int, _: frozenset[str]) -> tuple[int, int] | None:
    found = _NUMBER.match(text, start)
    return None if found is None else found.span("value")


def _phrase(text: str, start: int, plain: frozenset[str]) -> tuple[int, int] | None:
    """Words that a person would hardly say: at least three, of which no more than one is plain."""
    line = text[start:].split("\n", 1)[0].rstrip()
    words = _WORD.findall(line)
    if text.startswith(_MARK, start) or len(words) < 3 or sum(_key(each) in plain for each in words) > 1:
        return _word(text, start, plain)
    return start, start + len(line)


_VALUES: dict[ValueKind, Callable[[str, int, frozenset[str]], tuple[int, int] | None]] = {
    "word": _word,
    "number": _number,
    "phrase": _phrase,
}
