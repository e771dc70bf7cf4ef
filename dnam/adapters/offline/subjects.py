"""Of whom a question is, where it is of somebody else than who asks.

Somebody else is who speaks in the conversation, who is named where a sentence has its subject (patterns of the language
say where that is), "my brother", or a "she" that nothing explains. What is kept of the one who asks answers none of it,
unless it names them: "User lives in Bergen" does not say where Jon lives.
"""

import re
from collections.abc import Iterable, Iterator

import msgspec

from dnam.adapters.offline.words import LINE_CHARS, Vocabulary, any_of, compiled
from dnam.languages import Language
from dnam.model import AnswerInputs

# A word that is written large though no sentence begins with it.
LARGE = re.compile(r"(?<=[\w,;'’)] )[^\W\d_][\w'’-]*")


class Others(msgspec.Struct, frozen=True):
    """The stems of those whom a question names; any of `known` will do where it only points at somebody."""

    named: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    pointed: bool = False

    def __bool__(self) -> bool:
        """Whether a question is of somebody else at all."""
        return bool(self.named) or self.pointed

    def fit(self, stems: frozenset[str]) -> bool:
        """Whether words are of one of them, or of whoever, where nobody is meant."""
        return not self or bool(stems & (self.named or self.known))


class Subjects:
    """Finds of whom a question is, in one language."""

    def __init__(self, language: Language) -> None:
        subjects = language.replies.subjects
        self._vocabulary = Vocabulary(language)
        self._relatives = [compiled(pattern, language.macros) for pattern in subjects.relatives]
        self._slots = [compiled(pattern, language.macros) for pattern in subjects.slots]
        self._plain = [compiled(pattern, language.macros) for pattern in subjects.plain]
        self._pointing = re.compile(any_of(subjects.pointing), re.IGNORECASE)
        self._first_person = re.compile(any_of(subjects.first_person), re.IGNORECASE)

    def others(self, inputs: AnswerInputs, message: str) -> Others:
        """Whom a question is of beside the one who asks."""
        ours = self.name(inputs.user) | self.name(inputs.assistant)
        speakers = self.speakers(inputs) - ours
        talked_of = self._written_large(inputs) | speakers
        named = self._of(self._relatives, message) | (self._vocabulary.stems(message) & speakers)
        named |= self._of(self._slots, message) & (talked_of | self._large(message))
        if not self._first_person.search(message):
            named |= self._of(self._plain, message)
        pointed = self._pointing.search(message) is not None
        known = speakers | self._relatives_in(inputs) if pointed else frozenset[str]()
        return Others(named - ours, known - ours, pointed)

    def speakers(self, inputs: AnswerInputs) -> frozenset[str]:
        """The stems of the names of the people who speak in the window and the summary."""
        names = dict.fromkeys(name for name, _ in lines_of(inputs))
        return frozenset(stem for name in names for stem in self.name(name))

    def name(self, name: str) -> frozenset[str]:
        """By what somebody is called: the first word of a name that counts as one."""
        return frozenset(map(self._vocabulary.stem, self._vocabulary.words(name)[:1]))

    def _of(self, patterns: Iterable[re.Pattern[str]], text: str) -> frozenset[str]:
        """The stems of who stands in the patterns' group: the last word of "older brother"."""
        found = (match["who"] for pattern in patterns for match in pattern.finditer(text))
        return frozenset(self._vocabulary.stem(word) for who in found for word in self._vocabulary.words(who)[-1:])

    def _large(self, text: str) -> frozenset[str]:
        """The stems of the words that are written large, but in a text that is so throughout."""
        if text.isupper():
            return frozenset()
        large = (match[0] for match in LARGE.finditer(text) if match[0][0].isupper())
        return frozenset(stem for word in large for stem in self.name(word))

    def _written_large(self, inputs: AnswerInputs) -> frozenset[str]:
        return frozenset(stem for _, text in lines_of(inputs) for stem in self._large(text))

    def _relatives_in(self, inputs: AnswerInputs) -> frozenset[str]:
        return frozenset(stem for _, text in lines_of(inputs) for stem in self._of(self._relatives, text))


def lines_of(inputs: AnswerInputs) -> Iterator[tuple[str, str]]:
    """Who said what, of the people in the window and in the summary; by "" what stands there without a speaker."""
    for line in inputs.summary[: LINE_CHARS * 2].splitlines():
        name, joint, text = line.partition(": ")
        yield (name, text) if joint else ("", line)
    yield from ((line.name, line.text[:LINE_CHARS]) for line in inputs.window if not line.assistant)
