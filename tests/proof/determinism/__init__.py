"""Determinism: one log, and one history, on every Python and under every condition: one digest."""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from projections.events import ErasureCompleted, PersonErased
from replay.engine import Engine
from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.determinism.interpreters import (
    RELEASED,
    ROOT,
    Interpreter,
    interpreters,
    lacking,
    ready,
    released,
)
from tests.proof.determinism.run import Order, save
from tests.replay.stage import FakeClock, tell

RUNS, RUNS_SHORT = 12, 2
STEPS, STEPS_SHORT = 300, 20
FOLDERS = ("plain", "with spaces in it", "Ümläut ñandú", "データ 🦊", 'it\'s "quoted" & more', "a" * 120)
DAYS = ("", "1999-12-31 23:59:59", "2028-02-29 12:00:00", "2038-01-19 03:14:08", "2024-03-31 01:30:00")
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia")
NO_LOCALE = "C"
"""The one that every machine has; POSIX is another name for it."""
TOLD = 300
"""So many characters of what is broken stand in the line itself."""
FEWEST_INDEXED = 20
"""Rows that the retrieval index has at least: of an empty one, all are alike."""
MANY = 10
"""So many locales are named at most."""
ERASING = (PersonErased, ErasureCompleted)
"""Left out where it is closed and opened again: whoever opens next goes on with what an erasure left to do, and says
so in the log.
"""
CLAIMS = (
    Claim(
        "folded",
        "The same log folds to the same rows, and to the same retrieval index, on every Python tried, whatever the "
        "hash seed, segment, folder, day, time zone and locale of those tried",
        "the log copied elsewhere, all views built anew, and held against another rebuild in the same process; the "
        "digests of all rows, and of those of the index, compared between the processes, one for each run; the index "
        "has small segments, so that there are many. Left out of its digest are the names of its tables: they have the "
        "version of a Python's Unicode tables in them, and are others where those are, so that such a Python makes the "
        "index anew",
    ),
    Claim(
        "recorded",
        "The same history without erasures, by the same clock and dice, gives the same log and rows, whatever the "
        "batches and restarts",
        "recorded in the same processes, with views committed every 1 to 200 events, opened anew at random points; "
        "erasures are left out: whoever opens next finishes what one left to do, and says so in the log",
    ),
    Claim(
        "pythons",
        "Every minor version of Python from 3.11 that was released was tried",
        "every Python from 3.11 that is on PATH or of pyenv, each in an environment made for it; none is installed for "
        f"this, so that it falls short where one of {', '.join(RELEASED)}, as far as they had come out on the day, is "
        "not on the machine; what came out later than the last of these is not asked for",
    ),
)


class Condition(NamedTuple):
    """Under what a process runs: its order, and its environment."""

    order: Order
    environment: dict[str, str]


class Came(NamedTuple):
    """What a run printed, or why it printed nothing."""

    folded: str = ""
    postings: str = ""
    indexed: int = 0
    root: str = ""
    rows: str = ""
    broken: str = ""


def prove(trial: Trial, *, planted: bool = False) -> Iterator[Finding]:
    """Try all of it."""
    from tests.generator import fixed_story  # it brings hypothesis, which other interpreters have no need of

    decisions = list(fixed_story(STEPS_SHORT if trial.is_short else STEPS).decisions())
    given, history = trial.folder / "given", trial.folder / "history"
    kept = [told for told in decisions if not any(isinstance(each.event, ERASING) for each in told)]
    save(history, kept)
    with Engine.open(given, create=True, clock=FakeClock(), view_commit_events=40) as engine:
        tell(engine, decisions)
    found = [each for each in interpreters() if not trial.is_short or each.version == _own()]
    able = [ready(each) for each in found]
    came, conditions = list[Came](), list[Condition]()
    for interpreter in able:
        if interpreter.short:
            trial.say(interpreter.short)
            continue
        for number in range(RUNS_SHORT if trial.is_short else RUNS):
            name = f"{interpreter.version} {number}"
            condition = _condition(trial, given, history, name, number, len(kept), planted=planted)
            came.append(_run(interpreter, condition))
            conditions.append(condition)
            _tell(trial, name, condition, came)
    wanted = [] if trial.is_short else released(datetime.now(UTC).date())
    yield from findings(able, came, conditions, decisions=len(kept), wanted=wanted)


@cache
def locales() -> tuple[str, ...]:
    """Those that this machine has, by `locale -a`; the last resort where it does not say."""
    try:
        done = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return (NO_LOCALE,)
    return tuple(sorted({*done.stdout.split(), NO_LOCALE} - {"POSIX"}))


def _own() -> str:
    import platform

    return platform.python_version()


