"""Items that say the same but for the name at their end, where it is of something of which there is one at a time.

`User lives on Orchard Road` and `User lives on Mill Lane` share too few words to be near. Which verbs are meant is the
language's to say (`singles`): one likes Bern and Basel, and has a cat named Tom and one named Kit. It has to be all of
the sentence: of whom it is said in one word (`Ada's sister` may be two), the verb, and a name.

A name is no other one where it has all words of it (`New York`, `York`), begins with it (`Tobi`, `Tobias`), or where
either is `wide`: in a country lies many a town. Of a quarter and its city it is not known that the one lies in the
other. A month or a weekday is a value (`shadow_values`), and no name.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from projections.policies.rephrasing import Rephrasing

MOST_NAME_WORDS = 4
_SPACE = re.compile(r"\s+")


class Named(NamedTuple):
    """A text as of whom something is said, with the verb, and the name at its end; `kind` is what that is of."""

    says: tuple[str, str]
    kind: str
    name: str


def named(text: str, known: Rephrasing) -> Named | None:
    """What a text says of whom, and the name; None where it is no such sentence."""
    if not known.singles:
        return None
    found = _sentence(tuple(known.singles)).fullmatch(_SPACE.sub(" ", text.strip()))
    if found is None:
        return None
    who, verb, name = found["who"].casefold(), found["verb"].casefold(), found["name"]
    words = name.split(" ")
    if len(words) > MOST_NAME_WORDS or not all(each[0].isupper() or each[0].isdigit() for each in words):
        return None
    if name.isdigit() or not known.values.keys().isdisjoint(map(str.casefold, words)):
        return None
    return Named((who, verb), known.singles[verb], name)


@lru_cache(8)
def _sentence(verbs: tuple[str, ...]) -> re.Pattern[str]:
    either = "|".join(map(re.escape, sorted(verbs, key=len, reverse=True)))
    return re.compile(rf"(?P<who>\S+) (?P<verb>(?i:{either})) (?P<name>[^\W_][\w’' -]*)\.?")


def other_name(one: Named, other: Named, wide: frozenset[str]) -> bool:
    """Whether two that say the same name something else."""
    mine, theirs = one.name.casefold(), other.name.casefold()
    if mine in wide or theirs in wide or mine.startswith(theirs) or theirs.startswith(mine):
        return False
    words, others = frozenset(mine.split(" ")), frozenset(theirs.split(" "))
    return not (words <= others or others <= words)
