"""The terms of a text: what it is found by.

    words       runs of letters and digits with the marks on them, case folded, accents off Latin and Greek letters and
                signs for vowels off Arabic and Hebrew, by their Snowball stems. Latin letters that have something of
                their own are those that are typed where there is no key for them: Łódź is lodz, smørrebrød smorrebrod.
                Of Latin, Greek and Cyrillic letters those are together between which nobody sees anything: a soft
                hyphen, or something without a width. Elsewhere such a sign may part or join, and parts as any other
    whole       what is written with signs inside (`ERR_MODULE_NOT_FOUND`, `app.py`, `v1.2`, `c++`), an option
                (`--watch`) or a call (`main()`), also as it stands
    names       what is written with a capital, also as it stands, where its stem is another: Marie and Mary have the
                same. Any word that begins a sentence may be one, but for small words (`STOP_WORDS`)
    signs       emoji and other symbols beyond ASCII, each as it stands; what is made of several emoji (a flag, a
                skin tone, a family) as a whole, and those of them that mean something by themselves
    unspaced    languages without spaces, and Korean, where what a word is to the others is written on to it: every two
                characters that follow one another, and one that stands alone; each Chinese or Korean character as well,
                for one is a word often enough: of a question only one that stands alone
    people      whom a text mentions, by their handle, so that a name is never part of what is indexed

A term is 8 bytes (`spread`) of the polynomial hash (`number_of`) of its kind and its text. That hash of a word follows
from that of its parts by a few additions, so that those of all words spelled like it are had at once (`spelling`). It
hides nothing: the word itself lies in the rows beside the index. What comes out follows from the tables behind this
(`english`, the stemmer's, Unicode's) alone; an index that was made with others is built anew.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice, zip_longest
from typing import NamedTuple

from snowballstemmer.english_stemmer import EnglishStemmer

from projections.ids import Handle
from projections.recall.english import CLITICS, IRREGULAR, STOP_WORDS, WITHOUT_NOT
from projections.remembered import letting_go, of_people

STEMMER = "3.1.1"
"""The release of snowballstemmer that `pyproject.toml` demands, and no other: a test holds them against each other."""
VERSION = f"words@8-{STEMMER}-{unicodedata.unidata_version}"
"""Of these rules, the stemmer and Unicode. What they make of some texts is pinned in `tests/projections/recall`: a rule
which makes something else of them has another version.
"""
TERM_BYTES = 8
PRIME = 0x13C6EF372FE94CFB
"""What numbers of terms are less than: two of them fit into 64 bits. It is the largest below 2^61 divided by the golden
ratio that is twice a prime and 1: so the powers of 256 are as many as they can be, and no two letters of a word count
alike. (Modulo 2^61 - 1, where 2^61 is 1, `01.05.2019` would be `02.05.2011`.)
"""
FACTOR, HALF = 0x9E3779B97F4A7C15, 32
"""What spreads a number over 64 bits: 2^64 divided by the golden ratio, as in Knuth's multiplicative hashing (The Art
of Computer Programming 3, 6.4), and by how many bits its upper half is laid over the lower.
"""
_64_BITS = (1 << 64) - 1
LONGEST = 64
"""Longer runs are cut: nobody types them, and a paste of base64 is no vocabulary."""
MOST_COUNTED = 255
"""How often a term counts in one text at the most: as far as a byte goes."""
_REMEMBERED = 1 << 17
_STEMS = 4096
"""Of how many words the stem is remembered, and of how many with a capital the term."""
_ENDS_SUFFIXES = frozenset("cdegilmnrsty'")
"""What the suffixes end in that the stemmer takes off or puts another for. A fifth of what is said ends in none of
these, and is its own stem: the stemmer, which is in Python, takes some 20 µs for a word.
"""
_SIGNS = frozenset(("So", "Sk", "Sm", "Sc"))
"""Unicode's symbols: emoji, currencies, signs of mathematics. Those of ASCII are punctuation to whoever writes."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Japanese, Chinese and Korean."""
_TELLING_ALONE = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]")
_WITH_MARKS = (range(0x300, 0x1D00), range(0xA600, 0xAC00), range(0xFB00, 0xFE00), range(0x10A00, 0x11F60))
"""Where Unicode has marks of scripts: to ask it of every character would take five times as long, at each start."""
_MARKS = "".join(
    character
    for block in _WITH_MARKS
    for character in map(chr, block)
    if unicodedata.category(character) in ("Mn", "Mc") and not re.match(f"[{_UNSPACED}]", character)
)
_TONES = "\U0001f3fb-\U0001f3ff"
_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
_FLAG = "[\U0001f1e6-\U0001f1ff]"
_SIGN = rf"[{_EMOJI}][\ufe0f{_TONES}]?"
_EMOJIS = rf"{_FLAG}{{2}}|{_SIGN}(?:\u200d{_SIGN})*[\U000e0020-\U000e007f]*"
"""A flag, an emoji, or what is made of several."""
_ALPHABETS = "0-9A-Za-z\u00c0-\u052f\u1e00-\u1fff"
_NO_WIDTH = r"[\u00ad\u200b-\u200d\u2060\ufeff]"
_UNSEEN = rf"{_NO_WIDTH}(?<=[{_ALPHABETS}].){_NO_WIDTH}*+(?=[{_ALPHABETS}])"
"""What may stand within a word of Latin, Greek or Cyrillic and is not seen there. These need no sign that joins."""
_PIECE = rf"[\w{_MARKS}\u0e31-\u0e4e]++"
PIECE = re.compile(rf"{_PIECE}(?:{_UNSEEN}{_PIECE})*|{_EMOJIS}|[^\w\s]")
"""A run of letters and digits with the marks on them, in whatever script, an emoji or one other sign, in a text that is
not folded.
"""
_HIDDEN = re.compile(_UNSEEN)
_LETTER = rf"[^\W_{_UNSPACED}]"
_TOKEN = re.compile(
    rf"[{_UNSPACED}]+|{_LETTER}++(?:(?![\0-\u02ff])[{_MARKS}]++{_LETTER}*+)*|"
    rf"{_EMOJIS}|[^\w\s]"
)
"""Marks are many, and looked for only where none of the characters stands that are in front of all of them."""
_NO_BASE = re.compile(f"[{_TONES}]|{_FLAG}")
"""Parts of emoji that mean nothing by themselves."""
_APART = bytes(byte if byte < 0x80 and chr(byte).isalnum() else 0x20 for byte in range(256))
"""Lets nothing stand between the words of an ASCII text but spaces: it is split in half the time of a search."""
_WHOLE = re.compile(r"(?<![^\W_])[^\W_]++(?:[-_./:#@+'’]++[^\W_]++)+|[#@$]\w++|(?<!\w)\w++(?:\+\+|#)(?!\w)")
_OPTION = re.compile(r"""-(?<![^\s(\["'`|].)-?[^\W\d_]\w*+(?:-\w++)*""")
_CALL = re.compile(r"(?<!\w)\w++\(\)")
_PERHAPS_WHOLE = re.compile(r"[-_./:#@+'$(](?:(?<!\()\w|(?<=\+)\+|(?<=#)|(?<=\()\))")
"""Stands wherever one of these three does in ASCII, and is found faster: most texts have none. It begins with what it
may begin with, as the patterns below do, so that other places are passed over at once.
"""
_CAPITAL = re.compile(r"[A-Z](?<!\w.)[A-Za-z0-9]++(?!_|'[tT]\b)")
"""A word that begins with one, in ASCII, neither within what is written whole nor before what makes another of it."""
_PERHAPS_CAPITAL = re.compile(
    rf"[A-Z\u00c0-\u024f\u1e00-\u1eff](?<={_LETTER})(?<![^\W{_UNSPACED}].){_LETTER}++(?!_|'[tT]\b)"
)
"""The same in any text, where its first letter is one; in Latin, since other words are their own stems."""
_CLITIC = re.compile(rf"n(?<=\wn)'t(?!\w)|'(?<=\w')(?:{'|'.join(CLITICS)})(?!\w)")
_NOT = re.compile(rf"\b(?:{'|'.join(WITHOUT_NOT)})\b")
_FIRST_UNSPACED = re.compile(f"[{_UNSPACED}]")
_RUNS = re.compile(f"[{_UNSPACED}]{{2,}}")
_MAY_BE_LEFT_OUT = re.compile(
    "(?<=[a-zα-ω])[\u0300-\u036f]+|(?<=е)\u0308|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0652\u0670]+"
)
"""Marks that some write and some do not: accents on Latin and Greek letters, the two points of Russian's ё, signs for
vowels on Hebrew and Arabic letters.
"""
_TYPED = {
    "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t", "ŋ": "n",
}  # fmt: skip
"""What is typed for Latin letters that are none with a mark to Unicode."""
_NO_MARK = re.compile(f"[{''.join(_TYPED)}]")

