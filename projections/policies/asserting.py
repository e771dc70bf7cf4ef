"""Whether somebody who said the words of a note said that it is so: with all of their words it may say the opposite.

    "I don't like green tea at all"             → "I like green tea"          denied
    "I never said my dog is called Rolf"        → "my dog is called Rolf"     denied
    "Do I like green tea?"                      → "I like green tea"          asked
    "If I move to Paris, I'll need a flat"      → "I move to Paris"           what would be

A clause that has all the words of the note is looked at. In front of one of these words there is a word that denies,
asks or supposes, with nothing between but small ones. What is denied or asked has to be the note and no more: "I don't
drink coffee after noon" does not say that no coffee is drunk, and "don't forget that …" denies nothing. Where it is not
plain, the note is kept: so wherever another clause has the words too, where they stand in no one clause, where the note
denies something itself, and in languages of which nothing is known.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from projections.policies.own_words import key, said_in
from projections.policies.verdict import Verdict

VERSION = "asserting@1"
_SENTENCE = re.compile(r"[^.!?;\n…]+|[.!?;\n…]+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_COMMA = re.compile(r"[,:()–—]|\s-\s")
ASKED = "?"


class AssertingWords(NamedTuple):
    """What is known of a language. `denying`, `asking` and `supposing` are words in front of what is not said to be so;
    `naming` deny only the word behind them. `between` may stand behind those, `around` anywhere; `joining` begin
    another clause. What has one of `turning` may mean the opposite again, and `agreeing` answers a question.
    """

    denying: frozenset[str] = frozenset()
    naming: frozenset[str] = frozenset()
    asking: frozenset[str] = frozenset()
    supposing: frozenset[str] = frozenset()
    between: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()
    joining: frozenset[str] = frozenset()
    turning: frozenset[str] = frozenset()
    agreeing: frozenset[str] = frozenset()


class Clause(NamedTuple):
    """The words of a clause, in their order; the sign behind its sentence, and the first word of the next one."""

    words: tuple[str, ...]
    sign: str
    answer: str


def unasserted(text: str, said: Iterable[str], words: AssertingWords) -> Verdict | None:
    """Why a note is not what was said, though it has its words; None where it may be."""
    if not words.denying or not (words.denying | words.naming | words.supposing | words.turning).isdisjoint(
        _words(text)
    ):
        return None
    content = [each for each in _words(text) if each not in words.between | words.around]
    carrying = [each for told in said for each in clauses(told, words) if content and carries(each, content)]
    found = [_against(each, content, words) for each in carrying]
    if not found or not all(found):
        return None
    return Verdict(f"they did not say that it is so, but {found[0]}: only what they say can be noted down", VERSION)


def _against(clause: Clause, content: Sequence[str], words: AssertingWords) -> str:
    """What a clause does other than saying the content; empty where it may say so."""
    if not words.turning.isdisjoint(clause.words):
        return ""
    says = said_in(" ".join(content))
    if clause.words[0] in words.naming and not any(map(says, clause.words[1:2])):  # it only answers something
        clause = clause._replace(words=clause.words[1:])
    first, *others = clause.words
    if first in words.supposing and _leads(others, says, words):
        return "what would be if it were"
    more = {each for each in clause.words if not says(each) and each not in words.between | words.around}
    if ASKED in clause.sign and first in words.asking:
        is_asked = more <= {first} and _leads(others, says, words) and clause.answer not in words.agreeing
        return "asked whether it is" if is_asked else ""
    if ASKED in clause.sign and first in words.denying:  # "isn't it so?" says that it is
        return ""
    behind = ((each, clause.words[at + 1 :]) for at, each in enumerate(clause.words) if more == {each})
    return "that it is not" if any(_denies(each, rest, says, words) for each, rest in behind) else ""


def _denies(word: str, behind: Sequence[str], says: Callable[[str], bool], words: AssertingWords) -> bool:
    """Whether a word denies what stands behind it, and that is of the content."""
    if word in words.naming:
        return any(map(says, behind[:1]))
    return word in words.denying and _leads(behind, says, words)


def _leads(behind: Sequence[str], says: Callable[[str], bool], words: AssertingWords) -> bool:
    """Whether the first of these words that is not a small one is of the content."""
    first = next((each for each in behind if says(each) or each not in words.between), None)
    return first is not None and says(first)


def carries(clause: Clause, content: Sequence[str]) -> bool:
    """Whether a clause has all of these words, in whatever form."""
    said = said_in(" ".join(clause.words))
    return all(map(said, content))


def clauses(text: str, words: AssertingWords) -> Iterator[Clause]:
    """The clauses of a text, in order."""
    pieces = _SENTENCE.findall(text)
    for at, piece in enumerate(pieces):
        sign = pieces[at + 1] if at + 1 < len(pieces) else ""
        answer = next(iter(_words(" ".join(pieces[at + 2 : at + 3]))), "")
        for part in _COMMA.split(piece):
            yield from (Clause(each, sign, answer) for each in _apart(_words(part), words.joining))


def _apart(words: Sequence[str], joining: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """Words in clauses; what joins two of them stands in neither."""
    start = 0
    for at in (*(number for number, each in enumerate(words) if each in joining), len(words)):
        if words[start:at]:
            yield tuple(words[start:at])
        start = at + 1


def _words(text: str) -> list[str]:
    return [key(each) for each in _WORD.findall(text)]
