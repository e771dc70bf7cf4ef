"""What all tries came to: judged one by one, by what is known of the damage, and counted."""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.proof.rot.asking import Answer
from tests.proof.rot.damage import Damage, Ground, struck, taken
from tests.proof.rot.memory import Whole

LMDB_ALONE = ("events", "trees")
"""Phases that ask LMDB, and not the program: what was changed at all."""
ANSWERS = ("look", "rows", "write")
"""Phases that answer, and so may answer wrongly."""
CLEAN: Answer = ("named", "\n")
"""`verify` has nothing to tell."""
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

    def otherwise(self) -> list[str]:
        """The phases of those that answer that did not answer as the undamaged memory does."""
        return [phase for phase, (what, _) in self.answers.items() if phase in ANSWERS and what != "same"]

    def wrong(self) -> list[str]:
        """The phases that answered otherwise than the undamaged memory, or in a traceback; what LMDB alone reads in a
        damaged file may be anything.
        """
        answers = self.answers.items()
        return [phase for phase, (what, _) in answers if what in ("other", "unclear") and phase not in LMDB_ALONE]

    def touched(self) -> list[str]:
        """The phases that did not come out as they do where nothing is damaged."""
        return [phase for phase, answer in self.answers.items() if answer[0] != "same" and answer not in _UNTOUCHED]


_UNTOUCHED: tuple[Answer, ...] = (CLEAN, ("changed", ""))


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
        if not damage.in_use:
            self.take_control(name, tried)
        for what, phases in (("died", tried.died()), ("wrong", tried.wrong())):
            self._count(what, name, tried, phases)
        self.counts["refused"] += tried.refused()
        self.counts["earlier"] += any(what == "earlier" for what, _ in tried.answers.values())
        self.counts[f"{damage.where} same"] += not tried.otherwise()
        if damage.where == "log":
            self._take_log(name, tried)
        if damage.where == "ring":
            self._take_copy(name, tried)
        if damage.where == "views":
            self._take_views(name, tried)

    def _take_both(self, name: str, tried: Tried) -> None:
        """No writer may go on, and `verify` must say why, or refuse."""
        is_silent = tried.answers["verify"] == CLEAN
        written = [] if tried.answers["write"][0] == "refused" else ["write"]
        phases = sorted({*tried.wrong(), *tried.died(), *written, *["verify"] * is_silent})
        self.counts["both"] += 1
        self.counts["both refused"] += not phases
        self._count("both wrong", name, tried, phases)

    def _take_copy(self, name: str, tried: Tried) -> None:
        """What one copy lacks the other one has: nothing is answered otherwise, `verify` tells of it, and the next
        writer puts it right.
        """
        what, words = tried.answers["verify"]
        is_told = what == "named" and bool(words.strip())
        is_put_right = tried.answers["again"] == CLEAN
        self.counts["one copy"] += 1
        self._count("copy untold", name, tried, [] if is_told else ["verify"])
        self._count("copy otherwise", name, tried, tried.otherwise())
        self._count("copy left", name, tried, [] if is_put_right else ["again"])

    def _take_log(self, name: str, tried: Tried) -> None:
        changed, words = self._changed(tried), tried.answers["verify"][1]
        is_flip = tried.damage.kind == "flip" and tried.damage.files[0].endswith("data.mdb")
        unread = is_flip and tried.answers["events"][0] != "changed"
        self.counts["flips"] += is_flip
        self.counts["unread flips"] += unread
        is_no_file = REFUSED_WHOLE in words
        missed = changed - named(words) if not is_no_file else frozenset()
        is_silent = unread and not words.strip()
        self._count("not named", name, tried, ["verify"] if missed or is_silent else [], f" {sorted(missed)[:5]}")
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
        phases = ["verify"] if is_imprecise else []
        self._count("imprecise", name, tried, phases, f" {len(intact)} intact events named")

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
        is_right = tried.answers["write"][0] == "same" and tried.answers["again"] == CLEAN
        self._count("unseen views", name, tried, [] if is_noticed else ["verify"])
        phases = [] if is_noticed and is_right else ["verify", "write", "again"]
        self._count("unnoticed views", name, tried, phases)

    def take_repair(self, name: str, tried: Tried) -> None:
        """Count a repair. Whether it was right to give up goes by what is gone: what `repair` says is gone is not
        believed, but counted where it is not.
        """
        what, words = tried.answers["repair"]
        is_gone = any(seq > self.whole.kept for seq in self._changed(tried))
        has_given_up = what in ("restored", "refused")
        self.counts["repairs"] += 1
        self.counts["repaired"] += what == "same"
        self.counts["restored"] += what == "restored" and is_gone
        self.counts["beyond the backup"] += what == "refused" and is_gone
        is_in_vain, is_blamed = has_given_up and not is_gone, max(one_by_one(words), default=0) > self.whole.kept
        self._count("in vain", name, tried, ["repair"] if is_in_vain else [])
        self._count("blamed", name, tried, ["repair"] if is_in_vain and is_blamed else [])
        self._count("not repaired", name, tried, [] if what == "same" or has_given_up else ["repair"])

    def take_beside(self, name: str, tried: Tried) -> None:
        """Count damage to a shadow or a backup."""
        where, phases = tried.damage.where, sorted({*tried.wrong(), *tried.died()})
        self.counts[where] += 1
        self.counts[f"{where} refused"] += any(what == "refused" for what, _ in tried.answers.values())
        self.counts[f"{where} same"] += all(what == "same" for what, _ in tried.answers.values())
        self._count(f"{where} wrong", name, tried, phases)
        if not tried.damage.in_use:
            self.take_control(name, tried)

    def take_control(self, name: str, tried: Tried) -> None:
        """Count a try in which nothing was changed that anybody uses."""
        self.counts[f"{tried.damage.where} controls"] += 1
        self._count(f"{tried.damage.where} controls touched", name, tried, tried.touched())

    def _count(self, what: str, name: str, tried: Tried, phases: list[str], more: str = "") -> None:
        """Count and tell of a try in which something did not come out as claimed: of these phases, if any."""
        if phases:
            self.counts[what] += 1
            first = self.first.setdefault(what, [])
            if len(first) < MANY:
                first.append(f"{tried.damage}{more}: {', '.join(phases)}")
            said = "; ".join(f"{phase}: {' '.join(tried.answers[phase])[:300]!r}" for phase in phases)
            every = ", ".join(f"{phase} {came}" for phase, (came, _) in tried.answers.items())
            self.bad.append(f"{what}{more}: {name}, {tried.damage}: {said}; of {every}")
