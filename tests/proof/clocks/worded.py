"""Moments in words, and what they mean, found without reading the words: by looking where in UTC a zone's clock shows a
time. A moment may also be one that a zone's clock never showed, or showed twice.
"""

from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from random import Random
from typing import NamedTuple
from zoneinfo import ZoneInfo

from tests.proof.clocks.lived import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, milliseconds

END = time(23, 59, 59, 999_000)


class Worded(NamedTuple):
    """What somebody asks for, in which zone, at which time (ms): any of `means` is right; none: it is to be refused.
    `seq` stands for a place in the log.
    """

    text: str
    zone: str
    now: int
    means: frozenset[int]
    seq: int | None = None
    form: str = ""


@cache
def _offsets(zone: str, day: date) -> frozenset[timedelta]:
    """Every offset that holds within two days of one."""
    noon = datetime.combine(day, time(12), UTC)
    around = (noon + timedelta(hours=hour) for hour in range(-48, 49))
    return frozenset(each.astimezone(ZoneInfo(zone)).utcoffset() or timedelta() for each in around)


def instants(naive: datetime, zone: str) -> frozenset[int]:
    """When a zone's clock shows this: never, once or twice; ms since 1970."""
    found = set[int]()
    for offset in _offsets(zone, naive.date()):
        moment = (naive - offset).replace(tzinfo=UTC)
        if moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None) == naive:
            found.add(milliseconds(moment))
    return frozenset(found)


def _once(naive: datetime, zone: str) -> frozenset[int]:
    """What a time without an offset may mean: nothing where it was shown twice."""
    found = instants(naive, zone)
    return found if len(found) == 1 else frozenset()


def _lasting(moments: frozenset[int], ms: int) -> frozenset[int]:
    """The end of what is named by its first moment, and lasts so long: a minute, or a second."""
    return frozenset(each + ms - 1 for each in moments)


def _day(day: date, zone: str) -> frozenset[int]:
    """The end of a day."""
    return frozenset(sorted(instants(datetime.combine(day, END), zone))[-1:])


def _about(naive: datetime, zone: str) -> frozenset[int]:
    """Where any reading will do: of a time that was never shown, by the offset before or behind."""
    found = instants(naive, zone)
    return found or frozenset(milliseconds((naive - each).replace(tzinfo=UTC)) for each in _offsets(zone, naive.date()))


# -- every form ----------------------------------------------------------------------------------------------------


