"""Words spelled like one that stands nowhere: all that there can be, counted on the fingers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.recall.alphabets import ALPHABETS, LATIN
from projections.recall.numbers import Numbers, numbered, terms
from projections.recall.spelling import (
    FEWEST_LETTERS,
    FEWEST_TURNED,
    all_like,
    is_one_letter_away,
    likes_there,
    one_letter_from,
    spelled_like,
)
from projections.recall.words import LONGEST, folded, stem_of, term


def near(stem: str, letters: str) -> set[str]:
    """All that is one letter away."""
    made = {stem[:at] + stem[at + 1 :] for at in range(len(stem))}
    made |= {stem[:at] + letter + stem[at + 1 :] for at in range(len(stem)) for letter in letters}
    made |= {stem[:at] + letter + stem[at:] for at in range(len(stem) + 1) for letter in letters}
    return (made | turned(stem)) - {stem}


def turned(stem: str) -> set[str]:
    """All with two letters the other way round."""
    return {stem[:at] + stem[at + 1] + stem[at] + stem[at + 2 :] for at in range(len(stem) - 1)} - {stem}


def likes(word: str) -> set[bytes]:
    return set(terms(spelled_like(word)))


def terms_near(word: str) -> set[bytes]:
    stem = stem_of(word)
    written = [each for each in ALPHABETS if set(each) & set(stem)] or [LATIN]
    return {term("w", each) for each in near(stem, "".join(written) + stem)}


@given(st.text("abcdeñ語жλ", min_size=1, max_size=8))
def test_it_is_all_that_is_one_letter_away(word: str) -> None:
    found, stem = likes(word), stem_of(word)
    if len(stem) >= FEWEST_LETTERS:
        assert found == terms_near(word)
    elif len(stem) >= FEWEST_TURNED and stem.strip("語"):
        assert found == {term("w", each) for each in turned(stem)}
    else:
        assert found == set()


@pytest.mark.parametrize("letters", ["x", "ñ", "xñ", "語𝔞", "ж", "λñ"], ids=ascii)
def test_so_it_is_of_the_longest_words(letters: str) -> None:
    word = (letters * LONGEST)[:LONGEST]
    assert likes(word) == terms_near(word)


def test_of_numbers_of_the_shortest_words_and_of_what_is_no_word_nothing_is_like() -> None:
    assert not any(map(likes, ["20231", "ox", "a_b_c_d", "v1beta", "", "123", "a_b", "水果汁", "aaa"]))


@pytest.mark.parametrize("word", ["tmo", "boat", "boats", "кот", "нож", "zoë"])
def test_in_a_short_word_two_letters_may_stand_the_other_way_round(word: str) -> None:
    assert likes(word) == {term("w", each) for each in turned(stem_of(word))} == all_like(word)
    assert term("w", "tom") in likes("tmo")


@pytest.mark.parametrize(
    ("wrong", "right"), [("картожка", "картошка"), ("картшка", "картошка"), ("σαλαδα", "σαλατα"), ("grösße", "größe")]
)
def test_in_other_alphabets_too_the_letter_that_is_meant_need_not_stand_there(wrong: str, right: str) -> None:
    assert term("w", stem_of(folded(right))) in likes(folded(wrong))


def test_the_letters_of_an_alphabet_are_folded_and_as_long_as_one_another() -> None:
    for each in ALPHABETS:
        assert folded(each) == each
        assert len({len(letter.encode()) for letter in each}) == 1


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("gardeningg", "gardening"),
        ("gardenimg", "gardening"),
        ("gardenign", "gardening"),
        ("gardenng", "gardening"),
        ("definatly", "definitely"),
        ("colourfull", "colourful"),
        ("walkked", "walked"),
    ],
)
def test_the_letter_may_be_in_the_ending(wrong: str, right: str) -> None:
    assert term("w", stem_of(right)) in all_like(wrong)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("snflower", "sunflower"),
        ("snflowers", "sunflower"),
        ("adption", "adoption"),
        ("increible", "incredible"),
        ("conneclions", "connection"),
        ("olorful", "colorful"),
        ("comunity", "community"),
        ("comunities", "community"),
    ],
)
def test_the_ending_may_have_stayed_on_as_the_letter_is_in_the_stem(wrong: str, right: str) -> None:
    assert term("w", stem_of(right)) in all_like(wrong)
    assert term("w", stem_of(right)) not in likes(wrong)


@pytest.mark.parametrize(("wrong", "stem"), [("kindler", "kind"), ("moats", "boat"), ("snflöwer", "sunflow")])
def test_what_has_no_such_ending_is_not_meant(wrong: str, stem: str) -> None:
    assert term("w", stem) not in all_like(wrong)


@given(st.text("abz", min_size=1, max_size=6))
def test_all_that_is_one_letter_away_is_named(word: str) -> None:
    assert set(one_letter_from(word)) == near(word, LATIN)


@pytest.mark.parametrize(
    ("wrong", "beginning"),
    [("gardenxyz", "garden"), ("gardenia", "garden"), ("teaingg", "tea"), ("vestzble", "vest")],
)
def test_what_a_word_begins_with_is_not_meant_by_it_where_no_such_ending_has_that_stem(
    wrong: str, beginning: str
) -> None:
    assert term("w", beginning) not in all_like(wrong)


@pytest.mark.parametrize("word", ["gardeningg", "dolphim", "gardenia", "snflowers", "tea", "20231"])
def test_of_what_stands_there_that_is_found_which_is_like_it(word: str) -> None:
    asked: list[int] = []

    def everything(numbers: Numbers) -> list[bytes]:
        asked.extend(numbers.tolist())
        return terms(numbers)

    assert set(likes_there(word, everything)) == all_like(word) <= set(terms(numbered(map(to_bytes, asked))))
    assert set(likes_there(word, lambda _: [])) == set()


def to_bytes(number: int) -> bytes:
    return number.to_bytes(8, "big")


@given(st.text("ab", max_size=4), st.text("abc", max_size=4))
def test_one_letter_away_is_what_is_made_so(one: str, other: str) -> None:
    made = other in near(one, "abc")
    assert is_one_letter_away(one, other) == is_one_letter_away(other, one) == made


@pytest.mark.parametrize(
    ("one", "other", "is_near"),
    [
        ("ing", "ingg", True), ("", "s", True), ("ly", "yl", True), ("ed", "es", True), ("ing", "ing", False),
        ("abcd", "badc", False), ("ed", "ly", False), ("s", "ing", False), ("", "", False), ("ab", "bcd", False),
    ],
)  # fmt: skip
def test_letters_away(one: str, other: str, is_near: bool) -> None:
    assert is_one_letter_away(one, other) is is_near
