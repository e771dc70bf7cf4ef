"""Disks that are full, fail, are read-only or slow, and too many open files: what is said, what is kept, what goes on.

faults.c ─ LD_PRELOAD ─▶ child.py ─ fork ─▶ `dnam`: refused.py looks what is left
                                         └▶ a memory that stays open: living.py
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
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
LEAST_OF_A_COMMAND, LEAST_OF_A_FAULT = 16, 32
"""So many commands of each name, and so many with each fault, must have met one; and one of each with each."""
SHORT_EVERY, SHORT_CALL = 90, 30
OPENING = ("rebuilds", "compacts", "erases")
"""Steps of an open memory that open files."""
WRITING = ("meets", "remembers", "answers", *OPENING)
MEET = {FULL: WRITING, SYNC_FAILS: WRITING, BROKEN: WRITING, READ_ONLY: WRITING, TOO_MANY: OPENING}
"""Which steps must have met which fault."""
LEAST_OF_AN_OPEN_MEMORY, SHORT_LEAST = 1000, 6
LYING_CALLS, LYING_IMPORTS = range(5, 12), 3
"""Of the import: where its messages are written. Views are written beside them, and whose call fails is the system's to
say: so many imports of which a commit was swallowed are enough.
"""
LYING_EVERY, LEAST_LIES = 7, 5
"""Of the open memory; most calls are not the log's."""
NAMED, SHOWN = 2, 300
"""So many of what is wrong are named, in so many characters."""
TOLD = 5
CLAIMS = (
    Claim(
        "told",
        "A disk that refuses is told of by the command that met it, or the command is done",
        "chat, import, erase, replay, backup, compact, rederive and restore-backup with a library in front of the "
        "system's that lets the n-th call fail: disk full, a failed sync, a failing disk, read-only, too many open "
        "files; n is the first, the last and others by chance of all that a healthy run makes: "
        f"{MOST[FULL]} for a full disk, {MOST[BROKEN]} for the others, {MOST_OF_A_CHAT} of a chat (an open memory, "
        "below, meets a full disk at every call). Each ends with exit code 3 and a line that names the disk's trouble "
        "and that a healthy run has not, or with 0, in known words or none; never with a traceback. "
        f"{LEAST_OF_A_COMMAND} or more of each command have met a fault, {LEAST_OF_A_FAULT} or more each fault, and "
        "each command each fault",
    ),
    Claim(
        "kept",
        "Nothing acknowledged is lost on a disk that refuses",
        "the same commands; before anything else runs: the earlier log is a prefix, and every body is opened; one that "
        "ended as done left the events of each kind, log, people, backup and shadow that a healthy run leaves (where "
        "the log says by `job.failed` that learning failed, those of learning are not counted); what a chat says it "
        "remembers, an import that it imported and an erasure that it erased is so. The command comes "
        "again once the disk is well, and is done; then views are what a rebuild makes, a log to which nothing is "
        "added is as it was, and a shadow is complete and verified",
    ),
    Claim(
        "goes on",
        "An open memory goes on as soon as the disk does",
        "one process meets, remembers, answers, rebuilds, compacts and erases; of each the first, second, third … call "
        "fails (disk full, a failed sync and open files: every call) until it is cleared; an error names the disk's "
        "trouble; behind each failure it records again at once, and what was acknowledged is there, items by their "
        "events; at the end it is verified, and views are what a rebuild makes. Each step meets each fault that it "
        f"can, and there are {LEAST_OF_AN_OPEN_MEMORY:,} failures or more",
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


class Told(NamedTuple):
    """What came of commands that met a fault: how many of each command with each fault did, how many told of it, and
    those that were not told of well, or left something that does not hold, in words.
    """

    tries: Counter[tuple[str, str]]
    told: int
    unwell: list[str]
    broken: list[str]

    def of(self, place: int) -> Counter[str]:
        """How many there were of each command (0), or with each fault (1)."""
        counts = Counter[str]()
        for key, count in self.tries.items():
            counts[key[place]] += count
        return counts

    def are_enough(self) -> bool:
        """Whether each command has met each fault, and both often enough."""
        by_command, by_fault = self.of(0), self.of(1)
        return (
            all(self.tries[each.name, fault.name] for each in COMMANDS for fault in MOST)
            and all(by_command[each.name] >= LEAST_OF_A_COMMAND for each in COMMANDS)
            and all(by_fault[each.name] >= LEAST_OF_A_FAULT for each in MOST)
        )


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
    came = Told(Counter(), 0, [], [])
    for command in (IMPORT,) if trial.is_short else COMMANDS:
        for fault in (FULL,) if trial.is_short else MOST:
            came = _command(trial, memory, command, fault, came)
    tries, counted = came.tries.total(), "commands that met a fault"
    enough = tries > 0 and (trial.is_short or came.are_enough())
    met = "; ".join(", ".join(f"{name} {count}" for name, count in came.of(place).items()) for place in (0, 1))
    told = f"{_some(came.unwell, 'badly told')}; {came.told:,} told of it, the others did without ({met})"
    yield Finding("told", tries, counted, told, enough and came.told * 2 >= tries and not came.unwell)
    yield Finding("kept", tries, counted, _some(came.broken, "broken"), enough and not came.broken)


def _some(wrong: Sequence[str], what: str) -> str:
    """How many are wrong, and the first of them."""
    return f"{len(wrong):,} {what}" + "".join(f"; {each}" for each in wrong[:NAMED])


def _command(trial: Trial, memory: Memory, command: Command, fault: Fault, came: Told) -> Told:
    dice = trial.dice(f"{command.name} {fault.name}")
    most = MOST_OF_A_CHAT if command is CHAT else MOST[fault]
    firsts = [SHORT_CALL] if trial.is_short else some(memory.calls(command, fault), most, dice)
    for first in firsts:
        tried = memory.tried(command, fault, first)
        if tried is None:
            continue
        came.tries[command.name, fault.name] += 1
        came = came._replace(told=came.told + tried.told)
        for wrong, found in ((came.unwell, tried.badly_told), (came.broken, tried.unkept + tried.problems)):
            if found:
                wrong.append(f"{command.name}, {fault.name}, call {first}: {found[0][:SHOWN]}")
                trial.say(wrong[-1])
    trial.say(f"{command.name}: {fault.name}")
    return came


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
    came_out = f"{_some(broken, 'broken')}; {said}" + "".join(f"; {each}" for each in unmet)
    return Finding("goes on", tries, "failures of an open memory", came_out, tries >= least and not (broken or unmet))


def _slow(nursery: Nursery) -> Finding:
    lived = _lived(nursery, SLOW, 1)
    slowest = lived.answered_after
    said = (
        f"all before any message; the slowest took {slowest * 1000:,.0f} ms, the slowest recording "
        f"{lived.recorded_after * 1000:,.0f} ms; {lived.slow_syncs} slow syncs; {_some(lived.problems, 'broken')}"
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
