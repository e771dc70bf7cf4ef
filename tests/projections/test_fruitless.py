"""Messages that were shown to a model in vain: fewer and fewer with them, and in the end none."""

import pytest

from projections.events import ExtractionAnswered, ExtractionFailed, SummaryAnswered, SummaryFailed, SummaryRefreshed
from projections.events.values import OPERATOR, Audience, ModelUse
from projections.fruitless import (
    FRUITLESS,
    SHOWN,
    Reader,
    is_last_try,
    is_passed_over,
    left_behind,
    left_by,
    most_shown,
    passed_over,
    times_in_vain,
    was_tried_behind,
)
from projections.ids import EventId, Point, Ref
from tests.world import NOW, World, handle

ADA = handle("ada")
ONE, TWO = EventId(b"1" * 16), EventId(b"2" * 16)
USE = ModelUse(model="m", version="1", prompt="p@1")
EXTRACTION, SUMMARY = Reader("extraction", "m", "p@1"), Reader("summary", "m", "p@1")
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


def replied(*shown: EventId) -> SummaryAnswered:
    return SummaryAnswered(
        said=NOW, by=OPERATOR, causes=shown, session="s", audience=Audience("guild", Ref("discord", "7")), era=0,
        reply="They talked.", after=None, upto=UPTO, call=USE,
    )  # fmt: skip


def refreshed(reply: EventId) -> SummaryRefreshed:
    return SummaryRefreshed(
        said=NOW, by=OPERATOR, causes=(reply,), session="s", audience=Audience("guild", Ref("discord", "7")), era=0,
        text="They talked.", refresh=1, after=None, upto=UPTO, covered=1, call=USE,
    )  # fmt: skip


WORKED = ExtractionAnswered(
    said=NOW, by=OPERATOR, causes=(ONE,), owner=ADA, compartment="here", after=None, upto=UPTO, call=USE,
    inputs=(ONE,), reply="{}",
)  # fmt: skip


def test_a_message_is_shown_with_fewer_and_fewer_and_then_no_more() -> None:
    world = World()
    shown = []
    while not is_passed_over(world.rows, EXTRACTION, ONE):
        shown.append(most_shown(world.rows, EXTRACTION, ONE))
        world.add(extraction(ONE, TWO))
    assert tuple(shown) == SHOWN
    assert most_shown(world.rows, EXTRACTION, ONE) == 1


def test_many_messages_are_asked_about_as_one_is() -> None:
    world = World()
    assert not passed_over(world.rows, EXTRACTION)(ONE)
    world.add(*(extraction(ONE) for _ in SHOWN))
    is_over = passed_over(world.rows, EXTRACTION)
    assert (is_over(ONE), is_over(TWO)) == (True, False)
    assert not passed_over(world.rows, SUMMARY)(ONE)


def test_what_was_tried_behind_an_event_is_known() -> None:
    world = World()
    world.add(extraction(ONE), summary(TWO))
    tried = [
        (each, seq) for each in (ONE, TWO) for seq in (0, 1) if was_tried_behind(world.rows, EXTRACTION, each, seq)
    ]
    assert tried == [(ONE, 0)]


def test_only_one_message_that_was_shown_often_enough_has_its_last_try() -> None:
    world = World()
    world.add(*(extraction(ONE) for _ in SHOWN[:-2]))
    assert not is_last_try(world.rows, EXTRACTION, (ONE,))
    world.add(extraction(ONE))
    assert is_last_try(world.rows, EXTRACTION, (ONE,))
    assert not is_last_try(world.rows, EXTRACTION, (TWO,))
    assert not is_last_try(world.rows, EXTRACTION, (ONE, TWO))
    assert not is_last_try(world.rows, SUMMARY, (ONE,))


@pytest.mark.parametrize("event", [extraction(ONE, call=NO_REPLY), summary(ONE, call=NO_REPLY)])
def test_a_call_without_a_reply_is_nobody_s_fault(event: ExtractionFailed | SummaryFailed) -> None:
    world = World()
    world.add(event)
    assert times_in_vain(world.rows, EXTRACTION, ONE) == times_in_vain(world.rows, SUMMARY, ONE) == 0


def test_each_kind_of_work_counts_for_itself() -> None:
    world = World()
    world.add(extraction(ONE), summary(ONE, TWO), summary(TWO, TWO))
    counts = [times_in_vain(world.rows, work, each) for each in (ONE, TWO) for work in (EXTRACTION, SUMMARY)]
    assert counts == [1, 1, 0, 2]


@pytest.mark.parametrize(
    ("other", "count"),
    [
        (EXTRACTION, 1),
        (EXTRACTION._replace(model="another"), 0),
        (EXTRACTION._replace(prompt="p@2"), 0),
        (EXTRACTION._replace(model="m-20260101"), 1),
        (Reader("extraction"), 1),
        (Reader("summary"), 0),
    ],
)
def test_each_model_and_each_prompt_counts_for_itself(other: Reader, count: int) -> None:
    world = World()
    world.add(extraction(ONE))
    assert times_in_vain(world.rows, other, ONE) == count


def test_what_one_passed_over_is_shown_to_another_as_if_it_had_been_shown_to_nobody() -> None:
    world = World()
    world.add(*(extraction(ONE) for _ in SHOWN))
    another = EXTRACTION._replace(model="another")
    assert (passed_over(world.rows, EXTRACTION)(ONE), passed_over(world.rows, another)(ONE)) == (True, False)
    assert (most_shown(world.rows, EXTRACTION, ONE), most_shown(world.rows, another, ONE)) == (SHOWN[-1], SHOWN[0])


def test_what_is_asked_for_once_more_is_still_a_last_try() -> None:
    world = World()
    world.add(*(extraction(ONE) for _ in (*SHOWN, *SHOWN)))
    assert is_last_try(world.rows, EXTRACTION, (ONE,))


def test_what_is_left_behind_is_told_of_until_somebody_has_read_it() -> None:
    world = World()
    dated = ModelUse(model="m-20260101", version="1", prompt="p@1")
    world.add(*(extraction(ONE, TWO) for _ in SHOWN[1:]), extraction(ONE, call=dated))
    world.add(*(summary(TWO) for _ in SHOWN))
    assert left_behind(world.rows) == [(ONE, EXTRACTION), (TWO, SUMMARY)]
    world.add(WORKED)
    assert left_by(world.rows, ONE) == []
    assert left_behind(world.rows) == [(TWO, SUMMARY)]
    (answered,) = world.add(replied(TWO))
    assert left_by(world.rows, TWO) == [SUMMARY]
    (shorter,) = world.add(replied(answered.id))
    assert left_by(world.rows, TWO) == [SUMMARY]
    world.add(refreshed(shorter.id))
    assert left_behind(world.rows) == []


def test_what_worked_makes_no_row() -> None:
    (record,) = World().add(WORKED)
    assert FRUITLESS.rows(record) == []
