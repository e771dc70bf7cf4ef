"""Long answers in several messages: nothing is lost, nothing too long, no fence left open."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dnam.adapters.discord.splitting import FENCE, LIMIT, split

FENCES = ("\n```py\n", "\n```\n", "\n````\n")
WORDS = st.sampled_from(["rose", "tulip. ", "\n", "\n\n", " ", "`rose`", *FENCES, "🌹", "x" * 40])
TEXTS = st.lists(WORDS, max_size=80).map("".join)


def fences(text: str) -> int:
    """How many fences stand open at the end."""
    opened = ""
    for found in FENCE.finditer(text):
        if not opened:
            opened = found[1]
        elif not found[2].strip() and len(found[1]) >= len(opened):
            opened = ""
    return bool(opened)


def letters(texts: list[str]) -> str:
    """What is said, without fences and spaces: these come and go at the cuts."""
    return re.sub(r"[\s`]|py", "", "".join(texts))


@given(TEXTS, st.integers(30, 200))
@example("```py\n" + "rose\n" * 60 + "```", 60)
@example("a" * 500, 30)
def test_every_part_fits_and_nothing_is_lost(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert all(0 < len(part) <= limit and part.strip() for part in parts)
    assert letters(parts) == letters([text])


@given(TEXTS, st.integers(60, 200))
def test_only_a_text_that_leaves_a_fence_open_does(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert not any(fences(part) for part in parts[:-1])


@given(TEXTS)
def test_what_fits_is_one_message(text: str) -> None:
    assert split(text) == ([text.strip()] if text.strip() else [])


@pytest.mark.parametrize(
    ("text", "limit", "parts"),
    [
        ("", 20, []),
        ("one paragraph\n\nand another", 20, ["one paragraph", "and another"]),
        ("one line\nand another\nand a third", 22, ["one line\nand another", "and a third"]),
        ("One sentence. And another one.", 20, ["One sentence.", "And another one."]),
        ("some words and some more", 12, ["some words", "and some", "more"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("```py\none = 1\ntwo = 2\nthree = 3\n```", 30, ["```py\none = 1\ntwo = 2\n```", "```py\nthree = 3\n```"]),
    ],
)
def test_it_is_cut_where_a_reader_would(text: str, limit: int, parts: list[str]) -> None:
    assert split(text, limit) == parts


def test_a_message_has_two_thousand_characters() -> None:
    assert [len(part) for part in split("x" * 4001)] == [LIMIT, LIMIT, 1]
