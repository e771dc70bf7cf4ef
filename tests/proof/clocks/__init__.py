"""Time: clocks that jump, leap days, changes of the clocks, zones, messages said long before: `at` and `--at`."""

import os
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from random import Random
from unittest.mock import patch
from zoneinfo import ZoneInfo

from dnam.moments import Reader, looked_at
from dnam.times import SystemZone
from projections.errors import BadRequest
from projections.events import MessageRedacted, PersonErased
from replay.engine import Engine
from replay.travel import Moment
from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.clocks.lived import DAY_MS, ZONES, Life, is_on_leap_day, live, turning_points
from tests.proof.clocks.showing import Known, Look, held, is_right, known, shown
from tests.proof.clocks.stood import Least, Stood
from tests.proof.clocks.worded import Asking, Worded, worded
from tests.replay.stage import FakeClock, folded, scanned

STEPS, STEPS_SHORT = 400, 160
MOMENTS, MOMENTS_SHORT = 6000, 300
LOOKS, LOOKS_SHORT = 400, 6
COMMANDS, COMMANDS_SHORT = 150, 12
MANY = 2
"""So many of what is wrong are told of in the line itself."""
LEAST = Least(leap_days=20, years=2, changes=20, months=100, different_changes=15, zones=10)
LEAST_SHORT = Least(leap_days=5, years=1, changes=2, months=10, different_changes=1, zones=5)
CLAIMS = (
    Claim(
        "forward", "`at` never runs backwards, whatever the clock does",
        "a life by a clock that jumps back by hours and ahead by months, on leap days, and within a second of ends of "
        "months and changes of the clocks in ten zones, years long; messages are redacted in it, and people erased",
    ),
    Claim(
        "ahead", "A clock that jumps ahead is not believed before it is accepted by hand, or the program started again",
        "in the same life, every other jump accepted by hand",
    ),
    Claim(
        "words", "`--at` means what it says, in every form, or is refused where it means nothing or two things",
        "moments in all forms in ten zones, against when that zone's clock shows them; half by this process's own zone",
    ),
    Claim(
        "rows",
        "A look at `--at` shows the fold of exactly the events recorded by then, but for what was taken back since",
        "against a fold of those that can still be read: what was redacted or erased is in no past",
    ),
    Claim(
        "said",
        "A look at `--said` shows the fold of exactly what was said by then, but for what was taken back since, in the "
        "order in which it was said",
        "the same, with messages that came in years after they were said",
    ),
    Claim(
        "shown",
        "`dnam show --at` and `--said` list the items of a fold of exactly the events of then, but for what was taken "
        "back since, or refuse",
        "the command itself, of somebody of whom something was remembered, on another day each; id, text, status and "
        "event of every item; half by `--at` in words, half by `--said` to the ms",
    ),
)  # fmt: skip


def prove(trial: Trial) -> Iterator[Finding]:
    """Try all of it."""
    data, short = trial.folder / "data", trial.is_short
    life = live(data, trial.dice("clocks"), STEPS_SHORT if short else STEPS)
    yield from _clocks(trial, life)
    asked = list(_asked(trial, life, MOMENTS_SHORT if short else MOMENTS))
    with Engine.open(data, writable=False, clock=FakeClock(life.stored[-1].at)) as engine:
        seqs, wrong = _meant(engine, life, asked)
        yield _words(trial, asked, wrong)
        yield _rows(trial, engine, life, sorted(seqs), LOOKS_SHORT if short else LOOKS)
        yield _said(trial, engine, life, LOOKS_SHORT if short else LOOKS)
    yield _shown(trial, data, life, asked, COMMANDS_SHORT if short else COMMANDS)


def _clocks(trial: Trial, life: Life) -> Iterator[Finding]:
    ats = [each.at for each in life.stored]
    falls = sum(later < sooner for sooner, later in pairwise(ats))
    stood = Stood.of(ats)
    said = f"events over {(ats[-1] - ats[0]) // DAY_MS} days, {life.back} jumps back; {stood.told()}"
    yield Finding(
        "forward", len(ats), said,
        f"{falls} ran backwards; {len(life.wrong)} are at another time than the later of clock and last event"
        f"{_first(trial, life.wrong)}",
        not falls and not life.wrong and life.back > 0 and stood.is_enough(LEAST_SHORT if trial.is_short else LEAST),
    )  # fmt: skip
    yield Finding(
        "ahead", life.ahead, "jumps ahead", f"{life.refused} refused, nothing written; all recorded after that",
        life.refused == life.ahead > 0,
    )  # fmt: skip


