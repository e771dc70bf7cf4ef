"""Disks that are full, fail, are read-only or slow, and too many open files: what is said, what is kept, what goes on.

faults.c ─ LD_PRELOAD ─▶ child.py ─ fork ─▶ `dnam`: refused.py looks what is left
                                         └▶ a memory that stays open: living.py
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.full.faults import BROKEN, FULL, READ_ONLY, SLOW, SYNC_FAILS, TOO_MANY, Fault, compiler
from tests.proof.full.living import ANSWERS, AT_ONCE, Lived
from tests.proof.full.living import SLOW as SLOW_SECONDS
from tests.proof.full.refused import CHAT, COMMANDS, IMPORT, Command, Memory, Nursery, some

EVERY = {FULL: 1, SYNC_FAILS: 1, BROKEN: 4, READ_ONLY: 4, TOO_MANY: 1}
"""Every how many calls of each step of an open memory are tried."""
MOST = {FULL: 16, SYNC_FAILS: 5, BROKEN: 5, READ_ONLY: 5, TOO_MANY: 5}
"""How many calls of each command are tried at the most."""
MOST_OF_A_CHAT = 4
"""A chat waits, and tries again, before it gives up: that takes seconds."""
SHORT_EVERY, SHORT_CALL = 90, 30
LYING_CALLS = (5, 7, 9)
"""Of the import: where its messages are written."""
TOLD = 5
CLAIMS = (
    Claim(
        "told",
        "A disk that refuses is told of by the command that met it, or the command is done",
        "chat, import, erase, replay, backup, compact, rederive and restore-backup with a library in front of the "
        "system's that lets the n-th call fail: disk full, a failed sync, a failing disk, read-only, too many open "
        "files; each ends with exit code 3 and a line that names the disk's trouble and that a healthy run has not, or "
        "with 0, in known words or none; never with a traceback",
    ),
    Claim(
        "kept",
        "Nothing acknowledged is lost on a disk that refuses",
        "the same commands; before anything else runs: the earlier log is a prefix, and every body is opened; one that "
        "ended as done left the events of each kind, log, people, backup and shadow that a healthy run leaves; what a "
        "chat says it remembers, an import that it imported and an erasure that it erased is so. The command comes "
        "again once the disk is well, and is done; then views are what a rebuild makes, a log to which nothing is "
        "added is as it was, and a shadow is complete and verified",
    ),
    Claim(
        "goes on",
        "An open memory goes on as soon as the disk does",
        "one process meets, remembers, answers, rebuilds, compacts and erases; of each the first, second, third … call "
        "fails (disk full, a failed sync and open files: every call) until it is cleared; behind each failure it "
        "records again at once; at the end it is verified, and views are what a rebuild makes",
    ),
    Claim(
        "slow",
        "While what others say waits for a slow disk, an answer is thought out",
        f"every sync takes {SLOW_SECONDS:g} s longer; {AT_ONCE} people say something at once, and meanwhile an answer "
        "to somebody else is composed, by a model that replies at once; recording the answer is not timed. Each of "
        f"{ANSWERS} is there before any of those messages is recorded, and within {SLOW_SECONDS * 1000:g} ms; a "
        "message for which the disk takes longer than a second waits, and is written once",
    ),
    Claim(
        "planted",
        "A log that acknowledges what it could not write is found",
        "the same open memory, and the import, with a log that says nothing of a full disk: each must be found, the "
        "import by the messages that it says it imported, before it comes again",
    ),
)


class Told(NamedTuple):
    """What came of commands that met a fault: how many did, how many told of it, and how many were not told of well, or
    left something that does not hold.
    """

    tries: int
    told: int
    unwell: int
    broken: int


def prove(trial: Trial) -> Iterator[Finding]:
    """Refuse, look, clear, go on."""
    if compiler() is None:
        for claim in CLAIMS:
            yield Finding(claim.key, 0, "tries", "not tried", holds=False, short="no C compiler here, or not Linux")
        return
    with Nursery(trial.folder / "full") as nursery:
        memory = Memory(nursery, is_small=trial.is_short)
        yield from _commands(trial, memory)
        yield _goes_on(trial, nursery)
        if not trial.is_short:  # it measures time
            yield _slow(nursery)
        yield _planted(nursery, memory)


def _commands(trial: Trial, memory: Memory) -> Iterator[Finding]:
    came = Told(0, 0, 0, 0)
    for command in (IMPORT,) if trial.is_short else COMMANDS:
        for fault in (FULL,) if trial.is_short else MOST:
            came = _command(trial, memory, command, fault, came)
    enough, counted = came.told * 2 >= came.tries > 0, "commands that met a fault"
    told = f"{came.unwell:,} badly told; {came.told:,} told of it, the others did without"
    yield Finding("told", came.tries, counted, told, holds=enough and not came.unwell)
    yield Finding("kept", came.tries, counted, f"{came.broken:,} broken", holds=came.tries > 0 and not came.broken)


def _command(trial: Trial, memory: Memory, command: Command, fault: Fault, came: Told) -> Told:
    dice = trial.dice(f"{command.name} {fault.name}")
    most = MOST_OF_A_CHAT if command is CHAT else MOST[fault]
    firsts = [SHORT_CALL] if trial.is_short else some(memory.calls(command, fault), most, dice)
    for first in firsts:
        tried = memory.tried(command, fault, first)
        if tried is None:
            continue
        wrong = tried.badly_told + tried.unkept + tried.problems
        if wrong and came.unwell + came.broken < TOLD:
            trial.say(f"{command.name}, {fault.name}, call {first}: {wrong[:3]}")
        unwell, broken = came.unwell + bool(tried.badly_told), came.broken + bool(tried.unkept + tried.problems)
        came = Told(came.tries + 1, came.told + tried.told, unwell, broken)
    trial.say(f"{command.name}: {fault.name}")
    return came


def _lived(nursery: Nursery, fault: Fault, every: int, *, planted: bool = False) -> Lived:
    place = nursery.place / f"{len(list(nursery.place.iterdir()))}"
    ended = nursery.run(("living", str(place), str(every)), fault=fault, planted=planted)
    if ended.status:
        return Lived(problems=[f"exit {ended.status}: {nursery.err.strip()[-600:]}"])
    return msgspec.json.decode(nursery.out, type=Lived)


def _goes_on(trial: Trial, nursery: Nursery) -> Finding:
    tries, broken, errors = 0, 0, Counter[str]()
    for fault, every in EVERY.items():
        if trial.is_short and fault is not FULL:
            continue
        lived = _lived(nursery, fault, SHORT_EVERY if trial.is_short else every)
        trial.say(f"{fault.name}: {lived.tries} times; {lived.problems[:TOLD]}")
        tries, broken = tries + lived.tries, broken + len(lived.problems)
        errors.update(lived.errors)
    said = ", ".join(f"{count:,} {name}" for name, count in errors.most_common())
    came_out = f"{broken:,} broken; {said}"
    return Finding("goes on", tries, "failures of an open memory", came_out, holds=tries > 0 and not broken)


def _slow(nursery: Nursery) -> Finding:
    lived = _lived(nursery, SLOW, 1)
    slowest = lived.answered_after
    said = (
        f"{lived.tries} before any message; the slowest took {slowest * 1000:,.0f} ms, the slowest recording "
        f"{lived.recorded_after * 1000:,.0f} ms; {lived.slow_syncs} slow syncs; {len(lived.problems)} broken"
    )
    in_time = lived.tries == ANSWERS and slowest < SLOW_SECONDS < lived.recorded_after
    return Finding("slow", ANSWERS, "answers", said, holds=in_time and not lived.problems)


def _planted(nursery: Nursery, memory: Memory) -> Finding:
    tried = [memory.tried(IMPORT, FULL, first, planted=True) for first in LYING_CALLS]
    commands = sum(bool(each and each.unkept) for each in tried)
    lived = _lived(nursery, FULL, SHORT_EVERY, planted=True)
    said = f"{len(lived.problems)} problems found; an import that lied found {commands} times of {len(tried)}"
    holds = bool(lived.problems) and commands > 0
    return Finding("planted", max(lived.tries, 1), "failures of an open memory", said, holds=holds)


PART = Part("full", "Full and slow disks", CLAIMS, prove)
