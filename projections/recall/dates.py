"""The dates that a text names: months, years, and days of a month.

    a month     by its name; one that is a verb as well, or is cut short, only where it can be nothing else
    a day       a number beside a month or behind "on the", and "the 13th" where nothing is named that it counts
    a year      four digits from 1900 to 2099
    in digits   2024-05-13, 13.5.2024, 5/13/2024; of 5/6/2024 nobody knows which is the month, and either may be

Any other number is no day: most of them count something.
"""

import re
from collections.abc import Iterator, Sequence

from projections.recall.dated import Dates
from projections.recall.english import (
    ALSO_VERBS,
    BEFORE_MONTHS,
    BETWEEN_DAYS,
    MONTHS,
    OF_MONTH,
    ON_DAY,
    ORDINALS,
    SHORT_MONTHS,
    THE_DAY,
)

_NUMBERS = {name: number for names in (MONTHS, SHORT_MONTHS) for number, name in enumerate(names, 1) if name}
_SURE = frozenset(MONTHS) - ALSO_VERBS
_YEAR = r"(?:19|20)[0-9]{2}"
_DAY = r"(?:3[01]|[12][0-9]|0?[1-9])"
_NTH = rf"{_DAY}(?:{'|'.join(ORDINALS)})"
_DAYS = rf"(?:{_NTH}|{_DAY})(?:\s*(?:[-–,&]|{'|'.join(BETWEEN_DAYS)})\s*(?:{_NTH}|{_DAY})){{0,3}}"
"""One day, or up to four in a row: without an end to them a list of numbers would be read once from each of them."""
_ENDS = r"(?![\w:%]|[./-][0-9])"
_NAMED = re.compile(
    rf"(?:(?<![\w.:/$-]){_DAYS}\.?\s+(?:{OF_MONTH}\s+)?|(?<!\w){_YEAR}\s+)?"
    rf"(?<!\w)(?P<month>{'|'.join(_NUMBERS)})(?!\w)\.?"
    rf"(?:\s+(?:{THE_DAY}\s+)?{_DAYS}{_ENDS}|,?\s+(?:{OF_MONTH}\s+)?{_YEAR}{_ENDS})?"
)
"""A month, with the days or the year beside it."""
_BEHIND = re.compile(rf"(?<!\w)(?:{'|'.join(BEFORE_MONTHS)})\s+({'|'.join(sorted(ALSO_VERBS))})(?!\w)")
_ALONE = re.compile(rf"(?<!\w)(?:{ON_DAY}\s+{_DAYS}{_ENDS}|{THE_DAY}\s+{_NTH}(?=\s*(?:[^\w\s]|$)))")
"""Days without a month."""
_IN_DIGITS = re.compile(
    rf"(?<![\w.:/-])(?:{_YEAR}-[01][0-9]-[0-3][0-9](?![0-9])|"
    rf"{_DAY}(?P<sign>[./]){_DAY}(?P=sign){_YEAR}(?!\w))"
)
_DIGIT = re.compile("[0-9]")
_ONE_OR_TWO = re.compile(r"(?<![0-9])[0-9]{1,2}(?![0-9])")


def dates_in(flat: str, said: Sequence[str]) -> Dates:
    """The dates that a folded text names, of which these are the words."""
    if _NUMBERS.keys().isdisjoint(said) and not _DIGIT.search(flat):  # as in nearly all of them
        return Dates()
    months, days = set[int](), set[int]()
    for found in _NAMED.finditer(flat):
        days.update(_numbers(found[0]))
        if found["month"] in _SURE or any(map(str.isdecimal, found[0])):
            months.add(_NUMBERS[found["month"]])
    months.update(_NUMBERS[each] for each in _BEHIND.findall(flat))
    for found in _ALONE.finditer(flat):
        days.update(_numbers(found[0]))
    for month, day in _in_digits(flat):
        if 1 <= month <= 12 and 1 <= day <= 31:
            months.add(month)
            days.add(day)
    years = frozenset(int(each) for each in said if re.fullmatch(_YEAR, each))
    return Dates(frozenset(months), years, frozenset(days))


def _in_digits(flat: str) -> Iterator[tuple[int, int]]:
    """Month and day of each date in digits, as it may be read."""
    for found in _IN_DIGITS.finditer(flat):
        first, second = _numbers(found[0])
        yield (second, first) if found["sign"] else (first, second)
        if found["sign"] == "/":
            yield first, second


def _numbers(text: str) -> Iterator[int]:
    return map(int, _ONE_OR_TWO.findall(text))
