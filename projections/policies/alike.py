"""Whether somebody's message says again what they take back: then it leaves recall with it.

    the item's text, by 60 % either way        the rule by which a model is refused that says it again (`refusals`)
    the very words that were quoted for it     as they stand, case and spaces aside
    a whole message that leaves with it        the same

Only the whole of a message counts. Of the last two, not what has nothing of the item in it: "yes, please" says it where
it was an answer, and nothing of it elsewhere.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from projections.events.values import Evidence
from projections.ids import EventId
from projections.policies.matching import close_folded
from projections.policies.text import folded

VERSION = "alike@1"
IN_A_ROW = 3
"""How many letters in a row a message and an item have in common at least, where the words alone do not tell."""


class Wordings(NamedTuple):
    """All that an item said, and the words that it rests on, folded."""

    texts: tuple[str, ...]
    quoted: frozenset[str]

    def says(self, said: str) -> bool:
        """Whether a message, folded, says it."""
        if any(close_folded(text, said) for text in self.texts):
            return True
        return said in self.quoted and any(_has_of(said, text) for text in self.texts)


def wordings(
    texts: Iterable[str], evidence: Iterable[Evidence], leaving: Iterable[EventId], said: Mapping[EventId, str]
) -> Wordings:
    """What an item said, and rests on among what is `leaving`; `said` are messages by their ids, folded."""
    gone = frozenset(leaving)
    quotes = (folded(each.quote) for each in evidence if each.message in gone and each.quote)
    whole = (said[each] for each in gone if said.get(each))
    return Wordings(tuple(dict.fromkeys(map(folded, texts))), frozenset((*quotes, *whole)))


def _has_of(said: str, text: str) -> bool:
    return any(said[at : at + IN_A_ROW] in text for at in range(len(said) - IN_A_ROW + 1))
