"""How many tokens a text has."""

import pytest

from projections.tokens import CHARACTERS, COUNTERS, by_characters


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("tea", 1),
        ("teas", 1),
        ("green tea", 3),
        ("größer", 2),
        ("寿司を食べました。", 9),
        ("我在北京", 4),
        ("김치를 가져왔다", 8),
        ("ผมชอบชา", 7),
        ("tea 茶 tea", 3),
    ],
)
def test_a_token_is_a_character_where_nobody_writes_spaces_and_four_elsewhere(text: str, tokens: int) -> None:
    assert by_characters(text) == tokens


def test_a_prompt_is_made_again_as_it_was_counted() -> None:
    assert COUNTERS["characters/4"].count("寿司を食べました。") == 3
    assert COUNTERS[CHARACTERS.name] is CHARACTERS
