"""Whether the summary in a prompt has what somebody said, so that it does not stand there twice.

    word for word    each sentence stands in the summary, wherever that is; of so few words none is looked for
    in other words   only of what the summary covers: each sentence is retold in one sentence of the summary, which has
                     all of its words but those of mere grammar, by their stems, and tells it of who said it: they are
                     the first whom it names, or it names nobody and they are that in the sentence before it ("Kim has
                     news. She keeps bees.")

Nothing may be lost: what the summary leaves out of a sentence is what somebody will ask for. So a sentence is not
retold by one that denies it or is less sure of it, nor what counts from its own day ("tomorrow", "on Friday"): the
summary does not say which day that was. What says nothing by itself ("Yeah!") need not be retold.

Words of languages that the core does not know are all held to tell something, so that less of them counts as retold;
of what is written in other letters than Latin ones nothing does.
"""

import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from projections.languages import LANGUAGES
from projections.policies.low_signal import is_low_signal
from projections.recall.words import Read, asked_in, folded, read, terms_in, word_term, words
from projections.remembered import of_people
from projections.retrieval import TOKEN_CHARS, Vocabulary

VERSION = "summed-up@1"
FEWEST_WORDS = 3
"""Sentences of more words are looked for as they stand: "yes" stands in every summary."""
FEWEST_TELLING = 3
"""How many words that tell something are retold at least: one or two are a topic."""

GRAMMAR, DENIALS, HEDGES, FROM_NOW = (
    frozenset(folded(word) for each in LANGUAGES for word in getattr(each.retold, name))
    for name in ("grammar", "denials", "hedges", "from_now")
)
_WORD = re.compile(r"\w+")
_LONG_WORD = re.compile(rf"[^\W_]{{{TOKEN_CHARS},}}")
"""Shorter ones tell nothing by themselves (`low_signal`)."""
_FIRST_WORDS = re.compile(r"[^\w\n]*(\w+)[^\w\n.!?…]+\w+[^\w\n.!?…]+\w")
"""Three words of one sentence: no sign that may end it stands between them."""
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?…])\s+|\n+")
_CAPITALS = re.compile(r"(?<!\w)(?=[^\W\d_])[^\Wa-z\d_][^\W_]*")
_NOT = "n't"
_LAST_LATIN = "\u024f"


class _Sentence(NamedTuple):
    """A sentence: its folded words, which of them is the first, those with a capital in order, its terms, and whether
    it denies something, or is not sure of it.
    """

    words: frozenset[str]
    first: str
    capitals: tuple[str, ...]
    terms: Collection[bytes]
    denies: bool
    hedges: bool


class SummedUp:
    """What a summary has, as far as it stands in the prompt. It is taken apart when that is first needed."""

    def __init__(self, summary: str, vocabulary: Vocabulary) -> None:
        self._summary = summary
        self._vocabulary = vocabulary
        self._plain = _plain(summary) if summary else ""

    def says(self, text: str) -> bool:
        """Whether it says a text word for word, each sentence wherever it stands there."""
        if not self._plain or self._begins_otherwise(text):  # most are told apart by that
            return False
        looked_for = False
        for sentence in _BETWEEN_SENTENCES.split(text):
            plain = _plain(sentence)
            if plain.count(" ") <= FEWEST_WORDS:
                continue
            if plain not in self._plain:
                return False
            looked_for = True
        return looked_for

    def retells(self, text: str, who: Callable[[], str]) -> bool:
        """Whether it says a text of somebody in other words. Their name is asked for where that may be."""
        if not self._plain or self._lacks(text):  # as most of them
            return False
        telling = set[bytes]()
        for sentence in self._needed(text):
            if sentence is None or not self._tells(sentence, who):
                return False
            telling.update(sentence.terms)
        return len(telling) >= FEWEST_TELLING

    def _begins_otherwise(self, text: str) -> bool:
        """Whether a text begins with a sentence that is looked for, by a word that the summary has not."""
        first = _FIRST_WORDS.match(text)
        return first is not None and f" {first[1].casefold()} " not in self._plain

    def _lacks(self, text: str) -> bool:
        """Whether a text has a word that tells something and stands nowhere in the summary."""
        known, terms = self._vocabulary, self._parts.terms
        return any(
            word not in GRAMMAR
            and word not in known.stop_words
            and word not in known.backchannels
            and word_term(word) not in terms
            for word in (folded(found[0]) for found in _LONG_WORD.finditer(text))
        )

    def _needed(self, text: str) -> Iterator[_Sentence | None]:
        """The sentences of a text that have to be retold; None for one that cannot be."""
        for each in _BETWEEN_SENTENCES.split(text):
            said = read(each)
            sentence = _sentence(said, _telling(said))
            if not _says_nothing(each, sentence, self._vocabulary):
                yield sentence if FROM_NOW.isdisjoint(sentence.words) and _is_latin(each) else None

    def _tells(self, sentence: _Sentence, who: Callable[[], str]) -> bool:
        """Whether one of the summary's sentences retells this one."""
        found = [at for at, each in enumerate(self._parts.sentences) if _retells(each, sentence)]
        name = frozenset(words(who())) if found else frozenset[str]()
        return bool(name) and any(self._is_of(name, at, sentence) for at in found)

    def _is_of(self, name: frozenset[str], at: int, sentence: _Sentence) -> bool:
        """Whether the summary's sentence there tells it of somebody of this name."""
        here, *before = reversed(self._parts.sentences[max(at - 1, 0) : at + 1])
        if name <= here.words:
            return _is_first_named(name, here, sentence)
        return not _named(here, sentence) and any(_is_first_named(name, each, sentence) for each in before)

    @property
    def _parts(self) -> "_Parts":
        return _parts(self._summary)


