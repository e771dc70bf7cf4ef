"""The circuit: open after a few failures in a row, and one ask finds out whether it can close."""

import pytest

from dnam.adapters.circuit import FAILURES, LONGEST_REST_SECONDS, REST_SECONDS, Circuit, Rest
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


def busy(seconds: float) -> Exception:
    return ModelDown(f"busy for {seconds:.0f} s")


def test_a_rest_holds_for_all_circuits_of_a_service_whatever_works_meanwhile() -> None:
    time = Time()
    rest = Rest(time)
    one, other = Circuit(time, rest=rest), Circuit(time, rest=rest)
    one.rest.ask(20, busy)
    one.worked()
    for each in (one, other):
        with pytest.raises(ModelDown, match="busy for 20 s"):
            each.enter()
        assert not each.is_open
    time.now += 20
    assert not other.enter()


def test_the_longer_of_two_rests_holds_and_none_for_more_than_an_hour() -> None:
    time = Time()
    rest = Rest(time)
    rest.ask(20, busy)
    rest.ask(5, busy)
    with pytest.raises(ModelDown, match="busy for 20 s"):
        rest.refuse()
    rest.ask(10**6, busy)
    time.now += LONGEST_REST_SECONDS - 1
    with pytest.raises(ModelDown, match="busy for 1 s"):
        rest.refuse()
    time.now += 1
    rest.refuse()
