"""What the operator reverted, and took back again, is so in a memory made anew where the very same was made."""

from collections.abc import Callable

import msgspec
import pytest

from projections.decisions.reapply_reverted import RevertAgainRequest, is_again_as_it_was, revert_again
from projections.events import Event, ItemEvent, ItemReverted
from projections.fold import Record
from tests.projections.reverting import WORK, Reverting, changes, edits, teaches
from tests.world import origin


def made(*more: Callable[[Reverting], object]) -> Reverting:
    """Somebody likes tea, and a model makes something else of it."""
    town = Reverting()
    town.learned("User likes tea.")
    changes(town, "tea", "tea is fine", "User hates tea.")
    for each in more:
        each(town)
    return town


def edits_twice(town: Reverting) -> None:
    """Somebody says what the model says, in the end."""
    edits(town, "tea", "User loathes tea.")
    edits(town, "tea", "User hates tea.")


def again(here: Reverting, event: Event, until: Record | None, seed: str = "again") -> list[Event]:
    """What it comes to in another memory."""
    assert isinstance(event, ItemReverted)
    assert is_again_as_it_was(event)
    assert until is not None
    assert isinstance(until.event, ItemEvent)
    request = RevertAgainRequest(event, until.event.item, origin(seed))
    drafts = revert_again(here.rows, here.chronicle, request)
    assert revert_again(here.rows, here.chronicle, request) == drafts
    return [here.world.record(each).event for each in drafts]


def undone(there: Reverting, event: Event) -> Record | None:
    """What it undid."""
    assert isinstance(event, ItemReverted)
    return there.chronicle.find(event.undoes[0])


def words(event: Event) -> tuple[str, str]:
    """Why it came, and by which policy."""
    assert isinstance(event, ItemReverted)
    return event.reason, event.policy


def test_it_is_again_as_it_was_and_the_second_time_nothing_comes_of_it() -> None:
    there, here = made(), made()
    (event,) = there.revert(there.last(WORK))
    until = undone(there, event)
    (reverted,) = again(here, event, until)
    assert (here.texts(), here.state()) == (["User likes tea."], there.state())
    assert words(reverted) == words(event)
    assert again(here, event, until) == []


def test_the_taking_back_of_it_is_done_again_too() -> None:
    there, here = made(), made()
    (event,) = there.revert(there.last(WORK))
    again(here, event, undone(there, event))
    (back,) = there.undo()
    (event,) = again(here, back, there.reverted, "and back")
    assert here.texts() == there.texts() == ["User hates tea."]
    assert words(event) == words(back)


def test_an_addition_that_is_there_again_is_here_too() -> None:
    def adds(town: Reverting) -> None:
        teaches(town, "my cat is called Tom", "User is a cat.")

    there, here = made(adds), made(adds)
    for each in (there, here):
        each.revert(each.last(WORK))
    (back,) = there.undo()
    again(here, back, there.reverted)
    assert here.texts() == there.texts()
    assert "User is a cat." in here.texts()


@pytest.mark.parametrize(
    "otherwise",
    [
        lambda town: changes(town, "tea", "tea is awful", "User avoids tea."),
        lambda town: changes(town, "tea", "tea is awful", "User hates tea."),
        edits_twice,
    ],
    ids=["other words", "more messages", "a person's"],
)
def test_what_is_not_the_very_same_stays(otherwise: Callable[[Reverting], object]) -> None:
    there, here = made(), made(otherwise)
    before = here.state()
    (event,) = there.revert(there.last(WORK))
    assert again(here, event, undone(there, event)) == []
    assert here.state() == before


def test_what_no_revert_left_so_here_is_not_taken_back_with_one() -> None:
    """Somebody wrote here what the item said there once it had been reverted."""
    there, here = made(), made(lambda town: edits(town, "tea", "User likes tea."))
    (event,) = there.revert(there.last(WORK))
    (back,) = there.undo()
    told = msgspec.structs.replace(here.item("tea").item, status="active")
    assert isinstance(event, ItemReverted)
    assert told.text == event.item.text
    assert there.reverted is not None
    until = there.reverted._replace(event=msgspec.structs.replace(there.reverted.event, item=told))
    assert again(here, back, until) == []


def test_where_there_is_no_such_item_nothing_comes_of_it() -> None:
    there = made()
    (event,) = there.revert(there.last(WORK))
    assert again(Reverting(), event, undone(there, event)) == []
