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
TOLD = 5
CLAIMS = (
    Claim(
        "told",
        "A disk that refuses is told of in dnam's own words",
        "chat, import, erase, replay, backup, compact, rederive and restore-backup with a library in front of the "
        "system's that lets the n-th call fail: disk full, a failed sync, a failing disk, read-only, too many open "
        "files; each ends with exit code 3 and an error, or is done; never with a traceback",
    ),
    Claim(
        "kept",
        "Nothing acknowledged is lost on a disk that refuses",
        "the same commands: the earlier log is a prefix, and all of it where nothing is to be added; every body is "
        "opened, and what a chat said it remembers is there; the command comes again once the disk is well, and is "
        "done; then views are what a rebuild makes, and a shadow is complete and verified",
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
        "A slow disk holds up no answer",
        f"every sync takes {SLOW_SECONDS:g} s longer; {AT_ONCE} people say something at once, and somebody else is "
        "answered meanwhile; a message for which the disk takes longer than a second waits, and is written once",
    ),
    Claim(
        "planted",
        "A log that acknowledges what it could not write is found",
        "the same open memory with a log that says nothing of a full disk",
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
        yield from _commands(trial, nursery)
        yield _goes_on(trial, nursery)
        if not trial.is_short:  # it measures time
            yield _slow(nursery)
        yield _planted(nursery)


def _commands(trial: Trial, nursery: Nursery) -> Iterator[Finding]:
    memory = Memory(nursery, is_small=trial.is_short)
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
        if tried.badly_told + tried.problems and came.unwell + came.broken < TOLD:
            trial.say(f"{command.name}, {fault.name}, call {first}: {(tried.badly_told + tried.problems)[:3]}")
        unwell, broken = came.unwell + bool(tried.badly_told), came.broken + bool(tried.problems)
        came = Told(came.tries + 1, came.told + tried.told, unwell, broken)
    trial.say(f"{command.name}: {fault.name}")
    return came


def _lived(nursery: Nursery, fault: Fault, every: int, *planted: str) -> Lived:
    place = nursery.place / f"{len(list(nursery.place.iterdir()))}"
    ended = nursery.run(("living", str(place), str(every), *planted), fault=fault)
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
    said = (
        f"the slowest answer took {lived.answered_after * 1000:,.0f} ms, the slowest recording "
        f"{lived.recorded_after * 1000:,.0f} ms; {lived.slow_syncs} slow syncs; {len(lived.problems)} broken"
    )
    holds = lived.tries * 2 > ANSWERS and lived.recorded_after > SLOW_SECONDS and not lived.problems
    return Finding("slow", ANSWERS, "answers", said, holds=holds)


def _planted(nursery: Nursery) -> Finding:
    lived = _lived(nursery, FULL, SHORT_EVERY, "planted")
    found = f"{len(lived.problems)} problems found"
    return Finding("planted", max(lived.tries, 1), "failures of an open memory", found, holds=bool(lived.problems))


PART = Part("full", "Full and slow disks", CLAIMS, prove)