_terms: dict[str, bytes] = {}
letting_go(_terms.clear)


class Terms(NamedTuple):
    """How often each term stands in a text, and how many words the text has."""

    counts: dict[bytes, int]
    length: int


def term(kind: str, text: str) -> bytes:
    """8 bytes for a term."""
    return spread(number_of(f"{kind}{text}".encode("utf-8", "surrogatepass")))


def number_of(letters: bytes) -> int:
    """The polynomial hash of some bytes: they are the digits of a number to the base 256, taken modulo `PRIME`."""
    return int.from_bytes(letters, "big") % PRIME


def spread(number: int) -> bytes:
    """The term of a number: any two numbers have two terms."""
    number = number * FACTOR & _64_BITS
    return (number ^ number >> HALF).to_bytes(TERM_BYTES, "big")


def word_term(word: str) -> bytes:
    """The term of a folded word, by its stem. Words are remembered, numbers are not: there is no end of them."""
    known = _terms.get(word)
    if known is None:
        if word.isdigit():
            return term("w", word[:LONGEST])
        if len(_terms) >= _REMEMBERED:
            _terms.clear()
        known = _terms[word] = term("w", stem_of(word))
    return known


@of_people
@lru_cache(_STEMS)
def stem_of(word: str) -> str:
    """The stem of a folded word. A stemmer is made for each: it holds the word it is at, so one is not for two threads,
    and what is wrong once would be remembered, and written into the index.
    """
    regular = IRREGULAR.get(word, word)[:LONGEST]
    if regular[-1:] not in _ENDS_SUFFIXES and not regular.startswith("'"):
        return regular
    return str(EnglishStemmer().stemWord(regular))


