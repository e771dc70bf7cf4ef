"""How a text may be meant to be read: as it stands, or through a disguise that a model sees through and a word list
does not.

    plain               one case, no accents, nothing invisible; look-alikes of other scripts are the letters they look
                        like
    digits for letters  1gn0r3
    letters apart       i g n o r e, ig-no-re: read without a space
    backwards, rot13
    encoded             base64, base32, hexadecimal, binary, decimal codes, Morse, percent signs, HTML entities,
                        \\u and \\x escapes, the invisible tag characters; what is decoded is decoded again, once
"""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

MOST_CHARS = 8_000
"""A text is read so far."""
LEAST_DECODED = 8
"""What is decoded to less says nothing."""
LEAST_HYPHENS = 3
"""From so many signs inside of words on, they are read without them."""
LONGEST_WORD = 24
"""A longer word is several without a space."""

_PAIRS = {
    "a": "аαɑᴀ", "b": "вьʙ", "c": "сϲᴄ", "d": "ԁᴅ", "e": "еёєεᴇҽ", "f": "ғϝ", "g": "ɡցɢ", "h": "һհнʜ", "i": "іїιıɪӏ",
    "j": "јյᴊ", "k": "кκᴋ", "l": "ʟ", "m": "мᴍ", "n": "ոηɴп", "o": "оοօөσᴏ", "p": "рρքᴘ", "q": "ԛզ", "r": "гʀ",
    "s": "ѕꜱ", "t": "тτᴛ", "u": "սυᴜ", "v": "ѵνᴠ", "w": "ԝωѡᴡ", "x": "хχ", "y": "уүʏγ", "z": "ᴢ",
}  # fmt: skip
_BOXES = {chr(first + place): chr(ord("a") + place) for first in (0x1F150, 0x1F170, 0x1F1E6) for place in range(26)}
"""White letters on black circles and squares, and those that flags are made of: Unicode has them look like none."""
_LOOKALIKES = str.maketrans({alike: letter for letter, alikes in _PAIRS.items() for alike in alikes} | _BOXES)
_DIGITS = str.maketrans("013457@$!|€8", "oieastasiieb")
_GAP = re.compile(r"\s{2,}")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_INVISIBLE = frozenset({"Cf", "Mn", "Me", "Cc", "Co", "Cn"})
_SPACE = re.compile(r"\s+")
_NO_WORD = re.compile(r"[\W_]+")
_HYPHEN = re.compile(r"(?<=\w)[-·.*~|/](?=\w)")
_APOSTROPHE = re.compile(r"(?<=\w)['’‘ʼ`](?=\w)")
_CODE = ".-|-...|-.-.|-..|.|..-.|--.|....|..|.---|-.-|.-..|--|-.|---|.--.|--.-|.-.|...|-|..-|...-|.--|-..-|-.--|--.."
_MORSE = dict(zip(_CODE.split("|"), "abcdefghijklmnopqrstuvwxyz", strict=True))


class Reading(NamedTuple):
    """A text as it may be read: how it was disguised (empty: not at all), its words with a space between, and the same
    with its signs. `is_squeezed`: nobody knows where its words end.
    """

    disguise: str
    words: str
    signed: str
    is_squeezed: bool = False


def readings(text: str) -> Iterator[Reading]:
    """Every way in which a text may be meant to be read, the plain one first."""
    text = text[:MOST_CHARS]
    yield from _open(text, "")
    for disguise, decoded in _decoded(text):
        yield from _open(decoded, disguise)
        for inner, twice in _decoded(decoded):
            yield from _open(twice, f"{inner} in {disguise}")


def _decoded(text: str) -> Iterator[tuple[str, str]]:
    """What a text says in each code in which it says anything else."""
    found = ((disguise, decode(text)) for disguise, decode in _CODES)
    yield from ((disguise, decoded) for disguise, decoded in found if decoded and decoded != text)


def plain_reading(text: str) -> Reading:
    """A text as it stands."""
    return _reading(_plain(text[:MOST_CHARS]), "")


def whole_reading(text: str) -> Reading:
    """The same of a text of any length, for what is only looked for in it."""
    return _reading(_plain(text), "")


def _open(text: str, disguise: str) -> Iterator[Reading]:
    plain = _plain(text)
    yield _reading(plain, disguise)
    if any(each.isdecimal() or each in "@$!|€" for each in plain):
        yield _reading(plain.translate(_DIGITS), disguise or "digits for letters")
    if len(_HYPHEN.findall(plain)) >= LEAST_HYPHENS:
        yield _reading(_HYPHEN.sub("", plain), disguise or "signs between letters")
    words = _words(plain)
    if _is_apart(words):
        squeezed = words.replace(" ", "")
        yield Reading(disguise or "letters apart", squeezed, squeezed, is_squeezed=True)
    yield _reading(plain[::-1], disguise or "written backwards")
    yield _reading(codecs.encode(plain, "rot13"), disguise or "rot13")


def _reading(plain: str, disguise: str) -> Reading:
    return Reading(disguise, _words(plain), plain)


class _Seen(dict[int, int | None]):
    """By code point what is seen of a text, looked up once for each: None for what cannot be seen and is no space."""

    def __missing__(self, code: int) -> int | None:
        each = chr(code)
        is_seen = each.isspace() or unicodedata.category(each) not in _INVISIBLE
        self[code] = code if is_seen else None
        return self[code]


