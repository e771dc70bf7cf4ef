"""Crashes: every command killed by SIGKILL at random moments, with another process writing, over and over."""

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from tests.kills.child import Write
from tests.kills.nursery import Nursery
from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.crashes.afterwards import Afterwards, afterwards
from tests.proof.crashes.life import ROUNDS, Life

LIVES, LENGTH = 16, 35
"""How many memories there are, and how many kills each of them survives: of every command as many."""
SHORT = ("extraction", "backup", "erasure", "adoption")
"""What the short form kills, once each: the rest is killed in tests of their own (tests/kills)."""
SEEN: tuple[Write, ...] = ("log", "views", "ring", "keys destroyed", "swap", "backup")

_HOW = "kill -9 of " + ", ".join(ROUNDS) + ", each with a chat of another process writing beside it"
CLAIMS = (
    Claim("lost", "no acknowledged event is lost", _HOW),
    Claim("double", "no event comes twice", "the same lives, everything broken off done again to its end"),
    Claim(
        "views",
        "the views are a rebuild's, and afterwards every byte verifies",
        "replay --check behind every kill, as the kill left it; verify --open at the end of each life",
    ),
    Claim(
        "erased", "who was erased is gone, also when the erasure was killed", "the same lives: nobody of them is left"
    ),
    Claim("in flight", "at least half of the kills came inside a write", "a shared byte says what is being written"),
    Claim(
        "everywhere",
        "and of each kind of write some",
        "log, views, key ring, keys destroyed, a folder put in force, backup",
    ),
)


class Ended(NamedTuple):
    """A life that was lived, and what was found afterwards."""

    life: Life
    found: Afterwards


def prove(trial: Trial) -> Iterator[Finding]:
    """Live several lives, and look at each of them afterwards."""
    names = SHORT if trial.is_short else [name for name in ROUNDS for _ in range(LENGTH // len(ROUNDS))]
    with Nursery(DNAM_VIEW_COMMIT_EVENTS="16", DNAM_ENCODER="none") as nursery:
        ended = [_lived(trial, nursery, number, names) for number in range(1 if trial.is_short else LIVES)]
    yield from findings(ended)


def _lived(trial: Trial, nursery: Nursery, number: int, rounds: Sequence[str]) -> Ended:
    dice = trial.dice(f"life {number}")
    life = Life(trial.folder / f"life {number}", nursery, dice)
    life.begin()
    for name in _commands(rounds, dice):
        if life.killed.total() == len(rounds):
            break
        life.round(name)
    life.finish()
    found = afterwards(life.data)
    kills = life.killed.total()
    trial.say(f"life {number}: {kills} kills, {len(life.kept)} facts acknowledged, {found.problems} problems")
    return Ended(life, found)


def _commands(rounds: Sequence[str], dice: Random) -> Iterator[str]:
    """All of them in some order; then more, instead of those that ended before they were killed."""
    yield from dice.sample(rounds, len(rounds))
    yield from dice.choices(rounds, k=2 * len(rounds))


def findings(ended: Sequence[Ended]) -> Iterator[Finding]:
    """What the lives show."""
    kept = sum(len(each.life.kept) for each in ended)
    lost = sum(each.found.lost(each.life.kept) for each in ended)
    killed = sum((each.life.killed for each in ended), Counter[Write | None]())
    kills = killed.total()
    yield Finding("lost", kills, "kills", f"{lost} of {kept:,} acknowledged facts lost", not lost and kept > kills)
    double = sum(each.found.double for each in ended)
    missing = sum(each.life.messages - _imported(each.found) for each in ended)
    came_out = f"{double} double; of what was imported {missing} missing"
    yield Finding("double", kills, "kills", came_out, not double and not missing)
    unequal = sum(len(each.life.unequal) + (not each.found.is_equal) for each in ended)
    wrong = sum(each.found.problems for each in ended)
    came_out = f"{unequal} times unequal; {wrong} problems in {len(ended)} memories at the end"
    yield Finding("views", kills, "kills", came_out, not unequal and not wrong)
    erased = [who for each in ended for who in each.life.erased]
    left = [who for each in ended for who in each.life.erased if each.found.has(who)]
    yield Finding("erased", len(erased), "erasures", f"{len(left)} of them are left", bool(erased) and not left)
    inside = kills - killed[None]
    yield Finding("in flight", kills, "kills", f"{inside} inside a write", inside * 2 >= kills)
    told = ", ".join(f"{each} {killed[each]}" for each in SEEN)
    yield Finding("everywhere", inside, "kills", told, all(killed[each] for each in SEEN))


def _imported(found: Afterwards) -> int:
    """Messages of the export that grows, by the years of their ids."""
    return sum("'discord'" in ref and f"key='{GROWING}" in ref for ref in found.refs)


GROWING = "503"
"""What the ids of its messages begin with: 1,200,000,000,000 ms << 22."""
PART = Part("crashes", "Crashes", CLAIMS, prove)
