"""A life by a clock that cannot be trusted: it jumps back by hours and ahead by months, meets leap days, ends of months
and years, and changes of the clocks in several zones; what was said years ago comes in late, and some of it is taken
back: messages lose their words, people are erased.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from operator import attrgetter
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from projections.decisions.draft import Decision
from projections.events import ErasureCompleted, ImportBegan, MessageRedacted, PersonErased
from projections.fold import Record
from replay import codec
from replay.clock import CLOCK_NOTE, instant_of, note_accepted
from replay.engine import Engine
from replay.errors import ClockJumped
from tests.generator import fixed_story
from tests.replay.stage import ADA, KIM, FakeClock, living, readable, says

ZONES = (
    "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Santiago",
    "Africa/Cairo", "Pacific/Chatham", "America/St_Johns", "Asia/Beirut",
)  # fmt: skip
"""Whose clocks change by an hour or half of one, at night or at midnight, or never."""
BEGINS = datetime(2027, 12, 30, 12, tzinfo=UTC)
"""Two months before a leap day."""
SECOND_MS = 1000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
WEEK_MS = 7 * DAY_MS
LONGEST_MS = 20 * 365 * DAY_MS
"""No life is longer."""


class Stored(NamedTuple):
    """What the log has of every event, also of one whose body is gone."""

    seq: int
    at: int
    tag: str


class Life(NamedTuple):
    """What was recorded, in order, and of it what can still be read; with how many jumps of each kind; whether each was
    recorded at the clock's time, or at the last one's where that is later; where the decision of each event ends.
    """

    stored: tuple[Stored, ...]
    records: tuple[Record, ...]
    back: int
    ahead: int
    refused: int
    wrong: tuple[str, ...]
    ends: dict[int, int]

    def of(self, *kinds: type[MessageRedacted | PersonErased | ErasureCompleted | ImportBegan]) -> list[Stored]:
        """The events of these kinds."""
        tags = {kind.TAG for kind in kinds}
        return [each for each in self.stored if each.tag in tags]

    def gone(self) -> list[int]:
        """The events that cannot be read any more."""
        return sorted({each.seq for each in self.stored} - {each.seq for each in self.records})

    @property
    def last_import(self) -> int:
        """Its first event; 0 where there was none."""
        return max((each.seq for each in self.of(ImportBegan)), default=0)


def milliseconds(moment: datetime) -> int:
    """Since 1970."""
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


Kind = Literal["leap day", "change", "month"]


class Turn(NamedTuple):
    """A moment (ms) at which a leap day begins or ends in a zone, its clocks change, or a month begins there."""

    ms: int
    zone: str
    kind: Kind


def turning_points(first: int, last: int) -> list[Turn]:
    """Those of a stretch of time in all zones, the soonest first."""
    found = (turn for zone in ZONES for turn in (*_midnights(first, last, zone), *_changes(first, last, zone)))
    return sorted(turn for turn in found if first <= turn.ms < last)


def _midnights(first: int, last: int, zone: str) -> Iterator[Turn]:
    from_year, last_year = (datetime.fromtimestamp(ms / 1000, UTC).year for ms in (first - DAY_MS, last + DAY_MS))
    for year in range(from_year, last_year + 1):
        for month in range(1, 13):
            yield Turn(_midnight(year, month, 1, zone), zone, "month")
        if year % 4 == 0 and (year % 100 or year % 400 == 0):
            yield from (Turn(_midnight(year, *day, zone), zone, "leap day") for day in ((2, 29), (3, 1)))


def _midnight(year: int, month: int, day: int, zone: str) -> int:
    return milliseconds(datetime(year, month, day, tzinfo=ZoneInfo(zone)).astimezone(UTC))


def _changes(first: int, last: int, zone: str) -> Iterator[Turn]:
    """Found to the minute; no zone changes its clocks twice a week."""
    offset = partial(_offset, zone)
    for ms in range(first - first % MINUTE_MS, last, WEEK_MS):
        minutes = range(ms, ms + WEEK_MS + 1, MINUTE_MS)
        if offset(minutes[-1]) != offset(ms):
            yield Turn(minutes[bisect_left(minutes, True, key=partial(_is_unlike, offset(ms), offset))], zone, "change")


def _is_unlike(before: timedelta | None, offset: Callable[[int], timedelta | None], ms: int) -> bool:
    return offset(ms) != before


def _offset(zone: str, ms: int) -> timedelta | None:
    return datetime.fromtimestamp(ms / 1000, ZoneInfo(zone)).utcoffset()


def is_on_leap_day(ms: int, zone: str) -> bool:
    """Whether it is the 29th of February there."""
    there = datetime.fromtimestamp(ms / 1000, ZoneInfo(zone))
    return (there.month, there.day) == (2, 29)


def met(turns: Sequence[Turn], ats: Sequence[int]) -> list[Turn]:
    """The turning points within a second of which something was recorded: each as often as that was."""
    places = [turn.ms for turn in turns]
    near = (turns[bisect_left(places, at - SECOND_MS) : bisect_left(places, at + SECOND_MS + 1)] for at in ats)
    return [turn for each in near for turn in each]


def live(data: Path, dice: Random, steps: int) -> Life:
    """Live it, and say what became of it."""
    clock = FakeClock(milliseconds(BEGINS))
    turns = turning_points(clock.time, clock.time + LONGEST_MS)
    decisions = _decisions(dice, steps)
    counts = {"back": 0, "ahead": 0, "refused": 0}
    wrong: list[str] = []
    ends: dict[int, int] = {}
    engine = _opened(data, clock)
    for number, decision in enumerate(decisions):
        kind = _moved(clock, dice, turns, engine.head().at)
        if kind:
            counts[kind] += 1
        if kind == "ahead":
            counts["refused"] += _is_refused(engine, decision)
            if counts["ahead"] % 2:
                note_accepted(data / CLOCK_NOTE, instant_of(clock))
            else:
                engine.close()
                engine = _opened(data, clock)
        before = engine.head()
        recorded = engine.record(decision).records
        for record in recorded:
            ends[record.seq] = recorded[-1].seq
            if record.at != max(before.at, clock.time):
                wrong.append(f"decision {number}: #{record.seq} at {record.at}, by a clock of {clock.time}")
    with engine:
        headers = ((each.seq, codec.decode_header(each.header)) for each in engine.store.log.read(0))
        stored = tuple(Stored(seq, header.at, header.tag) for seq, header in headers)
        records = tuple(readable(engine.store.log, engine.store))
    assert clock.time < milliseconds(BEGINS) + LONGEST_MS
    return Life(stored, records, counts["back"], counts["ahead"], counts["refused"], tuple(wrong), ends)


def _opened(data: Path, clock: FakeClock) -> Engine:
    """Erasures are gone on with before anything else is recorded: a life is the same however fast a machine is."""
    engine = Engine.open(data, create=True, clock=clock, view_commit_events=50)
    if engine.finisher is not None:
        engine.finisher.join()
    return engine


def _decisions(dice: Random, steps: int) -> Sequence[Decision]:
    kept = [living(drafts) for drafts in fixed_story(steps).decisions()]
    late = list(_late(dice, steps))
    mixed: list[Decision] = []
    while kept or late:
        mixed.append((kept if kept and (not late or dice.random() < 0.7) else late).pop(0))
    return mixed


def _late(dice: Random, count: int) -> Iterator[Decision]:
    """Messages that were said long before they came in, and before anything was recorded."""
    for number in range(count):
        said = milliseconds(BEGINS) - dice.randrange(9 * 365) * DAY_MS
        yield says(f"late {number}", f"said long ago, number {number}", dice.choice((ADA, KIM)), said=said)


def _moved(clock: FakeClock, dice: Random, turns: Sequence[Turn], last: int) -> str:
    """Time passes, or the clock jumps; how it jumped."""
    chance = dice.random()
    if chance < 0.12:
        clock.time -= dice.randrange(1, 9) * HOUR_MS + dice.randrange(HOUR_MS)
        return "back"
    if chance < 0.14:
        clock.time = max(clock.time, last)
        to = clock.time + dice.randrange(30, 200) * DAY_MS
        leap = (each.ms for each in turns if each.kind == "leap day" and clock.time + 2 * DAY_MS < each.ms)
        clock.time = min(to, next(leap))  # none is jumped over
        return "ahead"
    if chance < 0.6:
        behind = bisect_right(turns, clock.time, key=attrgetter("ms"))
        to = turns[behind + dice.randrange(3)].ms + dice.choice((-1000, -1, 0, 1, 999, 1000))
        clock.go(max(to - clock.time, 0))
        return ""
    clock.go(dice.choice((0, 1, 1000, 60_000, dice.randrange(DAY_MS))))
    return ""


def _is_refused(engine: Engine, decision: Decision) -> bool:
    """Whether nothing is recorded before the clock is accepted by hand, or the program is started again."""
    before = engine.head()
    try:
        engine.record(decision)
    except ClockJumped:
        return engine.head() == before
    return False
