"""Limits: learning stops before answers do, and a person has so many answers in a minute."""

import pytest

from projections.calls import Spent, Work
from projections.decisions.answer import answer
from projections.ids import NOBODY
from projections.policies.budget import MINUTE_MS, Budget, over_cost, over_turns
from tests.projections.test_hear import ask
from tests.world import NOW, World, handle

DAY = 7


@pytest.mark.parametrize(
    ("micros", "limit", "work", "stands"),
    [
        (10**9, 0, "answer", False),
        (799_999, 1_000_000, "extraction", False),
        (800_000, 1_000_000, "extraction", True),
        (800_000, 1_000_000, "summary", True),
        (800_000, 1_000_000, "merge", True),
        (999_999, 1_000_000, "answer", False),
        (1_000_000, 1_000_000, "answer", True),
    ],
)
def test_learning_waits_first_and_answers_later(micros: int, limit: int, work: Work, stands: bool) -> None:
    over = over_cost(Spent(DAY, micros), work, Budget(limit))
    assert (over is not None) is stands


def test_a_limit_says_what_it_is() -> None:
    learning, answering = (over_cost(Spent(DAY, 2_500_000), work, Budget(2_000_000)) for work in ("merge", "answer"))
    assert learning is not None
    assert answering is not None
    assert learning.reason == (
        "2.5000 of 2 US dollars are spent today (UTC); from 80 % on learning waits: DNAM_MAX_COST_PER_DAY"
    )
    assert answering.reason == "2.5000 of 2 US dollars are spent today (UTC): DNAM_MAX_COST_PER_DAY"
    assert "tomorrow" in answering.words


@pytest.mark.parametrize(("limit", "said"), [(1, "0.000001"), (2_500_000, "2.5"), (100_000_000, "100")])
def test_a_limit_is_said_in_digits(limit: int, said: str) -> None:
    over = over_cost(Spent(DAY, limit), "answer", Budget(limit))
    assert over is not None
    assert f" of {said} US dollars" in over.reason


def test_answers_of_the_last_minute_count() -> None:
    world = World()
    request = ask(world)
    world.decide(answer, request)
    said = request.said
    for now, limit, stands in ((said, 1, True), (said, 2, False), (said, 0, False), (said + MINUTE_MS + 1, 1, False)):
        over = over_turns(world.rows, request.asker, now, 0, Budget(turns_per_minute=limit))
        assert (over is not None) is stands, (now, limit)


def test_those_that_are_being_answered_count_too() -> None:
    world = World()
    budget = Budget(turns_per_minute=2)
    assert over_turns(world.rows, handle("kim"), NOW, 1, budget) is None
    over = over_turns(world.rows, handle("kim"), NOW, 2, budget)
    assert over is not None
    assert over.reason == "a person gets 2 answers a minute at most: DNAM_TURNS_PER_MINUTE"


def test_nobody_in_particular_has_no_limit() -> None:
    assert over_turns(World().rows, NOBODY, NOW, 9, Budget(turns_per_minute=1)) is None
