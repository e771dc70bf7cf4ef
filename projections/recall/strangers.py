"""Questions about somebody of whom nothing is known: "What does Marlowe like?", where nobody ever said Marlowe.

What has only a common word of such a question ("like") is found, and stands last in a list; in a prompt it would be
said of somebody else. It answers where it has a word that tells, or two of the question's.
"""

import re
from collections.abc import Iterable, Mapping, Set
from typing import NamedTuple

from projections.recall.bm25 import ONE
from projections.recall.facts import KnownItems
from projections.recall.question import Asked
from projections.recall.scoring import counted
from projections.recall.standing import MOST_ASKED, TermsIn
from projections.recall.words import folded

RARE = 25
"""A word tells that stands in no more than one of so many documents, or in no more than MOST_ASKED."""

_NAME = re.compile(r"[^\W\d_](?<=[^.!?\s] .)[^\W\d_]+")
"""What may be a name: not the first word of a sentence, which has its capital from there."""


class Doubt(NamedTuple):
    """Those terms of a question that are words of something, and those of them that are rare."""

    words: frozenset[bytes]
    rare: frozenset[bytes]

    def leaves(self, fields: Mapping[tuple[str, bytes], int]) -> bool:
        """Whether something answers by what its score is made of, though somebody is named whom nobody knows."""
        there = {term for field, term in fields if field == "turn"} & self.words
        if len(there) > 1 or there & self.rare:
            return True
        if any(field in ("dated", "meaning", "fact meaning") for field, _ in fields):
            return True
        return ("fact", b"") in fields and (len(self.words) > 1 or bool(self.rare))


def doubt(text: str, asked: Asked, there: Set[bytes], known: Iterable[KnownItems], standing: TermsIn) -> Doubt | None:
    """What a text is to be answered by that names a stranger; None where it names none. `there` are the terms of the
    question that were said somewhere; those that stand in what is `known` come to them.
    """
    terms = asked.question.terms.keys()
    there = set(there).union(*(part.having.keys() & terms for part in known))
    if not _names_stranger(text, asked, there):
        return None
    words = [term for term in there if asked.question.terms[term] >= ONE // 2]
    most = max(counted(standing.parts).documents // RARE, MOST_ASKED)
    rare = [term for term in words if sum(len(each.at) for each in standing.postings(term)) <= most]
    return Doubt(frozenset(words), frozenset(rare))


def _names_stranger(text: str, asked: Asked, there: Set[bytes]) -> bool:
    """Whether a word with a capital stands nowhere, nor anything that is spelled like it, and is nobody's name."""
    told, shares = asked.words.values(), asked.question.terms
    unknown = {asked.words[term] for term in shares.keys() - there - asked.dated if shares[term] == ONE}
    names = unknown & {folded(each) for each in _NAME.findall(text) if each[0].isupper()}
    return any(f"spelled like {name}" not in told for name in names) and not _is_of_names(asked)


def _is_of_names(asked: Asked) -> bool:
    """Whether all that is looked for is the names of people: these count as words then, and so do mentions."""
    return any(asked.question.terms[term] == ONE for term, word in asked.words.items() if word.startswith("@"))
