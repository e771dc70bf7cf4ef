"""What a summary has already: word for word, or told again in other words, with nothing lost."""

import pytest

from dnam.languages import load
from projections.policies.summed_up import DENIALS, FROM_NOW, GRAMMAR, HEDGES, SummedUp
from projections.recall.words import folded
from projections.retrieval import Vocabulary

WORDS = load("en").vocabulary
SUMMARY = (
    "Kim and Ada plan the autumn fair. Kim keeps three bee hives in the garden behind her house. She feeds them sugar "
    "syrup with thyme. Ada does not drink coffee after lunch any more. Zoe said she sold the blue boat to Kim's uncle. "
    "Both may rent the old mill near Riga for the fair!\nThe server runs version v1.2 on port 8080, says Ada. "
    "Kim turns the heating off at night. Ada found a photo of the bakery. Sören fährt nicht mit dem Rad nach Köln. "
    "Kim repairs the roof of the barn tomorrow. Kim grows мята by the kitchen door."
)


def retells(text: str, who: str = "Kim", summary: str = SUMMARY, words: Vocabulary = WORDS) -> bool:
    return SummedUp(summary, words).retells(text, lambda: who)


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("I keep three bee hives in the garden behind my house", "Kim"),
        ("Yeah! My bee hives are in the garden. I've got three of these.", "Kim"),
        ("I kept these three bee hives in our garden", "kim"),
        ("I've actually been feeding them sugar syrup with thyme now", "Kim"),
        ("I don't drink coffee after lunch any more!", "Ada"),
        ("our server runs on port 8080, version v1.2", "Ada"),
        ("servers run the version v1.2, on port 8080", "Ada"),
        ("I found these pictures of the bakery", "Ada"),
    ],
)
def test_it_tells_again_what_somebody_said(text: str, who: str) -> None:
    assert retells(text, who)
    assert not SummedUp(SUMMARY, WORDS).says(text)


@pytest.mark.parametrize(
    ("text", "who", "why"),
    [
        ("I keep four bee hives in the garden behind my house", "Kim", "another number"),
        ("I keep three bee hives in the garden behind my aunt's house", "Kim", "one word more"),
        ("I keep three bee hives in the garden behind my house", "Ada", "somebody else"),
        ("I sold the blue boat to the uncle", "Kim", "it is told of Zoe, though Kim is named before"),
        ("I feed them sugar syrup with thyme", "Ada", "she is the last one named"),
        ("I keep three bee hives in the garden behind my house", "", "nobody knows who said it"),
        ("I drink coffee after lunch", "Ada", "the summary denies it"),
        ("I don't keep three bee hives in the garden", "Kim", "the summary affirms it"),
        ("I keep bee hives in the garden. Three. Not any more.", "Kim", "what follows takes it back"),
        ("I keep bee hives in the garden. 12!", "Kim", "a number is left out"),
        ("We rent the old mill near Riga for the fair", "Kim", "the summary is less sure"),
        ("I repair the roof of the barn tomorrow", "Kim", "which day that was, only the message tells"),
        ("I turn the heating on at night", "Kim", "it is turned round"),
        ("the server runs version v1.3 on port 8080", "Ada", "what is written whole is another"),
        ("the server runs version v.2.1 on port 8080", "Ada", "the same digits in another order"),
        ("three hives", "Kim", "two words are a topic"),
        ("Kim feeds Ada, and Zoe's boat is in the garden", "Kim", "no one sentence has all of it"),
        ("Sören fährt mit dem Rad nach Köln", "Sören", "the summary denies it in German"),
        ("I grow мята by the kitchen door", "Kim", "other letters than Latin ones are not held against anything"),
    ],
)
def test_it_does_not_where_anything_would_be_lost(text: str, who: str, why: str) -> None:
    assert not retells(text, who), why


def test_who_is_meant_is_named_before_and_nobody_else_is() -> None:
    told = "I fix old clocks in the attic"
    assert retells(told, summary="Kim has a hobby. She fixes old clocks in the attic.")
    assert not retells(told, summary="Kim has a hobby. The weather is fine. She fixes old clocks in the attic.")
    assert not retells(told, summary="Kim has a hobby. Ada fixes old clocks in the attic.")
    assert not retells(told, summary="She fixes old clocks in the attic. Kim has a hobby.")
    assert not retells(told, summary="Ada visits Kim. She fixes old clocks in the attic.")
    assert retells("old clocks are fixed in the attic", summary="Old clocks are fixed in the attic by Kim.")
    assert not retells(told, summary="In the attic Ada, not far from Kim, fixes old clocks.")
    assert not retells(told, who="Kim Lee", summary="Kim fixes old clocks in the attic.")


def test_of_a_language_that_is_not_known_every_word_tells_something() -> None:
    nothing = Vocabulary()
    assert retells("trzyma trzy ule w ogrodzie", summary="Kim trzyma trzy ule w ogrodzie.", words=nothing)
    assert not retells("mam trzy ule w ogrodzie", summary="Kim trzyma trzy ule w ogrodzie.", words=nothing)
    assert retells("I am here. I keep three bee hives.", words=nothing)


def test_an_empty_summary_has_nothing() -> None:
    empty = SummedUp("", WORDS)
    assert not empty.says("the boiler leaks again")
    assert not empty.retells("the boiler leaks again", lambda: "Kim")


def test_the_name_is_asked_for_only_where_the_words_are_there() -> None:
    def nobody() -> str:
        raise AssertionError("nobody asks who it was")

    assert not SummedUp(SUMMARY, WORDS).retells("I keep goats in the garden", nobody)


def test_words_are_listed_as_they_are_looked_for() -> None:
    for word in GRAMMAR | DENIALS | HEDGES | FROM_NOW:
        assert word == folded(word)
        assert word.isalpha()
    assert not GRAMMAR & (DENIALS | HEDGES | FROM_NOW)
