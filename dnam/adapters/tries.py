"""Trying again: how often a service is asked, and how long is waited in between.

As long as the service says, else twice as long each time. The clients' own retries are switched off: they do not listen
to what a service says, and cannot be told how to wait.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from math import inf, isnan, nan
from typing import NamedTuple, TypeVar

TRIES = 3
FIRST_WAIT_SECONDS = 0.5
LONGEST_WAIT_SECONDS = 20.0
"""Nobody waits longer than this for a next try: then the ask has failed."""
T = TypeVar("T")
WaitAfter = Callable[[Exception, int], float | None]
"""How many seconds to wait after an error, to which so many tries have come; None where that is to be raised as it is.
Where there is no next try, it raises what came of them.
"""


class Nature(NamedTuple):
    """What a test puts in the place of the world: how to wait, a clock that only goes forward, dice from 0 to 1."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    seconds: Callable[[], float] = time.monotonic
    dice: Callable[[], float] = random.random


async def first_that_works(
    attempt: Callable[[], Awaitable[T]], wait_after: WaitAfter, sleep: Callable[[float], Awaitable[None]]
) -> T:
    """What an attempt gives, once one works, within TRIES."""
    for tried in range(1, TRIES + 1):
        try:
            return await attempt()
        except Exception as error:
            wait = wait_after(error, tried)
            if wait is None:
                raise
            await sleep(wait)
    raise AssertionError("after the last try there is nothing to wait for")


def next_try(
    tried: int, asked_seconds: float | None, dice: Callable[[], float], left_seconds: float = inf
) -> float | None:
    """How long to wait for the next try, in seconds; None when there is none. `asked_seconds` is what the service asks
    for, None where it does not say; what would be over only when nothing of `left_seconds` is left is not begun.
    """
    wait = back_off(tried, dice) if asked_seconds is None else asked_seconds
    return wait if tried < TRIES and wait <= LONGEST_WAIT_SECONDS and wait < left_seconds else None


def left_of(limit: asyncio.Timeout) -> float:
    """How many seconds of a limit of time are left."""
    when = limit.when()
    return inf if when is None else when - asyncio.get_running_loop().time()


def back_off(tried: int, dice: Callable[[], float]) -> float:
    """Twice as long each time, less up to a quarter of it, so that not all who failed come back at once."""
    return float(FIRST_WAIT_SECONDS * 2 ** (tried - 1) * (1 - 0.25 * dice()))


def wait_of(headers: Mapping[str, str], now: Callable[[], float] = time.time) -> float | None:
    """How many seconds a service asks to wait, by `retry-after-ms` or `retry-after`; None where it does not, or where
    that is no time, or over already. A date is held against that of the answer, which is by the same clock, and where
    it has none against `now`, in seconds since 1970.
    """
    after = headers.get("retry-after", "")
    sent = _date(headers.get("date", ""))
    until = _date(after) - (now() if isnan(sent) else sent)
    asked = (_number(headers.get("retry-after-ms", "")) / 1000, _number(after), until)
    return next((seconds for seconds in asked if 0 <= seconds < inf), None)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return nan


def _date(text: str) -> float:
    """A date as HTTP has it, in seconds since 1970; NaN where it is none."""
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return nan
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