@of_people
@lru_cache(_STEMS)
def name_term(word: str) -> bytes | None:
    """The term of a word as it stands, but for its case; None where its stem says as much, and of small words."""
    name = folded(word)[:LONGEST]
    return None if name in STOP_WORDS or word_term(name) == term("w", name) else term("x", name)


def person_term(person: Handle) -> bytes:
    """The term of a person whom a text mentions."""
    return term("p", person.hex())


def folded(text: str) -> str:
    """Text as words are looked for in it."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    apart = _NO_MARK.sub(lambda letter: _TYPED[letter[0]], apart)
    return unicodedata.normalize("NFC", _MAY_BE_LEFT_OUT.sub("", apart))


class Read(NamedTuple):
    """A text as it is looked at: as it is written, but for its apostrophes and what is not seen; folded, without what
    is only grammar; and its words, in order, without signs.
    """

    written: str
    flat: str
    words: list[str]


def read(text: str) -> Read:
    """A text, folded and taken apart."""
    written = text.replace("’", "'")
    if not written.isascii():
        written = _HIDDEN.sub("", written)
    flat = _flat(written)
    if flat.isascii():
        return Read(written, flat, flat.encode().translate(_APART).decode().split())
    return Read(written, flat, [each for each in _TOKEN.findall(flat) if each[0].isalnum()])


def words(text: str) -> list[str]:
    """The folded words of a text, in order, without signs."""
    return read(text).words


def terms_of(text: str, people: Iterable[Handle] = ()) -> Terms:
    """What a text is found by."""
    return terms_in(read(text), people)


def terms_in(text: Read, people: Iterable[Handle] = ()) -> Terms:
    """The same of a text that was read."""
    flat = text.flat
    found = _word_terms(text.words) if flat.isascii() else [each for each, _ in _of_any(flat)]
    length = len(found)
    if not flat.isascii():
        found += [term("n", each) for each in _alone(flat)]
    if not flat.isascii() or _PERHAPS_WHOLE.search(flat):
        found += [each for each, _ in _whole(flat)]
    found += filter(None, map(name_term, _with_capitals(text.written)))
    found += map(person_term, people)
    counts = dict.fromkeys(found, 1)
    if len(counts) < len(found):
        counts = dict(Counter(found))
    return Terms(counts, length)


def _word_terms(said: list[str]) -> list[bytes]:
    """The terms of folded words. Most were met before, and are looked up without a call for each."""
    known = list(map(_terms.get, said))
    if None in known:
        return [each or word_term(word) for each, word in zip(known, said, strict=True)]
    return known  # type: ignore[return-value]  # none of them is None


def asked(text: str) -> dict[bytes, str]:
    """The terms of what is looked for, each with what it stands for there."""
    return asked_in(read(text))


def asked_in(text: Read, most: int | None = None) -> dict[bytes, str]:
    """The same of a text that was read. Of a long one so many terms at the most, by turns from its beginning and from
    its end: a question stands before what is pasted, or behind it.
    """
    flat = text.flat
    of_any = [(word_term(word), word) for word in text.words] if flat.isascii() else list(_of_any(flat))
    whole = list(_whole(flat)) if not flat.isascii() or _PERHAPS_WHOLE.search(flat) else []
    found = {each: word for each, word in (*of_any, *whole) if word not in STOP_WORDS} or dict(of_any)
    if most is None or len(found) <= most:
        return found
    by_turns = chain.from_iterable(zip_longest(_from_both_ends(of_any), _from_both_ends(whole)))
    in_turn = {each[0]: each[1] for each in by_turns if each is not None and each[0] in found}
    return dict(islice(in_turn.items(), most))


def _from_both_ends(found: Sequence[tuple[bytes, str]]) -> Iterator[tuple[bytes, str]]:
    """The first and the last, the second and the last but one, and so on; those in the middle come twice."""
    return chain.from_iterable(zip(found, reversed(found), strict=True))


def _flat(written: str) -> str:
    flat = folded(written)
    if "'" not in flat:
        return flat
    if "n't" in flat:
        flat = _NOT.sub(lambda found: WITHOUT_NOT[found[0]], flat)
    return _CLITIC.sub("", flat)


def _of_any(flat: str) -> Iterator[tuple[bytes, str]]:
    for token in _TOKEN.findall(flat):
        if _FIRST_UNSPACED.match(token):
            yield from ((term("n", each), each) for each in _pairs(token))
        elif token[0].isalnum():
            yield word_term(token), token
        elif not token.isascii():
            yield from ((term("s", each), each) for each in _signs(token))


def _whole(flat: str) -> Iterator[tuple[bytes, str]]:
    found = _WHOLE.findall(flat)
    found += _OPTION.findall(flat) if "-" in flat else ()
    found += _CALL.findall(flat) if "()" in flat else ()
    return ((term("x", each[:LONGEST]), each) for each in found)


def _with_capitals(written: str) -> Iterable[str]:
    """The words of a text that begin with a capital."""
    if written.islower():
        return ()
    if written.isascii():
        return _CAPITAL.findall(written)
    found = _PERHAPS_CAPITAL.findall(unicodedata.normalize("NFKC", written))
    return (each for each in found if each[0].isupper())


def _signs(token: str) -> Iterable[str]:
    """An emoji, or what is made of several, and those of them; a variant is no other emoji."""
    whole = token.replace("\ufe0f", "")
    if len(whole) < 2:
        return filter(_is_sign, whole)
    return dict.fromkeys([whole, *(each for each in whole if _is_sign(each) and not _NO_BASE.match(each))])


def _is_sign(character: str) -> bool:
    """Whether it is a symbol, or an emoji that is newer than this Unicode."""
    category = unicodedata.category(character)
    return category in _SIGNS or (category == "Cn" and "\U0001f000" <= character <= "\U0001faff")


def _alone(flat: str) -> Iterator[str]:
    """The Chinese and Korean characters of a text that do not stand alone."""
    return (each for run in _RUNS.findall(flat) for each in _TELLING_ALONE.findall(run))


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]
