"""Trying again: how long a service asks to wait, in every way in which it may say so."""

import pytest

from dnam.adapters.tries import TRIES, first_that_works, wait_of

NOW = 784_111_770.5
"""Sun, 06 Nov 1994 08:49:30.5 GMT."""
IN_SEVEN = "Sun, 06 Nov 1994 08:49:37 GMT"


def waited(date: str = "", **headers: str) -> float | None:
    given = {name.replace("_", "-"): value for name, value in headers.items()} | ({"date": date} if date else {})
    return wait_of(given, lambda: NOW)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry_after": "7"}, 7),
        ({"retry_after": "0.25"}, 0.25),
        ({"retry_after": "0"}, 0),
        ({"retry_after_ms": "250"}, 0.25),
        ({"retry_after_ms": "250", "retry_after": "7"}, 0.25),
        ({"retry_after_ms": "soon", "retry_after": "7"}, 7),
        ({"retry_after_ms": "-1", "retry_after": IN_SEVEN}, 6.5),
    ],
)
def test_seconds_and_milliseconds(headers: dict[str, str], seconds: float | None) -> None:
    assert waited(**headers) == seconds


@pytest.mark.parametrize(
    "date",
    [
        IN_SEVEN,
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "Sun, 06 Nov 1994 09:49:37 +0100",
        "Sun, 06 Nov 1994 08:49:37 -0000",
    ],
)
def test_a_date_in_every_form_that_it_may_have(date: str) -> None:
    assert waited(retry_after=date) == 6.5


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        ("Sun, 06 Nov 1994 08:49:31 GMT", 6),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
        ("Tue, 06 Nov 1984 08:49:37 GMT", 10 * 365 * 86_400 + 2 * 86_400),
        ("yesterday", 6.5),
        ("Sun, 06 Nov 1994 08:49:38 GMT", None),
    ],
)
def test_a_date_is_held_against_the_answers_own_where_it_has_one(sent: str, seconds: float | None) -> None:
    assert waited(sent, retry_after=IN_SEVEN) == seconds


@pytest.mark.parametrize(
    "asked",
    [
        "soon",
        "-1",
        "nan",
        "inf",
        "1e400",
        "7 s",
        "Sun, 06 Nov 1994 08:49:30 GMT",
        "Sun, 31 Feb 1999 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 +9999",
        "Sun, 06 Nov 99999 08:49:37 GMT",
        "06 Nov 1994 1:2 99999999999999999999",
        "06 Nov 99999999999999999999 08:49:37 +0100",
        "2094-11-06T08:49:37Z",
    ],
)
def test_what_tells_of_no_time_ahead_is_as_if_nothing_was_asked(asked: str) -> None:
    assert waited(retry_after=asked) is None


class Service:
    """Fails so often, and notes what was waited in between."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.asked = 0
        self.waited: list[float] = []

    async def attempt(self) -> str:
        self.asked += 1
        if self.asked <= self.failures:
            raise OSError(f"it is down ({self.asked})")
        return "yes"

    def wait_after(self, error: Exception, tried: int) -> float | None:
        if tried == TRIES:
            raise TimeoutError("it stays down") from error
        return float(tried)

    async def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)


@pytest.mark.parametrize("failures", range(TRIES))
async def test_the_first_that_works_is_the_last(failures: int) -> None:
    service = Service(failures)
    assert await first_that_works(service.attempt, service.wait_after, service.sleep) == "yes"
    assert service.asked == failures + 1
    assert service.waited == [1.0, 2.0][:failures]


async def test_after_the_last_try_what_came_of_all_is_raised() -> None:
    service = Service(TRIES)
    with pytest.raises(TimeoutError, match="it stays down"):
        await first_that_works(service.attempt, service.wait_after, service.sleep)
    assert (service.asked, service.waited) == (TRIES, [1.0, 2.0])


async def test_what_is_no_fault_of_the_service_s_is_raised_as_it_is() -> None:
    service = Service(1)
    with pytest.raises(OSError, match="it is down"):
        await first_that_works(service.attempt, lambda *_: None, service.sleep)
    assert (service.asked, service.waited) == (1, [])


async def test_nobody_is_asked_without_end() -> None:
    service = Service(2 * TRIES)
    with pytest.raises(AssertionError, match="nothing to wait for"):
        await first_that_works(service.attempt, lambda *_: 0.0, service.sleep)
    assert service.asked == TRIES


def test_a_date_against_the_clock_of_this_machine() -> None:
    wait = wait_of({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"})
    assert wait is not None
    assert wait > 10**10
