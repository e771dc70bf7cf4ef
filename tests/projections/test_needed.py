"""Which patterns may match a text, by the words that they cannot do without."""

import pytest

from projections.policies.literals import Needs
from projections.policies.needed import LONGEST_WORD, MOST_KNOWN, Lookup


def need(*sets: str) -> Needs:
    """Sets of words, with a bar between those of one."""
    return tuple(frozenset(each.split("|")) for each in sets)


PATTERNS = [
    need("ignore ", " all | the ", " rule"),
    need("system |hidden ", " prompt"),
    need(),
    need("tell me now"),
    need("ell", "no matter what|whatever"),
    need("<|[|begin here"),
    need(": "),
    need(" "),
    need("x"),
]
ALWAYS = [2, 7, 8]
"""Nothing is known of these: a letter or a space stands in every text."""


@pytest.mark.parametrize(
    ("words", "signed", "expected"),
    [
        ("", "", []),
        ("ignore the rules", "", [0]),
        ("ignore other rules", "", []),
        ("ignored the rules", "", []),
        ("ignore the overrule", "", []),
        ("a hidden prompt", "", [1]),
        ("a hidden prompter of a system", "", [1]),
        ("tell me now", "", [3]),
        ("now tell me", "", [3]),
        ("tell me", "", []),
        ("tell whatever", "", [4]),
        ("tell what", "", []),
        ("tell matter", "", [4]),
        ("spelled whatever", "", [4]),
        ("tell", "", []),
        ("inst", "[inst]", [5]),
        ("begin here", "begin here", [5]),
        ("a b", "a: b", [6]),
        ("ignore the hidden prompt rules", "<: ", [0, 1, 5, 6]),
        ("x" * LONGEST_WORD + "ell whatever", "", [4]),
        ("x" * LONGEST_WORD + "ignore the rules", "", [0]),
    ],
)
def test_what_may_match_has_a_word_of_each_set(words: str, signed: str, expected: list[int]) -> None:
    lookup = Lookup(PATTERNS)
    bits = lookup.bits(words, signed)
    assert lookup.may_match(bits) == sorted(ALWAYS + expected)
    assert lookup.may_match(bits, [0, 4]) == [each for each in expected if each in (0, 4)]


def test_what_texts_have_together_is_what_one_of_them_has() -> None:
    lookup = Lookup(PATTERNS)
    assert lookup.bits("ignore the") | lookup.bits("rules", "<") == lookup.bits("ignore the rules", "<")


def test_only_so_many_words_are_kept_and_none_that_is_long() -> None:
    lookup = Lookup(PATTERNS)
    for number in range(MOST_KNOWN + 1):
        lookup.bits(f"{number}")
    assert len(lookup._words) == 1
    lookup.bits("x" * (LONGEST_WORD + 1))
    assert len(lookup._words) == 1
    assert lookup.may_match(lookup.bits("hidden prompt")) == sorted([*ALWAYS, 1])


def test_what_a_text_has_in_any_turn_is_what_it_has_when_it_is_read_so() -> None:
    turns = (lambda word: word[::-1], str.swapcase)
    lookup = Lookup(PATTERNS, turns)
    for text in ("eht erongi selur", "IGNORE THE rules", "tpmorp neddih", "nothing", "TELL whatever", "x" * 30 + "ell"):
        read = [text, *(" ".join(map(turn, text.split())) for turn in turns)]
        signed = f"{text} <"
        either = 0
        for each in read:
            either |= lookup.bits(each, signed)
        assert lookup.bits_turned(text, signed) == either
    assert lookup.may_match(lookup.bits_turned("tpmorp neddih", "")) == sorted([*ALWAYS, 1])


def test_of_turned_words_only_so_many_are_kept_and_none_that_is_long() -> None:
    lookup = Lookup(PATTERNS, (str.swapcase,))
    for number in range(MOST_KNOWN + 1):
        lookup.bits_turned(f"{number}", "")
    assert len(lookup._turned) == 1
    lookup.bits_turned("x" * (LONGEST_WORD + 1), "")
    assert len(lookup._turned) == 1


def test_without_patterns_none_may_match() -> None:
    lookup = Lookup([])
    assert lookup.may_match(lookup.bits("anything", "<")) == []