def _asked(trial: Trial, life: Life, count: int) -> Iterator[Worded]:
    """Moments near those at which something was recorded, near turning points, and anywhere."""
    dice = trial.dice("clocks moments")
    first, last = life.stored[0].at, life.stored[-1].at
    turns = turning_points(first, last)
    put = [each for each in turns if each.kind == "change"]
    leap = [each for each in turns if each.kind == "leap day"]
    for _ in range(count):
        turn = dice.choice(put)
        near, zone = turn.ms, turn.zone
        if dice.random() < 0.7:
            zone = dice.choice(ZONES)
            turn = dice.choice(dice.choice((turns, leap)))
            near = dice.choice((dice.choice(life.stored).at, turn.ms, dice.randrange(first - DAY_MS, last)))
            near += dice.choice((-1, 0, 1, dice.randrange(-DAY_MS, DAY_MS)))
        now = near + dice.choice((dice.randrange(DAY_MS), dice.randrange(90 * DAY_MS), dice.randrange(-DAY_MS, DAY_MS)))
        yield worded(Asking(near, now, zone, dice, life.stored[-1].seq, life.last_import))


def _meant(engine: Engine, life: Life, asked: Sequence[Worded]) -> tuple[set[int], list[str]]:
    """The places in the log that are looked at, and which were not those that were meant."""
    found, wrong = set[int](), list[str]()
    with engine.reading() as rows:
        for number, each in enumerate(asked):
            with _zone(each.zone, is_own=number % 2 == 0) as zone:
                reader = Reader(_moment(each.now), zone, str)
                try:
                    looked = looked_at(engine, rows, reader, each.text, None)
                except BadRequest as error:
                    seq, ms, said = None, None, str(error)
                else:
                    seq, ms, said = looked.moment.seq, looked.ms, ""
            right = expected(life, each)
            if seq in right and (each.seq is not None or ms is None or ms in each.means):
                found.add(seq or 0)
            elif right or not said:
                wrong.append(f"{each}: event {seq} ({ms}; {said}), and not {sorted(right)}")
    return found, wrong


def _moment(ms: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)


@contextmanager
def _zone(name: str, *, is_own: bool) -> Iterator[ZoneInfo | SystemZone]:
    """A zone by its name, or as this machine's own."""
    if not is_own:
        yield ZoneInfo(name)
        return
    try:
        with patch.dict(os.environ, {"TZ": name}):
            time.tzset()
            yield SystemZone()
    finally:
        time.tzset()


def expected(life: Life, each: Worded) -> frozenset[int]:
    """The last events that may be meant; none where it is to be refused."""
    if each.seq is not None:
        return frozenset((life.ends.get(each.seq, each.seq),))
    counts = (bisect_right(life.stored, ms, key=attrgetter("at")) for ms in each.means)
    return frozenset(life.stored[count - 1].seq if count else 0 for count in counts)


def _first(trial: Trial, wrong: Sequence[str]) -> str:
    """The first of what was wrong, in the line itself; all of it is said."""
    for each in wrong:
        trial.say(each)
    return f": {'; '.join(wrong[:MANY])}" if wrong else ""


def _words(trial: Trial, asked: Sequence[Worded], wrong: Sequence[str]) -> Finding:
    forms = Counter(each.form for each in asked)
    refused = sum(not each.means and each.seq is None for each in asked)
    leap = sum(any(is_on_leap_day(ms, each.zone) for ms in each.means) for each in asked)
    told = f"moments in {len(forms)} forms, {refused} of which a clock never showed, or twice, {leap} on leap days"
    return Finding(
        "words", len(asked), told, f"{len(wrong)} meant something else{_first(trial, wrong)}",
        not wrong and len(forms) == 17 and min(refused, leap) * 200 >= len(asked),
    )  # fmt: skip


