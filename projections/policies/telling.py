"""Whether a text says something of an item: an answer that had it before it, in whatever words, goes with it.

An answer seldom repeats an item whole, and an item seldom says what its message did ("User is allergic to peanuts.").
One word is enough by which the item could be known: any of three letters or more, or a shorter one that is written as a
name or a number, in any form (peanut, peanuts). In a script without case, four signs in a row are. These tell nothing:

    small      words that no sentence lacks, of English and of some other languages, and whom items are about
    frame      what most items say alike: verbs that say little alone (likes, lives, works), and how often

Where an item has no other words, those of the frame tell it; and where all are small, the whole of it as it stands.
"""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from projections.languages import LANGUAGES
from projections.policies.own_words import key, sayer
from projections.policies.text import folded
from projections.recall.english import STOP_WORDS

VERSION = "telling@1"
LEAST_LETTERS = 3
LEAST_NAME = 2
"""How many letters a word has at least that is written with a capital, in digits, or in a script without case."""
SIGNS = 4

_WORD = re.compile(r"[^\W_]+")


USERS = frozenset[str]().union(*(each.telling.users for each in LANGUAGES))
"""Whom items are about."""
FRAME = frozenset[str]().union(*(each.telling.frame for each in LANGUAGES))
"""What most items say alike."""
SMALL = STOP_WORDS.union(*(each.telling.small for each in LANGUAGES))
"""Words that no sentence lacks. They are small where they are written small, or begin a text: MIT and Will are names.
"""


class _Known(NamedTuple):
    """What an item is known by: words of its text, or all of them in a row where none tells anything."""

    words: tuple[str, ...]
    whole: str = ""


def telling(texts: Iterable[str], but: str = "") -> Callable[[str], bool]:
    """What judges whether a text says something of an item that says one of these; what `but` says does not count."""
    known = [_known(each) for each in texts]
    wanted = frozenset(word for each in known for word in each.words if not sayer([word])(but))
    wholes = [each.whole for each in known if each.whole and each.whole not in _wholly(but)]
    says_one = sayer(wanted)
    return lambda text: says_one(text) or any(whole in _wholly(text) for whole in wholes)


def _known(text: str) -> _Known:
    words = [word for at, word in enumerate(_WORD.findall(text)) if not _is_small(word, first=at == 0)]
    told = [word for word in words if word not in FRAME] or words
    return _Known(tuple(piece for word in told for piece in _pieces(key(word))), "" if told else _whole(text))


def _is_small(word: str, *, first: bool) -> bool:
    is_plain = word.islower() and word.isalpha()
    if len(word) < (LEAST_LETTERS if is_plain else LEAST_NAME):
        return True
    written = word.lower() if first else word
    return written in SMALL or word.casefold() in USERS


def _pieces(word: str) -> list[str]:
    """A word; of a long run of signs without case, every few of them."""
    if word.isascii() or word.islower() or len(word) <= SIGNS:
        return [word]
    return [word[at : at + SIGNS] for at in range(len(word) - SIGNS + 1)]


def _whole(text: str) -> str:
    """All words of a text in a row, or the signs that it has instead."""
    words = _WORD.findall(text.casefold())
    return f" {' '.join(words)} " if words else folded(text)


def _wholly(text: str) -> str:
    """What a `_whole` is looked for in."""
    return f"{_whole(text)}\n{folded(text)}"
