"""A question that got no answer is known to have got none."""

from typing import Any

import pytest

from projections.calls import calls
from projections.decisions.answer import FailTurnRequest, InterruptRequest, answer, fail_turn, interrupt_turn
from projections.events import TurnFailed, TurnInterrupted
from projections.events.values import Audience, AudienceKind, ModelUse
from projections.ids import NOBODY, EventId, Point, Ref
from projections.pending import is_settled
from projections.turns import asked_after, failure_of, turns_after
from tests.projections.test_hear import SESSION, ask
from tests.world import NOW, World, handle


def failing(world: World, **changes: Any) -> FailTurnRequest:
    """Ada's question, which no model answered."""
    asked = ask(world)
    request = FailTurnRequest(
        asked.question, SESSION, asked.place, asked.audience, asked.asker, "529: overloaded",
        ModelUse("claude", ""), NOW - 5, "I cannot think just now.",
    )  # fmt: skip
    return request._replace(**changes)


def test_a_failure_stands_by_its_question_and_in_no_window() -> None:
    world = World()
    request = failing(world)
    (event,) = world.decide(fail_turn, request)
    assert isinstance(event, TurnFailed)
    assert (event.said, event.causes, event.answers) == (NOW + 1, (request.question.id,), request.question.id)
    row = failure_of(world.rows, request.question.id)
    assert row is not None
    assert (row.said, row.error, row.told) == (NOW + 1, "529: overloaded", "I cannot think just now.")
    assert list(turns_after(world.rows, SESSION, 0, None)) == []
    assert list(asked_after(world.rows, request.asker, None)) == []


def test_it_fails_once() -> None:
    world = World()
    request = failing(world)
    world.decide(fail_turn, request)
    assert world.decide(fail_turn, request._replace(error="again")) == []


def test_what_was_answered_does_not_fail() -> None:
    world = World()
    asked = ask(world)
    world.decide(answer, asked)
    request = FailTurnRequest(
        asked.question, SESSION, asked.place, asked.audience, asked.asker, "late", ModelUse("claude", ""), NOW
    )
    assert world.decide(fail_turn, request) == []
    assert failure_of(world.rows, asked.question.id) is None


def test_a_question_that_could_not_be_recorded_is_no_cause() -> None:
    world = World()
    request = failing(world, question=Point(NOW, EventId(handle("unheard"))))
    (event,) = world.decide(fail_turn, request)
    assert event.causes == ()


def test_an_answer_that_was_broken_off_took_something_and_settles_nothing() -> None:
    world = World()
    asked = ask(world)
    call = ModelUse("claude", "1", cost_micros=7)
    request = InterruptRequest(asked.question, SESSION, asked.audience, asked.asker, call, NOW - 5)
    (event,) = world.decide(interrupt_turn, request)
    assert isinstance(event, TurnInterrupted)
    assert (event.said, event.causes, event.answers) == (NOW + 1, (asked.question.id,), asked.question.id)
    assert world.decide(interrupt_turn, request) == []
    assert not is_settled(world.rows, asked.question)
    assert len(world.decide(interrupt_turn, request._replace(said=NOW + 9))) == 1
    assert [(call.work, call.cost_micros, call.failed) for call in calls(world.rows)] == [("answer", 7, True)] * 2
    assert len(world.decide(answer, asked)) == 1


@pytest.mark.parametrize("kind", ["direct", "guild"])
def test_what_nobody_was_not_answered_took_something_all_the_same(kind: AudienceKind) -> None:
    world = World()
    audience = Audience(kind, Ref("discord", "dm:"))
    request = failing(world, asker=NOBODY, audience=audience, call=ModelUse("claude", "", cost_micros=7))
    assert len(world.decide(fail_turn, request)) == 1
    assert [call.cost_micros for call in calls(world.rows)] == [7]
