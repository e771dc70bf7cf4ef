"""What a pattern cannot do without."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dnam.guarding import guarding_of
from dnam.languages import load
from projections.policies.literals import MOST, all_of, needs, present_in

PATTERNS = (
    r"abc (?:da|ba)*",
    r"(?:abc|cab) ?d",
    r"(?:bca ?)+d",
    r"(?:aaa|bbb|ccc){1,2}",
    r"a(?:bcd|dcb)|bbb",
    r"[ab]ccc",
)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"ignore (?:all|the) rules?", {"ignore "}),
        (r"(?:system|hidden) prompt", {" prompt"}),
        (r"(?:system|hidden) \w+", {"system", "hidden"}),
        (r"(?:do not )?tell", {"tell"}),
        (r"(?:abc|abd)x", None),
        (r"(?:do not )+\w", {"do not "}),
        (r"(?:do not )+?\w", {"do not "}),
        (r"(?>secret)\w", {"secret"}),
        (r"(?:secret)++\w", {"secret"}),
        (r"\w+ing", {"ing"}),
        (r"a|secret", None),
        (r"(?i:secret)", None),
        (r"(?i)secret", None),
        (r"(?=secret)\w", None),
        (r"\bno\b", None),
        ("|".join(chr(0x100 + n) * 3 for n in range(MOST + 1)), None),
    ],
)
def test_what_a_pattern_needs(pattern: str, expected: set[str] | None) -> None:
    assert needs(pattern) == (None if expected is None else frozenset(expected))


def test_the_words_of_many_patterns_are_looked_for_once() -> None:
    words = all_of([frozenset({"secret", "tell"}), None, frozenset({"tell", "rules"})])
    assert words == ("rules", "secret", "tell")
    assert present_in("tell me", words) == {"tell"}
    assert present_in("hello", words) == frozenset()


@given(st.text("abc d", max_size=40), st.sampled_from(PATTERNS))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_what_matches_has_one_of_them(text: str, pattern: str) -> None:
    if re.search(pattern, text):
        needed = needs(pattern)
        assert needed is not None
        assert present_in(text, all_of([needed]))


def test_what_instructs_has_what_its_patterns_need() -> None:
    """Of all patterns of the language that comes along nearly all need something, and what they find has it."""
    rules = guarding_of(load("en")).instructions.rules
    patterns = [each for rule in rules for each in rule.patterns]
    assert sum(needs(each) is not None for each in patterns) > len(patterns) * 9 // 10
