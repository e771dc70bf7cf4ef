"""The dates that a text names: months, years, and days of a month.

    a month     by its name; one that is a verb as well, or is cut short, only where it can be nothing else
    a day       a number beside a month or behind "on the", and "the 13th" where nothing is named that it counts
    a year      four digits from 1900 to 2099
    in digits   2024-05-13, 2024/5/13, 13.5.2024, 5/13/2024; of 5/6/2024 nobody knows which is the month, and it is read
                either way

Any other number is no day: most of them count something.

What stands together is one date: of "5 May 2025 and 6 June 2025" neither is 6 May. A day that stands alone is of the
months that are named without one ("in May, on the 13th"), or else of any. What has no year is of those that stand
alone, or else of any; and a year that stands alone is a date only where nothing takes it.
"""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from typing import NamedTuple

from projections.recall.dated import Date, Dates
from projections.recall.english import (
    ALSO_VERBS,
    BEFORE_MONTHS,
    BETWEEN_DAYS,
    MONTHS,
    NUMBERS,
    OF_MONTH,
    ON_DAY,
    ORDINALS,
    THE_DAY,
)

_SURE = frozenset(MONTHS) - ALSO_VERBS
_YEAR = r"(?:19|20)[0-9]{2}"
_DAY = r"(?:3[01]|[12][0-9]|0?[1-9])"
_NTH = rf"{_DAY}(?:{'|'.join(ORDINALS)})"
_DAYS = rf"(?:{_NTH}|{_DAY})(?:\s*(?:[-–,&]|{'|'.join(BETWEEN_DAYS)})\s*(?:{_NTH}|{_DAY})){{0,3}}"
"""One day, or up to four in a row: without an end to them a list of numbers would be read once from each of them."""
_ENDS = r"(?![\w:%]|[./-][0-9])"
_BESIDE = rf",?\s+(?:{OF_MONTH}\s+)?{_YEAR}{_ENDS}"
_NAMED = re.compile(
    rf"(?:(?<![\w.:/$-])(?P<before>{_DAYS})\.?\s+(?:{OF_MONTH}\s+)?|(?<!\w){_YEAR}\s+)?"
    rf"(?<!\w)(?P<month>{'|'.join(NUMBERS)})(?!\w)\.?"
    rf"(?(before)|(?:\s+(?:{THE_DAY}\s+)?{_DAYS}{_ENDS})?)(?:{_BESIDE})?"
)
"""A month, with the days before or behind it and the year beside it."""
_BEHIND = re.compile(rf"(?<!\w)(?:{'|'.join(BEFORE_MONTHS)})\s+({'|'.join(sorted(ALSO_VERBS))})(?!\w)")
_ALONE = re.compile(rf"(?<!\w)(?:{ON_DAY}\s+{_DAYS}{_ENDS}|{THE_DAY}\s+{_NTH}(?=\s*(?:[^\w\s]|$)))")
"""Days without a month."""
_IN_DIGITS = re.compile(
    rf"(?<![\w.:/-])(?:{_YEAR}(?P<apart>[-/])[01]?[0-9](?P=apart)[0-3]?[0-9](?![0-9])|"
    rf"{_DAY}(?P<sign>[./]){_DAY}(?P=sign){_YEAR}(?!\w))"
)
_DIGIT = re.compile("[0-9]")
_ONE_OR_TWO = re.compile(r"(?<![0-9])[0-9]{1,2}(?![0-9])")
_FOUR = re.compile(rf"(?<![0-9]){_YEAR}(?![0-9])")
MOST = 16
"""So many dates of a text are looked at, the first of them: a list of more is no question."""


class Named(NamedTuple):
    """The dates of a text, and how they stand there: `days` is all that tells a day, and `others` the rest, but for
    years that stand alone and are no part of a day.
    """

    dates: Dates = ()
    days: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


class _Piece(NamedTuple):
    """Where a date begins in a text, how it stands there, and how it may be read."""

    start: int
    text: str
    readings: Dates

    @property
    def has_day(self) -> bool:
        return any(each.days for each in self.readings)


