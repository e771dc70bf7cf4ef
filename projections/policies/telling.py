"""Whether a text says something of an item, or of a message: an answer that had it before it, in whatever words, goes
with it.

An answer seldom repeats an item whole, and an item seldom says what its message did ("User is allergic to peanuts.").
One word is enough by which the item could be known: any of three letters or more, or a shorter one that is written as a
name or a number, in any form (peanut, peanuts). In a script without case, four signs in a row are. These tell nothing:

    small      words that no sentence lacks, of English and of some other languages, and whom items are about
    frame      what most items say alike: verbs that say little alone (likes, lives, works), and how often

Where an item has no other words, those of the frame tell it; and where all are small, the whole of it as it stands.

One of these that an item writes with a capital within it is a name (Will, The Who, IT). It is told by where a capital
stands as well, and not by every "will" and "it":

    in a sentence that begins with a capital    the word has one too, or 's: Will, WILL, will's. What nobody is called
                                                (`plain`: "It") may begin a sentence and be no name, if it is not IT
    in one that does not                        case says nothing there: the word, in any form
    several in a row (The Who)                  the row as well, in any case

Where an item has no word in small letters, capitals say nothing (I HATE PEOPLE): it is known by what it says in small
ones as well. Where it has nothing but one such name, and that is of the frame (Home), it tells in any form.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from projections.languages import LANGUAGES
from projections.policies.own_words import key, said_in, sayer
from projections.policies.text import folded
from projections.recall.english import STOP_WORDS

VERSION = "telling@2"
LEAST_LETTERS = 3
LEAST_NAME = 2
"""How many letters a word has at least that is written with a capital, in digits, or in a script without case."""
SIGNS = 4

_WORD = re.compile(r"[^\W_]+")
_WITH_APOSTROPHE = re.compile(r"[^\W_]+(?:['’‘ʼ`][^\W_]+)*")
_APOSTROPHE = re.compile(r"['’‘ʼ`]")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_BEGINNING = re.compile(r"(?:\A|[:;–—(\[]|\s-\s)\W*\Z")
"""What stands before the first word of a sentence, or of what a sentence brings in."""
OF, NOT = "s", "t"
"""What stands behind an apostrophe: "will's" is Will's, and "don't" is nobody called Don."""

USERS = frozenset[str]().union(*(each.telling.users for each in LANGUAGES))
"""Whom items are about."""
FRAME = frozenset[str]().union(*(each.telling.frame for each in LANGUAGES))
"""What most items say alike."""
SMALL = STOP_WORDS.union(*(each.telling.small for each in LANGUAGES))
"""Words that no sentence lacks. They are small where they are written small, or begin a text: MIT and Will are names.
"""
PLAIN = frozenset[str]().union(*(each.telling.plain for each in LANGUAGES))
"""Ordinary words that nobody is called: at the beginning of a sentence they are no name."""
_ORDINARY = SMALL | FRAME


class _Word(NamedTuple):
    """A word of an item; whether it stands `first` in a sentence, where any word has a capital."""

    text: str
    first: bool

    @property
    def is_small(self) -> bool:
        """Whether it tells nothing."""
        is_plain = self.text.islower() and self.text.isalpha()
        if len(self.text) < (LEAST_LETTERS if is_plain else LEAST_NAME):
            return True
        return self._written in SMALL or self.text.casefold() in USERS

    @property
    def is_frame(self) -> bool:
        """Whether it tells little."""
        return self._written in FRAME

    @property
    def is_name(self) -> bool:
        """Whether it is an ordinary word that is written as a name."""
        is_ordinary = self.text.lower() in _ORDINARY and self._written not in _ORDINARY
        return is_ordinary and len(self.text) >= LEAST_NAME

    @property
    def _written(self) -> str:
        return self.text.lower() if self.first else self.text


class _Known(NamedTuple):
    """What an item is known by: words of its text; names that are ordinary words; and several words in a row, which
    are such names, or all that it says, where none of that tells anything.
    """

    words: tuple[str, ...]
    names: tuple[str, ...]
    rows: tuple[str, ...]


