"""Whether a text says only what somebody said themself: of what kind its words are, one by one.

A model that answers has read more than one person's words: others' in the same conversation, a summary, what is told of
the person elsewhere. What it notes down for somebody is theirs alone only as long as nothing of that is in it, and then
it lies in their vault, rests on their messages and goes with them. So every word of it has to be

    said          in their messages, as it stands, or in another form of the same word (likes, liked)
    a number      in their messages, exactly
    small         a word that no sentence of the language lacks (is, has, the), or one for whoever speaks (user, I)
    a name        of the person, or of the assistant

A language without spaces has runs of signs for words: such a run has to stand in the messages as it is.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable

VERSION = "own_words@1"
MOST_ENDING = 3
"""How many letters two forms of a word may differ in, behind what they have in common."""
LEAST_STEM = 4
SHORT_STEM = 3
"""How many letters they have in common at least; so few, only where one is the other and a letter more (cat, cats)."""

_WORD = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile(r"(?<=\w)['’‘ʼ`](?=\w)")


def beyond(text: str, said: Iterable[str], small: Collection[str] = ()) -> str:
    """The first word of a text that is in none of what was said, in lower case; empty where all of it was said.
    `small` are words that need not be said.
    """
    spoken = [key(each) for each in said]
    words = frozenset(word for each in spoken for word in _WORD.findall(each))
    plain = {key(each) for each in small}
    return next((each for each in _WORD.findall(key(text)) if each not in plain and not _is_said(each, words)), "")


def sayer(words: Iterable[str]) -> Callable[[str], bool]:
    """What judges whether a text says one of these words, as it stands or in another form; each is a `key`."""
    wanted = frozenset(words)
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for each in wanted:
        alike[each[:SHORT_STEM]].append(each)
    unspaced = [each for each in wanted if _is_unspaced(each)]

    def says(text: str) -> bool:
        spoken = key(text)
        said = _said(text, spoken)
        return (
            not wanted.isdisjoint(said)
            or any(_is_said(each, frozenset((word,))) for word in said for each in alike.get(word[:SHORT_STEM], ()))
            or any(each in spoken for each in unspaced)
        )

    return says


def said_in(text: str) -> Callable[[str], bool]:
    """What judges whether a text says a word, as `sayer` does of one text after the other; each is a `key`."""
    spoken = key(text)
    said = _said(text, spoken)
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for each in said:
        alike[each[:SHORT_STEM]].append(each)

    def is_said(word: str) -> bool:
        if word in said or any(_is_said(word, frozenset((each,))) for each in alike.get(word[:SHORT_STEM], ())):
            return True
        return _is_unspaced(word) and word in spoken

    return is_said


def _said(text: str, spoken: str) -> set[str]:
    """The words of a text, of which `spoken` is the `key`."""
    said = set(_WORD.findall(spoken))
    if _APOSTROPHE.search(text):  # whose name it is may be two letters long
        said.update(_WORD.findall(key(_APOSTROPHE.sub(" ", text))))
    return said


def _is_unspaced(word: str) -> bool:
    """Whether it is of a script without upper case, where runs of signs stand for words."""
    return not word.islower() and not any(map(str.isdecimal, word))


def _is_said(word: str, words: frozenset[str]) -> bool:
    if word in words:
        return True
    if any(each.isdecimal() for each in word):
        return False
    if not word.islower():  # a script without upper case: its runs are no words
        return any(word in each for each in words)
    return any(_is_form(word, each) for each in words)


def _is_form(word: str, other: str) -> bool:
    shared = next((at for at, pair in enumerate(zip(word, other, strict=False)) if pair[0] != pair[1]), None)
    stem = min(len(word), len(other)) if shared is None else shared
    rests = len(word) - stem, len(other) - stem
    if stem >= LEAST_STEM:
        return max(rests) <= MOST_ENDING
    return stem == SHORT_STEM and sum(rests) == 1


def key(text: str) -> str:
    """How words are compared: in one case and without accents on Latin letters. The marks of other scripts make other
    letters.
    """
    if text.isascii():
        return _APOSTROPHE.sub("", text.casefold())
    return _APOSTROPHE.sub("", "".join(map(_bare, unicodedata.normalize("NFKC", text).casefold())))


def _bare(letter: str) -> str:
    base = unicodedata.normalize("NFD", letter)[:1]
    return base if base.isascii() else letter
