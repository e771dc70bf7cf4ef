"""Time: clocks that jump, leap days, changes of the clocks, zones, messages said long before: `at` and `--at`."""

import os
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from unittest.mock import patch
from zoneinfo import ZoneInfo

from dnam.moments import Reader, looked_at
from dnam.times import SystemZone
from projections.errors import BadRequest
from replay.engine import Engine
from replay.travel import Moment
from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.clocks.lived import BEGINS, DAY_MS, ZONES, Life, changes, live, milliseconds, turning_points
from tests.proof.clocks.showing import Known, Look, held, is_right, known, shown
from tests.proof.clocks.worded import Asking, Worded, worded
from tests.replay.stage import FakeClock, folded, scanned

STEPS, STEPS_SHORT = 400, 60
MOMENTS, MOMENTS_SHORT = 6000, 300
LOOKS, LOOKS_SHORT = 400, 6
COMMANDS, COMMANDS_SHORT = 150, 12
CLAIMS = (
    Claim(
        "forward", "`at` never runs backwards, whatever the clock does",
        "a life by a clock that jumps back by hours, ahead by months, and stands at changes of the clocks, leap days "
        "and ends of months in ten zones",
    ),
    Claim("ahead", "A clock that jumps ahead is not believed before the program is started again", "in the same life"),
    Claim(
        "words", "`--at` means what it says, in every form, or is refused where it means nothing or two things",
        "moments in all forms in ten zones, against when that zone's clock shows them; half by this process's own zone",
    ),
    Claim("rows", "A look at `--at` shows the fold of exactly the events recorded by then", "against a fold of those"),
    Claim(
        "said", "A look at `--said` shows the fold of exactly what was said by then, in the order in which it was said",
        "the same, with messages that came in years after they were said",
    ),
    Claim(
        "shown",
        "`dnam show --at` and `--said` list the items of a fold of exactly the events of then, or refuse",
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
    with Engine.open(data, writable=False, clock=FakeClock(life.records[-1].at)) as engine:
        seqs, wrong = _meant(trial, engine, life, asked)
        yield _words(asked, wrong)
        yield _rows(trial, engine, life, sorted(seqs), LOOKS_SHORT if short else LOOKS)
        yield _said(trial, engine, life, LOOKS_SHORT if short else LOOKS)
    yield _shown(trial, data, life, asked, COMMANDS_SHORT if short else COMMANDS)


def _clocks(trial: Trial, life: Life) -> Iterator[Finding]:
    for each in life.wrong:
        trial.say(each)
    falls = sum(later.at < sooner.at for sooner, later in zip(life.records, life.records[1:], strict=False))
    span = (life.records[-1].at - life.records[0].at) // DAY_MS
    yield Finding(
        "forward", len(life.records), f"events over {span} days, {life.back} jumps back",
        f"{falls} ran backwards; {len(life.wrong)} are at another time than the later of clock and last event",
        not falls and not life.wrong and life.back > 0,
    )  # fmt: skip
    yield Finding(
        "ahead", life.ahead, "jumps ahead", f"{life.refused} refused, nothing written; all recorded after a new start",
        life.refused == life.ahead > 0,
    )  # fmt: skip


def _asked(trial: Trial, life: Life, count: int) -> Iterator[Worded]:
    """Moments near those at which something was recorded, near turning points, and anywhere."""
    dice = trial.dice("clocks moments")
    first, last = life.records[0].at, life.records[-1].at
    span = milliseconds(BEGINS), min(last, milliseconds(BEGINS) + 900 * DAY_MS)
    turns, put = turning_points(*span), changes(*span)
    for _ in range(count):
        near, zone = dice.choice(put)
        if dice.random() < 0.7:
            zone = dice.choice(ZONES)
            near = dice.choice((dice.choice(life.records).at, dice.choice(turns), dice.randrange(first - DAY_MS, last)))
            near += dice.choice((-1, 0, 1, dice.randrange(-DAY_MS, DAY_MS)))
        now = near + dice.choice((dice.randrange(DAY_MS), dice.randrange(90 * DAY_MS), dice.randrange(-DAY_MS, DAY_MS)))
        yield worded(Asking(near, now, zone, dice, life.records[-1].seq, life.last_import))


def _meant(trial: Trial, engine: Engine, life: Life, asked: Sequence[Worded]) -> tuple[set[int], Counter[str]]:
    """The places in the log that are looked at, and how many of each form were not those that were meant."""
    found, wrong = set[int](), Counter[str]()
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
                wrong[each.form] += 1
                trial.say(f"{each}: event {seq} ({ms}; {said}), and not {sorted(right)}")
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
    ats = [record.at for record in life.records]
    counts = (bisect_right(ats, ms) for ms in each.means)
    return frozenset(life.records[count - 1].seq if count else 0 for count in counts)


def _words(asked: Sequence[Worded], wrong: Counter[str]) -> Finding:
    forms = Counter(each.form for each in asked)
    refused = sum(not each.means and each.seq is None for each in asked)
    return Finding(
        "words", len(asked), f"moments in {len(forms)} forms, {refused} of which a clock never showed, or twice",
        f"{sum(wrong.values())} meant something else {dict(wrong) or ''}".strip(),
        not wrong and len(forms) == 17 and refused > 0,
    )  # fmt: skip


def _rows(trial: Trial, engine: Engine, life: Life, seqs: Sequence[int], most: int) -> Finding:
    """The rows at places in the log, spread over all that were meant."""
    chosen = trial.dice("clocks rows").sample(seqs, min(most, len(seqs)))
    wrong = 0
    for seq in chosen:
        with engine.past(Moment(seq=seq)) as rows:
            is_right = scanned(rows.raw) == folded(record for record in life.records if record.seq <= seq)
        wrong += not is_right
        trial.say(f"the rows at #{seq} are others") if not is_right else None
    return Finding("rows", len(chosen), "places in the log", f"{wrong} showed other rows", not wrong)


def _said(trial: Trial, engine: Engine, life: Life, most: int) -> Finding:
    """The rows at moments by when things were said."""
    dice = trial.dice("clocks said")
    order = sorted(life.records, key=lambda record: (record.event.said, record.seq))
    wrong = 0
    for _ in range(most):
        ms = dice.choice(order).event.said + dice.choice((-1, 0, 1))
        with engine.past(Moment(said=ms)) as rows:
            is_right = scanned(rows.raw) == folded(record for record in order if record.event.said <= ms)
        wrong += not is_right
        trial.say(f"the rows as said by {ms} are others") if not is_right else None
    years = (order[-1].event.said - order[0].event.said) // (365 * DAY_MS)
    return Finding("said", most, f"moments in {years} years", f"{wrong} showed other rows", not wrong)


def _shown(trial: Trial, data: Path, life: Life, asked: Sequence[Worded], most: int) -> Finding:
    """The command, of somebody of whom something was remembered: every other one by `--said`."""
    wrong, others = 0, 0
    dice = trial.dice("clocks shown")
    with Engine.open(data, writable=False, clock=FakeClock(life.records[-1].at)) as engine, engine.reading() as rows:
        everybody = known(rows, life)
    for number, each in enumerate(dice.sample(asked, most)):
        who = dice.choice(everybody)
        look = _by_said(life, each, who, dice) if number % 2 else _by_at(life, each, who)
        ran = shown(data, who, look)
        others += bool(look.right) and held(life.records, who) not in look.right
        wrong += not is_right(ran, look)
        trial.say(f"{look}: {ran}") if not is_right(ran, look) else None
    said = f"{wrong} showed other items; {others} had to show others than are known today"
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
