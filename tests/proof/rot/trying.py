"""One try after the other: damage, ask, judge, count."""

import re
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import NamedTuple

from tests.proof.claim import Trial
from tests.proof.rot.asking import Answer
from tests.proof.rot.damage import (
    KINDS,
    PLACES,
    Damage,
    Ground,
    Where,
    chosen,
    chosen_beside,
    ground_beside,
    struck,
    taken,
)
from tests.proof.rot.memory import Whole
from tests.proof.rot.nursery import Nursery

PHASES = {
    "log": ("events", "look", "rows", "verify", "write"),
    "ring": ("look", "rows", "verify", "write"),
    "views": ("trees", "look", "rows", "verify", "write", "again"),
    "shadow": ("compare",),
    "backup": ("restore", "go on"),
}
LMDB_ALONE = ("events", "trees")
"""Phases that ask LMDB, and not the program: what was changed at all."""
REPAIRED_EVERY, LOOKED_EVERY = 2, 2
ANSWERS = ("look", "rows", "write")
"""Phases that answer, and so may answer wrongly."""
REFUSED_WHOLE = "is not an LMDB file"
"""What is said of a file of which not even the beginning is left: all of its events are gone, and none is named."""
_ONE_BY_ONE = re.compile(r"(?<!from )#(\d+)(?: to #(\d+))?")
_ON = re.compile(r"from #(\d+) on")
MANY = 2
"""So many of what did not come out as claimed are told of in the line itself."""
PAGEFUL = 64
"""Where a page does not fit, all of its events are named: more than so many that are as they were are too many."""


class Tried(NamedTuple):
    """What a try came to: the damage, and what came of every phase."""

    damage: Damage
    answers: dict[str, Answer]

    def died(self) -> list[str]:
        """The phases that ended their process, but for those that ask LMDB alone."""
        return [phase for phase, (what, _) in self.answers.items() if what == "dead" and phase not in LMDB_ALONE]

    def refused(self) -> bool:
        """Whether any answer was refused."""
        return any(what == "refused" for phase, (what, _) in self.answers.items() if phase in ANSWERS)

    def wrong(self) -> list[str]:
        """The phases that answered otherwise than the undamaged memory, or in a traceback; what LMDB alone reads in a
        damaged file may be anything.
        """
        answers = self.answers.items()
        return [phase for phase, (what, _) in answers if what in ("other", "unclear") and phase not in LMDB_ALONE]


def named(words: str) -> frozenset[int]:
    """The events that are named in words, as `#7`, `#7 to #9` or `from #7 on`."""
    on = min((int(each) for each in _ON.findall(words)), default=100_000)
    return one_by_one(words) | frozenset(range(on, 100_000))


def one_by_one(words: str) -> frozenset[int]:
    """The same, but for `from #7 on`."""
    spans = ((int(first), int(last or first)) for first, last in _ONE_BY_ONE.findall(words))
    return frozenset(seq for first, last in spans for seq in range(first, last + 1))


