"""People's words in what a bot says: shown literally, or at least harmless."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnam.markdown import escaped, tamed

SIGNS = st.text(alphabet="[]()`|*_~\\#> ax\n", max_size=40)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("I like tea", "I like tea"),
        ("**bold** `code`", r"\*\*bold\*\* \`code\`"),
        ("[the bank](https://evil.example)", r"\[the bank\]\(https://evil.example\)"),
        (r"already \* escaped", r"already \\\* escaped"),
        ("https://example.org/a_b?c=d_e", "https://example.org/a_b?c=d_e"),
        ("https://example.org/**x", r"https://example.org/\*\*x"),
    ],
)
def test_somebody_s_words_are_shown_literally(words: str, shown: str) -> None:
    assert escaped(words) == shown


@given(SIGNS)
def test_every_sign_has_a_stroke_of_its_own_before_it(words: str) -> None:
    assert re.fullmatch(r"(?:\\[\\*_~|`\[\]()<>]|[^\\*_~|`\[\]()<>])*", escaped(words))
    assert re.sub(r"\\(.)", r"\1", escaped(words)) == words


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**Found:** 1\n- [fact] I like tea `durable-1`", "**Found:** 1\n- [fact] I like tea `durable-1`"),
        ("-# page 1 of 2\n> quoted", "-# page 1 of 2\n> quoted"),
        ("[the bank](https://evil.example)", r"[the bank]\(https://evil.example)"),
        ("```py\nx", "'''py\nx"),
        ("||hidden||", r"|\|hidden|\|"),
        ("Remembered: a\n# Loud\n  ## loud", "Remembered: a\n\\# Loud\n  \\## loud"),
    ],
)
def test_what_quotes_people_keeps_the_bot_s_own_form_and_no_trick(text: str, shown: str) -> None:
    assert tamed(text) == shown


@given(SIGNS)
def test_no_trick_is_left(text: str) -> None:
    shown = tamed(text)
    assert "](" not in shown
    assert "``" not in shown
    assert "||" not in shown
    assert re.search(r"^\s*#{1,3}\s", shown, re.MULTILINE) is None
