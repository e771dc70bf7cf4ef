"""What a sentence says to be a secret: which of its words, and when one is only a word that goes on with it."""

import pytest

from projections.policies.secret_sentences import SecretWords, Spoken, spoken_secrets

SPOKEN = Spoken(
    (
        SecretWords("password", ("password",), (r"password(?: is |: ?|=)",), (r"(?P<value>\S+) is my password",)),
        SecretWords("pin", ("pin",), (r"pin ?",), (r"(?P<value>\S+) is my pin",), "odd"),
    ),
    plain=frozenset({"wrong", "that"}),
    fillers=frozenset({"now"}),
    endings=("ing", "ous"),
)


def secrets(text: str) -> list[str]:
    return [text[each.start : each.end] for each in spoken_secrets(text, SPOKEN)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my password is fox", ["fox"]),
        ("my password is ox", []),
        ("my password is wrong", []),
        ("my password is ridiculous", []),
        ("password: ridiculous", ["ridiculous"]),
        ("password=ridiculous", ["ridiculous"]),
        ("my password is king", ["king"]),
        ("my password is now sw0rdfish", ["sw0rdfish"]),
        ("my password is now better", []),
        ("password: now better", ["now better"]),
    ],
)
def test_a_word_is_a_secret_where_it_has_no_other_sense(text: str, expected: list[str]) -> None:
    """Behind a verb one that ends as adjectives do has one, and behind a sign it has none."""
    assert secrets(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("swordfish is my password", ["swordfish"]),
        ("sw0rdfish is my password", ["sw0rdfish"]),
        ("that is my password", []),
        ("swordfish is my pin", []),
        ("sw0rdfish is my pin", ["sw0rdfish"]),
    ],
)
def test_in_front_of_a_trail_a_plain_word_is_a_secret_unless_only_odd_ones_are(text: str, expected: list[str]) -> None:
    assert secrets(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kim:[redacted: pin]@db1.example", []),
        ("kim:[redacted: pin]@db1.example and tobi:[redacted: pin]@db2.example", []),
        ("kim:[redacted: pin] and the pin sw0rdfish", ["sw0rdfish"]),
    ],
)
def test_what_a_mark_says_itself_begins_no_secret_however_many_there_are(text: str, expected: list[str]) -> None:
    assert secrets(text) == expected
