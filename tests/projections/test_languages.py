"""What the core knows of languages, in its data files."""

import hashlib

import msgspec
import pytest

from projections.languages import ELSEWHERE, ENGLISH, LANGUAGES, Language
from projections.policies import secrets, summed_up, telling
from projections.policies.text import folded
from projections.recall import scoring, words

RULES = words.VERSION.partition("-")[0]


@pytest.mark.parametrize(
    ("what", "version", "pinned"),
    [
        (ENGLISH.recall, RULES, "words@8 58de8e3f0ca951ba"),
        (
            (ENGLISH.recall.stop_words, *(each.telling for each in LANGUAGES)),
            telling.VERSION,
            "telling@2 b8c3d730a3c2866c",
        ),
        ((ENGLISH.counted, ENGLISH.asking), scoring.VERSION, "recall@8 41c549faa363d250"),
        ([each.retold for each in LANGUAGES], summed_up.VERSION, "summed-up@1 a23830fb014e572e"),
        ([each.cards for each in LANGUAGES], secrets.VERSION, "secrets@1 879d7d4119aee427"),
    ],
)
def test_what_is_known_is_part_of_a_version(what: object, version: str, pinned: str) -> None:
    """What follows from a table may be another as soon as the table is: raise the version with it, and note it here."""
    told = msgspec.json.encode(what, order="sorted")
    assert f"{version} {hashlib.sha256(told).hexdigest()[:16]}" == pinned


def test_a_misspelt_key_is_an_error() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `smal`"):
        msgspec.toml.decode('[de.telling]\nsmal = ["der"]', type=dict[str, Language])


def test_words_are_listed_as_they_are_looked_for() -> None:
    for language in LANGUAGES:
        for word in (*language.cards, *language.telling.users, *language.telling.frame, *language.telling.small):
            assert word == folded(word)
            assert word.isalpha()
        assert language.telling.plain <= language.telling.small | language.telling.frame | ENGLISH.recall.stop_words


def test_no_language_elsewhere_is_english() -> None:
    assert set(ELSEWHERE) == {"de", "fr", "es", "it", "nl", "pt"}
    assert all(each.telling.small and each.telling.users for each in ELSEWHERE.values())
