"""Words, patterns and clean lines: what the offline model's parts share."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from dnam.languages import Language

WORD = re.compile(r"[^\W_]+")
MACRO = re.compile(r"@([a-z]+)@")
BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# White space in a pattern. The bound keeps a text of nothing else from costing the square of its length.
SPACE = r"\s{1,9}"
# A line is read so far and no further: nobody states facts about themselves in a megabyte.
LINE_CHARS = 4000


def any_of(phrases: Iterable[str]) -> str:
    """An alternation of whole phrases, the longest first; one that matches nothing when there are none."""
    ordered = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    if not ordered:
        return r"(?!)"
    return rf"(?<![\w'])(?:{'|'.join(map(re.escape, ordered))})(?![\w'])".replace(r"\ ", SPACE)


def compiled(pattern: str, macros: Mapping[str, str] | None = None) -> re.Pattern[str]:
    """A pattern from a language's file: macros filled in, a space for any white space."""
    filled = MACRO.sub(lambda match: (macros or {})[match[1]], pattern)
    return re.compile(filled.replace(" ?", r"\s?").replace(" ", SPACE), re.IGNORECASE)


def straight(text: str) -> str:
    """The same text with straight apostrophes; every character keeps its place."""
    return text.replace("’", "'").replace("‘", "'").replace("ʼ", "'")


def one_line(text: str, limit: int = LINE_CHARS) -> str:
    """Text that cannot break a line, a terminal or an encoder."""
    return " ".join(BAD.sub(" ", text[:limit]).split())


class Vocabulary:
    """Which words of a text count, and which of them are the same word."""

    def __init__(self, language: Language) -> None:
        self._stop = language.stop_words
        self._endings = language.reading.endings

    def stem(self, word: str) -> str:
        for ending in self._endings:
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                return word.removesuffix(ending).removesuffix("e")
        return word.removesuffix("e") if len(word) > 3 else word

    def words(self, text: str) -> tuple[str, ...]:
        """The words that count, in order, each once: no stop words, and of three letters and more, or numbers."""
        words = (word for word in _all(text) if word not in self._stop and (len(word) >= 3 or word.isdecimal()))
        return tuple(dict.fromkeys(words))

    def stems(self, text: str) -> frozenset[str]:
        return frozenset(map(self.stem, self.words(text)))

    def plain_stems(self, text: str) -> frozenset[str]:
        """The same, of all words of three letters and more: "like" counts for nothing, but "likes" answers it."""
        return frozenset(self.stem(word) for word in _all(text) if len(word) >= 3)

    def key(self, text: str) -> frozenset[str]:
        """What tells one object from another, also when no word of it counts: "C" is not "Go"."""
        return self.stems(text) or frozenset(_all(text))


def _all(text: str) -> list[str]:
    return WORD.findall(unicodedata.normalize("NFC", text[:LINE_CHARS]).casefold())
