"""What was said at the dates that a question names."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from projections.recall.bm25 import Longs
from projections.recall.columns import Flags


class Dates(NamedTuple):
    """What a question names of a date, each perhaps none."""

    months: frozenset[int] = frozenset()
    years: frozenset[int] = frozenset()
    days: frozenset[int] = frozenset()


def named(said: Longs, dates: Dates) -> Longs:
    """How many of month, year and day of the month a question names of when each was said (ms), in UTC."""
    return named_of(said.astype("datetime64[ms]").astype("datetime64[D]"), dates)


def named_of(days: npt.NDArray[np.datetime64], dates: Dates) -> Longs:
    """The same of days (since 1970, as numpy has them)."""
    months = days.astype("datetime64[M]")
    found = np.zeros(len(days), np.int64)
    if dates.months:
        found += _is_any(months.astype(np.int64) % 12 + 1, dates.months)
    if dates.years:
        found += _is_any(days.astype("datetime64[Y]").astype(np.int64) + 1970, dates.years)
    if dates.days:
        found += _is_any((days - months).astype(np.int64) + 1, dates.days)
    return found


def most_named(dates: Dates) -> int:
    """How many of the three a question names."""
    return sum(map(bool, dates))


def _is_any(of: Longs, named: frozenset[int]) -> Flags:
    """Which are among those that are named, nearly always one."""
    is_first: Flags = of == next(iter(named))
    return is_first if len(named) == 1 else np.isin(of, list(named))
