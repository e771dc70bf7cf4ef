"""How many tokens a text has, as far as that is known.

No tokenizer of a model that answers here is published; what its API would count costs a call over the network, and a
prompt is made for every message. So characters are counted, four to a token, which is about what English text has.
Whoever knows their model's tokenizer hands in a counter of their own.
"""

from collections.abc import Callable
from typing import NamedTuple

CHARS_A_TOKEN = 4


class Counter(NamedTuple):
    """Something that counts tokens. Its name stands in the turn: another one counts otherwise."""

    name: str
    count: Callable[[str], int]


def by_characters(text: str) -> int:
    """A token for every four code points that have begun."""
    return -(-len(text) // CHARS_A_TOKEN)


CHARACTERS = Counter("characters/4", by_characters)
"""What counts where no tokenizer is known."""
