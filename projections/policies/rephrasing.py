"""Whether a text says in other words what another one says: the closeness by which what a person forgot is refused.

Both texts become what they are about, and the two are held against each other:

    words         case folded, without stop words, by their stems; words of one meaning are one (`likes`, `loves`)
    denials       `not`, `never`, and words that hold one (`dislikes` is `not` and `likes`)
    numbers       in digits: `three` is 3, `85k` and `85,000` are 85000
    relations     of whom it is said: `sister`, `boss`; also in `my sister's`

They are close where at least PERCENT of all the words of the two are shared (WITHIN, where the one has no others), and
nothing tells them apart: of denials both have one or none, their relations are the same, and no name or number of the
one stands in place of another's. Words with a capital letter within a sentence are names.

What is like it and says something else differs in exactly these, or in one word of few: PERCENT is what two shared
words with one other word each do not reach. What a language is not known for is compared as it is written.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

VERSION = "rephrasing@1"
PERCENT = 60
WITHIN = 50
"""The same where all words of the one are among those of the other: it says the same, and more."""
FEWEST = 2
"""How many words are shared at least: a single one is a topic."""

_TOKEN = re.compile(r"\d[\d.,]*\s?k\b|\d[\d.,]*\d|\d|[^\W\d_]+(?:['’][^\W\d_]+)*", re.IGNORECASE)
_SENTENCE = re.compile(r"(?:^|[.!?:]\s+)\W*\w+")


class Rephrasing(NamedTuple):
    """What is known of a language, in case-folded words. `stemmer` is a language of Snowball; empty for none.

    `same` leads from a word, or its stem, to the one that stands for its meaning; `denied` from one to what it denies;
    `phrases` from several words to one.
    """

    language: str = ""
    stemmer: str = ""
    stop_words: frozenset[str] = frozenset()
    negations: frozenset[str] = frozenset()
    relations: frozenset[str] = frozenset()
    numbers: Mapping[str, str] = {}
    same: Mapping[str, str] = {}
    denied: Mapping[str, str] = {}
    phrases: Mapping[str, str] = {}


UNKNOWN = Rephrasing()


class About(NamedTuple):
    """What a text is about."""

    words: frozenset[str]
    numbers: frozenset[str]
    relations: frozenset[str]
    names: frozenset[str]
    denied: bool


class Likeness(NamedTuple):
    """Whether two texts say the same, the share of their words that both have, and the same in words."""

    same: bool
    percent: int
    reason: str


def likeness(one: str, other: str, known: Rephrasing = UNKNOWN) -> Likeness:
    """How far two texts say the same."""
    mine, theirs = about(one, known), about(other, known)
    shared, every = mine.words & theirs.words, mine.words | theirs.words
    share = 100 * len(shared) // max(len(every), 1)
    parted = _apart(mine, theirs)
    within = shared in (mine.words, theirs.words) and len(shared) >= FEWEST
    enough = len(shared) >= min(FEWEST, len(mine.words), len(theirs.words)) and bool(shared)
    words = f"{share} % of the words of both are shared ({', '.join(sorted(shared))})"
    same = enough and share >= (WITHIN if within else PERCENT) and not parted
    return Likeness(same, share, parted or words)


def _apart(mine: About, theirs: About) -> str:
    """What tells two texts apart, whatever words they share; empty for nothing."""
    if mine.denied != theirs.denied:
        return "one denies what the other says"
    if mine.relations != theirs.relations:
        return "they are about different people"
    for what in ("numbers", "names"):
        one, other = getattr(mine, what), getattr(theirs, what)
        if one - other and other - one:
            return f"they have different {what}"
    return ""


def about(text: str, known: Rephrasing) -> About:
    """What a text is about, as far as the language is known."""
    text = _in_words(unicodedata.normalize("NFC", text).replace("’", "'"), known)
    tokens = _tokens(text)
    first = {match.end() for match in _SENTENCE.finditer(text)}
    meant = [_meaning(token, known) for token, _ in tokens]
    names = {
        word
        for (token, end), word in zip(tokens, meant, strict=True)
        if token[0].isupper() and end not in first and word and word not in known.relations
    }
    words = frozenset(word for word in meant if word)
    numbers = frozenset(word for word in words if word[0].isdigit())
    denials = sum(_denies(token, known) for token, _ in tokens)
    relations = words & known.relations
    return About(words, numbers, relations, frozenset(names) - numbers, denials % 2 == 1)


def _in_words(text: str, known: Rephrasing) -> str:
    """The text with one word for each phrase."""
    for phrase, word in known.phrases.items():
        text = re.sub(rf"\b{re.escape(phrase)}\b", word, text, flags=re.IGNORECASE)
    return text


def _tokens(text: str) -> list[tuple[str, int]]:
    """Words and numbers with where each ends; the `s` of `sister's` is none."""
    found = ((match[0], match.end()) for match in _TOKEN.finditer(text))
    return [(token.removesuffix("'s").removesuffix("'S"), end) for token, end in found]


def _denies(token: str, known: Rephrasing) -> bool:
    word = token.casefold()
    return word in known.negations or _known(word, known.denied, known) is not None


def _meaning(token: str, known: Rephrasing) -> str:
    """The word that stands for what a token means; empty where it means nothing of its own."""
    word = token.casefold()
    if word[0].isdigit():
        return _digits(word)
    if word in known.numbers:
        return known.numbers[word]
    if word in known.stop_words or word in known.negations or _stem(word, known.stemmer) in known.stop_words:
        return ""
    found = _known(word, known.denied, known) or word
    return _known(found, known.same, known) or _stem(found, known.stemmer)


def _known(word: str, table: Mapping[str, str], known: Rephrasing) -> str | None:
    """What a table says of a word, or of its stem; stems stand in it too."""
    return table.get(word) or table.get(_stem(word, known.stemmer))


def stems(table: Mapping[str, str], language: str) -> dict[str, str]:
    """A table that knows the stems of its words, too."""
    return {_stem(word, language): meaning for word, meaning in table.items()} | dict(table)


def _digits(number: str) -> str:
    thousands = number.endswith("k")
    digits = re.sub(r"[.,](?=\d{3}\b)|\s|k$", "", number)
    return f"{digits}000" if thousands and digits.isdigit() else digits


@lru_cache(4096)
def _stem(word: str, language: str) -> str:
    """The stem of a word by Snowball's rules; a stemmer is made for each, since one is not for two threads."""
    # Here, because it brings every language.
    import snowballstemmer  # type: ignore[import-untyped]

    return str(snowballstemmer.stemmer(language).stemWord(word)) if language else word
