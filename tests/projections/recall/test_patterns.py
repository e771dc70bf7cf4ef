"""Patterns that begin with what they look for find what the same, written as they are read, find."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from projections.recall.documents import _NAME
from projections.recall.words import _CALL, _CLITIC, _OPTION, _PERHAPS_WHOLE, _WHOLE

PLAIN = {
    "name": (_NAME, r"(?<=[^.!?,\s] )(?<!Hey )(?<!Hi )(?<!Thanks )[A-Z][a-z]{2,}\b"),
    "clitic": (_CLITIC, r"(?<=\w)(?:n't|'(?:s|re|ll|ve|d|m))(?!\w)"),
    "perhaps whole": (_PERHAPS_WHOLE, r"[-_./:#@+'$]\w|\+\+|#|\(\)"),
}
PIECES = (
    *("Hey ", "Hi ", "Thanks ", "Kim", "Ada ", "Bo", "and ", "don", "can", "isn't ", "it's ", "n't", "'s", "'re"),
    *("c++", "'", " ", ".", "! ", ", ", "\n", "+", "#", "#tag", "-", "_b", "@kim", "é", "É", "あ", "9"),
    *("--", "(", ")", "main()", "--watch", "x-y"),
)


@pytest.mark.parametrize("which", PLAIN)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=12).map("".join))
@example("they went with Kim, Hey Ada and Thanks Ada and then Ada")
@example("it's n't 's isn't c++ ++ # a# +a")
def test_a_pattern_finds_what_the_plain_one_finds(which: str, text: str) -> None:
    pattern, plain = PLAIN[which]
    places = [each.start() for each in re.finditer(plain, text)]
    if which == "perhaps whole":  # it is only asked whether there is anything
        assert bool(pattern.search(text)) == bool(places)
    else:
        assert [each.span() for each in pattern.finditer(text)] == [each.span() for each in re.finditer(plain, text)]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=12).map("".join))
@example("a --watch and main()")
def test_what_is_written_whole_is_looked_for_wherever_it_is(text: str) -> None:
    plain = text.encode("ascii", "ignore").decode().lower()
    if any(pattern.search(plain) for pattern in (_WHOLE, _OPTION, _CALL)):
        assert _PERHAPS_WHOLE.search(plain)
