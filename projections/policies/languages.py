"""Whether a text is in another language than the one that there is a list for, by the words that no sentence lacks.

A sentence with none of its language's small words ("the", "is", "of") is not in it, where it is long or has one of
another language's; nor is one with more of those than of its own. Words with letters beyond a to z count as others';
words with a capital letter, which may be names, and those that several languages share, as nobody's.
"""

import re
from typing import NamedTuple

FEWEST_WORDS = 4
MANY_WORDS = 6
"""From so many words on, one of them is a small one."""
MANY_FOREIGN = 2

_WORD = re.compile(r"\b[^\W\d_]+\b")


class CommonWords(NamedTuple):
    """The small words of a language alone, those that others have too, and those of others; without `own` nothing is
    judged.
    """

    own: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    foreign: frozenset[str] = frozenset()


def is_foreign(text: str, words: CommonWords) -> bool:
    """Whether the small words of a text are another language's."""
    said: list[str] = _WORD.findall(text)
    own = sum(each.casefold() in words.own for each in said)
    foreign = sum(each in words.foreign or (each.islower() and not each.isascii()) for each in said)
    if not words.own or len(said) < FEWEST_WORDS:
        return False
    if own == 0:
        return foreign > 0 or (len(said) >= MANY_WORDS and not words.shared.intersection(map(str.casefold, said)))
    return foreign > own and foreign >= MANY_FOREIGN
