"""The circuit: open after a few failures in a row, and one ask finds out whether it can close."""

import pytest

from dnam.adapters.circuit import FAILURES, REST_SECONDS, Circuit
from dnam.model import ModelDown


class Time:
    """Seconds that pass when they are told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def opened(time: Time) -> Circuit:
    """A circuit after so many failures that it is open."""
    circuit = Circuit(time)
    for _ in range(FAILURES):
        circuit.enter()
        circuit.failed("overloaded")
        circuit.leave(probed=False)
    return circuit


def test_it_opens_after_failures_in_a_row_and_says_why_and_for_how_long() -> None:
    circuit = opened(Time())
    assert circuit.is_open
    with pytest.raises(ModelDown, match=r"down \(overloaded\); it is tried again in 30 s"):
        circuit.enter()


def test_what_works_in_between_begins_the_count_anew() -> None:
    circuit = Circuit(Time())
    for _ in range(FAILURES * 2):
        circuit.failed("overloaded")
        circuit.worked()
    assert not circuit.is_open


def test_after_a_rest_one_ask_is_let_through_and_no_other() -> None:
    time = Time()
    circuit = opened(time)
    time.now += REST_SECONDS
    assert circuit.enter()
    with pytest.raises(ModelDown):
        circuit.enter()
    circuit.worked()
    circuit.leave(probed=True)
    assert not circuit.is_open
    assert not circuit.enter()


def test_an_ask_that_finds_it_still_down_opens_it_again() -> None:
    time = Time()
    circuit = opened(time)
    time.now += REST_SECONDS
    circuit.enter()
    circuit.failed("still")
    circuit.leave(probed=True)
    with pytest.raises(ModelDown, match="still"):
        circuit.enter()
    time.now += REST_SECONDS
    assert circuit.enter()


def test_an_ask_that_is_broken_off_lets_the_next_one_find_out() -> None:
    time = Time()
    circuit = opened(time)
    time.now += REST_SECONDS
    circuit.leave(probed=circuit.enter())
    assert circuit.enter()