class _Parts(NamedTuple):
    """The sentences of a summary, and the terms of all of them."""

    sentences: tuple[_Sentence, ...]
    terms: frozenset[bytes]


@of_people
@lru_cache(8)
def _parts(summary: str) -> _Parts:
    """Taken apart once: the next questions of a session are held against the same summary."""
    said = map(read, _BETWEEN_SENTENCES.split(summary))
    sentences = tuple(_sentence(each, terms_in(each).counts.keys()) for each in said)
    return _Parts(sentences, frozenset(term for each in sentences for term in each.terms))


def _plain(text: str) -> str:
    """The words of a text, each with a space before and behind it."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _sentence(said: Read, terms: Collection[bytes]) -> _Sentence:
    found = frozenset(said.words)
    denies = _NOT in said.written.casefold() or not found.isdisjoint(DENIALS)
    capitals = tuple(map(folded, _CAPITALS.findall(said.written)))
    return _Sentence(found, said.words[0] if said.words else "", capitals, terms, denies, not found.isdisjoint(HEDGES))


def _telling(said: Read) -> frozenset[bytes]:
    """The terms of a sentence that tell something: those of its words, and of what is written with signs."""
    whole = (term for term, each in asked_in(said).items() if each not in said.words and _WORD.search(each))
    told = (word_term(word) for word in said.words if word not in GRAMMAR)
    return frozenset((*told, *whole))


def _retells(one: _Sentence, said: _Sentence) -> bool:
    is_as_sure = (one.denies, one.hedges) == (said.denies, said.hedges)
    return is_as_sure and all(term in one.terms for term in said.terms)


def _named(one: _Sentence, said: _Sentence) -> list[str]:
    """The words of a summary's sentence that may be somebody's name; what it only begins with is none, where that was
    said.
    """
    opening = one.first if one.first in said.words else ""
    return [each for each in one.capitals if each not in GRAMMAR and each != opening]


def _is_first_named(name: frozenset[str], one: _Sentence, said: _Sentence) -> bool:
    """Whether nobody is named before somebody of this name, who may be written without a capital."""
    return name <= one.words and all(each in name for each in _named(one, said)[:1])


def _says_nothing(text: str, sentence: _Sentence, vocabulary: Vocabulary) -> bool:
    """Whether a sentence is of grammar alone, or goes on with what was said; "Not any more" and "12" say something."""
    is_silent = not sentence.terms or is_low_signal(text, vocabulary)
    return is_silent and not sentence.denies and not any(map(str.isdigit, text))


def _is_latin(text: str) -> bool:
    return text.isascii() or not any(each > _LAST_LATIN and each.isalpha() for each in text)