def telling(texts: Iterable[str], but: str = "") -> Callable[[str], bool]:
    """What judges whether a text says something of an item that says one of these; what `but` says does not count."""
    known = [_known(each) for each in texts]
    is_said, wholly = said_in(but), _wholly(but)
    words = frozenset(word for each in known for word in each.words if not is_said(word))
    names = frozenset(name for name in {name for each in known for name in each.names} if not _namer([name])(but))
    rows = frozenset(row for each in known for row in each.rows if row not in wholly)
    says_word, says_name = sayer(words), _namer(names)

    def says_row(text: str) -> bool:
        said = _wholly(text) if rows else ""
        return any(row in said for row in rows)

    return lambda text: says_word(text) or says_name(text) or says_row(text)


def told_by(text: str) -> Callable[[str], frozenset[tuple[str, str]]]:
    """What says by which words another text tells of this one, as `telling` judges it: none where it does not."""
    known = _known(text)
    words, rows = frozenset(known.words), frozenset(known.rows)
    namers = {name: _namer([name]) for name in known.names}

    def told(other: str) -> frozenset[tuple[str, str]]:
        is_said, wholly = said_in(other), _wholly(other) if rows else ""
        return frozenset(
            (
                *(("word", word) for word in words if is_said(word)),
                *(("name", name) for name, says_name in namers.items() if says_name(other)),
                *(("row", row) for row in rows if row in wholly),
            )
        )

    return told


def _known(text: str) -> _Known:
    written = _by_words(text)
    if any(word.islower() and word not in USERS for word in _WORD.findall(text)):
        return written
    small = _by_words(text.lower())
    return _Known((*written.words, *small.words), written.names, (*written.rows, *small.rows))


def _by_words(text: str) -> _Known:
    """By what a text is known as it is written."""
    sentences = map(_WORD.findall, _SENTENCE.split(text))
    said = [_Word(word, first=at == 0) for sentence in sentences for at, word in enumerate(sentence)]
    words = [word for word in said if not word.is_small]
    told = [word for word in words if not word.is_frame] or words
    names, rows = tuple(key(word.text) for word in told if word.is_name), tuple(_rows_of_names(said))
    in_any_form = FRAME if len(names) == len(told) and not rows else frozenset[str]()
    known = (word.text for word in told if not word.is_name or word.text.lower() in in_any_form)
    pieces = tuple(piece for word in known for piece in _pieces(key(word)))
    return _Known(pieces, names, rows if told else (_whole(text),))


def _rows_of_names(said: Iterable[_Word]) -> Iterator[str]:
    """Names that are ordinary words, where several stand in a row."""
    for is_name, group in groupby(said, lambda word: word.is_name):
        row = [word.text for word in group] if is_name else []
        if len(row) > 1:
            yield _whole(" ".join(row))


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


# -- names that are ordinary words ---------------------------------------------------------------------------------


def _namer(names: Iterable[str]) -> Callable[[str], bool]:
    """What judges whether a text says one of these as a name; each is a `key`."""
    wanted = frozenset(names)
    says, forms = sayer(wanted), wanted | {f"{each}s" for each in wanted}

    def is_named(sentence: str) -> bool:
        return not forms.isdisjoint(_names_in(sentence)) if _begins_with_a_capital(sentence) else says(sentence)

    return lambda text: bool(wanted) and any(map(is_named, _SENTENCE.split(text)))


def _begins_with_a_capital(sentence: str) -> bool:
    """Whether the first letter of a sentence, of those that have two cases, is one."""
    return next((letter.isupper() for letter in sentence if letter.isupper() or letter.islower()), False)


def _names_in(sentence: str) -> Iterator[str]:
    """What may be a name in a sentence that has capitals, each as a `key`."""
    for found in _WITH_APOSTROPHE.finditer(sentence):
        word, *behind = _APOSTROPHE.split(found[0])
        is_first = _BEGINNING.search(sentence[: found.start()]) is not None
        is_plain = word.lower() in PLAIN and (word.islower() or (is_first and word == word.capitalize()))
        is_written_so = behind[-1:] == [OF] if word.islower() else behind[-1:] != [NOT]
        if is_written_so and not is_plain:
            yield key(word)
        yield from (key(each) for each in behind if not each.islower())
