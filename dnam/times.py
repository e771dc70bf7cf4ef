"""Times as people and programs read them: in a reader's zone, in UTC, and how long ago."""

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from projections.times import DAY_MS

EARLIEST_MS = -62_135_596_800_000
LATEST_MS = 253_402_300_799_999
"""The first and the last ms of the years 1 to 9999."""
OUTERMOST = (1, 9999)
"""Years in which a time of another zone may lie outside the calendar: there all zones are UTC."""
AGES = ((60_000, "minute"), (3_600_000, "hour"), (DAY_MS, "day"), (31_557_600_000, "year"))


def is_ahead(said: int, now: int) -> bool:
    """Whether a time lies more than a day in the future: no clock that is only a little wrong explains that."""
    return said > now + DAY_MS


class SystemZone(tzinfo):
    """The zone that this machine is set to, with the offset that held at each time."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        if moment is None:
            return None
        if moment.year in OUTERMOST:
            return timedelta(0)
        return moment.replace(tzinfo=None).astimezone().utcoffset()

    def dst(self, moment: datetime | None) -> None:  # noqa: ARG002 - tzinfo's words
        return None

    def tzname(self, moment: datetime | None) -> str:  # noqa: ARG002 - the signature of tzinfo
        return "this machine's time zone"

    def fromutc(self, moment: datetime) -> datetime:
        if moment.year in OUTERMOST:
            return moment
        here = moment.replace(tzinfo=UTC).astimezone()
        naive = here.replace(tzinfo=None)
        again = naive.astimezone().utcoffset() != here.utcoffset()  # the second of two such hours
        return naive.replace(tzinfo=self, fold=int(again))

    def __str__(self) -> str:
        return self.tzname(None)


def zone_of(name: str) -> tzinfo:
    """The zone of this name, as in `Europe/Berlin`; this machine's where there is none."""
    return ZoneInfo(name) if name else SystemZone()


def shown(milliseconds: int, zone: tzinfo) -> str:
    """A time for people: ISO 8601 to the minute, in their zone."""
    return _in_zone(_moment(milliseconds), zone).isoformat(" ", "minutes")


def iso(milliseconds: int | None) -> str | None:
    """A time for programs: ISO 8601 in UTC with ms."""
    if milliseconds is None:
        return None
    return _moment(milliseconds).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def age(milliseconds: int, now: int) -> str:
    """How long ago something was, in words; or how long it is until then."""
    passed = abs(now - milliseconds)
    span, word = next((each for each in reversed(AGES) if passed >= each[0]), (0, ""))
    if not span:
        return "just now"
    count = passed // span
    words = f"{count} {word}{'s' if count > 1 else ''}"
    return f"in {words}" if milliseconds > now else f"{words} ago"


def _moment(milliseconds: int) -> datetime:
    inside = min(max(milliseconds, EARLIEST_MS), LATEST_MS)
    seconds, rest = divmod(inside, 1000)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest * 1000)


def _in_zone(moment: datetime, zone: tzinfo) -> datetime:
    try:
        return moment.astimezone(zone)
    except (OverflowError, ValueError):  # the first and the last day of the calendar have no other zone
        return moment
