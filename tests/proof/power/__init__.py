"""Power cuts, simulated: what a memory's system calls had written, and what of it the disk had not been told to keep.

workload.py ─ strace ─▶ trace.py ─▶ operations.py ─▶ disk.py + cuts.py ─ a folder ─▶ holding.py: opened, verified
"""

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.power.cuts import BEGUN, UNDER_WAY, Cut, cuts
from tests.proof.power.disk import Disk, everything
from tests.proof.power.holding import LOCKS, PASSED, WHEN, Looked, claims_of, lay_out, look, promised
from tests.proof.power.operation import Operation, without_syncs
from tests.proof.power.operations import operations
from tests.proof.power.trace import calls, record, strace

SECTOR, PAGE = 512, 4096
RECORDED, STATES, PLANTED = 3, 1320, 60
"""How often the workload is recorded; how many states in all, and of each planted defect."""
SHORT_STATES = 12
FEWEST = {"acknowledged": 1000, "keys": 1000, "erased": 300, "opens": 1000, "views": 1000, "beside": 500}
"""In so many states at least there is something to hold against each claim; the short form: in one."""
TOLD = 5
"""How many problems are told whole."""
CHILD = "from tests.proof.power.workload import main; main()"
DEFECTS = {
    "the log's file": r"^/data/log/\d+/data\.mdb$",
    "the key ring's files": r"^/data/keys/ring-",
    "a file CURRENT and its folder": r"/CURRENT(\.new)?$|^/data/(log|views)$",
}
"""What is not synced in each planted defect; the short form plants the first two."""
HOW = (
    "a child lives in a memory under strace: messages, extraction, answers, an erasure, rebuilds, rewrites, a shadow, "
    "backups, an import, a restore; its writes are played on a model of a disk that is cut at a random call, right "
    "before and behind syncs above all: of what was not synced, any subset of blocks, lengths and names has come to "
    "the disk, half of the times in blocks of 512 bytes and half of 4 KiB; "
)
CLAIMS = (
    Claim(
        "acknowledged",
        "Nothing that was acknowledged is lost when the power goes",
        HOW + "every acknowledged event is looked up, and its header compared",
    ),
    Claim(
        "keys",
        "A key that sealed an acknowledged event is never lost",
        "the same states: the key of each acknowledged event is in the ring, unless an erasure named it",
    ),
    Claim(
        "erased",
        "Who was erased stays erased",
        "the same states: once an erasure was acknowledged, no key is back in the ring, and no file has the words",
    ),
    Claim(
        "opens",
        "Whatever the disk kept, the memory opens, verifies and goes on",
        "the same states, opened for reading and for writing, every body opened; more is recorded, and verified again. "
        "When it is opened first, `verify` may tell of views and of a copy of the key ring, which the writer has to "
        "mend: then of nothing any more; in how many it told is counted",
    ),
    Claim(
        "views",
        "Views are right, or are noticed and built again",
        "the same states: once a writer has opened them, the views are what a rebuild makes, byte for byte",
    ),
    Claim(
        "beside",
        "A backup and a shadow are as whole as was said",
        "the same states: the backup is read byte by byte and continued, the shadow's log is verified. Passed over and "
        "counted are the shadow's views, which are built again, and, until it is complete, bodies that it lacks of "
        "messages that were taken back",
    ),
    Claim(
        "planted",
        "A sync that is left out is found",
        "the same recording without the syncs of the log, of the key ring, of what swaps: each must be found broken",
    ),
)


class Tried(NamedTuple):
    """What came of some states: how many, in how many of them there was something to hold against a claim, what was
    under way in those, by claim, what was passed over in them, in how many a claim did not hold, and how the first did
    not.
    """

    states: int
    tried: Counter[str]
    under_way: dict[str, Counter[str]]
    passed: Counter[str]
    broken: Counter[str]
    first: dict[str, str]


def prove(trial: Trial) -> Iterator[Finding]:
    """Record, cut, look."""
    if strace() is None:
        for claim in CLAIMS:
            yield Finding(claim.key, 0, "states", "not tried", holds=False, short="no strace here, or it may not trace")
        return
    recordings = [recorded(trial, number) for number in range(1 if trial.is_short else RECORDED)]
    tried = _tried(trial, recordings, SHORT_STATES if trial.is_short else STATES)
    yield from findings(tried, is_short=trial.is_short)
    yield _planted(trial, recordings[0])


def recorded(trial: Trial, number: int = 0) -> list[Operation]:
    """Record a workload. What was recorded, played without a cut, must be what lies there: else the trace missed
    something.
    """
    place = trial.folder / f"recorded {number}"
    folder, told, trace = place / "disk", place / "told", place / "trace"
    folder.mkdir(parents=True)
    what = "short" if trial.is_short else "whole"
    command = [sys.executable, "-c", CHILD, str(folder), str(told), what]
    record(trace, command, {**os.environ, "PYTHONHASHSEED": str(trial.seed % 2**32)})
    with trace.open(encoding="ascii") as lines:
        every = operations(calls(lines), folder, told)
    _is_what_lies_there(every, folder)
    shutil.rmtree(place)
    return every


