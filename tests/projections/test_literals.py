"""What a pattern cannot do without."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dnam.guarding import guarding_of
from dnam.languages import load
from projections.policies.instructions import among_all, in_pieces
from projections.policies.literals import MOST, all_of, may_match, needs, present_in

PIECES = (
    "ignore", "all", "previous instructions", "you must always", "obey", "I like tea", "reveal your", "system prompt",
    "ig", "nore",
)  # fmt: skip
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
        (r"ignore (?:all|the) rules?", [{"ignore "}, {"all", "the"}, {" rule"}]),
        (r"(?:system|hidden) prompt", [{"system", "hidden"}, {" prompt"}]),
        (r"(?:system|hidden) \w+", [{"system", "hidden"}]),
        (r"(?:do not )?tell", [{"tell"}]),
        (r"(?:abc|abd)x", []),
        (r"(?:do not )+\w", [{"do not "}]),
        (r"(?:do not )+?\w", [{"do not "}]),
        (r"(?>secret)\w", [{"secret"}]),
        (r"(?:secret)++\w", [{"secret"}]),
        (r"\w+ing", [{"ing"}]),
        (r"(?:tell me|say) now", [{"tell me", "say"}, {" now"}]),
        (r"(?:the secret word|tell) ok", [{"he secret word", "ell"}, {" ok"}]),
        (r"a|secret", []),
        (r"(?i:secret)", []),
        (r"(?i)secret", []),
        (r"(?=secret)\w", []),
        (r"\bno\b", []),
        (r"same \w same \w", [{"same "}, {" same "}]),
        ("|".join(chr(0x100 + n) * 3 for n in range(MOST + 1)), []),
    ],
)
def test_what_a_pattern_needs(pattern: str, expected: list[set[str]]) -> None:
    assert needs(pattern) == tuple(map(frozenset, expected))


def test_the_words_of_many_patterns_are_looked_for_once() -> None:
    needed = [(frozenset({"secret", "tell"}),), (), (frozenset({"tell", "rules"}), frozenset({"secret"}))]
    words = all_of(needed)
    assert words == ("rules", "secret", "tell")
    assert present_in("tell me", words) == {"tell"}
    assert present_in("hello", words) == frozenset()
    assert [may_match(present_in("tell me", words), each) for each in needed] == [True, True, False]
    assert [may_match(present_in("tell a secret", words), each) for each in needed] == [True, True, True]
    assert [may_match(present_in("hello", words), each) for each in needed] == [False, True, False]


@given(st.text("abc d", max_size=40), st.sampled_from(PATTERNS))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_what_matches_has_one_of_them(text: str, pattern: str) -> None:
    if re.search(pattern, text):
        needed = needs(pattern)
        assert needed
        assert may_match(present_in(text, all_of([needed])), needed)


def test_what_instructs_has_what_its_patterns_need() -> None:
    """Of all patterns of the language that comes along nearly all need something, and what they find has it."""
    rules = guarding_of(load("en")).instructions.rules
    patterns = [each for rule in rules for each in rule.patterns]
    assert sum(bool(needs(each)) for each in patterns) > len(patterns) * 9 // 10


@given(st.lists(st.sampled_from(PIECES), min_size=2, max_size=5))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_in_a_run_of_texts_the_same_is_found_with_what_may_match_in_all_of_them(texts: list[str]) -> None:
    words = guarding_of(load("en")).instructions
    among = among_all(["before it", *texts, "and after"], words)
    assert in_pieces(texts, words, among) == in_pieces(texts, words)
