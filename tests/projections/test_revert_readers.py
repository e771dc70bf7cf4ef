"""Reverting what was moved: by a model, or after the readers of its place."""

import pytest

from projections.policies.compartments import everywhere
from tests.projections.learning import GENERAL, HOME
from tests.projections.reverting import WORK, Reverting, changes, edits, forgets, in_channel, narrows, promotes, teaches


@pytest.fixture
def town() -> Reverting:
    return Reverting()


def test_what_followed_its_readers_goes_where_it_lies(town: Reverting) -> None:
    teaches(town, "I am a cat", "User is a cat.")
    narrows(town)
    town.revert(town.last(WORK))
    (row,) = town.items()
    assert (row.item.compartment, row.item.status) == (in_channel(town), "deprecated")


def test_what_followed_its_readers_says_again_there_what_it_said(town: Reverting) -> None:
    town.learned("User likes tea.")
    changes(town, "tea", "tea is fine", "User hates tea.")
    narrows(town)
    before = town.state()
    town.revert(town.last(WORK))
    (row,) = town.items()
    assert (row.item.compartment, row.item.text) == (in_channel(town), "User likes tea.")
    town.undo()
    assert town.state() == before


def test_what_was_empty_before_it_followed_its_readers_goes(town: Reverting) -> None:
    assert promotes(town, "I prefer Python", "User prefers Python.")
    teaches(town, "I prefer Python!", "User prefers Python.", kind="preference")
    narrows(town)
    before = town.state()
    town.revert(town.last(WORK))
    assert {row.item.compartment: row.item.status for row in town.items()} == {
        everywhere(town.ada): "active", in_channel(town): "deprecated"
    }  # fmt: skip
    town.undo()
    assert town.state() == before


def test_what_fewer_can_read_by_now_does_not_come_back_for_all(town: Reverting) -> None:
    town.learned("User likes tea.")
    other = town.says("tea is fine", place=GENERAL._replace(key="8", name="lounge"))
    town.reads([other], {"id": town.item("tea").item.id, "text": "User hates tea.", "evidence": "tea is fine"})
    narrows(town)
    assert town.item("tea").item.compartment == HOME
    town.revert(town.last(WORK))
    assert town.texts() == []
    assert town.item("tea").reason.endswith("fewer people can read by now what it said before")


def test_what_a_model_moved_lies_again_where_it_lay(town: Reverting) -> None:
    teaches(town, "I prefer Python", "User prefers Python.", kind="preference")
    before = town.state()
    assert promotes(town, "I prefer Python", "User prefers Python.")
    after = town.state()
    assert [row.item.compartment for row in town.items()] == [everywhere(town.ada)]
    assert sorted(each.TAG for each in town.revert(town.last(WORK))) == ["item.reverted", "item.reverted"]
    assert town.state() == before
    town.undo()
    assert town.state() == after


def test_what_was_new_where_it_was_moved_to_goes_there(town: Reverting) -> None:
    assert promotes(town, "I prefer Python", "User prefers Python.")
    town.revert(town.last(WORK))
    (row,) = town.items()
    assert (row.item.compartment, row.item.status) == (everywhere(town.ada), "deprecated")


def test_what_a_person_changed_where_it_was_moved_to_does_not_lie_in_two_places(town: Reverting) -> None:
    teaches(town, "I prefer Python", "User prefers Python.", kind="preference")
    assert promotes(town, "I prefer Python", "User prefers Python.")
    edits(town, "Python", "User prefers Python 3.")
    assert town.revert(town.last(WORK)) == []
    assert [row.item.compartment for row in town.items()] == [everywhere(town.ada)]


def test_what_may_not_come_back_where_it_lay_goes_where_it_lies(town: Reverting) -> None:
    teaches(town, "I prefer Python", "User prefers Python.", kind="preference")
    assert promotes(town, "I prefer Python", "User prefers Python.")
    work = town.last(WORK)
    teaches(town, "I prefer Python!", "User prefers Python!", kind="fact")
    forgets(town, "Python!")
    town.revert(work)
    assert [(row.item.compartment, row.item.status) for row in town.items() if row.item.kind == "preference"] == [
        (everywhere(town.ada), "deprecated")
    ]
