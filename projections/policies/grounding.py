"""Whether a model's entry has a ground: the words that it quotes really occur in the messages that it was shown.

    form of the entry                                 what it needs
    ───────────────────────────────────────────────   ─────────────────────────────────────────────────────────────────
    with a place for quotes (seed 004's, dnam's own)  one at least; every one of them occurs
    without (seed 000's, DiscoClaw's)                 nothing: it rests on the message it names, or on all it was shown
    quotes of a word or two alone                     one of the words is in the entry, too

Words are compared without regard to case, signs and accents, which models mend, and piece by piece where a quote leaves
something out ("…"). A longer quote need not share a word with the entry: who speaks another language, or says it in
other words, is noted all the same.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from projections.policies.evidence import InputMessage
from projections.policies.replies import UpsertEntry
from projections.policies.verdict import Verdict
from projections.remembered import of_people

VERSION = "grounding@2"
LEAST_LETTERS = 12
"""From so many letters on, a quote says something by itself. A sign of a script without upper case counts as three: it
may be a word.
"""
LEAST_WORD = 3
"""A shorter word counts where it is written as a name: Go, F1, C#."""
LEAST_STEM = 4
"""Words that begin with the same so many letters are forms of one."""
_NAMED = re.compile(r"(?<![^\W_])(?!I\b)[A-Z][^\W_]?(?![^\W_])")
_ELISION = re.compile(r"…|\.{3,}")


def ungrounded(entry: UpsertEntry, inputs: Sequence[InputMessage], common: Collection[str]) -> Verdict | None:
    """Why an entry is no memory, if it quotes nothing, or what nobody said, or what says nothing. `common` are words
    that no sentence lacks.
    """
    quotes = [each.quote for each in entry.evidence if _pieces(each.quote)]
    texts = tuple(each.text for each in inputs)
    if not quotes:
        return Verdict("it quotes none of the words that it rests on", VERSION) if entry.must_quote else None
    said = _said(texts)
    if not all(_is_said(each, said) for each in quotes):
        return Verdict("words that it quotes occur in none of the messages", VERSION)
    if not any(map(_is_long, quotes)) and not _shares(entry.text, quotes, texts, common):
        return Verdict("the words that it quotes are too few to say it", VERSION)
    return None


def quoted_in(quotes: Sequence[str], texts: Sequence[str]) -> bool:
    """Whether the words of one of these quotes, at least, occur in the texts."""
    said = _said(tuple(texts))
    return any(_is_said(each, said) for each in quotes)


@of_people
@lru_cache(maxsize=4)
def _said(texts: tuple[str, ...]) -> str:
    """What all messages of a reply say; every entry of it is held against them."""
    return " ".join(map(_key, texts))


def _is_said(quote: str, said: str) -> bool:
    pieces = _pieces(quote)
    return bool(pieces) and all(each in said for each in pieces)


def _is_long(quote: str) -> bool:
    letters = "".join(_pieces(quote)).replace(" ", "")
    return sum(1 if each.islower() or each.isdecimal() else 3 for each in letters) >= LEAST_LETTERS


def _shares(text: str, quotes: Sequence[str], texts: Sequence[str], common: Collection[str]) -> bool:
    """Whether a whole word of the messages is in the quotes and in the text."""
    said = {word for each in texts for word in _words(each)}
    names = {name for each in quotes for name in _named(each)}
    quoted = {word for each in quotes for word in _words(each)} & said - (set(common) - names)
    return not {_stem(each) for each in quoted}.isdisjoint(map(_stem, _words(text)))


def _words(text: str) -> Iterator[str]:
    names = _named(text)
    return (each for each in _key(text).split() if len(each) >= LEAST_WORD or each.isdecimal() or each in names)


def _named(text: str) -> set[str]:
    """The words of a letter or two that are written as names."""
    return {_key(each) for each in _NAMED.findall(text)}


def _stem(word: str) -> str:
    return word[:LEAST_STEM]


def _pieces(quote: str) -> list[str]:
    return [key for each in _ELISION.split(quote) if (key := _key(each))]


class _Keys(dict[int, str]):
    """By code point what a character is in a key, looked up once for each: in one case, nothing where it is an accent,
    and a space where it is of no word.
    """

    def __missing__(self, code: int) -> str:
        said = (each for each in chr(code).casefold() if not unicodedata.combining(each))
        self[code] = "".join(each if each.isalnum() else " " for each in said)
        return self[code]


_KEYS = _Keys()


def _key(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKD", text).translate(_KEYS).split())
