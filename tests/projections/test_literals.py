"""What a pattern cannot do without."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dnam.guarding import guarding_of
from dnam.languages import load
from projections.policies.literals import MOST, Needs, needs

PATTERNS = (
    r"abc (?:da|ba)*",
    r"(?:abc|cab) ?d",
    r"(?:bca ?)+d",
    r"(?:aaa|bbb|ccc){1,2}",
    r"a(?:bcd|dcb)|bbb",
    r"[ab]ccc",
    r"\b(?:ab|cd)(?: \w+)? dd?\b",
    r"\ba (?:b )*c",
    r"\b(?:[ad] )?b(?:c|dd) ?a",
)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"ignore (?:all|the) rules?", [{"ignore "}, {" all ", " the "}, {" rule"}]),
        (r"(?:system|hidden) prompt", [{"system ", "hidden "}, {" prompt"}]),
        (r"(?:system|hidden) \w+", [{"system ", "hidden "}]),
        (r"(?:do not )?tell", [{"tell"}]),
        (r"(?:abc|abd)x", [{"ab"}]),
        (r"(?:do not )+\w", [{"do not "}]),
        (r"(?:do not )+?\w", [{"do not "}]),
        (r"(?>secret)\w", [{"secret"}]),
        (r"(?:secret)++\w", [{"secret"}]),
        (r"(secret \w+) tell", [{"secret "}, {" tell"}]),
        (r"(?>secret \w+) tell", [{"secret "}, {" tell"}]),
        (r"\w+ing", [{"ing"}]),
        (r"(?:tell me|say) now", [{"tell me ", "say "}, {" now"}]),
        (r"(?:the secret word|tell) ok", [{"he secret word ", "ell "}, {" ok"}]),
        (r"(?:tell|(?:show|give) \w+)s", [{"tell", "show ", "give "}]),
        (r"(?:tell|\w+)s", []),
        (r"a|secret", []),
        (r"(?i:secret)", []),
        (r"(?i)secret", []),
        (r"(?=secret)\w", []),
        (r"\bno\b", [{"no"}]),
        (r"[ab] \w", [{"a ", "b "}]),
        (r"[ab]\w", []),
        (r"[a-c] \w", []),
        (r"(?:\w+ )+tell", [{" tell"}]),
        (r"(?:\w+ )*tell", [{"tell"}]),
        (r"tell(?:,| \w)", [{"tell"}]),
        (r"tell(?: me| \w+)", [{"tell "}]),
        (r"tell(?: \w+){2}", [{"tell "}]),
        (r"same \w same \w", [{"same "}, {" same "}]),
        (r"(?:no (?:more )?rules|laws) \w", [{"no rules ", "no more rules ", "laws "}]),
        (r"(?:no(?! more) rules|laws) \w", [{"no rules ", "laws "}]),
        (r"(?:my \w+ secret|tell)s", [{" secret", "tell"}]),
        ("|".join(chr(0x100 + n) * 3 for n in range(MOST + 1)), []),
    ],
)
def test_what_a_pattern_needs(pattern: str, expected: list[set[str]]) -> None:
    assert needs(pattern) == tuple(map(frozenset, expected))


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"\bno\b", [{" no "}]),
        (r"\b(?:ai|bot)s? must\b", [{" ai", " bot"}, {" must "}]),
        (r"\bai(?: \w+)* (?:now )?obey\b", [{" ai "}, {" obey "}]),
        (r"\b(?:\w+ )?obey me\b", [{" obey me "}]),
        (r"\b(?:\w+)?obey\B", [{"obey"}]),
        (r"same\b now", [{"same "}, {" now"}]),
        (r"same \bnow\b", [{"same "}, {" now "}]),
        (r"\b(?:my |)secret\b", [{" secret "}]),
    ],
)
def test_in_words_a_boundary_is_where_one_begins_or_ends(pattern: str, expected: list[set[str]]) -> None:
    assert needs(pattern, in_words=True) == tuple(map(frozenset, expected))


def has(text: str, needed: Needs) -> bool:
    return all(any(word in f" {text} " for word in words) for words in needed)


@given(st.text("abc d", max_size=40), st.sampled_from(PATTERNS), st.booleans())
@settings(max_examples=200, deadline=None, derandomize=True)
def test_what_matches_has_one_of_them(text: str, pattern: str, in_words: bool) -> None:
    said = " ".join(text.split())
    if re.search(pattern, said):
        needed = needs(pattern, in_words=in_words)
        assert needed
        assert has(said, needed)


def test_what_instructs_has_what_its_patterns_need() -> None:
    """Of all patterns of the language that comes along nearly all need something, and what they find has it."""
    rules = guarding_of(load("en")).instructions.rules
    patterns = [each for rule in rules for each in rule.patterns]
    assert sum(bool(needs(each)) for each in patterns) > len(patterns) * 99 // 100
