"""What changed between two texts, word by word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections import wording as module
from projections.wording import Fate, Piece, differs, wording

WORDS = st.lists(st.sampled_from(["tea", "coffee", "a", "don't", ",", "名前", " ", "\n", "\u3000", "_", "\ud800"])).map(
    " ".join
)


@pytest.mark.parametrize(
    ("old", "new", "pieces"),
    [
        ("", "", []),
        ("tea", "tea", [("same", "tea")]),
        ("", "likes tea", [("added", "likes tea")]),
        ("likes tea", "", [("removed", "likes tea")]),
        (
            "prefers tea over coffee",
            "prefers rooibos over coffee",
            [("same", "prefers"), ("removed", " tea"), ("added", " rooibos"), ("same", " over coffee")],
        ),
        ("likes tea", "likes tea.", [("same", "likes tea"), ("added", ".")]),
        ("Kim's tea", "Kim's pot", [("same", "Kim's"), ("removed", " tea"), ("added", " pot")]),
        ("one\ntwo", "one two", [("same", "one two")]),
        ("名前太郎", "名前次郎", [("same", "名前"), ("removed", "太"), ("added", "次"), ("same", "郎")]),
        ("tea tea", "tea", [("same", "tea"), ("removed", " tea")]),
    ],
)
def test_words_that_stay_come_and_go(old: str, new: str, pieces: list[tuple[Fate, str]]) -> None:
    assert wording(old, new) == tuple(Piece(*each) for each in pieces)


@given(st.text() | WORDS, st.text() | WORDS)
def test_the_pieces_are_both_texts(old: str, new: str) -> None:
    pieces = wording(old, new)
    assert "".join(each.text for each in pieces if each.fate != "removed") == new
    left = "".join(each.text for each in pieces if each.fate != "added")
    assert "".join(left.split()) == "".join(old.split())
    assert all(each.text for each in pieces)
    assert differs(pieces) == any(each.fate != "same" for each in pieces)


def test_texts_that_repeat_a_few_words_endlessly_are_told_apart_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = "x " + "a b " * 500 + "y", "z " + "b a " * 500 + "w"
    monkeypatch.setattr(module, "SequenceMatcher", None)  # it would take minutes, and is not asked
    assert [each.fate for each in wording(old, new)] == ["removed", "added"]
