"""Whether a note speaks to the assistant instead of telling of somebody.

A list of orders is never whole. But a note that may be kept tells of its person: in the third person, as the prompt
asks for ("User …"), or in their own words ("I …"). What tells of nobody and says "you", or begins a clause with a verb
that commands, is no fact, whatever it says; nor is what begins with a command and has no subject, what names somebody
else's rule or role and behind a colon commands, and what only asks. Opening hours at the end are no command: "open at
nine", and nothing else behind it, tells when.
"""

import re
from collections.abc import Iterable, Iterator, Set
from functools import cache
from itertools import chain, dropwhile
from typing import NamedTuple

from projections.policies.disguises import lettered, plain_reading

_CLAUSE = re.compile(r"[.!?;:\n()\[\]\"“”]|, | [-–—] ")
_ENDING = re.compile(r"[.!?;\n]")
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"[0-5]?[0-9][a-z]{0,2}")
"""Of an hour, a minute or a day: 9, 9am, 30, 1st; and not of a door or a port."""
_APOSTROPHE = re.compile(r"(?<=\w)['’‘ʼ`](?=\w)")
_LABEL = re.compile(r"^\s*\w+(?: \w+)?\s*:")
_INSIDE = re.compile(r"(?<=[^\W\d_])[\d@$|€]+(?=[^\W\d_])")
"""Digits or signs inside of a word: p4ssword, and not 4 pm."""
LEAST_WORDS = 2
FEW = 3


class NoteWords(NamedTuple):
    """What a language's notes are made of, in words without apostrophes: `subjects` and what else is `telling` of
    somebody, `addressing` the assistant, `commanding` verbs at the beginning of a clause, behind any that are `polite`.
    With words of `framing` a note tells that somebody said or asked for something, and nothing besides. A clause of one
    of `opening` and of `times` alone, with what stands `around` these, tells of hours, if no other clause is behind it.
    `asking` are patterns of what only asks the assistant what it knows or thinks, and `predicates` of how a predicate
    begins, both over words in lower case.
    """

    subjects: frozenset[str] = frozenset()
    telling: frozenset[str] = frozenset()
    addressing: frozenset[str] = frozenset()
    polite: frozenset[str] = frozenset()
    commanding: frozenset[str] = frozenset()
    framing: frozenset[str] = frozenset()
    opening: frozenset[str] = frozenset()
    times: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()
    asking: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()


def addressed_in(text: str, words: NoteWords) -> str:
    """What speaks to the assistant in a note, in its own words; empty where nothing does. A label before a colon
    ("User: …") tells of nobody.
    """
    if not words.addressing:
        return ""
    plain = _unlabelled(_APOSTROPHE.sub("", text.casefold()), words).strip()
    said = _WORD.findall(plain)
    if plain.endswith("?") and not _ENDING.search(plain[:-1]):
        return plain
    announced = next(_announced(plain, words), "")
    if announced or words.subjects.intersection(said):
        return announced
    if words.telling.intersection(said):
        first = next(_commands(_judged(plain, words)[:1], words), "")
        return "" if not first or first.split()[1] in words.telling else first
    addressed = (each for each in said if each in words.addressing)
    return next(chain(addressed, _commands(_judged(plain, words), words)), "")


def commanded_in(text: str, words: NoteWords, openly: Set[str] = frozenset()) -> str:
    """What a text commands at once, in more words than FEW, and what is not commanded `openly`; for what nobody says to
    be read as it stands.
    """
    plain = _APOSTROPHE.sub("", text.casefold())
    said = _commands(_judged(plain, words), words)
    return next((each for each in said if len(each.split()) > FEW and each not in openly), "")


def openly_commanded(text: str, words: NoteWords) -> frozenset[str]:
    """What a text commands as it stands, and what becomes of that where digits are read for letters: "send 3 cards"
    hides nothing. What has digits inside of words may: "send the p4ssword".
    """
    standing = list(_commanding(_CLAUSE.split(_APOSTROPHE.sub("", plain_reading(text).signed)), words))
    numbered = [lettered(clause) for clause, _ in standing if not _INSIDE.search(clause)]
    return frozenset([*(said for _, said in standing), *_commands(numbered, words)])


def unasked(text: str, words: NoteWords) -> str:
    """A question without that by which it only asks the assistant what it knows or thinks: what is left is asked about.
    Empty where a text is no question, or none of that sort.
    """
    plain = _APOSTROPHE.sub("", text.casefold()).strip()
    asking = _begins_with(words.asking).match(plain) if plain.endswith("?") else None
    return "" if asking is None else plain[asking.end() :].strip(" ?") or plain[:1]


def begins_with_predicate(text: str, words: NoteWords) -> bool:
    """Whether a text begins as what is said of somebody who is not named: "obeys Kim"."""
    plain = _APOSTROPHE.sub("", text.casefold())
    said = next(iter(_WORD.findall(plain)), "")
    return said not in words.subjects and _begins_with(words.predicates).match(plain.lstrip()) is not None


@cache
def _begins_with(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(patterns)})\b" if patterns else r"(?!)")


def unlabelled(text: str, words: NoteWords) -> str:
    """A note in lower case without the label that tells of nobody; empty where it has none."""
    plain = _APOSTROPHE.sub("", text.casefold())
    bare = _unlabelled(plain, words)
    return "" if bare == plain else bare.strip()


def _announced(plain: str, words: NoteWords) -> Iterator[str]:
    """What is commanded behind a colon, where nothing before it tells of the person."""
    before, _, after = plain.partition(":")
    if not (words.subjects | words.telling).intersection(_WORD.findall(before)):
        yield from _commands(_judged(after.strip(), words)[:1], words)


def _unlabelled(plain: str, words: NoteWords) -> str:
    label = _LABEL.match(plain)
    is_label = label is not None and words.subjects.intersection(_WORD.findall(label[0]))
    return plain[label.end() :] if label is not None and is_label else plain


def _judged(plain: str, words: NoteWords) -> list[str]:
    """The clauses, without those at the end that tell of hours. Hours with anything else behind them stay: what they
    stand in front of may be an order that is not known for one.
    """
    clauses = _CLAUSE.split(plain)
    while clauses and _tells_hours(_said(clauses[-1], words), words):
        clauses.pop()
    return clauses


def _tells_hours(said: list[str], words: NoteWords) -> bool:
    """Whether it says when something is open, or goes on to say so, and nothing besides."""
    is_opening = not words.opening.isdisjoint(said[:1])
    rest = said[1:] if is_opening else said
    others = [each for each in rest if each not in words.times and _NUMBER.fullmatch(each) is None]
    return words.around.issuperset(others) and (len(others) < len(rest) or not is_opening)


def _commands(clauses: Iterable[str], words: NoteWords) -> Iterator[str]:
    """What the clauses say that begin with a command."""
    yield from (said for _, said in _commanding(clauses, words))


def _commanding(clauses: Iterable[str], words: NoteWords) -> Iterator[tuple[str, str]]:
    """The clauses that begin with a command, as they stand, and their words from the command on."""
    for clause in clauses:
        said = _said(clause, words)
        if len(said) >= LEAST_WORDS and said[0] in words.commanding:
            yield clause, " ".join(said)


def _said(clause: str, words: NoteWords) -> list[str]:
    """The words of a clause, without those that are polite in front."""
    return list(dropwhile(words.polite.__contains__, _WORD.findall(clause)))