class Asking(NamedTuple):
    """What a form is made of: a moment (ms) that it is to be near, the time it is, the zone, dice, the last import."""

    near: int
    now: int
    zone: str
    dice: Random
    size: int
    last_import: int

    @property
    def there(self) -> datetime:
        """The moment by the zone's clock, to the second."""
        return datetime.fromtimestamp(self.near // 1000, ZoneInfo(self.zone)).replace(tzinfo=None)

    @property
    def here(self) -> datetime:
        """The time it is by the zone's clock."""
        return _local(self.now, self.zone)


Means = tuple[str, frozenset[int]]


def _local(ms: int, zone: str) -> datetime:
    return (
        (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    )


def _date(asked: Asking) -> Means:
    day = asked.there.date()
    return day.isoformat(), _day(day, asked.zone)


def _week(asked: Asking) -> Means:
    year, week, day = asked.there.date().isocalendar()
    return f"{year}-W{week:02}-{day}", _day(asked.there.date(), asked.zone)


def _minute(asked: Asking) -> Means:
    naive = asked.there.replace(second=0)
    return f"{naive:%Y-%m-%d %H:%M}", _lasting(_once(naive, asked.zone), MINUTE_MS)


def _second(asked: Asking) -> Means:
    return f"{asked.there:%Y-%m-%dT%H:%M:%S}", _lasting(_once(asked.there, asked.zone), SECOND_MS)


def _skipped(asked: Asking) -> Means:
    """A time that is near a change of the clocks, if there is one."""
    naive = asked.there.replace(second=0) + timedelta(minutes=asked.dice.randrange(-90, 90))
    return f"{naive:%Y-%m-%d %H:%M}", _lasting(_once(naive, asked.zone), MINUTE_MS)


def _exactly(asked: Asking) -> Means:
    """With an offset, to the ms."""
    moment = datetime.fromtimestamp(asked.near // 1000, ZoneInfo(asked.zone)).replace(
        microsecond=asked.near % 1000 * 1000
    )
    return moment.isoformat(timespec="milliseconds"), frozenset((asked.near,))


def _zulu(asked: Asking) -> Means:
    moment = datetime.fromtimestamp(asked.near // 1000, UTC)
    return f"{moment:%Y-%m-%d %H:%M:%S}Z", _lasting(frozenset((asked.near // 1000 * 1000,)), SECOND_MS)


def _today(asked: Asking) -> Means:
    return "today", _day(asked.here.date(), asked.zone)


def _yesterday(asked: Asking) -> Means:
    return "Yesterday", _day(asked.here.date() - timedelta(days=1), asked.zone)


def _clock(asked: Asking) -> Means:
    naive = datetime.combine(asked.here.date(), asked.there.replace(second=0).time())
    return f"{naive:%H:%M}", _lasting(_once(naive, asked.zone), MINUTE_MS)


def _yesterday_at(asked: Asking) -> Means:
    naive = datetime.combine(asked.here.date() - timedelta(days=1), asked.there.time())
    return f"yesterday  {naive:%H:%M:%S}", _lasting(_once(naive, asked.zone), SECOND_MS)


def _hours_ago(asked: Asking) -> Means:
    unit, size = asked.dice.choice((("second", SECOND_MS), ("minute", MINUTE_MS), ("hour", HOUR_MS)))
    count = max((asked.now - asked.near) // size, 0)
    return f"{count} {unit}{'s' * (count != 1)} ago", frozenset((asked.now - count * size,))


def _days_ago(asked: Asking) -> Means:
    unit, days = asked.dice.choice((("day", 1), ("week", 7)))
    count = max((asked.now - asked.near) // (days * DAY_MS), 0)
    return f"{count} {unit}s ago", _about(asked.here - timedelta(days=count * days), asked.zone)


def _months_ago(asked: Asking) -> Means:
    unit, months = asked.dice.choice((("month", 1), ("year", 12)))
    count = asked.dice.randrange(1, 25 // months)
    at = asked.here.year * 12 + asked.here.month - 1 - count * months
    year, month = at // 12, at % 12 + 1
    naive = asked.here.replace(year=year, month=month, day=min(asked.here.day, monthrange(year, month)[1]))
    words = f"{'a' if asked.dice.random() < 0.5 else 1} {unit} ago" if count == 1 else f"{count} {unit}s ago"
    return words, _about(naive, asked.zone)


def _now(asked: Asking) -> Means:
    return "now", frozenset((asked.now,))


FORMS: tuple[Callable[[Asking], Means], ...] = (
    _date, _week, _minute, _second, _skipped, _exactly, _zulu, _today, _yesterday, _clock, _yesterday_at, _hours_ago,
    _days_ago, _months_ago, _now,
)  # fmt: skip


def worded(asked: Asking) -> Worded:
    """A moment in one of all forms, or as a place in the log."""
    chosen = asked.dice.randrange(len(FORMS) + 2)
    if chosen == len(FORMS):
        seq = asked.dice.randrange(asked.size + 1)
        text = asked.dice.choice(("#", "")) + str(seq)
        return Worded(text, asked.zone, asked.now, frozenset(), seq, "seq")
    if chosen == len(FORMS) + 1:
        return Worded(
            "before the last import", asked.zone, asked.now, frozenset(), asked.last_import - 1, "last_import"
        )
    text, means = FORMS[chosen](asked)
    return Worded(text, asked.zone, asked.now, means, None, FORMS[chosen].__name__.strip("_"))
