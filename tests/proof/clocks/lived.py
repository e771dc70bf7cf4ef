"""A life by a clock that cannot be trusted: it jumps back by hours and ahead by months, meets leap days, ends of months
and years, and changes of the clocks in several zones; what was said years ago comes in late.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple
from zoneinfo import ZoneInfo

from projections.decisions.draft import Decision
from projections.events import ErasureCompleted, ImportBegan, MessageRedacted, PersonErased
from projections.fold import Record
from replay.engine import Engine
from replay.errors import ClockJumped
from tests.generator import fixed_story
from tests.replay.stage import ADA, KIM, FakeClock, living, readable, says

ZONES = (
    "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Santiago",
    "Africa/Cairo", "Pacific/Chatham", "America/St_Johns", "Asia/Beirut",
)  # fmt: skip
"""Whose clocks change by an hour or half of one, at night or at midnight, or never."""
BEGINS = datetime(2026, 12, 30, 12, tzinfo=UTC)
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
YEARS_MS = 2 * 365 * DAY_MS
TAKEN_BACK = (MessageRedacted, PersonErased, ErasureCompleted)
"""Left out: what was taken back since is in no past."""


class Life(NamedTuple):
    """What was recorded, in order, with how many jumps of each kind; whether each was recorded at the clock's time, or
    at the last one's where that is later; the last import's first event; where the decision of each event ends.
    """

    records: tuple[Record, ...]
    back: int
    ahead: int
    refused: int
    wrong: tuple[str, ...]
    last_import: int
    ends: dict[int, int]


def milliseconds(moment: datetime) -> int:
    """Since 1970."""
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def turning_points(first: int, last: int) -> list[int]:
    """Moments in a stretch of time at which a day, a month or a year ends somewhere, or clocks change; in ms."""
    found: set[int] = set()
    for name in ZONES:
        zone = ZoneInfo(name)
        before = datetime.fromtimestamp(first / 1000, zone)
        for ms in range(first - first % (HOUR_MS // 2), last, HOUR_MS // 2):
            here = datetime.fromtimestamp(ms / 1000, zone)
            is_leap = (here.month, here.day) in ((2, 29), (3, 1)) and here.date() != before.date()
            if here.utcoffset() != before.utcoffset() or is_leap or here.month != before.month:
                found.add(ms)
            before = here
    return sorted(found)


def changes(first: int, last: int) -> list[tuple[int, str]]:
    """When clocks are put forward or back, and in which zone."""
    found: list[tuple[int, str]] = []
    for name in ZONES:
        steps = range(first - first % (HOUR_MS // 2), last, HOUR_MS // 2)
        offsets = [datetime.fromtimestamp(ms / 1000, ZoneInfo(name)).utcoffset() for ms in steps]
        found += [(ms, name) for ms, before, now in zip(steps[1:], offsets, offsets[1:], strict=False) if before != now]
    return found


def live(data: Path, dice: Random, steps: int) -> Life:
    """Live it, and say what became of it."""
    clock = FakeClock(milliseconds(BEGINS))
    turns = turning_points(clock.time, clock.time + YEARS_MS)
    decisions = _decisions(dice, steps)
    counts = {"back": 0, "ahead": 0, "refused": 0}
    wrong: list[str] = []
    ends: dict[int, int] = {}
    engine = Engine.open(data, create=True, clock=clock, view_commit_events=50)
    for number, decision in enumerate(decisions):
        kind = _moved(clock, dice, turns, engine.head().at)
        if kind:
            counts[kind] += 1
        if kind == "ahead":
            counts["refused"] += _is_refused(engine, decision)
            engine.close()
            engine = Engine.open(data, clock=clock, view_commit_events=50)
        before = engine.head()
        recorded = engine.record(decision).records
        for record in recorded:
            ends[record.seq] = recorded[-1].seq
            if record.at != max(before.at, clock.time):
                wrong.append(f"decision {number}: #{record.seq} at {record.at}, by a clock of {clock.time}")
    with engine:
        records = tuple(readable(engine.store.log, engine.store))
    begun = [record.seq for record in records if isinstance(record.event, ImportBegan)]
    return Life(records, counts["back"], counts["ahead"], counts["refused"], tuple(wrong), max(begun, default=0), ends)


def _decisions(dice: Random, steps: int) -> Sequence[Decision]:
    told = list(fixed_story(steps).decisions())
    kept = [living(drafts) for drafts in told if not any(isinstance(each.event, TAKEN_BACK) for each in drafts)]
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


def _moved(clock: FakeClock, dice: Random, turns: Sequence[int], last: int) -> str:
    """Time passes, or the clock jumps; how it jumped."""
    chance = dice.random()
    if chance < 0.12:
        clock.time -= dice.randrange(1, 9) * HOUR_MS + dice.randrange(HOUR_MS)
        return "back"
    if chance < 0.14:
        clock.time = max(clock.time, last) + dice.randrange(30, 200) * DAY_MS
        return "ahead"
    if chance < 0.6:
        coming = [each for each in turns if each > clock.time][: 1 + dice.randrange(3)]
        to = (coming[-1] if coming else clock.time + DAY_MS) + dice.choice((-1000, -1, 0, 1, 999, 1000))
        clock.go(max(to - clock.time, 0))
        return ""
    clock.go(dice.choice((0, 1, 1000, 60_000, dice.randrange(DAY_MS))))
    return ""


def _is_refused(engine: Engine, decision: Decision) -> bool:
    """Whether nothing is recorded before the program is started again."""
    before = engine.head()
    try:
        engine.record(decision)
    except ClockJumped:
        return engine.head() == before
    return False
