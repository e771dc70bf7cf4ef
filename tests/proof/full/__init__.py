"""Disks that are full, fail, are read-only or slow, and too many open files: what is said, what is kept, what goes on.

faults.c ─ LD_PRELOAD ─▶ child.py ─ fork ─▶ `dnam`: refused.py tries, looking.py looks what is left, told.py sums up
                                         └▶ a memory that stays open: living.py
"""

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import msgspec

from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.full.faults import BROKEN, FULL, READ_ONLY, SLOW, SYNC_FAILS, TOO_MANY, Fault, compiler
from tests.proof.full.living import ANSWERS, AT_ONCE, Lived
from tests.proof.full.living import MOST as MOST_CALLS
from tests.proof.full.living import RUNS as LIVING_RUNS
from tests.proof.full.living import SLOW as SLOW_SECONDS
from tests.proof.full.refused import CHAT, COMMANDS, HEALTHY_RUNS, IMPORT, Command, Memory, Nursery, some
from tests.proof.full.told import LEAST_OF_A_COMMAND, LEAST_OF_A_FAULT, Reached, Told, findings, shown

EVERY = {FULL: 1, SYNC_FAILS: 1, BROKEN: 4, READ_ONLY: 4, TOO_MANY: 1}
"""Every how many calls of each step of an open memory are tried."""
MOST = {SYNC_FAILS: 5, BROKEN: 5, READ_ONLY: 5, TOO_MANY: 5}
"""How many calls of each command are tried at the most. Of a full disk it is every one."""
MOST_OF_A_CHAT = 4
"""A chat waits, and tries again, before it gives up: that takes seconds."""
SHORT_EVERY, SHORT_CALL = 90, 30
OPENING = ("rebuilds", "compacts", "erases")
"""Steps of an open memory that open files."""
WRITING = ("meets", "remembers", "answers", *OPENING)
MEET = {FULL: WRITING, SYNC_FAILS: WRITING, BROKEN: WRITING, READ_ONLY: WRITING, TOO_MANY: OPENING}
"""Which steps must have met which fault."""
LEAST_OF_AN_OPEN_MEMORY, SHORT_LEAST = 900, 6
LYING_CALLS, LYING_IMPORTS = range(5, 12), 3
"""Of the import: where its messages are written. Views are written beside them, and whose call fails is the system's to
say: so many imports of which a commit was swallowed are enough.
"""
LYING_EVERY, LEAST_LIES = 4, 5
"""Of the open memory; most calls are not the log's."""
SHOWN = 300
"""Characters of what is wrong that are shown."""
TOLD = 5
ROOM = 1 << 30
"""Bytes that have to be free where memories are laid in memory."""
CLAIMS = (
    Claim(
        "told",
        "A disk that refuses is told of by the command that met it, or the command is done",
        "chat, import, erase, replay, backup, compact, rederive and restore-backup with a library in front of the "
        "system's that lets the n-th call and all behind it fail (of a failed sync, only that one). A full disk (a "
        "write, a length, a new or changed name): n is 1, 2, 3, … to the last call that a healthy run of the command "
        f"makes, or in the middle of {HEALTHY_RUNS} such runs, where threads write beside each other; how many of how "
        "many were tried is told. A failed sync, a failing disk, read-only, too many open files: n is the first, the "
        f"last and others by chance, {MOST[BROKEN]} of each command, {MOST_OF_A_CHAT} of a chat. Each ends with exit "
        "code 3 and a line that names the disk's trouble and that a healthy run has not, or with 0, in known words or "
        f"none; never with a traceback. {LEAST_OF_A_COMMAND} or more of each command have met a fault, "
        f"{LEAST_OF_A_FAULT} or more each fault, and each command each fault",
    ),
    Claim(
        "kept",
        "Nothing acknowledged is lost on a disk that refuses",
        "the same commands; before anything else runs: the earlier log is a prefix, and every body is opened; passed "
        "over, and counted, is what `verify` tells of views and of a copy of the key ring, which a writer has to mend. "
        "One that ended as done left the events of each kind, log, people, backup and shadow that a healthy run leaves "
        "(where the log says by `job.failed` that learning failed, those of learning are not counted); what a chat "
        "says it remembers, an import that it imported and an erasure that it erased is so. The command comes again "
        "once the disk is well, and is done; then, opened once for writing, `verify` tells of nothing, views and key "
        "ring among it, views are what a rebuild makes, a log to which nothing is added is as it was, and a shadow is "
        "complete and verified, its views too",
    ),
    Claim(
        "goes on",
        "An open memory goes on as soon as the disk does",
        "one process meets, remembers, answers, rebuilds, compacts and erases; of each the first, second, third … call "
        "fails (disk full, a failed sync and open files: every call, until the step makes no more in any of "
        f"{LIVING_RUNS} runs; the others: every {EVERY[BROKEN]}th) until it is cleared, and a step with {MOST_CALLS} "
        "calls or more, so that not all are tried, is broken; an error names the disk's trouble; behind each failure "
        "it records again at once, and what was acknowledged is there, items by their events; at the end it is "
        "verified, and views are what a rebuild makes. Each step meets each fault that it can, and there are "
        f"{LEAST_OF_AN_OPEN_MEMORY:,} failures or more",
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
        f"the same open memory, of which every {LYING_EVERY}th call of each step fails, and the import, with a log "
        "that says nothing of a full disk. Each time when it acknowledged a commit that it had not written, the step "
        "of the open memory raises an error, or, most times, its check finds something; an import is found by the "
        f"messages that it says it imported, before it comes again. {LEAST_LIES} or more commits are swallowed",
    ),
)


