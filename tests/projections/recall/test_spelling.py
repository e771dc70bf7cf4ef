"""Words spelled like one that stands nowhere: all that there can be, counted on the fingers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.recall.numbers import terms
from projections.recall.spelling import FEWEST_LETTERS, spelled_like
from projections.recall.words import LONGEST, stem_of, term

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def near(stem: str, letters: str) -> set[str]:
    """All that is one letter away."""
    made = {stem[:at] + stem[at + 1 :] for at in range(len(stem))}
    made |= {stem[:at] + letter + stem[at + 1 :] for at in range(len(stem)) for letter in letters}
    made |= {stem[:at] + letter + stem[at:] for at in range(len(stem) + 1) for letter in letters}
    made |= {stem[:at] + stem[at + 1] + stem[at] + stem[at + 2 :] for at in range(len(stem) - 1)}
    return made - {stem}


def likes(word: str) -> set[bytes]:
    return set(terms(spelled_like(word)))


def terms_near(word: str) -> set[bytes]:
    stem = stem_of(word)
    return {term("w", each) for each in near(stem, LETTERS + stem)}


@given(st.text("abcdeñ語", min_size=1, max_size=8))
def test_it_is_all_that_is_one_letter_away(word: str) -> None:
    found = likes(word)
    assert found == (terms_near(word) if len(stem_of(word)) >= FEWEST_LETTERS else set())


@pytest.mark.parametrize("letters", ["x", "ñ", "xñ", "語𝔞"], ids=ascii)
def test_so_it_is_of_the_longest_words(letters: str) -> None:
    word = (letters * LONGEST)[:LONGEST]
    assert likes(word) == terms_near(word)


def test_of_numbers_of_short_words_and_of_what_is_no_word_nothing_is_like() -> None:
    assert not any(map(likes, ["20231", "boat", "a_b_c_d", "v1beta", ""]))
