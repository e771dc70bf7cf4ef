"""The rest: until when a service is asked nothing, because it asked for that."""

import pytest

from dnam.adapters.rest import LONGEST_REST_SECONDS, Rest
from dnam.model import ModelDown


class Time:
    """Seconds that pass when they are told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def busy(seconds: float) -> Exception:
    return ModelDown(f"busy for {seconds:.0f} s")


def test_it_holds_until_it_is_over() -> None:
    time = Time()
    rest = Rest(time)
    rest.refuse()
    rest.ask(20, busy)
    time.now += 19
    with pytest.raises(ModelDown, match="busy for 1 s"):
        rest.refuse()
    time.now += 1
    rest.refuse()


def test_the_longer_of_two_holds_and_none_for_more_than_an_hour() -> None:
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