def prove(trial: Trial) -> Iterator[Finding]:
    """Refuse, look, clear, go on."""
    if compiler() is None:
        for claim in CLAIMS:
            yield Finding(claim.key, 0, "tries", "not tried", holds=False, short="no C compiler here, or not Linux")
        return
    with _memories(trial) as folder, Nursery(folder / "full") as nursery:
        memory = Memory(nursery, is_small=trial.is_short)
        yield from _commands(trial, memory)
        yield _goes_on(trial, nursery)
        if not trial.is_short:  # it measures time
            yield _slow(nursery)
        yield _planted(nursery, memory)


@contextmanager
def _memories(trial: Trial) -> Iterator[Path]:
    """A folder for memories: itself in memory where there is room, since what refuses is not the disk below."""
    memory = Path("/dev/shm")
    is_roomy = memory.is_dir() and shutil.disk_usage(memory).free > ROOM
    with tempfile.TemporaryDirectory(prefix="dnam-full-", dir=memory if is_roomy else trial.folder) as folder:
        yield Path(folder)


def _commands(trial: Trial, memory: Memory) -> Iterator[Finding]:
    came = Told()
    for command in (IMPORT,) if trial.is_short else COMMANDS:
        for fault in (FULL,) if trial.is_short else (FULL, *MOST):
            _command(trial, memory, command, fault, came)
    yield from findings(came, is_short=trial.is_short)


def _command(trial: Trial, memory: Memory, command: Command, fault: Fault, came: Told) -> None:
    dice = trial.dice(f"{command.name} {fault.name}")
    most = None if fault is FULL else MOST_OF_A_CHAT if command is CHAT else MOST[fault]
    calls = memory.calls(command, fault)
    firsts = [SHORT_CALL] if trial.is_short else some(calls, most, dice)
    tries = 0
    for first in firsts:
        tried = memory.met(command, fault, first)
        if tried is None:
            continue
        tries += 1
        came.told += tried.told
        came.passed.update(tried.passed)
        for wrong, found in ((came.unwell, tried.badly_told), (came.broken, tried.unkept + tried.problems)):
            if found:
                wrong.append(f"{command.name}, {fault.name}, call {first}: {found[0][:SHOWN]}")
                trial.say(wrong[-1])
    came.reached[command.name, fault.name] = Reached(tries, calls)
    trial.say(f"{command.name}: {fault.name}, {tries} of {calls} calls")


def _lived(nursery: Nursery, fault: Fault, every: int, *, planted: bool = False) -> Lived:
    place = nursery.place / f"{len(list(nursery.place.iterdir()))}"
    ended = nursery.run(("living", str(place), str(every)), fault=fault, planted=planted)
    if ended.status:
        return Lived(problems=[f"exit {ended.status}: {nursery.err.strip()[-600:]}"])
    return msgspec.json.decode(nursery.out, type=Lived)


def _goes_on(trial: Trial, nursery: Nursery) -> Finding:
    lives = dict[Fault, Lived]()
    for fault, every in EVERY.items():
        if trial.is_short and fault is not FULL:
            continue
        lived = lives[fault] = _lived(nursery, fault, SHORT_EVERY if trial.is_short else every)
        trial.say(f"{fault.name}: {lived.tries} times; {lived.problems[:TOLD]}")
    return gone_on(lives, SHORT_LEAST if trial.is_short else LEAST_OF_AN_OPEN_MEMORY)


def gone_on(lives: Mapping[Fault, Lived], least: int) -> Finding:
    """Whether a memory went on, of which every step met every fault that it can meet, and so many in all."""
    broken, errors = [problem for each in lives.values() for problem in each.problems], Counter[str]()
    for each in lives.values():
        errors.update(each.errors)
    unmet = [
        f"{fault.name} in no step that {step}"
        for fault in lives
        for step in MEET[fault]
        if not lives[fault].met.get(step)
    ]
    tries = sum(each.tries for each in lives.values())
    said = ", ".join(f"{count:,} {name}" for name, count in errors.most_common())
    came_out = f"{shown(broken, 'broken')}; {said}" + "".join(f"; {each}" for each in unmet)
    return Finding("goes on", tries, "failures of an open memory", came_out, tries >= least and not (broken or unmet))


def _slow(nursery: Nursery) -> Finding:
    lived = _lived(nursery, SLOW, 1)
    slowest = lived.answered_after
    said = (
        f"all before any message; the slowest took {slowest * 1000:,.0f} ms, the slowest recording "
        f"{lived.recorded_after * 1000:,.0f} ms; {lived.slow_syncs} slow syncs; {shown(lived.problems, 'broken')}"
    )
    in_time = lived.tries == ANSWERS and slowest < SLOW_SECONDS < lived.recorded_after
    return Finding("slow", lived.tries, f"of {ANSWERS} answers", said, holds=in_time and not lived.problems)


def _planted(nursery: Nursery, memory: Memory) -> Finding:
    tried = (memory.tried(IMPORT, FULL, first, planted=True) for first in LYING_CALLS)
    lied = list(islice((each for each in tried if each is not None and each.swallowed), LYING_IMPORTS))
    commands = sum(bool(each.unkept) for each in lied)
    lived = _lived(nursery, FULL, LYING_EVERY, planted=True)
    said = (
        f"of {lived.swallowed} commits that an open memory swallowed its check found {lived.found}, and of "
        f"{lived.told} an error told; of {len(lied)} imports {commands} were found"
    )
    every = lived.told + lived.found == lived.swallowed >= LEAST_LIES and 2 * lived.found > lived.swallowed
    holds = every and commands == len(lied) == LYING_IMPORTS
    return Finding("planted", lived.swallowed + len(lied), "commits that were not written", said, holds=holds)


PART = Part("full", "Full and slow disks", CLAIMS, prove)
