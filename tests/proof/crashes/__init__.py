"""Crashes: every command killed by SIGKILL at random moments, with another process writing, over and over."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tests.kills.child import Write
from tests.kills.nursery import Nursery
from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.crashes.afterwards import Afterwards, afterwards
from tests.proof.crashes.life import ROUNDS, Kill, Life

LIVES, EACH = 16, 5
"""How many memories there are, and how often each of them survives the kill of each command."""
RANDOM = 4
"""One of so many kills comes at any moment of the command, the others inside of a write that is waited for."""
TRIES = 12
"""How often a command is begun again that ended before it was killed."""
SHORT = ("learn", "backup", "erase", "adopt")
"""What the short form kills, once each: the rest is killed in tests of their own (tests/kills)."""
SEEN: tuple[Write, ...] = ("log", "views", "ring", "keys destroyed", "swap", "backup")
LEAST, LEAST_EACH, LEAST_WRITE = 500, 60, 10
"""How many kills there must be in all, of each command, and inside each kind of write; not in the short form."""
LEAST_RANDOM, LEAST_MET = 0.2, 0.75
"""Which share of the kills must have come at any moment, and while the other process wrote."""

_HOW = (
    "kill -9 of " + ", ".join(ROUNDS) + "; beside each, another process remembers one fact after the other, until it "
    "is killed"
)
CLAIMS = (
    Claim(
        "lost",
        "no acknowledged event is lost",
        f"{_HOW}; looked for before anything is done again: facts that were said to be remembered, and what commands "
        "that ended with 0 had imported, learned from, erased; and at each kill, and after the other process ended, "
        "the earlier log, by size and root, is a prefix of the log",
    ),
    Claim(
        "double",
        "no event comes twice",
        "the same lives, before anything is done again, and once more when all that was broken off was done to its "
        "end: facts, messages, and messages that an extraction read for one person and compartment; then nothing of "
        "them is missing either",
    ),
    Claim(
        "views",
        "the views are a rebuild's, and afterwards every byte verifies",
        "replay --check of a copy of each memory that was made at the kill, while the other process was held; "
        "verify --open at the end of each life",
    ),
    Claim(
        "erased",
        "who was erased is gone, also when the erasure was killed",
        "the same lives: every erasure done to its end, nobody of them is left",
    ),
    Claim(
        "beside",
        "another process wrote meanwhile",
        f"a shared byte and a pipe tell of the other's writes: at {LEAST_MET:.0%} of the kills or more it was inside "
        "one, or had begun one since the command began",
    ),
    Claim(
        "in flight",
        "at least half of the kills came inside a write",
        "a shared byte says what is being written; three of four kills wait for a write and come at a random moment "
        "inside it, one of four comes at any moment of the command, and is counted apart",
    ),
    Claim(
        "everywhere",
        "and of each command and kind of write many",
        f"{LEAST} kills in all, {LEAST_EACH} of each command, {LEAST_WRITE} inside each kind of write, or more",
    ),
)


class Ended(NamedTuple):
    """A life that was lived, and what was found afterwards."""

    life: Life
    found: Afterwards


def prove(trial: Trial) -> Iterator[Finding]:
    """Live several lives, and look at each of them afterwards."""
    with Nursery(DNAM_VIEW_COMMIT_EVENTS="16", DNAM_ENCODER="none") as nursery:
        ended = [_lived(trial, nursery, number) for number in range(1 if trial.is_short else LIVES)]
    yield from findings(ended, is_short=trial.is_short)


def _lived(trial: Trial, nursery: Nursery, number: int) -> Ended:
    dice = trial.dice(f"life {number}")
    life = Life(trial.folder / f"life {number}", nursery, dice)
    life.begin()
    rounds = [(name, False) for name in SHORT] if trial.is_short else list(_rounds(number))
    for name, is_random in dice.sample(rounds, len(rounds)):
        any(life.round(name, is_random=is_random) for _ in range(TRIES))
    before = life.look()
    life.finish()
    found = afterwards(life.data, before)
    trial.say(f"life {number}: {len(life.kills)} kills, {len(life.kept)} facts acknowledged, {found.problems} problems")
    return Ended(life, found)


def _rounds(number: int) -> Iterator[tuple[str, bool]]:
    """Every command as often, and whether it is killed at any moment."""
    for name in ROUNDS:
        for turn in range(number * EACH, (number + 1) * EACH):
            yield name, turn % RANDOM == 0


def findings(ended: Sequence[Ended], *, is_short: bool = False) -> Iterator[Finding]:
    """What the lives show."""
    kills = [kill for each in ended for kill in each.life.kills]
    yield _lost(ended, kills)
    yield _double(ended, kills)
    unequal = sum(not kill.is_equal for kill in kills)
    unequal += sum(not each.found.is_equal for each in ended)
    wrong = sum(each.found.problems for each in ended)
    came_out = f"{unequal} times unequal; {wrong} problems in {len(ended)} memories at the end"
    yield Finding("views", len(kills), "kills", came_out, not unequal and not wrong)
    erased = [each.found.after.has(who) for each in ended for who in each.life.erased]
    yield Finding("erased", len(erased), "erasures", f"{sum(erased)} of them are left", any(erased) < bool(erased))
    yield _beside(kills)
    yield _in_flight(kills, is_short=is_short)
    yield _everywhere(kills, is_short=is_short)


def _lost(ended: Sequence[Ended], kills: Sequence[Kill]) -> Finding:
    done = [each.life.acknowledged for each in ended]
    lost = _sum(each.found.before.lost(each.life.acknowledged) for each in ended)
    broken = sum(not kill.goes_on for kill in kills) + sum(each.life.broken_off for each in ended)
    facts, imported, learned, erased = (
        sum(len(each.facts) for each in done),
        sum(each.imported for each in done),
        sum(each.learned for each in done),
        sum(len(each.erased) for each in done),
    )
    came_out = (
        f"{sum(lost.values())} of {facts:,} facts, {imported:,} imported messages, {learned:,} messages learned from "
        f"and {erased:,} erasures lost{_told(lost)}; {broken} times the earlier log was no prefix"
    )
    return Finding("lost", len(kills), "kills", came_out, not any(lost.values()) and not broken and facts > len(kills))


def _double(ended: Sequence[Ended], kills: Sequence[Kill]) -> Finding:
    double = _sum(look.double for each in ended for look in (each.found.before, each.found.after))
    missing = _sum(each.found.after.lost(each.life.in_the_end) for each in ended)
    read = sum(each.found.after.reads.total() for each in ended)
    came_out = (
        f"{sum(double.values())} double{_told(double)}, of {read:,} messages learned from too; done to the end, "
        f"{sum(missing.values())} missing{_told(missing)}"
    )
    return Finding("double", len(kills), "kills", came_out, not any(double.values()) and not any(missing.values()))


def _beside(kills: Sequence[Kill]) -> Finding:
    met, inside = sum(kill.is_met for kill in kills), sum(kill.beside is not None for kill in kills)
    came_out = f"at {met} the other process had written since the command began; at {inside} it was inside a write"
    return Finding("beside", len(kills), "kills", came_out, met >= LEAST_MET * len(kills) > 0)


def _in_flight(kills: Sequence[Kill], *, is_short: bool) -> Finding:
    inside = [kill for kill in kills if kill.inside is not None]
    by_chance = [kill for kill in kills if kill.is_random]
    met = sum(kill.is_random for kill in inside)
    came_out = f"{len(inside)} inside a write; at any moment {len(by_chance)}, {met} of them inside a write"
    enough = is_short or len(by_chance) >= LEAST_RANDOM * len(kills)
    return Finding("in flight", len(kills), "kills", came_out, enough and len(inside) * 2 >= len(kills) > 0)


def _everywhere(kills: Sequence[Kill], *, is_short: bool) -> Finding:
    commands = Counter(kill.command for kill in kills)
    writes = Counter(kill.inside for kill in kills)
    names = SHORT if is_short else tuple(ROUNDS)
    told = ", ".join(f"{each} {commands[each]}" for each in names)
    told += "; inside " + ", ".join(f"{each} {writes[each]}" for each in SEEN)
    enough = all(commands[each] >= (1 if is_short else LEAST_EACH) for each in names)
    enough &= is_short or (len(kills) >= LEAST and all(writes[each] >= LEAST_WRITE for each in SEEN))
    return Finding("everywhere", len(kills), "kills", told, enough)


def _sum(counts: Iterator[Mapping[str, int]]) -> Counter[str]:
    every = Counter[str]()
    for each in counts:
        every.update(each)
    return every


def _told(counts: Mapping[str, int]) -> str:
    """What there is of each, where there is any."""
    told = ", ".join(f"{name} {number}" for name, number in counts.items() if number)
    return f" ({told})" if told else ""


PART = Part("crashes", "Crashes", CLAIMS, prove)
