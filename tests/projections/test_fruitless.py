"""Messages that were shown to a model in vain: fewer and fewer with them, and in the end none."""

import pytest

from projections.events import ExtractionAnswered, ExtractionFailed, SummaryFailed
from projections.events.values import OPERATOR, Audience, ModelUse
from projections.fruitless import FRUITLESS, SHOWN, is_last_try, is_passed_over, most_shown, passed_over, times_in_vain
from projections.ids import EventId, Point, Ref
from tests.world import NOW, World, handle

ADA = handle("ada")
ONE, TWO = EventId(b"1" * 16), EventId(b"2" * 16)
USE = ModelUse(model="m", version="1")
NO_REPLY = ModelUse(model="m", version="")
UPTO = Point(NOW, TWO)


def extraction(*shown: EventId, call: ModelUse = USE) -> ExtractionFailed:
    return ExtractionFailed(
        said=NOW, by=OPERATOR, causes=shown, owner=ADA, compartment="here", after=None, upto=UPTO, call=call,
        inputs=shown, error="no JSON",
    )  # fmt: skip


def summary(*shown: EventId, call: ModelUse = USE) -> SummaryFailed:
    return SummaryFailed(
        said=NOW, by=OPERATOR, causes=shown, session="s", audience=Audience("guild", Ref("discord", "7")), era=0,
        error="refused", after=None, upto=UPTO, call=call,
    )  # fmt: skip


def test_a_message_is_shown_with_fewer_and_fewer_and_then_no_more() -> None:
    world = World()
    shown = []
    while not is_passed_over(world.rows, "extraction", ONE):
        shown.append(most_shown(world.rows, "extraction", ONE))
        world.add(extraction(ONE, TWO))
    assert tuple(shown) == SHOWN
    assert most_shown(world.rows, "extraction", ONE) == 1


def test_many_messages_are_asked_about_as_one_is() -> None:
    world = World()
    assert not passed_over(world.rows, "extraction")(ONE)
    world.add(*(extraction(ONE) for _ in SHOWN))
    is_over = passed_over(world.rows, "extraction")
    assert (is_over(ONE), is_over(TWO)) == (True, False)
    assert not passed_over(world.rows, "summary")(ONE)


def test_only_one_message_that_was_shown_often_enough_has_its_last_try() -> None:
    world = World()
    world.add(*(extraction(ONE) for _ in SHOWN[:-2]))
    assert not is_last_try(world.rows, "extraction", (ONE,))
    world.add(extraction(ONE))
    assert is_last_try(world.rows, "extraction", (ONE,))
    assert not is_last_try(world.rows, "extraction", (TWO,))
    assert not is_last_try(world.rows, "extraction", (ONE, TWO))
    assert not is_last_try(world.rows, "summary", (ONE,))


@pytest.mark.parametrize("event", [extraction(ONE, call=NO_REPLY), summary(ONE, call=NO_REPLY)])
def test_a_call_without_a_reply_is_nobody_s_fault(event: ExtractionFailed | SummaryFailed) -> None:
    world = World()
    world.add(event)
    assert times_in_vain(world.rows, "extraction", ONE) == times_in_vain(world.rows, "summary", ONE) == 0


def test_each_kind_of_work_counts_for_itself() -> None:
    world = World()
    world.add(extraction(ONE), summary(ONE, TWO), summary(TWO, TWO))
    counts = [times_in_vain(world.rows, work, each) for each in (ONE, TWO) for work in ("extraction", "summary")]
    assert counts == [1, 1, 0, 2]


def test_what_worked_makes_no_row() -> None:
    worked = ExtractionAnswered(
        said=NOW, by=OPERATOR, causes=(ONE,), owner=ADA, compartment="here", after=None, upto=UPTO, call=USE,
        inputs=(ONE,), reply="{}",
    )  # fmt: skip
    (record,) = World().add(worked)
    assert FRUITLESS.rows(record) == []
