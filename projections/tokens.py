"""How many tokens a text has, as far as that is known.

No tokenizer of a model that answers here is published; what its API would count costs a call over the network, and a
prompt is made for every message. So characters are counted: four to a token, which is about what English text has, and
one to a token in Chinese, Japanese, Korean, Thai, Lao, Burmese and Khmer. Whoever knows their model's tokenizer hands
in a counter of their own.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

CHARS_A_TOKEN = 4
_DENSE = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3000-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]+"
)
"""What stands in the alphabets of these, with their punctuation: about a token each."""


class Counter(NamedTuple):
    """Something that counts tokens. Its name stands in the turn: another one counts otherwise."""

    name: str
    count: Callable[[str], int]


def by_characters(text: str) -> int:
    """A token for each code point of an alphabet that is written without spaces, and of Korean, and for every four
    others that have begun.
    """
    dense = 0 if text.isascii() else sum(map(len, _DENSE.findall(text)))
    return dense - (dense - len(text)) // CHARS_A_TOKEN


def four_characters(text: str) -> int:
    """A token for every four code points that have begun, whatever their alphabet."""
    return -(-len(text) // CHARS_A_TOKEN)


CHARACTERS = Counter("characters@2", by_characters)
"""What counts where no tokenizer is known."""
COUNTERS = {each.name: each for each in (CHARACTERS, Counter("characters/4", four_characters))}
"""By their names: prompts are made again as they were counted."""
