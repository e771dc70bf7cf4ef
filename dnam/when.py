"""A moment in somebody's words, and what it means in the log.

    when     = seq | "now" | date | date time | day [time] | time | count unit "ago" | "before the last import"
    seq      = "1042" | "#1042"        digits alone are never a year or a day; where they may be meant for one, that is
                                       noted, so that whoever asked is told what they were taken for
    date     = "2026-03-06"            its end: what was known when the day was over
    time     = "18:00" | "18:00:30"    with a zone (`+02:00`, `Z`) or in the reader's; its end, as of a date: when the
                                       minute, or the second, was over. With a fraction of a second it is exactly that.
    day      = "today" | "yesterday"
    unit     = second(s) | minute(s) | hour(s) | day(s) | week(s) | month(s) | year(s)

Reading is pure: the time it is, and the reader's zone, are handed in.
"""

import re
from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple

from projections.errors import BadRequest
from projections.quoting import in_quotes

LONGEST = 64
"""Longer than any moment in words, in characters."""
LAST_IMPORT = "before the last import"
QUOTES = "'\"`"
"""A moment may stand in them."""
EXAMPLES = "as in 1042, 2026-03-06, '2026-03-06 18:00', 'yesterday 18:00', '3 days ago', 'before the last import'"
_DAYS_BACK = {"today": 0, "yesterday": 1}
_SECONDS = {"second": 1, "minute": 60, "hour": 3600}
_DAYS = {"day": 1, "week": 7}
_MONTHS = {"month": 1, "year": 12}
_AGO = re.compile(r"(\d{1,9}|an?) (second|minute|hour|day|week|month|year)s? ago")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_SEQ = re.compile(r"#?(\d{1,18})")
_ISO_DATE = re.compile(r"\d{4}(-\d{2}-\d{2}|-w\d{2}(-\d)?|\d{4}|w\d{2}\d?)")
_ZONE = re.compile(r"(z|[+-].*)$")
_LASTS = {2: 3_600_000, 4: 60_000, 6: 1_000}
"""How long that is which so many digits of a clock name, in ms: an hour, a minute, a second."""
_END_OF_DAY = time(23, 59, 59, 999_000)


_FIRST_YEAR = 1970
"""Of an earlier one nobody says anything: from then on four digits may be meant for a year."""


class When(NamedTuple):
    """What somebody meant: a seq, a time (ms since 1970, that ms included), or the last import.

    `alike`: of a seq that may be meant for a year or a day, how its end, or that day, is given.
    """

    seq: int | None = None
    ms: int | None = None
    last_import: bool = False
    alike: str = ""

    @property
    def taken_for(self) -> str:
        """What a seq was taken for that may be meant for something else, in words; empty where nothing is."""
        return f"a number alone is taken for a seq; a date is written as {self.alike}" if self.alike else ""


def read_when(text: str, now: datetime, zone: tzinfo) -> When:
    """The moment that a text names. `now` is aware. BadRequest for what is no moment, or is none or two in the zone."""
    words = " ".join(text.split()).casefold()
    if len(words) > 2 and words[0] == words[-1] and words[0] in QUOTES:  # as the examples are written, for a shell
        words = words[1:-1].strip()
    if len(words) > LONGEST:
        raise _unreadable(f"{text[:LONGEST]}…")
    seq = _SEQ.fullmatch(words)
    if seq and not _is_date(words):
        return When(seq=int(seq[1]), alike=_alike(words, now.astimezone(zone).year))
    if words == LAST_IMPORT:
        return When(last_import=True)
    return When(ms=_ms(_moment(text, words, now, zone)) + _lasts(words))


def _alike(digits: str, this_year: int) -> str:
    """The last day of the year, or the day, that a number may be meant for; empty for all others, and behind a `#`."""
    if len(digits) not in (4, 8) or not digits.isdigit() or not _FIRST_YEAR <= int(digits[:4]) <= this_year:
        return ""
    try:
        return date.fromisoformat(digits if len(digits) == 8 else f"{digits}1231").isoformat()
    except ValueError:
        return ""


def _lasts(words: str) -> int:
    """How long after its first ms that is over which a time names; nothing where there is none, or a fraction."""
    clock = words.rpartition(" ")[2]
    if not _CLOCK.fullmatch(clock):
        clock = _ZONE.sub("", _behind_date(words))
    found = _CLOCK.fullmatch(clock)
    if found is not None:
        return _LASTS[6 if found[3] else 4] - 1
    return _LASTS.get(len(clock.replace(":", "")), 1) - 1


