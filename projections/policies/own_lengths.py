"""How long a memory is that a person asks for: one word of any script is enough, a number or an emoji, and as much as
of a model's is too long. What a model notes says nothing when it is as short (`lengths`); a person says what they mean.
"""

import unicodedata

from projections.policies.lengths import MOST_CHARS
from projections.policies.text import BLANK

VERSION = "own_lengths@1"
_WORDS = frozenset({"L", "N"})
_EMOJI = "So"
AS_EMOJI = "\ufe0f"
"""What makes an emoji of a sign before it that is none by itself."""
_UNREAD = BLANK | {"\ufffd"}
"""Letters and signs to Unicode of which nothing can be read: the last stands for what could not be."""


def wrong_own_length(text: str) -> str:
    """Why a text is no memory by its length, in words; empty when it may be one."""
    if len(text) > MOST_CHARS:
        return f"that is {len(text):,} characters; one memory holds at most {MOST_CHARS:,}: say it shorter, or in parts"
    if AS_EMOJI not in text and not any(map(_is_said, text)):
        return "that is too short to say anything: write a word, or a sentence"
    return ""


def _is_said(character: str) -> bool:
    category = unicodedata.category(character)
    return (category[0] in _WORDS or category == _EMOJI) and character not in _UNREAD
