"""Limits: learning stops before answers do, and a person has so many answers in a minute."""

import pytest

from projections.calls import Spent, Work
from projections.decisions.answer import answer
from projections.ids import MINUTE_MS, NOBODY
from projections.policies.budget import Budget, answered_lately, over_cost, over_turns
from tests.projections.test_hear import ask
from tests.world import World

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
    for asker, now, turns in ((request.asker, said, 1), (request.asker, said + MINUTE_MS + 1, 0), (NOBODY, said, 0)):
        assert answered_lately(world.rows, asker, now) == turns


@pytest.mark.parametrize(("turns", "limit", "stands"), [(1, 2, False), (2, 2, True), (3, 2, True), (9, 0, False)])
def test_somebody_has_so_many_answers_in_a_minute(turns: int, limit: int, stands: bool) -> None:
    over = over_turns(turns, Budget(turns_per_minute=limit))
    assert (over is not None) is stands
    if over is not None:
        assert over.reason == "a person gets 2 answers a minute at most: DNAM_TURNS_PER_MINUTE"
