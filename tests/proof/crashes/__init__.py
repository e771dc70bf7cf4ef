"""Crashes: every command killed by SIGKILL at random moments, with another process writing, over and over."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tests.kills.child import Write
from tests.kills.nursery import Nursery
from tests.proof.claim import Claim, Finding, Part, Trial
from tests.proof.crashes.afterwards import Afterwards, afterwards
from tests.proof.crashes.backups import Kept
from tests.proof.crashes.kill import Kill
from tests.proof.crashes.life import ROUNDS, Life

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
LEAST_DONE = {"messages": 1_000, "messages learned from": 1_000, "erasures": 20, "adoptions": 36}
"""How much of each must have been acknowledged in all, beside more facts than kills; not in the short form."""
LEAST_EVENTS, LEAST_BACKUPS, LEAST_IN_FORCE = 28_000, 30, 0.6
"""How many events there must be of which none comes twice, and how many backups that a kill left, not in the short
form; and which share of what was adopted must be in force just behind it.
"""
MANY = 2
"""So many of what is wrong are named."""
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
        "that ended with 0 had imported, learned from, erased, adopted; and at each kill, and after the other process "
        "ended, the earlier log, by size and root, is a prefix of the log; fails where no more facts than kills were "
        f"acknowledged, or fewer than {', '.join(f'{least:,} {what}' for what, least in LEAST_DONE.items())}",
    ),
    Claim(
        "double",
        "nothing that was said or done comes twice",
        "the same lives, before anything is done again, and once more when all that was broken off was done to its "
        "end: events of the same words under two ids (what is adopted again after it was taken back aside), or of the "
        "same id; facts, messages, and messages that an extraction read for one person and compartment, whatever else "
        f"their events say; then nothing of them is missing either; fails with fewer than {LEAST_EVENTS:,} events",
    ),
    Claim(
        "adopted",
        "what was adopted, or taken back, is in force",
        "just behind each `adopt` that ended with 0, while the other process goes on: the log names as many items and "
        "summaries as it said that it changed, and each is as it left it, or was changed since; where it said that "
        "nothing was left to do, those of the last one that counts; fails where fewer than "
        f"{LEAST_IN_FORCE:.0%} are as it left them",
    ),
    Claim(
        "backup",
        "a backup that is killed leaves one that is whole, and it can be restored",
        "at each kill of `backup`: manifest, ledger and the digests of its pieces, its size and root held against the "
        "log's, and no smaller than what was there, or was said to be backed up; before anything is done again, and at "
        "the end, every event against the log's; at the end restored into a new folder with its keys: the same "
        f"events, the same rows, every byte verified; fails where fewer than {LEAST_BACKUPS} kills left a backup, or a "
        "memory was not restored",
    ),
    Claim(
        "views",
        "the views are there, and a rebuild's, and afterwards every byte verifies",
        "replay --check of a copy of each memory that was made at the kill, while the other process was held; verify "
        "--open at the end of each life. Without views, rows would be folded from the log, and equal: so there must be "
        "some on disk at each kill, behind each round and at the end; they are made before a memory's first event, and "
        "replaced in one step",
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
    trial.say(
        f"life {number}: {len(life.kills)} kills, {len(life.kept)} facts acknowledged, {len(found.problems)} problems"
    )
    return Ended(life, found)


def _rounds(number: int) -> Iterator[tuple[str, bool]]:
    """Every command as often, and whether it is killed at any moment."""
    for name in ROUNDS:
        for turn in range(number * EACH, (number + 1) * EACH):
            yield name, turn % RANDOM == 0


def findings(ended: Sequence[Ended], *, is_short: bool = False) -> Iterator[Finding]:
    """What the lives show."""
    kills = [kill for each in ended for kill in each.life.kills]
    yield _lost(ended, kills, is_short=is_short)
    yield _double(ended, kills, is_short=is_short)
    yield _adopted(ended, is_short=is_short)
    yield _backup(ended, kills, is_short=is_short)
    yield _views(ended, kills)
    yield _erased(ended)
    yield _beside(kills)
    yield _in_flight(kills, is_short=is_short)
    yield _everywhere(kills, is_short=is_short)


def _lost(ended: Sequence[Ended], kills: Sequence[Kill], *, is_short: bool) -> Finding:
    done = [each.life.acknowledged for each in ended]
    lost = _joined(each.found.before.lost(each.life.acknowledged) for each in ended)
    broken = [str(kill) for kill in kills if not kill.goes_on]
    broken += [
        f"behind a round of life {number}" for number, each in enumerate(ended) for _ in range(each.life.broken_off)
    ]
    facts = sum(len(each.facts) for each in done)
    every = {
        "messages": sum(each.imported for each in done),
        "messages learned from": sum(each.learned for each in done),
        "erasures": sum(len(each.erased) for each in done),
        "adoptions": sum(len(each.adopted) for each in done),
    }
    acknowledged = ", ".join(f"{often:,} {what}" for what, often in every.items())
    came_out = (
        f"{_count(lost)} of {facts:,} facts, {acknowledged} lost{_told(lost)}; {len(broken)} times the earlier log was "
        f"no prefix{_named(broken)}"
    )
    is_enough = facts > len(kills) and (is_short or all(every[what] >= least for what, least in LEAST_DONE.items()))
    return Finding("lost", len(kills), "kills", came_out, is_enough and not _count(lost) and not broken)


def _double(ended: Sequence[Ended], kills: Sequence[Kill], *, is_short: bool) -> Finding:
    double = _joined(look.double for each in ended for look in (each.found.before, each.found.after))
    missing = _joined(each.found.after.lost(each.life.in_the_end) for each in ended)
    events = sum(each.found.after.words.total() for each in ended)
    read = sum(each.found.after.reads.total() for each in ended)
    came_out = (
        f"{_count(double)} double{_told(double)}, of {events:,} events and {read:,} messages learned from; done to the "
        f"end, {_count(missing)} missing{_told(missing)}"
    )
    is_enough = is_short or events >= LEAST_EVENTS
    return Finding("double", len(kills), "kills", came_out, is_enough and not _count(double) and not _count(missing))


def _adopted(ended: Sequence[Ended], *, is_short: bool) -> Finding:
    effects = [effect for each in ended for effect in each.life.effects]
    live, since = sum(each.live for each in effects), sum(each.since for each in effects)
    wrong = [each for effect in effects for each in effect.wrong]
    came_out = (
        f"of {live + since + len(wrong):,} items and summaries {live:,} as it left them, {since:,} changed since, "
        f"{len(wrong)} neither{_named(wrong)}"
    )
    is_enough = live >= LEAST_IN_FORCE * (live + since) > 0 and (is_short or len(effects) >= LEAST_DONE["adoptions"])
    return Finding("adopted", len(effects), "adoptions and undoings", came_out, is_enough and not wrong)


def _backup(ended: Sequence[Ended], kills: Sequence[Kill], *, is_short: bool) -> Finding:
    looked = [kill.backup for kill in kills if kill.backup is not None]
    there = [each for each in looked if each.stood is not None]
    whole = [each for one in ended for each in one.life.backups]
    restored = [one.life.backups[-1].stood for one in ended if one.life.backups]
    events = sum(each.size for each in restored if each is not None)
    wrong = [each for kept in (*looked, *whole) for each in kept.wrong]
    came_out = (
        f"{len(there)} left a backup, {looked.count(Kept(None))} broke a first one off; "
        f"{len(whole) - len(restored)} read whole, {len(restored)} restored, with {events:,} events; "
        f"{len(wrong)} problems{_named(wrong)}"
    )
    is_enough = len(restored) == len(ended) and None not in restored and events > 0
    is_enough &= is_short or len(there) >= LEAST_BACKUPS
    return Finding("backup", len(looked), "kills of `backup`", came_out, is_enough and not wrong)


def _views(ended: Sequence[Ended], kills: Sequence[Kill]) -> Finding:
    unequal = [str(kill) for kill in kills if not kill.is_equal]
    unequal += [f"at the end of life {number}" for number, each in enumerate(ended) if not each.found.is_equal]
    without = [str(kill) for kill in kills if not kill.has_views]
    without += [f"behind a round of life {number}" for number, each in enumerate(ended) if each.life.without_views]
    without += [f"at the end of life {number}" for number, each in enumerate(ended) if not each.found.has_views]
    wrong = [problem for each in ended for problem in each.found.problems]
    came_out = (
        f"{len(unequal)} times unequal{_named(unequal)}; {len(without)} times none on disk{_named(without)}; "
        f"{len(wrong)} problems in {len(ended)} memories at the end{_named(wrong)}"
    )
    return Finding("views", len(kills), "kills", came_out, not unequal and not without and not wrong)


def _erased(ended: Sequence[Ended]) -> Finding:
    every = [(who, each.found.after.has(who)) for each in ended for who in each.life.erased]
    left = [who for who, is_left in every if is_left]
    return Finding("erased", len(every), "erasures", f"{len(left)} of them are left{_named(left)}", not left)


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


def _joined(found: Iterable[Mapping[str, Sequence[str]]]) -> dict[str, list[str]]:
    """What several lives have, by what it is."""
    every: dict[str, list[str]] = {}
    for name, some in (pair for each in found for pair in each.items()):
        every.setdefault(name, []).extend(some)
    return every


def _count(found: Mapping[str, Sequence[str]]) -> int:
    return sum(map(len, found.values()))


def _told(found: Mapping[str, Sequence[str]]) -> str:
    """How much there is of each, and the first of them, where there is any."""
    told = ", ".join(f"{name} {len(some)}{_named(some)}" for name, some in found.items() if some)
    return f" ({told})" if told else ""


def _named(some: Sequence[str]) -> str:
    return f": {'; '.join(some[:MANY])}{' …' if len(some) > MANY else ''}" if some else ""


PART = Part("crashes", "Crashes", CLAIMS, prove)