@dataclass
class Tally:
    """What all tries came to. `bad` has what is needed to do each one again that did not come out as claimed, `first`
    the first of each kind.
    """

    whole: Whole
    ground: Ground
    counts: Counter[str] = field(default_factory=Counter)
    bad: list[str] = field(default_factory=list)
    first: dict[str, list[str]] = field(default_factory=dict)

    def told(self, what: str) -> str:
        """The first of those that did not come out as claimed; nothing where all did."""
        some = self.first.get(what, [])
        return f" ({'; '.join(some)}{' …' if self.counts[what] > len(some) else ''})" if some else ""

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
        self.counts["earlier"] += any(what == "earlier" for what, _ in tried.answers.values())
        if damage.where == "log":
            self._take_log(name, tried)
        if damage.where == "views":
            self._take_views(name, tried)

    def _take_both(self, name: str, tried: Tried) -> None:
        """No writer may go on, and `verify` must say why, or refuse."""
        is_silent = tried.answers["verify"] == ("named", "\n")
        written = [] if tried.answers["write"][0] == "refused" else ["write"]
        phases = sorted({*tried.wrong(), *tried.died(), *written, *["verify"] * is_silent})
        self.counts["both"] += 1
        self.counts["both wrong"] += bool(phases)
        self.counts["both refused"] += not phases
        self._tell("both wrong", name, tried, phases)

    def _take_log(self, name: str, tried: Tried) -> None:
        changed, words = self._changed(tried), tried.answers["verify"][1]
        is_flip = tried.damage.kind == "flip" and tried.damage.files[0].endswith("data.mdb")
        unread = is_flip and tried.answers["events"][0] != "changed"
        self.counts["flips"] += is_flip
        self.counts["unread flips"] += unread
        is_no_file = REFUSED_WHOLE in words
        missed = changed - named(words) if not is_no_file else frozenset()
        is_silent = unread and not words.strip()
        self.counts["not named"] += bool(missed) or is_silent
        more = f" {sorted(missed)[:5]}"
        self._tell("not named", name, tried, ["verify"] if missed or is_silent else [], more)
        if changed:
            self.counts["changed"] += 1
            self.counts["changed events"] += len(changed)
            self.counts["refused whole"] += is_no_file
            self._take_precision(name, tried, changed)

    def _take_precision(self, name: str, tried: Tried, changed: frozenset[int]) -> None:
        """How the changed events were named, and what is named that is as it was written."""
        words, last = tried.answers["verify"][1], len(self.whole.events)
        singly, every = one_by_one(words), named(words)
        intact = {seq for seq in every if 1 <= seq <= last} - changed
        self.counts["named singly"] += len(changed & singly)
        self.counts["named from on"] += len((changed & every) - singly)
        self.counts["named intact"] += len(intact)
        is_imprecise = len(intact) > len(changed) + PAGEFUL
        self.counts["imprecise"] += is_imprecise
        self._tell("imprecise", name, tried, ["verify"] if is_imprecise else [], f" {len(intact)} intact events named")

    def _changed(self, tried: Tried) -> frozenset[int]:
        """The events that are not what was written: as LMDB reads them, and by their place where it does not."""
        (what, words), damage = tried.answers["events"], tried.damage
        by_place = taken(damage, self.ground)
        if what == "changed":
            return by_place | frozenset(map(int, words.split()))
        if damage.kind == "flip" and damage.files[0].endswith("data.mdb"):
            return struck(damage, self.whole.data)
        return by_place

    def _take_views(self, name: str, tried: Tried) -> None:
        if tried.answers["trees"][0] == "same":
            return
        self.counts["damaged views"] += 1
        is_noticed = tried.answers["verify"][1].strip() != ""
        is_right = tried.answers["write"][0] == "same" and tried.answers["again"][1] == "\n"
        self.counts["unseen views"] += not is_noticed
        self.counts["unnoticed views"] += not is_noticed or not is_right
        self._tell("unseen views", name, tried, [] if is_noticed else ["verify"])
        self._tell("unnoticed views", name, tried, [] if is_noticed and is_right else ["verify", "write", "again"])

    def take_repair(self, name: str, tried: Tried) -> None:
        """Count a repair. What it says cannot be read is lost too: pages that do not fit are not believed, whatever
        LMDB reads in them.
        """
        what, words = tried.answers["repair"]
        gone = self._changed(tried) | (named(words) if what == "refused" else frozenset())
        lost = any(seq > self.whole.kept for seq in gone)
        self.counts["repairs"] += 1
        self.counts["repaired"] += what == "same"
        self.counts["restored"] += what == "restored"
        self.counts["beyond the backup"] += what == "refused" and lost
        self._tell("not repaired", name, tried, ["repair"] if what in ("other", "dead", "unclear") else [])
        if what == "refused" and not lost:
            self._tell("not repaired", name, tried, ["repair"])

    def take_beside(self, name: str, tried: Tried) -> None:
        """Count damage to a shadow or a backup."""
        where, phases = tried.damage.where, sorted({*tried.wrong(), *tried.died()})
        self.counts[where] += 1
        self.counts[f"{where} wrong"] += bool(phases)
        self.counts[f"{where} refused"] += any(what == "refused" for what, _ in tried.answers.values())
        self._tell(f"{where} wrong", name, tried, phases)

    def _tell(self, what: str, name: str, tried: Tried, phases: list[str], more: str = "") -> None:
        if phases:
            first = self.first.setdefault(what, [])
            if len(first) < MANY:
                first.append(f"{tried.damage}{more}: {', '.join(phases)}")
            said = "; ".join(f"{phase}: {' '.join(tried.answers[phase])[:300]!r}" for phase in phases)
            every = ", ".join(f"{phase} {came}" for phase, (came, _) in tried.answers.items())
            self.bad.append(f"{what}{more}: {name}, {tried.damage}: {said}; of {every}")


def tries_beside(trial: Trial, folder: Path, nursery: Nursery, each: int, tally: Tally) -> None:
    """So many tries of every kind of damage to a shadow, and to a backup. Copies are made in `folder`."""
    sources: dict[Where, Path] = {"shadow": tally.whole.beside, "backup": tally.whole.backup}
    for where, source in sources.items():
        files = ground_beside(source, "shadows" if where == "shadow" else "")
        for number, (kind, turn) in enumerate(product(KINDS, range(each))):
            name = f"rot {where} {kind} {turn}"
            damage = chosen_beside(kind, where, files, trial.dice(name))
            tried = _tried(folder / "try", source, nursery, number, damage, PHASES[where])
            if tried is not None:
                tally.take_beside(name, tried)
        trial.say(f"{each * len(KINDS)} tries in a {where}")


def tries(trial: Trial, folder: Path, nursery: Nursery, each: int, tally: Tally) -> None:
    """So many tries of every kind of damage at every place; a log is repaired in every REPAIRED_EVERYth, and a command
    shows something in every LOOKED_EVERYth. Copies are made in `folder`.
    """
    for number, name, damage in _damages(trial, tally.ground, each):
        phases = [phase for phase in PHASES[damage.where] if phase != "look" or number % LOOKED_EVERY == 0]
        is_log = damage.where == "log" and damage.files[0].endswith("data.mdb")
        for_repair = is_log and number % REPAIRED_EVERY == 0
        phases += ["repair"] * for_repair
        tried = _tried(folder / "try", tally.whole.data, nursery, number, damage, phases)
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


def _tried(
    copy: Path, source: Path, nursery: Nursery, number: int, damage: Damage, phases: Sequence[str]
) -> Tried | None:
    shutil.copytree(source, copy)
    try:
        return Tried(damage, nursery.tried(number, copy, phases)) if damage.inflict(copy) else None
    finally:
        shutil.rmtree(copy)
