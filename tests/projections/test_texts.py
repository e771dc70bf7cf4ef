"""The small policies: texts, kinds, tags, ids."""

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.policies.item_ids import derive, fresh_id, is_id
from projections.policies.kinds import KINDS, MOST_TAG_CHARS, MOST_TAGS, read_kind, read_tags
from projections.policies.text import WHITESPACE, folded, is_blank, normalise, tidy, whole

JAVASCRIPT = {
    *(0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0xA0, 0x1680),
    *range(0x2000, 0x200B),
    *(0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0xFEFF),
}


def test_the_whitespace_class_is_javascript_s_by_code_point() -> None:
    assert {ord(each) for each in WHITESPACE} == JAVASCRIPT
    assert len(WHITESPACE) == len(JAVASCRIPT)
    assert re.escape(WHITESPACE).count("]") == 0


@pytest.mark.no_cover  # every code point there is; others show its lines
def test_exactly_these_code_points_are_collapsed() -> None:
    collapsed = {each for each in range(0x110000) if tidy(f"a{chr(each)}b") == "a b"}
    assert collapsed == JAVASCRIPT


@pytest.mark.parametrize("python_only", ["\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\u180e", "\u200b"])
def test_what_only_python_or_an_older_unicode_takes_for_a_space_stays(python_only: str) -> None:
    assert tidy(f"a{python_only}b") == f"a{python_only}b"


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("  a \t\n b  ", "a b"),
        ("\ufeffa\u3000\u2028b\u00a0", "a b"),
        ("", ""),
        (" \n ", ""),
        ("A  B", "A B"),
        ("a\ud800b", "a\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ("\udc00\ud83d", "\ufffd\ufffd"),
    ],
)
def test_tidy(text: str, tidied: str) -> None:
    assert tidy(text) == tidied


@pytest.mark.parametrize("text", ["x", "\u200bx", "1", "?", "🙂", "e\u0301", "\ue000", "\U0001fae9"])
def test_what_shows_is_not_blank(text: str) -> None:
    assert not is_blank(text)


@pytest.mark.parametrize(
    "text", ["", " ", "\u00a0\u200b\u2060\ufeff", "\u202e\x07", "\u0301", "\u115f\u1160\u2800\u3164\uffa0"]
)
def test_what_shows_nothing_is_blank(text: str) -> None:
    assert is_blank(text)


def test_normalised_is_lower_case_and_folded_goes_further() -> None:
    assert normalise("  User LIKES\tStraße ") == "user likes straße"
    assert folded("  User LIKES\tStraße ") == "user likes strasse"


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_tidy_is_stable_and_can_be_encoded(text: str) -> None:
    once = tidy(text)
    assert tidy(once) == once
    assert once.encode() == whole(once).encode()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_reads_as_itself(kind: str) -> None:
    assert read_kind(f" {kind.upper()} ") == kind


@pytest.mark.parametrize("kind", ["", "lore", "factoid", "fact\x00"])
def test_an_unknown_kind_is_a_fact(kind: str) -> None:
    assert read_kind(kind) == "fact"


def test_there_are_both_documents_kinds_once_each() -> None:
    assert len(KINDS) == len(set(KINDS)) == 12


@pytest.mark.parametrize(
    ("words", "tags"),
    [
        ((), ()),
        (("Python", "python", "PYTHON"), ("python",)),
        (("code style", "a,b;c"), ("code", "style", "a", "b", "c")),
        (("#topic", "c#", "c++", "node.js", "[x]"), ("topic", "c#", "c++", "node.js", "x")),
        (("", "  ", "#"), ()),
        (("x" * 40,), ("x" * MOST_TAG_CHARS,)),
        (tuple(f"t{n}" for n in range(20)), tuple(f"t{n}" for n in range(MOST_TAGS))),
    ],
)
def test_tags(words: tuple[str, ...], tags: tuple[str, ...]) -> None:
    assert read_tags(words) == tags


def test_an_id_is_the_digest_of_kind_and_normalised_text() -> None:
    digest = hashlib.sha256(b"fact:likes tea").hexdigest()
    assert derive("fact", "  Likes\u00a0 TEA ") == f"durable-{digest[:8]}"
    assert derive("preference", "likes tea") != derive("fact", "likes tea")


def test_what_has_the_form_of_an_id() -> None:
    assert is_id(derive("fact", "likes tea"))
    assert is_id(derive("fact", "likes tea", 64))
    assert not any(map(is_id, ("durable-0000000", "durable-0000000g", "a durable-00000000", "durable-00000000\n", "")))


def test_an_id_grows_while_it_clashes() -> None:
    taken: set[str] = set()
    for digits in (8, 12, 16):
        fresh = fresh_id("fact", "likes tea", taken)
        assert fresh == derive("fact", "likes tea", digits)
        taken.add(fresh)
