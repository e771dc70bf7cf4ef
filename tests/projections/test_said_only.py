"""Whether a text says only what somebody said: word by word, in any form of the word and in any script."""

import pytest

from projections.policies.own_words import beyond

SAID = ("My cat's name is Mia and I'm allergic to peanuts since 2019", "ich mag Käse", "猫が大好きです")
SMALL = {"is", "has", "the", "a", "user", "Kim"}


@pytest.mark.parametrize(
    "text",
    [
        "My cat's name is Mia",
        "User's cat is Mia",
        "the cats",
        "Kim has a peanut allergy",
        "allergic since 2019",
        "mag Kase",
        "猫が大好き",
        "",
        "…!",
    ],
)
def test_what_was_said_may_be_said_in_other_forms(text: str) -> None:
    assert beyond(text, SAID, {*SMALL, "users"}) == ""


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Mia has cancer", "cancer"),
        ("allergic since 2018", "2018"),
        ("My catalogue", "catalogue"),
        ("the alligator", "alligator"),
        ("犬が大好き", "犬が大好き"),
        ("My cat's name is Mia, and Ada left", "left"),
        ("peanutbutter", "peanutbutter"),
    ],
)
def test_what_was_not_said_is_named(text: str, word: str) -> None:
    assert beyond(text, SAID, {*SMALL, "Ada"}) == word


def test_nothing_said_is_nothing_to_say() -> None:
    assert beyond("tea", ()) == "tea"