def dates_in(flat: str, said: Sequence[str]) -> Named:
    """The dates that a folded text names, of which these are the words."""
    if NUMBERS.keys().isdisjoint(said) and not _DIGIT.search(flat):  # as in nearly all of them
        return Named()
    pieces, alone = _pieces(flat)
    years = [each for each in said if re.fullmatch(_YEAR, each)]
    apart = Counter(years) - Counter(year for piece in pieces for year in _FOUR.findall(piece.text))
    dates = _with_days([reading for piece in pieces for reading in piece.readings], alone)
    standing = [(piece.text, piece.has_day) for piece in (*pieces, *alone)]
    standing += [(year, True) for year in apart.elements() if any(each.days for each in dates if not each.years)]
    return Named(
        tuple(dict.fromkeys(_with_years(dates, apart, years)))[:MOST],
        tuple(text for text, has_day in standing if has_day),
        tuple(text for text, has_day in standing if not has_day),
    )


def _pieces(flat: str) -> tuple[list[_Piece], list[_Piece]]:
    """The dates of a text as they stand there, and the days that stand alone."""
    in_digits, left = _taken(_IN_DIGITS, flat, _in_digits)
    behind = {each.start(1) for each in _BEHIND.finditer(left)}
    with_month, left = _taken(_NAMED, left, lambda found: _with_month(found, behind))
    alone, _ = _taken(_ALONE, left, lambda found: (Date(days=_days_in(found[0])),))
    return sorted(in_digits + with_month), alone


def _taken(pattern: re.Pattern[str], text: str, read: Callable[[re.Match[str]], Dates]) -> tuple[list[_Piece], str]:
    """The dates by one pattern, and the text with nothing in their place that is read once more."""
    taken: list[_Piece] = []

    def take(found: re.Match[str]) -> str:
        readings = read(found)
        if not readings:
            return found[0]
        taken.append(_Piece(found.start(), found[0], readings))
        return "_" * len(found[0])

    return taken, pattern.sub(take, text)


def _in_digits(found: re.Match[str]) -> Dates:
    """A date in digits, as it may be read."""
    first, second = map(int, _ONE_OR_TWO.findall(found[0]))
    by_sign = {None: [(first, second)], ".": [(second, first)], "/": [(first, second), (second, first)]}
    years, either = _years_in(found[0]), by_sign[found["sign"]]
    return tuple(
        Date(frozenset((month,)), years, frozenset((day,)))
        for month, day in either
        if 1 <= month <= 12 and 1 <= day <= 31
    )


def _with_month(found: re.Match[str], behind: Container[int]) -> Dates:
    """A month that can be nothing else, and what stands beside it."""
    is_sure = found["month"] in _SURE or found.start("month") in behind
    if not is_sure and not any(map(str.isdecimal, found[0])):
        return ()
    return (Date(frozenset((NUMBERS[found["month"]],)), _years_in(found[0]), _days_in(found[0])),)


def _with_days(dates: list[Date], alone: list[_Piece]) -> list[Date]:
    """The same with the days that stand alone."""
    if not alone:
        return dates
    days = frozenset(day for piece in alone for reading in piece.readings for day in reading.days)
    whole = [each for each in dates if each.days]
    taking = [each for each in dates if not each.days] or whole or [Date()]
    return [*whole, *(each._replace(days=days) for each in taking)]


def _with_years(dates: list[Date], apart: Iterable[str], named: Iterable[str]) -> list[Date]:
    """The same with years where they have none: those that stand apart from all of them, or else any."""
    years = _years(apart)
    if years and all(each.years for each in dates):
        return [*dates, Date(years=years)]
    return [each if each.years else each._replace(years=years or _years(named)) for each in dates]


def _years(found: Iterable[str]) -> frozenset[int]:
    return frozenset(map(int, found))


def _days_in(text: str) -> frozenset[int]:
    return frozenset(map(int, _ONE_OR_TWO.findall(text)))


def _years_in(text: str) -> frozenset[int]:
    return _years(_FOUR.findall(text))
