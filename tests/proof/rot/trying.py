"""One try after the other: damage, ask, judge, count."""

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tests.proof.claim import Trial
from tests.proof.rot.asking import Answer
from tests.proof.rot.damage import KINDS, PLACES, Damage, Ground, chosen, taken
from tests.proof.rot.memory import Whole
from tests.proof.rot.nursery import Nursery

PHASES = {
    "log": ("events", "look", "rows", "verify", "write"),
    "ring": ("look", "rows", "verify", "write"),
    "views": ("trees", "look", "rows", "verify", "write", "again"),
}
REPAIRED_EVERY, LOOKED_EVERY = 2, 2
ANSWERS = ("look", "rows", "write")
"""Phases that answer, and so may answer wrongly."""
_RANGE = re.compile(r"#(\d+)(?: to #(\d+)| on)?")


class Tried(NamedTuple):
    """What a try came to: the damage, and what came of every phase."""

    damage: Damage
    answers: dict[str, Answer]

    def died(self) -> list[str]:
        """The phases that ended their process, but for those that ask LMDB alone."""
        return [
            phase for phase, (what, _) in self.answers.items() if what == "dead" and phase not in ("events", "trees")
        ]

    def refused(self) -> bool:
        """Whether any answer was refused."""
        return any(what == "refused" for phase, (what, _) in self.answers.items() if phase in ANSWERS)

    def wrong(self) -> list[str]:
        """The phases that answered otherwise than the undamaged memory, or in a traceback."""
        phases = [each for each in (*ANSWERS, "verify", "again", "repair") if each in self.answers]
        return [phase for phase in phases if self.answers[phase][0] in ("other", "unclear")]


def named(words: str) -> frozenset[int]:
    """The events that are named in words, as `#7`, `#7 to #9` or `from #7 on`."""
    found: set[int] = set()
    for first, last in _RANGE.findall(words):
        found |= set(range(int(first), int(last or first) + 1))
    for match in re.finditer(r"from #(\d+) on", words):
        found |= set(range(int(match[1]), 100_000))
    return frozenset(found)


@dataclass
class Tally:
    """What all tries came to. `bad` has what is needed to do each one again that did not come out as claimed."""

    whole: Whole
    ground: Ground
    counts: Counter[str] = field(default_factory=Counter)
    bad: list[str] = field(default_factory=list)

    def take(self, name: str, tried: Tried) -> None:
        """Count a try."""
        damage = tried.damage
        self.counts["tries"] += 1
        self.counts[damage.kind] += 1
        self.counts[damage.where] += 1
        self.counts["in use"] += damage.in_use
        if len(damage.files) > 1:
            self._take_both(name, tried)
            return
        for what, phases in (("died", tried.died()), ("wrong", tried.wrong())):
            self.counts[what] += bool(phases)
            self._tell(what, name, tried, phases)
        self.counts["refused"] += tried.refused()
        if damage.where == "log":
            self._take_log(name, tried)
        if damage.where == "views":
            self._take_views(name, tried)

    def _take_both(self, name: str, tried: Tried) -> None:
        phases = sorted({*tried.wrong(), *tried.died()})
        self.counts["both"] += 1
        self.counts["both wrong"] += bool(phases)
        self.counts["both refused"] += tried.refused()
        self._tell("wrong, both copies", name, tried, phases)

    def _take_log(self, name: str, tried: Tried) -> None:
        changed = self._changed(tried)
        if not changed:
            return
        self.counts["changed"] += 1
        self.counts["changed events"] += len(changed)
        missed = changed - named(tried.answers["verify"][1])
        self.counts["not named"] += bool(missed)
        self._tell(f"not named {sorted(missed)[:5]}", name, tried, ["verify"] if missed else [])

    def _changed(self, tried: Tried) -> frozenset[int]:
        """The events that are not what was written: as LMDB reads them, and by their place where it does not."""
        what, words = tried.answers["events"]
        by_place = taken(tried.damage, self.ground)
        return by_place if what != "changed" else by_place | frozenset(map(int, words.split()))

    def _take_views(self, name: str, tried: Tried) -> None:
        if tried.answers["trees"][0] == "same":
            return
        self.counts["damaged views"] += 1
        is_noticed = tried.answers["verify"][1].strip() != ""
        is_right = tried.answers["write"][0] == "same" and tried.answers["again"][1] == "\n"
        self.counts["unnoticed views"] += not is_noticed or not is_right
        self._tell("not built again", name, tried, [] if is_noticed and is_right else ["verify", "write", "again"])

    def take_repair(self, name: str, tried: Tried) -> None:
        """Count a repair."""
        what = tried.answers["repair"][0]
        lost = any(seq > self.whole.kept for seq in self._changed(tried))
        self.counts["repairs"] += 1
        self.counts["repaired"] += what == "same"
        self.counts["restored"] += what == "restored"
        self.counts["beyond the backup"] += what == "refused" and lost
        self._tell("not repaired", name, tried, ["repair"] if what in ("other", "dead", "unclear") else [])
        if what == "refused" and not lost:
            self._tell("not repaired", name, tried, ["repair"])

    def _tell(self, what: str, name: str, tried: Tried, phases: list[str]) -> None:
        if phases:
            said = "; ".join(f"{phase}: {' '.join(tried.answers[phase])[:300]!r}" for phase in phases)
            self.bad.append(f"{what}: {name}, {tried.damage}: {said}")


def tries(trial: Trial, whole: Whole, files: Ground, nursery: Nursery, each: int, tally: Tally) -> None:
    """So many tries of every kind of damage at every place; a log is repaired in every REPAIRED_EVERYth, and a command
    shows something in every LOOKED_EVERYth."""
    for number, name, damage in _damages(trial, files, each):
        phases = [phase for phase in PHASES[damage.where] if phase != "look" or number % LOOKED_EVERY == 0]
        is_log = damage.where == "log" and damage.files[0].endswith("data.mdb")
        for_repair = is_log and number % REPAIRED_EVERY == 0
        tried = _tried(trial.folder / "try", whole, nursery, number, damage, phases + ["repair"] * for_repair)
        if tried is None:
            tally.counts["nothing to change"] += 1
            continue
        tally.take(name, tried)
        if for_repair:
            tally.take_repair(name, tried)


def _damages(trial: Trial, files: Ground, each: int) -> Iterator[tuple[int, str, Damage]]:
    number = 0
    for where in PLACES:
        for kind in KINDS:
            for _ in range(each):
                number += 1
                name = f"rot {where} {kind} {number}"
                yield number, name, chosen(kind, where, files, trial.dice(name))
            trial.say(f"{number} tries, the last of them {kind} in {where}")


def _tried(copy: Path, whole: Whole, nursery: Nursery, number: int, damage: Damage, phases: list[str]) -> Tried | None:
    shutil.copytree(whole.data, copy)
    try:
        return Tried(damage, nursery.tried(number, copy, phases)) if damage.inflict(copy) else None
    finally:
        shutil.rmtree(copy)
