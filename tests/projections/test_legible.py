"""A text as the eye reads it, and where it all stood."""

import pytest

from projections.policies.legible import legible


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("plain", "plain"),
        ("pass\u200bword\ufeff", "password"),
        ("ｍｙ　ｐｉｎ", "my pin"),
        ("sk\u2011ant\u2014x", "sk-ant-x"),
        ("a\u00a0b\u3000c", "a b c"),
        ("❤\ufe0f", "❤"),
        ("a\ufe00", "a"),
        ("a\ufe10", "a,"),  # as NFKC has it; the marks that choose a form end before it
        ("½", "1⁄2"),
        ("café", "café"),
    ],
)
def test_what_is_read(text: str, read: str) -> None:
    assert legible(text).text == read


def test_a_stretch_of_what_is_read_is_one_of_the_text() -> None:
    text = "a pass\u200bword, ½ and ｘ"
    seen = legible(text)
    start = seen.text.index("password")
    assert text[slice(*seen.span(start, start + 8))] == "pass\u200bword"
    assert text[slice(*seen.span(seen.text.index("1"), seen.text.index("2") + 1))] == "½"
    assert text[slice(*seen.span(len(seen.text) - 1, len(seen.text)))] == "ｘ"
    assert legible("plain").span(1, 3) == (1, 3)
