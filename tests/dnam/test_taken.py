"""What calls took, as a reply and as a call, and in all."""

import pytest

from dnam.model import Reply
from dnam.taken import added, call_of, reply_of, sum_of
from projections.events.values import ModelUse

ONE = ModelUse("haiku", "4.5", "answer@2", b"p" * 32, 100, 20, 10, 900, 7, "end_turn")
OTHER = ModelUse("haiku", "4.5", "answer@2", b"q" * 32, 3, 2, 1, 40, 5, "max_tokens")


def test_a_call_comes_back_from_its_reply_with_what_was_asked() -> None:
    assert reply_of("yes", ONE).text == "yes"
    assert call_of(reply_of("yes", ONE)) == ONE


@pytest.mark.parametrize("one", [ONE, reply_of("a", ONE)], ids=["call", "reply"])
def test_nothing_is_added_by_nothing(one: ModelUse | Reply) -> None:
    if isinstance(one, Reply):
        assert added(one, []) == one == sum_of([one])
    else:
        assert added(one, []) == one == sum_of([one])


def test_the_last_one_carries_what_all_took() -> None:
    total = sum_of([ONE, OTHER])
    assert total == ModelUse("haiku", "4.5", "answer@2", b"q" * 32, 103, 22, 11, 940, 12, "max_tokens")
    assert added(OTHER, [ONE]) == total
    assert sum_of(list[Reply]()) is None
