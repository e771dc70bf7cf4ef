"""The id of an item: a digest of what it said when it was made.

    durable-9f86d081      "durable-" + the first 8 hex digits of SHA-256("kind:normalised text")

An id is permanent once given, even when the text changes. Two texts whose digests begin alike need longer ids.
"""

import hashlib
import re
from collections.abc import Container

from projections.policies.text import normalise

VERSION = "item_ids@1"
PREFIX = "durable-"
FEWEST_DIGITS = 8
MOST_DIGITS = 64
STEP = 4
"""By how many digits an id grows when it clashes."""
_ID = re.compile(rf"{PREFIX}[0-9a-f]{{{FEWEST_DIGITS},{MOST_DIGITS}}}")


def derive(kind: str, text: str, digits: int = FEWEST_DIGITS) -> str:
    """The id that a kind and a text have by themselves."""
    return PREFIX + hashlib.sha256(f"{kind}:{normalise(text)}".encode()).hexdigest()[:digits]


def is_id(text: str) -> bool:
    """Whether a text has the form of an id, of whatever item."""
    return _ID.fullmatch(text) is not None


def fresh_id(kind: str, text: str, taken: Container[str]) -> str:
    """The shortest id of a new item that no other item of the same owner and compartment has."""
    lengths = range(FEWEST_DIGITS, MOST_DIGITS + 1, STEP)
    return next(each for digits in lengths if (each := derive(kind, text, digits)) not in taken)
