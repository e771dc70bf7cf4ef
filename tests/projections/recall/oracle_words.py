"""How the oracle reads a text: its terms, what it is like, and what is looked for by it.

Written from what `words`, `documents`, `question` and `spelling` say of themselves, and shares no code with them but
the tables of English and the stemmer's. It is for what the histories of the tests say, and for nothing beyond: of
apostrophes it knows 's, of capitals those from A to Z, of dates only years, and no language without spaces.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from snowballstemmer.english_stemmer import EnglishStemmer

from projections.ids import Handle
from projections.languages import ENGLISH
from projections.recall.english import ENDINGS, FIRST_WORDS, IRREGULAR, STOP_WORDS, TIME_WORDS

_TYPED = dict(zip("øłđðþæœıħŧŋ", ("o", "l", "d", "d", "th", "ae", "oe", "i", "h", "t", "n"), strict=True))
_NAME = re.compile(r"(?<=[^.!?,\s] )[A-Z][a-z]{2,}\b")
_WITH_CAPITAL = re.compile(r"\b[A-Z][^\W_]+(?!\w)")


class Told(NamedTuple):
    """A text: how often each term stands in it, how many words it has, and their stems."""

    counts: Mapping[bytes, int]
    length: int
    stems: frozenset[str]


class Looked(NamedTuple):
    """What is looked for: terms with what they count (in 1/1024), and the words they stand for; whether just one person
    is named, and whom; and pairs of what is looked for as it stands, and what is only like it.
    """

    shares: Mapping[bytes, int]
    words: Mapping[bytes, str]
    speaker: Handle | None
    forms: tuple[tuple[bytes, bytes], ...]


@lru_cache(None)
def told(text: str, people: tuple[Handle, ...] = ()) -> Told:
    """What a text is found by."""
    words, signs = words_of(text), _signs(text)
    terms = [*map(_of_word, words), *(_term("s", sign) for sign in signs), *(_term("x", each) for each in _whole(text))]
    terms += [_term("p", person.hex()) for person in people]
    terms += filter(None, map(_as_it_stands, _WITH_CAPITAL.findall(text)))
    return Told(Counter(terms), len(words) + len(signs), frozenset(stem(word) for word in words if word.isalpha()))


def words_of(text: str) -> list[str]:
    """The words of a text, in order."""
    return re.findall(r"[^\W_]+", _flat(text))


@lru_cache(None)
def flags(text: str) -> int:
    """What a text is like, as in the picture of a document."""
    words, names = set(words_of(text)), len(_NAME.findall(text))
    asks, ends_asking = re.search(r"\?(?!\w)", text) is not None, text.strip()[-1:] == "?"
    return asks + 2 * ends_asking + 4 * bool(words & TIME_WORDS) + 8 * bool(words & FIRST_WORDS) + 16 * min(names, 3)


def years(text: str) -> frozenset[int]:
    """The years that a text names."""
    return frozenset(int(word) for word in words_of(text) if word.isdigit() and 1900 <= int(word) <= 2099)


def looked_for(text: str, names: Mapping[Handle, str]) -> Looked:
    """What a text looks for, among people of these names."""
    spoken = [(_of_word(word), word) for word in words_of(text)]
    others = [(_term("s", sign), sign) for sign in _signs(text)] + [(_term("x", each), each) for each in _whole(text)]
    words = {term: word for term, word in spoken + others if word not in STOP_WORDS} or dict(spoken)
    how_many = re.findall(r"(?<![^\W_])how[\W_]+(many|much)(?![^\W_])", _flat(text))
    only_asking = {*map(_of_word, how_many), *map(_of_word, _asking(words_of(text)))}
    words = {term: word for term, word in words.items() if term not in only_asking} or words
    named = [person for person in sorted(names) if is_named(names[person], text)]
    of_names = {_of_word(word) for person in named for word in words_of(names[person])}
    only_names = all(term in of_names for term in words)
    shares = {term: 1024 // 8 if term in of_names and not only_names else 1024 for term in words}
    mentions = {_term("p", person.hex()): "@" + words_of(names[person])[0] for person in named}
    exact = {term: word for word in words_of(text) if _of_word(word) in words and (term := _as_it_stands(word))}
    shares |= {term: shares[_of_word(word)] // 4 for term, word in exact.items()}
    shares |= dict.fromkeys(mentions, 1024 if only_names else 1024 // 8)
    told_as = {term: f"exactly {word}" for term, word in exact.items()}
    forms = [(term, _of_word(word)) for term, word in exact.items()]
    forms += [(_term("x", each), _of_word(word)) for each in _whole(text) for word in words_of(each)]
    return Looked(shares, words | told_as | mentions, named[0] if len(named) == 1 else None, tuple(forms))


def _asking(said: Sequence[str]) -> Iterator[str]:
    """By which words a text asks for what was said or is known."""
    asking = ENGLISH.asking
    for at, word in enumerate(said):
        around = said[at - 1] if at else None, *said[at + 1 : at + 2]
        is_asked = any(
            word == each and ((before and before == around[0]) or (after and after in around[1:]))
            for before, each, after in asking.pairs
        )
        if is_asked or (word in asking.words and set(said[max(0, at - 7) : at]) & asking.behind):
            yield word


def is_named(name: str, text: str) -> bool:
    """Whether a text has the first word of a name."""
    first = next(iter(words_of(name)), "")
    return bool(first) and first not in STOP_WORDS and first in words_of(text)


def with_misspelt(
    looked: Looked, there: Collection[bytes], stems: Collection[str], dated: Collection[str] = (), *, in_items: bool
) -> Looked:
    """The same with what is spelled like the longest words that are not `there`, nor of a date; `stems` are those of
    all that is.
    """
    words = {term: word for term, word in looked.words.items() if word.isalpha() and word not in dated}
    unknown = [term for term in looked.shares if term not in there and term in words]
    known = [term for term in looked.shares if term in there]
    most = 1 if len(known) >= (1 if in_items else len(unknown)) else 3
    longest = sorted(unknown, key=lambda term: -len(looked.words[term]))[:most]
    shares = dict(looked.shares)
    for each in reversed(longest):
        near = _near(looked.words[each], stems)
        shares |= dict.fromkeys(near - looked.words.keys() if len(near) <= 4 else (), looked.shares[each] // 2)
    return looked._replace(shares=shares)


def _near(word: str, stems: Collection[str]) -> set[bytes]:
    """What is spelled like a word."""
    meant = stem(word)

    def is_near(each: str) -> bool:
        if len(meant) > 4:
            return _is_one_letter_away(meant, each) or _begins(word, each)
        return len(meant) > 2 and _is_turned(meant, each)

    return {_term("w", each) for each in stems if is_near(each) or _has_its_ending(word, each)}


def _begins(word: str, stem_there: str) -> bool:
    """Whether a word begins with a stem, and one with another ending, one letter away, has that stem."""
    endings = (each for each in ENDINGS if _is_one_letter_away(word[len(stem_there) :], each))
    is_beginning = 4 <= len(stem_there) < len(word) and word.startswith(stem_there)
    return is_beginning and any(stem(stem_there + each) == stem_there for each in endings)


def _has_its_ending(word: str, stem_there: str) -> bool:
    """Whether a stem is that of another with the ending of a word, which without that is one letter away from it."""
    if len(word) < 7 or not word.isascii():
        return False
    put = {**dict.fromkeys(ENDINGS, ""), "y": "i", "ies": "i", "ied": "i"}
    without = [(word[: -len(each)] + put[each], each) for each in put if word.endswith(each)]
    return any(
        len(begun) >= 4
        and _is_one_letter_away(begun, stem_there)
        and stem(stem_there.removesuffix(put[each]) + each) == stem_there
        for begun, each in without
    )


@lru_cache(None)
def stem(word: str) -> str:
    """The stem of a word."""
    return str(EnglishStemmer().stemWord(IRREGULAR.get(word, word)))


def _of_word(word: str) -> bytes:
    return _term("w", word if word.isdigit() else stem(word))


@lru_cache(None)
def _as_it_stands(word: str) -> bytes | None:
    """The term of a word by itself, where its stem is another and it is none of the small ones."""
    (name,) = words_of(word)
    return None if name in STOP_WORDS or _of_word(name) == _term("w", name) else _term("x", name)


_meant: dict[bytes, str] = {}


@lru_cache(None)
def _term(kind: str, text: str) -> bytes:
    """AssertionError where another text has the same: it would be found for this one."""
    number = 0
    for byte in (kind + text).encode():
        number = (256 * number + byte) % 0x13C6EF372FE94CFB
    number = number * 0x9E3779B97F4A7C15 % 2**64
    made = (number ^ number // 2**32).to_bytes(8, "big")
    assert _meant.setdefault(made, kind + text) == kind + text
    return made


@lru_cache(None)
def _flat(text: str) -> str:
    """A text in small letters, without accents and without 's."""
    apart = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(_TYPED.get(each, each) for each in apart if not unicodedata.combining(each))
    return re.sub(r"(?<=\w)'s\b", "", plain)


def _signs(text: str) -> list[str]:
    return [each for each in text if not each.isascii() and unicodedata.category(each) == "So"]


def _whole(text: str) -> list[str]:
    """What is written with signs inside, or begins with #."""
    return re.findall(r"[^\W_]+(?:[-_.']+[^\W_]+)+|#\w+", _flat(text))


def _is_turned(one: str, other: str) -> bool:
    at = [number for number in range(len(one)) if len(one) == len(other) and one[number] != other[number]]
    return len(at) == 2 and at[0] + 1 == at[1] and one[at[0]] + one[at[1]] == other[at[1]] + other[at[0]]


def _is_one_letter_away(one: str, other: str) -> bool:
    if len(one) == len(other):
        return sum(letter != there for letter, there in zip(one, other, strict=True)) == 1 or _is_turned(one, other)
    short, long = sorted((one, other), key=len)
    return any(long[:number] + long[number + 1 :] == short for number in range(len(long)))
