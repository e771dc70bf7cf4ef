"""Words that are spelled like one that stands nowhere, or in a few questions only: it may be misspelt.

Such a word is one letter away from it: one less, one more, another one, two the other way round. Letters are those of
the alphabets in which the word is written (Latin, Cyrillic and Greek), and its own. In a short word only two stand the
other way round (`Tmo`): else too many others are like it. Stems are compared. Where the letter is in the ending, the
stemmer does not know that and leaves it on (`gardeningg`, `definatly`): then the word begins with the stem of the one
that is meant. Where it is in the stem, the ending may stay on as well, since it goes by what stands before it
(`snflower`; of sunflower the stem is `sunflow`): then what the word is without it is one letter away from a stem, and
that with the ending has it for its stem.

There are some hundred of them, and their terms are reckoned all at once. The number of a word (`words.number_of`) is
that of its letters, each times 256 as often as bytes stand behind it: with a letter put between two parts it is a sum
of what the parts and the letter are worth there.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate

import numpy as np

from projections.recall.alphabets import ALPHABETS, LATIN, worth
from projections.recall.english import ENDINGS
from projections.recall.numbers import NOTHING, Numbers, is_among, numbered, spread_all, terms
from projections.recall.reckoners import reckoner
from projections.recall.words import LONGEST, PRIME, number_of, stem_of, term
from projections.remembered import of_people

FEWEST_LETTERS = 5
"""How long a word is at least in which any letter may be wrong."""
FEWEST_TURNED = 3
"""How long one is at least in which two may stand the other way round."""
FEWEST_BEGINNING = 4
"""How many letters of it stand before an ending that may be misspelt, or that may have stayed on."""
FEWEST_WITH_ENDING = 7
"""How long one is at the least whose ending may have stayed on: without it, it is short, and like many others."""
_LIKES = 256
"""Of how many words is remembered what is spelled like them."""
_LETTERS_OF = [(frozenset(each), each) for each in ALPHABETS]
_LONGEST_ENDING = max(map(len, ENDINGS)) + 1
"""How long one is at the most with a letter too many."""
_ENDINGS = {**dict.fromkeys(ENDINGS, ""), "y": "i", "ies": "i", "ied": "i"}
"""What the stemmer puts for them."""
_KIND = b"w"
UTF8 = 4
"""How many bytes a letter takes at the most."""


def likes_there(word: str, there: Callable[[Numbers], Iterable[bytes]]) -> Iterator[bytes]:
    """What is spelled like a word and stands somewhere: `there` says which of some terms do, given as numbers."""
    perhaps, beginnings = _perhaps_like(word)
    for each in there(perhaps):
        beginning = beginnings.get(each)
        if (
            (beginning is not None and _is_stem_of(beginning, word))
            or is_among(each, spelled_like(word))
            or _is_meant(each, word)
        ):
            yield each


@of_people
@lru_cache(_LIKES)
def _perhaps_like(word: str) -> tuple[Numbers, Mapping[bytes, str]]:
    """The numbers of all that is spelled like a word, as it is and without its ending, or begins it, ascending; and the
    beginnings, by their terms.
    """
    beginnings = _beginnings(word)
    without = [_one_letter_from(each) for each in _without_endings(word)]
    return np.sort(np.concatenate([spelled_like(word), numbered(beginnings), *without])), beginnings


def all_like(word: str) -> frozenset[bytes]:
    """The terms of all that is spelled like a word, wherever it stands."""
    begun = (each for each, beginning in _beginnings(word).items() if _is_stem_of(beginning, word))
    meant = (each for each in _perhaps_meant(word) if _is_meant(each, word))
    return frozenset((*terms(spelled_like(word)), *begun, *meant))


def _beginnings(word: str) -> Mapping[bytes, str]:
    """With what a word begins that may be the stem of what is meant."""
    ends = range(max(FEWEST_BEGINNING, len(word) - _LONGEST_ENDING), len(word) - 1) if _may_be_misspelt(word) else ()
    return {term("w", word[:end]): word[:end] for end in ends if _is_nearly_an_ending(word[end:])}


def _without_endings(word: str) -> Mapping[str, str]:
    """What the stem of a word would be for each ending that may have stayed on; and that."""
    if len(word) < FEWEST_WITH_ENDING or not (word.isascii() and word.isalpha()):
        return {}
    there = [ending for ending in _ENDINGS if word.endswith(ending)]
    without = {word.removesuffix(ending) + _ENDINGS[ending]: ending for ending in there}
    known = _may_be_misspelt(word)
    return {each: ending for each, ending in without.items() if len(each) >= FEWEST_BEGINNING and each != known}


@of_people
@lru_cache(_LIKES)
def _perhaps_meant(word: str) -> Mapping[bytes, str]:
    """All that is one letter away from what the stem of a word would be, by its term: to name it takes as long as a
    search, and is for what stands somewhere.
    """
    return {term("w", each): each for stem in _without_endings(word) for each in one_letter_from(stem)}


def _is_meant(found: bytes, word: str) -> bool:
    """Whether this is the term of a stem that is one letter away from what that of a word would be, and is the stem of
    itself with its ending.
    """
    stem = _perhaps_meant(word).get(found)
    return stem is not None and any(
        is_one_letter_away(stem, each) and stem_of(stem.removesuffix(_ENDINGS[ending]) + ending) == stem
        for each, ending in _without_endings(word).items()
    )


def one_letter_from(word: str) -> Iterator[str]:
    """All that is one letter away from a word of letters from a to z, some twice."""
    for at in range(len(word) + 1):
        before, behind = word[:at], word[at:]
        yield from (f"{before}{letter}{behind}" for letter in LATIN)
        if behind:
            yield from (f"{before}{letter}{behind[1:]}" for letter in LATIN if letter != behind[0])
            yield before + behind[1:]
        if behind[:1] != behind[1:2] != "":
            yield before + behind[1] + behind[0] + behind[2:]


@of_people
@lru_cache(_LIKES)
def _is_nearly_an_ending(text: str) -> bool:
    return any(is_one_letter_away(text, each) for each in ENDINGS)


def _is_stem_of(beginning: str, word: str) -> bool:
    """Whether a word begins with the stem of one that has another ending, one letter away."""
    ending = word[len(beginning) :]
    return any(is_one_letter_away(ending, each) and stem_of(beginning + each) == beginning for each in ENDINGS)


def is_one_letter_away(one: str, other: str) -> bool:
    """Whether one text is the other with a letter less, or more, or another one, or two the other way round."""
    short, long = sorted((one, other), key=len)
    same = next((at for at, letter in enumerate(short) if letter != long[at]), len(short))
    if len(long) - len(short) == 1:
        return short[same:] == long[same + 1 :]
    rest, others = short[same:], long[same:]
    is_turned = rest[:2] == others[1::-1] and rest[2:] == others[2:]
    return len(long) == len(short) and rest != others and (rest[1:] == others[1:] or is_turned)


@of_people
@lru_cache(_LIKES)
def spelled_like(word: str) -> Numbers:
    """The numbers of the terms of whatever is spelled like a word, ascending, some twice: so it is found without a list
    of all the words there are.
    """
    stem = _may_be_misspelt(word)
    return _one_letter_from(stem) if stem else _turned_in(word)


def _turned_in(word: str) -> Numbers:
    """The numbers of the terms of a short word with two letters the other way round, ascending."""
    stem = stem_of(word) if word.isalpha() else ""
    if not FEWEST_TURNED <= len(stem) < FEWEST_LETTERS or all(letters.isdisjoint(stem) for letters, _ in _LETTERS_OF):
        return NOTHING
    turned = {stem[:at] + stem[at + 1] + stem[at] + stem[at + 2 :] for at in range(len(stem) - 1)} - {stem}
    return np.sort(numbered(term("w", each) for each in turned))


def _one_letter_from(stem: str) -> Numbers:
    """The numbers of the terms of whatever is one letter away from a stem, ascending, some twice."""
    sooner = reckoner().spell(stem) if stem.isascii() and stem.islower() else None
    if sooner is not None:
        return sooner
    letters = [letter.encode() for letter in stem]
    left = [*accumulate(letters, initial=_KIND)]
    right = [b"".join(letters[at:]) for at in range(len(letters) + 1)]
    gaps = [*zip(left, right, strict=True), *zip(left, right[1:], strict=False)]  # one more letter, and another one
    shorter = [before + behind for before, behind in zip(left, right[1:], strict=False)]
    turned = [left[at] + letters[at + 1] + letters[at] + right[at + 2] for at in range(len(letters) - 1)]
    written = [alphabet for letters, alphabet in _LETTERS_OF if not letters.isdisjoint(stem)] or [LATIN]
    own = {letter.encode() for letter in set(stem).difference(*written)}
    others = [before + letter + behind for letter in sorted(own) for before, behind in gaps]
    rest = np.array([*map(number_of, (*shorter, *turned, *others))], np.uint64)
    numbers = np.concatenate([*(_with_each_letter(each, gaps) for each in written), rest])
    likes = spread_all(numbers[numbers != number_of(left[-1])])
    likes.sort()
    return likes


def _with_each_letter(alphabet: str, gaps: Sequence[tuple[bytes, bytes]]) -> Numbers:
    """The numbers of what stands before and behind a letter, with each of an alphabet between."""
    none = bytes(len(alphabet[0].encode()))
    parts = np.array([number_of(before + none + behind) for before, behind in gaps], np.uint64)
    behind = [len(each) for _, each in gaps]
    letters = worth(alphabet, LONGEST if max(behind) <= LONGEST else UTF8 * LONGEST)[behind]
    each: Numbers = (parts[:, None] + letters) % np.uint64(PRIME)
    return each.reshape(-1)


def _may_be_misspelt(word: str) -> str:
    """The stem of a word in which any letter may be wrong; of words of four letters and less too many others are
    spelled like them.
    """
    stem = stem_of(word) if word.isalpha() else ""
    return stem if len(stem) >= FEWEST_LETTERS and stem.isalpha() else ""
