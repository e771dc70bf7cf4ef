"""A text as it looks: one case, no accents, nothing that cannot be seen, and letters of other scripts as the letters
that they look like.
"""

import unicodedata

_PAIRS = {
    "a": "аαɑᴀ", "b": "вьʙ", "c": "сϲᴄ", "d": "ԁᴅ", "e": "еёєεᴇҽ", "f": "ғϝ", "g": "ɡցɢ", "h": "һհнʜ", "i": "іїιıɪӏ",
    "j": "јյᴊ", "k": "кκᴋ", "l": "ʟ", "m": "мᴍ", "n": "ոηɴп", "o": "оοօөσᴏ", "p": "рρքᴘ", "q": "ԛզ", "r": "гʀ",
    "s": "ѕꜱ", "t": "тτᴛ", "u": "սυᴜ", "v": "ѵνᴠ", "w": "ԝωѡᴡ", "x": "хχ", "y": "уүʏγ", "z": "ᴢ",
}  # fmt: skip
_BOXES = {chr(first + place): chr(ord("a") + place) for first in (0x1F150, 0x1F170, 0x1F1E6) for place in range(26)}
"""White letters on black circles and squares, and those that flags are made of: Unicode has them look like none."""
LOOKALIKES = str.maketrans({alike: letter for letter, alikes in _PAIRS.items() for alike in alikes} | _BOXES)
_INVISIBLE = frozenset({"Cf", "Mn", "Me", "Cc", "Co", "Cn"})


class _Plain(dict[int, str | None]):
    """By code point what a character is in a plain text, looked up once for each: None for what cannot be seen and is
    no space.
    """

    def __missing__(self, code: int) -> str | None:
        each = chr(code)
        is_seen = each.isspace() or unicodedata.category(each) not in _INVISIBLE
        self[code] = each.casefold().translate(LOOKALIKES) if is_seen else None
        return self[code]


_PLAIN = _Plain()


def plain_text(text: str) -> str:
    """One case, the letters that the others look like, nothing that cannot be seen, single spaces."""
    if text.isascii() and text.isprintable():  # most texts are: there is nothing to look up
        return " ".join(text.lower().split())
    return " ".join(unicodedata.normalize("NFKD", text).translate(_PLAIN).split())
