"""What a message says by itself, and what it leaves to what was said before."""

import pytest

from dnam.languages import load
from projections.policies.low_signal import is_low_signal
from projections.retrieval import Vocabulary

ENGLISH = load("en")
WORDS = ENGLISH.vocabulary


@pytest.mark.parametrize(
    "text",
    ["", "yeah", "Ok", "lol", "LOL!!!", "haha nice", "👍", "👍🎉 <a:party:99>", "ok<a:party:99>ok", ":wave:", "?",
     "Ok. So? No.", "OK YO", "Yo", "and then?",
     "thank you", "it is so", "oh, I see...", "Yes, exactly.", "why not?", "12", "42!", "so-so", "and/or", "no 👍",
     "why not? 😂", "🦊?", "OK 👍🏽"],
)  # fmt: skip
def test_it_goes_on_with_what_was_said_before(text: str) -> None:
    assert is_low_signal(text, WORDS)


@pytest.mark.parametrize(
    "text",
    ["yeah, the boiler", "tea?", "да", "はい", "天气", "when did Kim leave?", "👍 for pizza", "2023", "ok deploy it",
     "v1.2.3", "what about v1.2.3?", "3.11", "S3", "is it up on S3?", "PR 42", "12:30", "a_b", "so is 2fa",
     "where was the 🦊?", "and the ⚽️ ?", "who is Bo?", "where is Jo?",
     "PC or TV?", "what is AI?", "what about C#?", "g++ or f#"],
)  # fmt: skip
def test_it_says_something(text: str) -> None:
    assert not is_low_signal(text, WORDS)


def test_of_a_language_without_a_file_only_what_has_no_words_says_nothing() -> None:
    assert is_low_signal("👍 !", Vocabulary())
    assert not is_low_signal("yeah", Vocabulary())


def test_a_backchannel_is_one_word_in_small_letters() -> None:
    assert all(word.isalpha() and word == word.casefold() for word in ENGLISH.backchannels)