_SEEN = _Seen()


def _plain(text: str) -> str:
    """One case, the letters that the others look like, nothing that cannot be seen, single spaces."""
    spread = unicodedata.normalize("NFKD", text)
    return _SPACE.sub(" ", spread.translate(_SEEN).casefold().translate(_LOOKALIKES)).strip()


def _words(plain: str) -> str:
    return _NO_WORD.sub(" ", _APOSTROPHE.sub("", plain)).strip()


def _is_apart(words: str) -> bool:
    """Whether words are in pieces: letters that stand alone, or hardly anything longer than three."""
    parts = words.split()
    if re.search(r"(?:\b\w \b){4}\w\b", words) or any(len(each) > LONGEST_WORD for each in parts):
        return True
    return len(parts) >= 6 and 10 * sum(len(each) <= 3 for each in parts) >= 9 * len(parts)


def letters_of(text: str, script: str) -> tuple[int, int]:
    """How many letters of a text are of a script, by its name in Unicode, and how many there are."""
    letters = [each for each in unicodedata.normalize("NFKC", text[:MOST_CHARS]) if each.isalpha()]
    return sum(unicodedata.name(each, "").startswith(script) for each in letters), len(letters)


# -- codes ---------------------------------------------------------------------------------------------------------


def _legible(data: bytes) -> str:
    """Bytes as text, if they are one: printable, and mostly letters."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    letters = sum(each.isalpha() or each.isspace() for each in text)
    return text if len(text) >= LEAST_DECODED and 10 * letters >= 7 * len(text) else ""


def _each(pattern: str, decode: Callable[[str], str]) -> Callable[[str], str]:
    """Everything in a text that looks encoded, decoded."""
    compiled = re.compile(pattern)

    def read(text: str) -> str:
        return " ".join(filter(None, (decode(found[0]) for found in compiled.finditer(text))))

    return read


def _bytes_of(decode: Callable[[str], bytes]) -> Callable[[str], str]:
    def read(chunk: str) -> str:
        try:
            return _legible(decode(chunk))
        except (ValueError, binascii.Error):
            return ""

    return read


def _base64(chunk: str) -> bytes:
    body = re.sub(r"[\s=]", "", chunk).replace("-", "+").replace("_", "/")
    return base64.b64decode(body[: len(body) - (len(body) % 4 == 1)] + "=" * (-len(body) % 4))


def _base32(chunk: str) -> bytes:
    body = re.sub(r"[\s=]", "", chunk)
    return base64.b32decode(body + "=" * (-len(body) % 8))


def _hexadecimal(chunk: str) -> bytes:
    return bytes.fromhex("".join(re.findall(r"[0-9a-fA-F]{2}", chunk.replace("0x", "").replace("\\x", ""))))


def _binary(chunk: str) -> bytes:
    return bytes(int(each, 2) for each in re.findall(r"[01]{8}", chunk))


def _decimal(chunk: str) -> bytes:
    return bytes(int(each) for each in re.findall(r"\d+", chunk))


def _morse(chunk: str) -> str:
    words = (re.split(r"\s+", word.strip()) for word in re.split(r"\s*/\s*|\s{3,}", chunk))
    return " ".join("".join(_MORSE.get(letter, "") for letter in word) for word in words)


def _tags(text: str) -> str:
    """The characters that Unicode once had for invisible tags, as the ASCII they stand for."""
    return "".join(chr(ord(each) - 0xE0000) for each in text if 0xE0020 <= ord(each) <= 0xE007E)


def _percent(text: str) -> str:
    """With %41 as the letter it stands for."""
    return _PERCENT.sub(lambda found: bytes.fromhex(found[0].replace("%", "")).decode(errors="replace"), text)


def _escapes(text: str) -> str:
    """With \\u0041 and \\x41 as the letters they stand for."""
    return re.sub(r"\\(?:u\{?|x)([0-9a-fA-F]{2,5})\}?", lambda found: chr(int(found[1], 16)), text)


def _spelled(text: str) -> str:
    """Letters apart, with more than one space between words."""
    words = [word.split() for word in _GAP.split(text)]
    letters = [len(each) for word in words for each in word]
    is_apart = len(words) > 1 and len(letters) > len(words) and max(letters) == 1
    return " ".join("".join(word) for word in words) if is_apart else ""


_CODES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("letters apart", _spelled),
    ("base64", _each(r"[A-Za-z0-9+/_-]{12,}={0,2}", _bytes_of(_base64))),
    ("base32", _each(r"[A-Z2-7]{16,}=*", _bytes_of(_base32))),
    ("hexadecimal", _each(r"(?:(?:0x|\\x)?[0-9a-fA-F]{2}[\s:,-]{0,2}){8,}", _bytes_of(_hexadecimal))),
    ("binary", _each(r"(?:[01]{8}\s?){8,}", _bytes_of(_binary))),
    ("decimal codes", _each(r"(?:\d{2,3}[\s,;]{1,2}){8,}\d{2,3}", _bytes_of(_decimal))),
    ("Morse", _each(r"[.\-/ ]{24,}", _morse)),
    ("invisible characters", _tags),
    ("percent signs", _percent),
    ("HTML entities", lambda text: html.unescape(text) if "&" in text else ""),
    ("escapes", lambda text: _escapes(text) if "\\" in text else ""),
)