def _is_what_lies_there(every: Sequence[Operation], folder: Path) -> None:
    disk = Disk(PAGE)
    for time, operation in enumerate(every):
        disk.take(time, operation)
    found = {path: data for path, data in disk.after_a_cut(everything).items() if not path.endswith(LOCKS)}
    files = {str(each.relative_to(folder)): each for each in folder.rglob("*") if each.name != LOCKS}
    lies = {path: None if each.is_dir() else each.read_bytes() for path, each in files.items()}
    assert found == lies, "the trace does not lead to what lies on the disk"


def _tried(trial: Trial, recordings: Sequence[Sequence[Operation]], states: int) -> Tried:
    tried = Tried(0, Counter(), {claim: Counter() for claim in FEWEST}, Counter(), Counter(), {})
    for number, every in enumerate(recordings):
        for block in (SECTOR, PAGE):
            name = f"recording {number}, blocks of {block}"
            trial.say(f"{name}: {len(every)} operations")
            tried = _cut(trial, name, every, block, states // len(recordings) // 2, tried)
    return tried


def _cut(trial: Trial, name: str, every: Sequence[Operation], block: int, states: int, tried: Tried) -> Tried:
    dice = trial.dice(name)
    for cut in cuts(every, block, dice, states):
        for claim in claims_of(promised(cut.told)):
            tried.tried[claim] += 1
            tried.under_way[claim].update(cut.under_way or ["nothing"])
        found, passed = look_at(trial.folder / "state", cut, dice.randbytes(64))
        tried.passed.update(passed)
        tried.broken.update({each.claim for each in found})
        for each in found:
            tried.first.setdefault(each.claim, f"{name}, cut behind {cut.time}, {cut.how}: {each.what}")
        if found and sum(tried.broken.values()) <= TOLD:
            trial.say(f"seed {trial.seed}, {name}, cut behind {cut.time} of {len(every)}, {cut.how}: {found[:3]}")
    return tried._replace(states=tried.states + states)


def look_at(folder: Path, cut: Cut, junk: bytes) -> Looked:
    """What does not hold after a cut, and what of it is passed over."""
    lay_out(cut.tree, folder, junk)
    try:
        return look(folder, promised(cut.told))
    finally:
        shutil.rmtree(folder)


def findings(tried: Tried, *, is_short: bool = False) -> Iterator[Finding]:
    """A claim of which too few states were about something is no claim that was tried. Every state is one of `opens`,
    where each thing has to be under way in one of a hundred, and nothing in half of them at most.
    """
    every = tried.under_way["opens"]
    often = all(every[name] * 100 >= tried.states for name in (*UNDER_WAY, *BEGUN)) or is_short
    enough = often and every["nothing"] * 2 <= tried.states
    for claim in CLAIMS[:-1]:
        broken, count = tried.broken[claim.key], tried.tried[claim.key]
        said = f"{broken:,} of them broken ({tried.first[claim.key]})" if broken else "none broken"
        said += f"; {_listed(tried.under_way[claim.key], 'during')}{_passed(claim.key, tried.passed)}"
        is_tried = count >= (1 if is_short else FEWEST[claim.key])
        yield Finding(claim.key, count, "states", said, holds=enough and is_tried and not broken)


def _listed(counts: Counter[str], word: str) -> str:
    return ", ".join(f"{count:,} {word} {name}" for name, count in counts.most_common() if name != "nothing")


def _passed(claim: str, passed: Counter[str]) -> str:
    of_claim = Counter({name: passed[name] for when in WHEN.get(claim, ()) for name in PASSED[when].values()})
    return f"; passed over: {_listed(of_claim, 'times')}" if of_claim else ""


def _planted(trial: Trial, every: Sequence[Operation]) -> Finding:
    """Each defect must be found. The short form looks until it is."""
    found: dict[str, int] = {}
    states = 0
    planted = dict(list(DEFECTS.items())[: 2 if trial.is_short else None])
    for what, pattern in planted.items():
        dice = trial.dice(f"planted {what}")
        defective = without_syncs(every, pattern)
        assert len(defective) < len(every), f"nothing is synced that would be called {pattern}"
        for cut in cuts(defective, PAGE, dice, PLANTED):
            if found.get(what) and trial.is_short:
                break
            states += 1
            found[what] = found.get(what, 0) + bool(look_at(trial.folder / "state", cut, dice.randbytes(64)).problems)
    said = ", ".join(f"without a sync of {what}: {count:,} states found broken" for what, count in found.items())
    return Finding("planted", states, "states", said, holds=all(found.get(what) for what in planted))


PART = Part("power", "Power cuts", CLAIMS, prove)
