"""Words spelled like one that stands nowhere: all that there can be, counted on the fingers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.recall.numbers import terms
from projections.recall.spelling import ALPHABETS, FEWEST_LETTERS, LATIN, spelled_like
from projections.recall.words import LONGEST, folded, stem_of, term


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
    written = [each for each in ALPHABETS if set(each) & set(stem)] or [LATIN]
    return {term("w", each) for each in near(stem, "".join(written) + stem)}


@given(st.text("abcdeñ語жλ", min_size=1, max_size=8))
def test_it_is_all_that_is_one_letter_away(word: str) -> None:
    found = likes(word)
    assert found == (terms_near(word) if len(stem_of(word)) >= FEWEST_LETTERS else set())


@pytest.mark.parametrize("letters", ["x", "ñ", "xñ", "語𝔞", "ж", "λñ"], ids=ascii)
def test_so_it_is_of_the_longest_words(letters: str) -> None:
    word = (letters * LONGEST)[:LONGEST]
    assert likes(word) == terms_near(word)


def test_of_numbers_of_short_words_and_of_what_is_no_word_nothing_is_like() -> None:
    assert not any(map(likes, ["20231", "boat", "a_b_c_d", "v1beta", ""]))


@pytest.mark.parametrize(
    ("wrong", "right"), [("картожка", "картошка"), ("картшка", "картошка"), ("σαλαδα", "σαλατα"), ("grösße", "größe")]
)
def test_in_other_alphabets_too_the_letter_that_is_meant_need_not_stand_there(wrong: str, right: str) -> None:
    assert term("w", stem_of(folded(right))) in likes(folded(wrong))


def test_the_letters_of_an_alphabet_are_folded_and_as_long_as_one_another() -> None:
    for each in ALPHABETS:
        assert folded(each) == each
        assert len({len(letter.encode()) for letter in each}) == 1