def _behind_date(words: str) -> str:
    """What stands behind a date of ISO 8601 and one sign; empty where there is no such date."""
    found = _ISO_DATE.match(words)
    return words[found.end() + 1 :] if found else ""


def _ms(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def _moment(text: str, words: str, now: datetime, zone: tzinfo) -> datetime:
    if words == "now":
        return now
    ago = _AGO.fullmatch(words)
    if ago:
        return _before(text, now, int(ago[1]) if ago[1].isdigit() else 1, ago[2], zone)
    day, _, rest = words.partition(" ")
    if day in _DAYS_BACK:
        today = now.astimezone(zone).date() - timedelta(days=_DAYS_BACK[day])
        return _on(text, today, rest, zone)
    if _CLOCK.fullmatch(words):
        return _on(text, now.astimezone(zone).date(), words, zone)
    return _iso(text, words, zone)


def _before(text: str, now: datetime, number: int, unit: str, zone: tzinfo) -> datetime:
    """So many units ago: hours pass alike everywhere, days are counted on the reader's calendar."""
    try:
        if unit in _SECONDS:
            return now - timedelta(seconds=number * _SECONDS[unit])
        here = now.astimezone(zone)
        if unit in _DAYS:
            return here - timedelta(days=number * _DAYS[unit])
        return _months_before(here, number * _MONTHS[unit])
    except (OverflowError, ValueError) as error:
        raise BadRequest(f"{in_quotes(text)} is before the calendar begins") from error


def _months_before(now: datetime, months: int) -> datetime:
    """The same day of an earlier month, or its last where it has no such day."""
    at = now.year * 12 + now.month - 1 - months
    year, month = at // 12, at % 12 + 1
    return now.replace(year=year, month=month, day=min(now.day, monthrange(year, month)[1]))


def _on(text: str, day: date, clock: str, zone: tzinfo) -> datetime:
    """A time of a day; without one, the end of it."""
    if not clock:
        return _end_of(text, day, zone)
    found = _CLOCK.fullmatch(clock)
    if not found:
        raise _unreadable(text)
    try:
        at = time(int(found[1]), int(found[2]), int(found[3] or 0))
    except ValueError as error:
        raise _unreadable(text) from error
    return _local(text, datetime.combine(day, at), zone)


def _end_of(text: str, day: date, zone: tzinfo) -> datetime:
    """When a day is over: the second time that its last ms is shown, where the clocks are put back at midnight."""
    first, second = (datetime.combine(day, _END_OF_DAY, zone).replace(fold=fold) for fold in (0, 1))
    if first.utcoffset() != second.utcoffset() and second.astimezone(UTC).astimezone(zone).date() != day:
        raise BadRequest(f"{in_quotes(text)} never ended in {zone}: the clocks were put forward over it")
    return second


def _iso(text: str, words: str, zone: tzinfo) -> datetime:
    try:
        if _is_date(words):
            return _on(text, date.fromisoformat(words.upper()), "", zone)
        moment = datetime.fromisoformat(words.upper())
    except (ValueError, OverflowError) as error:
        raise _unreadable(text) from error
    return moment if moment.tzinfo is not None else _local(text, moment, zone)


def _is_date(words: str) -> bool:
    """Whether this is a day by ISO 8601: `2026-03-06`, `2026-W10-5`. Eight digits alone are a seq."""
    try:
        date.fromisoformat(words.upper())
    except ValueError:
        return False
    return "-" in words


def _local(text: str, naive: datetime, zone: tzinfo) -> datetime:
    """A time of the reader's zone, which clocks that are put forward or back may have skipped or shown twice."""
    first, second = (naive.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return first
    if first.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != naive:
        raise BadRequest(f"{in_quotes(text)} never was in {zone}: the clocks were put forward over it")
    offsets = " or ".join(f"{each:%z}"[:3] + ":" + f"{each:%z}"[3:] for each in (first, second))
    raise BadRequest(f"{in_quotes(text)} was twice in {zone}, as the clocks were put back: add {offsets}")


def _unreadable(text: str) -> BadRequest:
    return BadRequest(f"{in_quotes(text)} is no moment that I can read; give one {EXAMPLES}")
