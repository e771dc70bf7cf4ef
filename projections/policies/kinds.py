"""What kinds of items there are, and what may be a tag."""

from collections.abc import Iterable
from typing import Literal, get_args

from projections.policies.text import WHITESPACE, normalise

VERSION = "kinds@1"
DEFAULT_KIND = "fact"
Kind = Literal["preference", "fact", "project", "constraint", "person", "tool", "workflow"]
DNAM_KINDS: tuple[Kind, ...] = get_args(Kind)
GUIDANCE, BEHAVIORAL = "guidance", "behavioral"
"""Kinds that say how somebody is to be answered: always, and where what is said matches."""
CLANKY_KINDS = ("profile", "relationship", "preference", "project", GUIDANCE, BEHAVIORAL, "other")
KINDS: tuple[str, ...] = tuple(dict.fromkeys((*DNAM_KINDS, *CLANKY_KINDS)))
"""Seed 000's seven and seed 003's types, each once."""
MOST_TAGS = 12
MOST_TAG_CHARS = 32

_FRAME = "#,;\"'`()[]{}"
"""What stands around a tag and is no part of it. `c++`, `c#` and `node.js` keep theirs."""
_SEPARATORS = str.maketrans(dict.fromkeys(f"{WHITESPACE},;", " "))


def read_kind(kind: str) -> str:
    """A kind by its name; unknown ones are facts."""
    name = normalise(kind)
    return name if name in KINDS else DEFAULT_KIND


def read_tags(words: Iterable[str]) -> tuple[str, ...]:
    """Lower-case tokens without whitespace, each once, in the order given; at most MOST_TAGS of MOST_TAG_CHARS."""
    tokens = (token for word in words for token in normalise(word).translate(_SEPARATORS).split(" "))
    cleaned = (token.lstrip(_FRAME).rstrip(_FRAME.replace("#", ""))[:MOST_TAG_CHARS] for token in tokens)
    return tuple(dict.fromkeys(token for token in cleaned if token))[:MOST_TAGS]