def _condition(
    trial: Trial, given: Path, history: Path, name: str, number: int, decisions: int, *, planted: bool
) -> Condition:
    dice = trial.dice(f"determinism {name}")
    folder = trial.folder / name / dice.choice(FOLDERS)
    folder.mkdir(parents=True)
    order = Order(
        given=str(given),
        history=str(history),
        folder=str(folder),
        commit_events=dice.choice((1, 7, 40, 200)),
        segment=dice.choice((16, 100, 1024, 4096)),
        restarts=sorted(dice.sample(range(decisions), dice.randrange(6))),
        day="" if trial.is_short else dice.choice(DAYS),
        planted=planted,
    )
    return Condition(order, _environment(dice, number))


def _environment(dice: Random, number: int) -> dict[str, str]:
    """The first two have hash seeds that order small sets of texts differently."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH")}
    seed = str(number) if number < 2 else str(dice.randrange(1, 2**32))
    tongue = dice.choice(locales())
    return {
        **kept,
        "PYTHONHASHSEED": seed,
        "TZ": dice.choice(ZONES),
        "LANG": tongue,
        "LC_ALL": tongue,
        "PYTHONPATH": str(ROOT),
    }


def _run(interpreter: Interpreter, condition: Condition) -> Came:
    command: list[str | Path] = [
        interpreter.path,
        "-m",
        "tests.proof.determinism.run",
        json.dumps(condition.order._asdict()),
    ]
    done = subprocess.run(command, cwd=ROOT, env=condition.environment, capture_output=True, check=False)
    try:
        return Came(**json.loads(done.stdout))
    except ValueError:
        return Came(broken=done.stderr.decode(errors="replace")[-600:] or "it said nothing")


def _tell(trial: Trial, name: str, condition: Condition, came: Sequence[Came]) -> None:
    if came[-1].broken or came[-1] != came[0]:
        trial.say(f"{name}: {came[-1]} under {condition}")


def findings(
    able: Sequence[Interpreter],
    came: Sequence[Came],
    conditions: Sequence[Condition],
    decisions: int,
    wanted: Sequence[str],
) -> Iterator[Finding]:
    """What came out; these minor versions are to be tried."""
    tried = [each.version for each in able if not each.short]
    broken = [each.broken for each in came if each.broken]
    told = f"{len(broken)} broken{': ' if broken else ''}{'; '.join(dict.fromkeys(broken))[:TOLD]}"
    folded = Counter((each.folded, each.postings) for each in came)
    recorded = Counter((each.root, each.rows) for each in came)
    runs = f"runs on {', '.join(tried)}"
    indexed = min((each.indexed for each in came), default=0)
    has_seeds = len({each.environment["PYTHONHASHSEED"] for each in conditions}) > 1
    yield Finding(
        "folded", len(came), f"{runs}, {_varied(conditions)}",
        f"{len(folded)} digest(s): {', '.join(f'{rows[:12]} and {index[:12]}' for rows, index in folded)}; "
        f"the index has {indexed:,} rows; {told}",
        len(folded) == 1 and not broken and has_seeds and indexed >= FEWEST_INDEXED,
    )  # fmt: skip
    yield Finding(
        "recorded", len(came), f"{runs}, {decisions} decisions each",
        f"{len(recorded)} log(s): {', '.join(root[:12] for root, _ in recorded)}; {told}",
        len(recorded) == 1 and not broken and bool(came),
    )  # fmt: skip
    yield _pythons(able, tried, wanted)


def _varied(conditions: Sequence[Condition]) -> str:
    """Of what there were how many."""
    seen: dict[str, set[object]] = {
        "hash seeds": {each.environment["PYTHONHASHSEED"] for each in conditions},
        "segments": {each.order.segment for each in conditions},
        "folder names": {Path(each.order.folder).name for each in conditions},
        "days": {each.order.day for each in conditions},
        "time zones": {each.environment["TZ"] for each in conditions},
    }
    spoken = sorted({each.environment["LC_ALL"] for each in conditions})
    told = ", ".join(f"{len(those)} {what}" for what, those in seen.items())
    return f"{told}, {len(spoken)} locale(s): {', '.join(spoken[:MANY])}{' …' if len(spoken) > MANY else ''}"


def _pythons(able: Sequence[Interpreter], tried: Sequence[str], wanted: Sequence[str]) -> Finding:
    short = [each.short for each in able if each.short]
    lacks = lacking(able, wanted)
    if lacks:
        short.append(f"not tried, since not on this machine, and none is installed for this: {', '.join(lacks)}")
    told = f"{len(tried)} tried: {', '.join(tried)}"
    return Finding("pythons", len(able), "interpreters found", told, not short, "; ".join(short))


PART = Part("determinism", "Determinism", CLAIMS, prove)
