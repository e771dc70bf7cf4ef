"""How many of something there are, in words."""

import pytest

from projections.counting import counted, listed


@pytest.mark.parametrize(
    ("count", "word", "told"),
    [
        (0, "event", "0 events"),
        (1, "event", "1 event"),
        (2, "summary", "2 summaries"),
        (1, "summary", "1 summary"),
        (2, "key", "2 keys"),
        (2, "more message", "2 more messages"),
    ],
)
def test_one_of_something_is_no_plural(count: int, word: str, told: str) -> None:
    assert counted(count, word) == told


@pytest.mark.parametrize(
    ("words", "told"), [([], ""), (["A"], "A"), (["A", "B"], "A and B"), (["A", "B", "C"], "A, B and C")]
)
def test_some_are_listed(words: list[str], told: str) -> None:
    assert listed(words) == told