def _rows(trial: Trial, engine: Engine, life: Life, seqs: Sequence[int], most: int) -> Finding:
    """The rows at places in the log, spread over all that were meant."""
    chosen = trial.dice("clocks rows").sample(seqs, min(most, len(seqs)))
    wrong, behind = list[str](), 0
    for seq in chosen:
        with engine.past(Moment(seq=seq)) as rows:
            is_right = scanned(rows.raw) == folded(record for record in life.records if record.seq <= seq)
        wrong += [] if is_right else [f"those at #{seq}"]
        behind += seq >= min(life.gone(), default=seq + 1)
    is_enough = len(life.of(MessageRedacted)) > 0 and len(life.of(PersonErased)) > 0 and 2 * behind >= len(chosen) > 0
    return Finding(
        "rows", len(chosen), f"places in the log, {behind} of them behind an event that is gone since: {_gone(life)}",
        f"{len(wrong)} showed other rows{_first(trial, wrong)}", not wrong and is_enough,
    )  # fmt: skip


def _gone(life: Life) -> str:
    redactions, erasures = (len(life.of(kind)) for kind in (MessageRedacted, PersonErased))
    return (
        f"{len(life.gone())} of {len(life.stored)} cannot be read, by {redactions} redactions and {erasures} erasures"
    )


def _said(trial: Trial, engine: Engine, life: Life, most: int) -> Finding:
    """The rows at moments by when things were said."""
    dice = trial.dice("clocks said")
    order = sorted(life.records, key=lambda record: (record.event.said, record.seq))
    wrong, late = list[str](), 0
    for _ in range(most):
        ms = dice.choice(order).event.said + dice.choice((-1, 0, 1))
        late += _is_late([record.seq for record in order if record.event.said <= ms])
        with engine.past(Moment(said=ms)) as rows:
            is_right = scanned(rows.raw) == folded(record for record in order if record.event.said <= ms)
        wrong += [] if is_right else [f"those as said by {ms}"]
    years = (order[-1].event.said - order[0].event.said) // (365 * DAY_MS)
    return Finding(
        "said",
        most,
        f"moments in {years} years, at {late} of which something said sooner had come in later",
        f"{len(wrong)} showed other rows{_first(trial, wrong)}",
        not wrong and 2 * late >= most > 0,
    )


def _is_late(seqs: Sequence[int]) -> bool:
    """Whether what was said did not come in in the order in which it was said."""
    return any(later < sooner for sooner, later in pairwise(seqs))


def _shown(trial: Trial, data: Path, life: Life, asked: Sequence[Worded], most: int) -> Finding:
    """The command, of somebody of whom something was remembered: every other one by `--said`."""
    wrong, others = list[str](), 0
    dice = trial.dice("clocks shown")
    with Engine.open(data, writable=False, clock=FakeClock(life.stored[-1].at)) as engine, engine.reading() as rows:
        everybody = known(rows, life)
    for number, each in enumerate(dice.sample(asked, most)):
        who = dice.choice(everybody)
        look = _by_said(life, each, who, dice) if number % 2 else _by_at(life, each, who)
        ran = shown(data, who, look)
        others += bool(look.right) and held(life.records, who) not in look.right
        wrong += [] if is_right(ran, look) else [f"{look.option} {look.text} in {look.zone} of {who.named}"]
        trial.say(f"{look}: {ran}") if not is_right(ran, look) else None
    said = f"{len(wrong)} showed other items{_first(trial, wrong)}; {others} had to show others than are known today"
    return Finding("shown", most, "commands", said, not wrong and others > 0)


def _by_at(life: Life, each: Worded, who: Known) -> Look:
    right = (held((record for record in life.records if record.seq <= seq), who) for seq in expected(life, each))
    return Look("--at", each.text, each.zone, _moment(each.now), frozenset(right))


def _by_said(life: Life, each: Worded, who: Known, dice: Random) -> Look:
    """By a time to the ms, near that at which something was said."""
    ms = dice.choice(life.records).event.said + dice.choice((-1, 0, 1))
    told = sorted(life.records, key=lambda record: (record.event.said, record.seq))
    right = held((record for record in told if record.event.said <= ms), who)
    text = _moment(ms).isoformat(timespec="milliseconds")
    return Look("--said", text, each.zone, _moment(each.now), frozenset((right,)))


PART = Part("clocks", "Time", CLAIMS, prove)
