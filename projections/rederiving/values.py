"""Items that say the same but for one value: another weekday, month, time of day or number.

`Kim's standup is on Monday` and `… on Tuesday` share too few words to be near, and are what somebody should look at all
the same. What has five words or more is near without one of them, and found by that; so only short texts are taken
apart here. Both must have values of the same sets, and differ in those of one: at another time on another day is
another thing, and `Mondays and Fridays` is more than `Mondays`, not something else.
"""

from collections.abc import Hashable, Mapping
from typing import NamedTuple

from projections.policies.rephrasing import Rephrasing, about

MOST_WORDS = 5
NUMBERS = "numbers"
"""The set that every language has."""


class Valued(NamedTuple):
    """A text as what it says, without its values, and those by the name of their set."""

    says: Hashable
    values: Mapping[str, frozenset[str]]


def valued(text: str, known: Rephrasing) -> Valued | None:
    """What a text says, and its values; None where it has none, or says nothing beside them."""
    found = about(text, known)
    sets = {word: known.values[word] for word in found.words if word in known.values}
    sets |= dict.fromkeys(found.numbers, NUMBERS)
    words = (found.words | found.predicates).difference(sets)
    if not sets or not words:
        return None
    says = words, found.units, found.relations, found.names.difference(sets), found.denied, found.doer.who
    return Valued(says, {name: frozenset(word for word in sets if sets[word] == name) for name in sets.values()})


def differing_values(one: Valued, other: Valued) -> str:
    """The set of which two that say the same have different values; empty where they do not, or differ in more."""
    if one.values.keys() != other.values.keys():
        return ""
    differing = [name for name, values in one.values.items() if values != other.values[name]]
    if len(differing) != 1 or one.values[differing[0]] & other.values[differing[0]]:
        return ""
    return differing[0]
