"""What was said at the dates that a question names."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from projections.recall.bm25 import Longs
from projections.recall.columns import Flags

Days = npt.NDArray[np.datetime64]


class Date(NamedTuple):
    """What a question names of a date, as one may read it: any of its months with any of its years and any of its days
    of the month, each perhaps none.
    """

    months: frozenset[int] = frozenset()
    years: frozenset[int] = frozenset()
    days: frozenset[int] = frozenset()


Dates = tuple[Date, ...]
"""Each is one by itself: of two, the day of one and the month of the other are none."""


def days_of(said: Longs) -> Days:
    """On which day each was said (ms), in UTC."""
    return said.astype("datetime64[ms]").astype("datetime64[D]")


def named(days: Days, dates: Dates) -> Longs:
    """How many of month, year and day of the month each has of the date of which it has most."""
    found = np.zeros(len(days), np.int64)
    for each in _of_each(days, dates):
        np.maximum(found, each, out=found)
    return found


def named_in_full(days: Days, dates: Dates) -> Flags:
    """Which have all that is named of one of the dates."""
    found = np.zeros(len(days), np.bool_)
    for date, each in zip(dates, _of_each(days, dates), strict=True):
        found |= each == sum(map(bool, date))
    return found


def _of_each(days: Days, dates: Dates) -> Iterator[Longs]:
    """How many of the three the days have of each date."""
    parts = _Parts(days)
    for date in dates:
        found = np.zeros(len(days), np.int64)
        if date.months:
            found += _is_any(parts.months, date.months)
        if date.years:
            found += _is_any(parts.years, date.years)
        if date.days:
            found += _is_any(parts.days, date.days)
        yield found


class _Parts:
    """The months, the years and the days of the month of many days, each reckoned once and only where it is wanted."""

    def __init__(self, days: Days) -> None:
        self._days = days

    @cached_property
    def months(self) -> Longs:
        months: Longs = self._days.astype("datetime64[M]").astype(np.int64) % 12 + 1
        return months

    @cached_property
    def years(self) -> Longs:
        return self._days.astype("datetime64[Y]").astype(np.int64) + 1970

    @cached_property
    def days(self) -> Longs:
        days: Longs = (self._days - self._days.astype("datetime64[M]")).astype(np.int64) + 1
        return days


def _is_any(of: Longs, named_of_it: frozenset[int]) -> Flags:
    """Which are among those that are named, nearly always one."""
    is_first: Flags = of == next(iter(named_of_it))
    return is_first if len(named_of_it) == 1 else np.isin(of, list(named_of_it))
