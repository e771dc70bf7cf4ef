"""How texts are compared: one line, one case, one idea of what a space is.

The space is JavaScript's, because the ids of DiscoClaw's files were made with its `\\s` and its `trim`. Python's own
`str.split` takes five characters more (U+001C to U+001F and U+0085) and leaves one out (U+FEFF).

    tidy        one line, as it is stored and shown
    normalise   tidy and lower-cased: what an id is made from, and what "the same text" means
    folded      tidy and case folded: what a needle is looked for in; its length may differ from the text's own
"""

import re
import unicodedata
from functools import lru_cache

from projections.remembered import of_people

VERSION = "text@1"
WHITESPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""Everything that JavaScript's `\\s` matches, by code point."""
MOST_ITEM_CHARS = 1_800
"""The longest text that a reply may give to two items that become one, in code points. A prompt has 2,000 for all
items, each with a frame of about 100: what is longer could never be told. A memory is shorter (`lengths`).
"""

MOST_IMPORTED_CHARS = 20_000
"""The longest text of an item that another program kept. What is longer than a prompt's part for items is kept and
shown all the same; a prompt leaves it out and says so."""

MOST_KEPT_CHARS = 256
"""A longer text is normalised whenever that is asked for."""

_INVISIBLE = frozenset({"Cc", "Cf", "Mn", "Zl", "Zp", "Zs"})
BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Fillers and the empty braille pattern: letters and a symbol to Unicode, and nothing to see."""
_RUN = re.compile(f"[{WHITESPACE}]+")


def whole(text: str) -> str:
    """The text with pairs of surrogates joined, and lone ones (which no UTF-8 can hold) as U+FFFD."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def composed(text: str) -> str:
    """The text with letters and their marks in one (NFC): how names are compared, whatever typed them."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def tidy(text: str) -> str:
    """One line: trimmed, every run of whitespace one space."""
    if text.isascii() and " ".join(text.split()) == text:  # most texts are
        return text
    return _RUN.sub(" ", whole(text)).strip(" ")


def normalise(text: str) -> str:
    """What an id is made from: tidy and lower-cased, as JavaScript's `toLowerCase` does it."""
    return _normalised_again(text) if len(text) <= MOST_KEPT_CHARS else tidy(text).lower()


@of_people
@lru_cache(maxsize=4_096)
def _normalised_again(text: str) -> str:
    """Whatever a model says is compared with all that its person has, reply by reply: their texts come again."""
    return tidy(text).lower()


def folded(text: str) -> str:
    """What texts are searched by: tidy and case folded, so that `STRASSE` is found in `Straße`."""
    return tidy(text).casefold()


def is_blank(text: str) -> bool:
    """Whether there is nothing to see in it: spaces, marks of width zero, accents without a letter."""
    return all(each in BLANK or unicodedata.category(each) in _INVISIBLE for each in text)
