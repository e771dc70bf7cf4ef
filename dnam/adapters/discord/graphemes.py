"""What a reader sees as one character, of however many code points: no message ends within one.

e + ◌́ · 👩 + ZWJ + 🚀 · 👍 + 🏽 · ❤ + VS16 · 🇳 + 🇴 · 1 + VS16 + ◌⃣ · ᄒ + ᅡ + ᆫ · क + ◌् + ष

This is Unicode's UAX #29 as far as it can be told from `unicodedata`, and rather too much is one than too little.
"""

import re
import unicodedata

ZWJ = "\u200d"
MARKS = frozenset({"Mn", "Mc", "Me"})
"""Categories of what is written over or beside the one before: variation selectors are among it."""
GOES_ON = re.compile("[\u200c\u200d\uff9e\uff9f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\u1160-\u11ff\ud7b0-\ud7ff]")
"""What else belongs to the one before: joiners, voice marks, skin tones, tags, vowels and ends of Hangul."""
LEADS = re.compile("[\u1100-\u115f\ua960-\ua97f][\u1100-\u115f\ua960-\ua97f\uac00-\ud7a3]")
"""A beginning of Hangul and what may go on with it."""
FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
"""Two of them are a flag."""
VIRAMA = 9
"""The combining class of what ties a letter to the next one."""


def is_within(text: str, at: int) -> bool:
    """Whether this place is within what is seen as one character. The text begins with a whole one."""
    if not 0 < at < len(text) or (text[at].isascii() and text[at - 1] != ZWJ):
        return False
    before, behind = text[at - 1], text[at]
    if before.isspace() and before != " ":
        return False
    if behind in FLAG_LETTERS:
        return before == ZWJ or (at - len(text[:at].rstrip(FLAG_LETTERS))) % 2 == 1
    return (
        before == ZWJ
        or unicodedata.category(behind) in MARKS
        or GOES_ON.match(behind) is not None
        or unicodedata.combining(before) == VIRAMA
        or LEADS.match(text, at - 1) is not None
    )


def last_border(text: str, upto: int) -> int:
    """The last place up to this one that is within no character, behind the beginning; else this one."""
    return next((at for at in range(upto, 0, -1) if not is_within(text, at)), upto)
