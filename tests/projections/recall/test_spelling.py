"""Words spelled like one that stands nowhere: by asking for all there can be, and by comparing what there is."""

from hypothesis import given
from hypothesis import strategies as st

from projections.recall.spelling import Vocabulary, is_one_away, spelled_like
from projections.recall.words import term

STEMS = st.text("abcñ1", max_size=7)


def near(stem: str, letters: str) -> set[str]:
    """All that is one letter away, counted on the fingers."""
    made = {stem[:at] + stem[at + 1 :] for at in range(len(stem))}
    made |= {stem[:at] + letter + stem[at + 1 :] for at in range(len(stem)) for letter in letters}
    made |= {stem[:at] + letter + stem[at:] for at in range(len(stem) + 1) for letter in letters}
    made |= {stem[:at] + stem[at + 1] + stem[at] + stem[at + 2 :] for at in range(len(stem) - 1)}
    return made - {stem}


@given(STEMS, STEMS)
def test_one_letter_apart(stem: str, other: str) -> None:
    assert is_one_away(stem, other) == is_one_away(other, stem) == (other in near(stem, "abcñ1"))


@given(st.text("abcdeñ", min_size=4, max_size=8), st.lists(st.text("abcdeñ1", min_size=1, max_size=9)))
def test_of_what_there_is_the_same_is_like_a_word(word: str, there: list[str]) -> None:
    vocabulary = Vocabulary([*there, "dolphin"])
    stems = vocabulary._stems
    assert set(vocabulary.like(word)) == set(spelled_like(word)) & {term("w", each) for each in stems}


def test_a_misspelt_word_is_like_what_stands_there() -> None:
    vocabulary = Vocabulary(["Has seen dolphins", "and 20231 boats"])
    for wrong in ("dolpin", "dolphinn", "dolphim", "dlophin", "adolphin"):
        assert vocabulary.like(wrong) == [term("w", "dolphin")]
    for other in ("dolphin", "dlopihn", "boat", "20230", ""):
        assert vocabulary.like(other) == []
    assert Vocabulary([]).like("dolpin") == []
