"""How a text may be meant to be read: as it stands, or through a disguise that a model sees through and a word list
does not.

    plain               one case, no accents, nothing invisible; look-alikes of other scripts are the letters they look
                        like
    digits for letters  1gn0r3, !gnore; not the exclamation marks that end a word
    letters apart       i g n o r e, ig-no-re: read without a space
    backwards, rot13
    encoded             base64, base32, hexadecimal, binary, decimal codes, Morse, percent signs, HTML entities,
                        \\u and \\x escapes, the invisible tag characters; what is decoded is decoded again, once
"""

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from projections.lookalikes import plain_text
from projections.remembered import of_people

MOST_CHARS = 8_000
"""A text is read so far."""
LEAST_DECODED = 8
"""What is decoded to less says nothing."""
LEAST_HYPHENS = 3
"""From so many signs inside of words on, they are read without them."""
LONGEST_WORD = 24
"""A longer word is several without a space."""
ALONE = 5
"""So many letters in a row that stand alone are a word in pieces."""
LEAST_BASE64 = 12
LEAST_BASE32 = 16
"""How long what looks encoded is at least."""

_DIGITS = str.maketrans("013457@$!|€8", "oieastasiieb")
_DIGIT = re.compile(r"[\d@$!|€]")
_CALL = re.compile(r"(?<!!)!+(?![\w@$!|€])")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_TURNED = _LETTERS[13:] + _LETTERS[:13]
_ROT13 = str.maketrans(_LETTERS + _LETTERS.upper(), _TURNED + _TURNED.upper())
_GAP = re.compile(r"\s{2,}")
_PERCENT = re.compile(r"(?:%[0-9a-fA-F]{2})+")
_HYPHEN = re.compile(r"[-·.*~|/](?<=\w.)(?=\w)")
_APOSTROPHE = re.compile(r"['’‘ʼ`](?<=\w.)(?=\w)")
_TAG = re.compile("[\U000e0020-\U000e007e]")
_CODED = re.compile(r"[\da-fA-Fx\\\s:,;./-]{16}")
"""What all codes in numbers, pairs of digits or dots and dashes have in a row, and no sentence has."""
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
    found = ((disguise, decode(text)) for disguise, decode in _codes_of(text))
    yield from ((disguise, decoded) for disguise, decoded in found if decoded and decoded != text)


def _codes_of(text: str) -> Iterable[tuple[str, Callable[[str], str]]]:
    """The codes that a text may have: what has no such signs, and no run of them as long as that, is in no code."""
    longest = max(map(len, text.split()), default=0)
    is_numbered = _CODED.search(text) is not None
    is_marked = "%" in text or "&" in text or "\\" in text or not text.isascii()
    if not is_numbered and not is_marked and 1 < longest < LEAST_BASE64:
        return ()
    may_be = {
        "letters apart": longest == 1,
        "base64": longest >= LEAST_BASE64,
        "base32": longest >= LEAST_BASE32,
        "invisible characters": not text.isascii(),
        "percent signs": "%" in text,
        "HTML entities": "&" in text,
        "escapes": "\\" in text,
    }
    return (each for each in _CODES if may_be.get(each[0], is_numbered))


def plain_reading(text: str) -> Reading:
    """A text as it stands."""
    return _as_it_stands(text[:MOST_CHARS])


@of_people
@lru_cache(maxsize=256)
def _as_it_stands(text: str) -> Reading:
    return _reading(plain_text(text), "")


@of_people
@lru_cache(maxsize=256)
def turned_alone(text: str) -> Reading | None:
    """The plain reading of a text that has no other but those that turn each of its words (`TURNS`), as most have; None
    of any other.
    """
    plain = plain_reading(text)
    if _DIGIT.search(plain.signed) or len(_HYPHEN.findall(plain.signed)) >= LEAST_HYPHENS or _is_apart(plain.words):
        return None
    return None if next(iter(_codes_of(text[:MOST_CHARS])), None) else plain


