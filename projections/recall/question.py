"""What a text looks for: its words, the person whom it names, the dates, and whether it asks for a time."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from types import MappingProxyType
from typing import NamedTuple

from projections.ids import Handle
from projections.recall.bm25 import ONE
from projections.recall.dates import dates_in
from projections.recall.english import ASKS_BEHIND, ASKS_WHEN, ASKS_WITH, COUNTED, REPORTS, STOP_WORDS
from projections.recall.scoring import Question
from projections.recall.words import PIECE, asked_in, name_term, person_term, read, word_term, words
from projections.remembered import of_people
from projections.wording import alike

NAME = 8
EXACT = 4
"""A word as it stands counts a fourth of what its stem does: a name is told from others of the same stem, and a word
that only began a sentence somewhere gains little.
"""
MOST_TERMS = 256
"""So many terms of a text are looked at: a paste is no question, and has one before it or behind it."""
ASKS_WITHIN = 7
"""How many words before "say" the "did" may stand that makes it one of the question."""
_ASKS_WHEN = re.compile(ASKS_WHEN, re.IGNORECASE)


_GENITIVE = re.compile(r"['’]s\b")


class Asked(NamedTuple):
    """A question, and the words that its terms stand for. `dated` are those terms that it has only for its dates, and
    `of_days` those of them that it has for a day of the month.
    """

    question: Question
    words: Mapping[bytes, str]
    dated: frozenset[bytes] = frozenset()
    of_days: frozenset[bytes] = frozenset()

    @property
    def by_days(self) -> "Asked":
        """The same, looked for by its days rather than by what these are called: as names are."""
        if not self.of_days:
            return self
        shares = self.question.terms
        light = {term: shares[term] // NAME for term in self.of_days & shares.keys()}
        return self._replace(question=self.question._replace(terms=MappingProxyType({**shares, **light})))


def ask(text: str, names: Mapping[Handle, str]) -> Asked:
    """What a text looks for, among people of these names.

    A name is looked for at a NAME'th of the weight of a word: it says of whom something is told, and if there is just
    one, whose words count more. It stays a word, since anybody may call themself after one. Whoever has it is looked
    for where they are mentioned as well, as much: a mention holds no name.

    Each word is also looked for as it stands, since names are often typed without a capital. In "how many" there is
    none, unless there is no other.

    What has the stem of such a word, or a part of what is written whole, is only like it.
    """
    return _ask(text, tuple(names.items()))


@of_people
@lru_cache(2)
def _ask(text: str, called: tuple[tuple[Handle, str], ...]) -> Asked:
    """Asked once: what is known and what was said are looked for by the same question, nearly always among nobody."""
    told, names = read(text), dict(called)
    said = told.words
    named = [person for person, name in names.items() if _is_named(name, said)]
    spoken = {word_term(word) for person in named for word in words(names[person])}
    wanted = _without_asking(asked_in(told, MOST_TERMS), said)
    names_only = spoken.issuperset(wanted)
    shares = {term: ONE // NAME if term in spoken and not names_only else ONE for term in wanted}
    exact = dict(islice(_as_they_stand(said, wanted), MOST_TERMS - len(wanted)))
    shares |= {name: shares[stem] // EXACT for name, (_, stem) in exact.items()}
    told_as = {name: f"exactly {word}" for name, (word, _) in exact.items()}
    mentions = {person_term(person): f"@{words(names[person])[0]}" for person in named}
    shares |= dict.fromkeys(mentions, ONE if names_only else ONE // NAME)
    when = dates_in(told.flat, said)
    question = Question(
        terms=MappingProxyType(shares),
        speaker=named[0] if len(named) == 1 else None,
        dates=when.dates,
        asks_when=_ASKS_WHEN.search(text) is not None,
        forms=[(name, stem) for name, (_, stem) in exact.items()] + _parts_of_whole(wanted),
    )
    all_words = MappingProxyType(wanted | told_as | mentions)
    if not when.dates:
        return Asked(question, all_words)
    return Asked(question, all_words, _only_in((*when.days, *when.others), said), _only_in(when.days, said))


def _only_in(pieces: Iterable[str], said: Iterable[str]) -> frozenset[bytes]:
    """The terms of words that stand only in these pieces of what is said."""
    there = Counter(word for piece in pieces for word in words(piece))
    only = [word for word in there if there[word] == Counter(said)[word]]
    return frozenset(term for word in only for term in (word_term(word), name_term(word)) if term is not None)


def _without_asking(wanted: dict[bytes, str], said: Sequence[str]) -> dict[bytes, str]:
    """What is wanted but for what only asks; all of it, if that is all."""
    asking = {word_term(word) for word in _asking(said)}
    return {term: word for term, word in wanted.items() if term not in asking} or wanted


def _asking(said: Sequence[str]) -> Iterator[str]:
    """The words of a question that only ask: the "many" of "how many", the "say" of "did she say", the "tell" of
    "tell me".
    """
    pairs = set(pairwise(said))
    yield from (pair[1] for pair in COUNTED & pairs)
    yield from (ASKS_WITH[pair] for pair in ASKS_WITH.keys() & pairs)
    if REPORTS.isdisjoint(said):
        return
    for at, word in enumerate(said):
        if word in REPORTS and not ASKS_BEHIND.isdisjoint(said[max(at - ASKS_WITHIN, 0) : at]):
            yield word


def _as_they_stand(said: Iterable[str], wanted: Container[bytes]) -> Iterator[tuple[bytes, tuple[str, bytes]]]:
    """The words of what is wanted whose stem is another, and its term, by the term of what they are as they stand."""
    for word in said:
        stem = word_term(word)
        name = name_term(word) if stem in wanted else None
        if name is not None:
            yield name, (word, stem)


def _parts_of_whole(wanted: Mapping[bytes, str]) -> list[tuple[bytes, bytes]]:
    """What is wanted with signs inside, by its term, with each word that stands in it."""
    if "".join(wanted.values()).isalnum():
        return []
    return [(term, word_term(word)) for term, each in wanted.items() if not each.isalnum() for word in words(each)]


def _is_named(name: str, said: Iterable[str]) -> bool:
    """Whether the first word of a name is among what is said; one that every sentence has is no name."""
    parts = words(name)
    return bool(parts) and parts[0] in said and parts[0] not in STOP_WORDS


def without_names(text: str, names: Iterable[str]) -> str:
    """A text without these names, wherever one stands from its first word on, with its 's; the text as it is where no
    word would be left.
    """
    said = words(text)
    called = [words(name) for name in names if _is_named(name, said)]
    left = " ".join(filter(None, _between_names(text, called))) if called else text
    return left if words(left) else text


def _between_names(text: str, called: Sequence[Sequence[str]]) -> Iterator[str]:
    """What stands before, between and behind names, which are given by their words."""
    pieces = list(PIECE.finditer(text))
    said = [" ".join(words(each[0])) for each in pieces]
    start = at = 0
    while at < len(pieces):
        named = max(alike(name, said[at : at + len(name)]) for name in called)
        if named:
            yield text[start : pieces[at].start()].strip()
            end = pieces[at + named - 1].end()
            genitive = _GENITIVE.match(text, end)
            start = genitive.end() if genitive else end
        at += max(named, 1)
    yield text[start:].strip()