def _open(text: str, disguise: str) -> Iterator[Reading]:
    _, words, plain, _ = _as_it_stands(text)
    yield Reading(disguise, words, plain)
    if _DIGIT.search(plain):
        yield _reading(lettered(plain), disguise or "digits for letters")
    if len(_HYPHEN.findall(plain)) >= LEAST_HYPHENS:
        yield _reading(_HYPHEN.sub("", plain), disguise or "signs between letters")
    if _is_apart(words):
        squeezed = words.replace(" ", "")
        yield Reading(disguise or "letters apart", squeezed, squeezed, is_squeezed=True)
    yield from turned(words, plain, disguise)


def lettered(plain: str) -> str:
    """A plain text with its digits and signs as the letters that they may stand for. Exclamation marks at the end of a
    word stand for none, and end a sentence as ever.
    """
    return _CALL.sub(".", plain).translate(_DIGITS)


def turned(words: str, signed: str, disguise: str = "") -> Iterator[Reading]:
    """What is read of every text: all of its words turned one by one, and its signs left as they are."""
    yield Reading(disguise or "written backwards", _backwards(words), _backwards(signed))
    yield Reading(disguise or "rot13", _rot13(words), _rot13(signed))


def _backwards(text: str) -> str:
    return text[::-1]


def _rot13(text: str) -> str:
    return text.translate(_ROT13)


TURNS = (_backwards, _rot13)
"""How `turned` turns a word; twice, it is as it was."""


def _reading(plain: str, disguise: str) -> Reading:
    return Reading(disguise, words_of(plain), plain)


class _Lettered(dict[int, int]):
    """By code point the character itself if it is one of a word, and else a space."""

    def __missing__(self, code: int) -> int:
        self[code] = code if chr(code).isalnum() else ord(" ")
        return self[code]


_LETTERED = _Lettered()


def words_of(plain: str) -> str:
    """The words of a plain text, with a space between."""
    return " ".join(_APOSTROPHE.sub("", plain).translate(_LETTERED).split())


def _is_apart(words: str) -> bool:
    """Whether words are in pieces: letters that stand alone, or hardly anything longer than three."""
    lengths = list(map(len, words.split()))
    if max(lengths, default=0) > LONGEST_WORD or b"\1" * ALONE in bytes(lengths):
        return True
    longer = len(bytes(lengths).translate(None, b"\1\2\3"))
    return len(lengths) >= 6 and len(lengths) >= 10 * longer


def letters_of(text: str, script: str) -> tuple[int, int]:
    """How many letters of a text are of a script, by its name in Unicode, and how many there are."""
    if text.isascii():
        all_of_them = sum(map(str.isalpha, text[:MOST_CHARS]))
        return (all_of_them if _is_of("a", script) else 0), all_of_them
    letters = [each for each in unicodedata.normalize("NFKC", text[:MOST_CHARS]) if each.isalpha()]
    return sum(_is_of(each, script) for each in letters), len(letters)


@lru_cache(maxsize=4_096)
def _is_of(letter: str, script: str) -> bool:
    return unicodedata.name(letter, "").startswith(script)


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
    return "".join(chr(ord(each) - 0xE0000) for each in _TAG.findall(text))


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
    ("base64", _each(rf"[A-Za-z0-9+/_-]{{{LEAST_BASE64},}}={{0,2}}", _bytes_of(_base64))),
    ("base32", _each(rf"[A-Z2-7]{{{LEAST_BASE32},}}=*", _bytes_of(_base32))),
    ("hexadecimal", _each(r"(?:(?:0x|\\x)?[0-9a-fA-F]{2}[\s:,-]{0,2}){8,}", _bytes_of(_hexadecimal))),
    ("binary", _each(r"(?:[01]{8}\s?){8,}", _bytes_of(_binary))),
    ("decimal codes", _each(r"(?:\d{2,3}[\s,;]{1,2}){8,}\d{2,3}", _bytes_of(_decimal))),
    ("Morse", _each(r"[.\-/ ]{24,}", _morse)),
    ("invisible characters", _tags),
    ("percent signs", _percent),
    ("HTML entities", lambda text: html.unescape(text) if "&" in text else ""),
    ("escapes", lambda text: _escapes(text) if "\\" in text else ""),
)
