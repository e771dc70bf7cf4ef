"""What came of commands that met a fault, and whether it is enough."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from tests.proof.claim import Finding
from tests.proof.full.faults import BROKEN, FULL, READ_ONLY, SYNC_FAILS, TOO_MANY
from tests.proof.full.refused import COMMANDS, RUNS

FAULTS = (FULL, SYNC_FAILS, BROKEN, READ_ONLY, TOO_MANY)
"""What every command has to meet."""
LEAST_OF_A_COMMAND, LEAST_OF_A_FAULT = 16, 32
"""So many commands of each name, and so many with each fault, must have met one; and one of each with each."""
NAMED = 2
"""So many of what is wrong are named."""


class Reached(NamedTuple):
    """At how many calls of a command a fault was tried, and how many there are."""

    tries: int
    calls: int

    def __str__(self) -> str:
        return f"{self.tries:,} of {self.calls:,}"


class Told(msgspec.Struct):
    """What came of commands that met a fault: at how many calls of each command each fault was tried, how many told of
    it, those that were not told of well, or left something that does not hold, in words; and behind how many of them
    something was passed over, by what it is called.
    """

    reached: dict[tuple[str, str], Reached] = {}
    told: int = 0
    unwell: list[str] = []
    broken: list[str] = []
    passed: Counter[str] = msgspec.field(default_factory=Counter)

    @property
    def tries(self) -> int:
        """How many there were."""
        return sum(each.tries for each in self.reached.values())

    def of(self, place: int) -> Counter[str]:
        """How many there were of each command (0), or with each fault (1)."""
        counts = Counter[str]()
        for key, reached in self.reached.items():
            counts[key[place]] += reached.tries
        return counts

    def are_enough(self) -> bool:
        """Whether each command has met each fault, and both often enough."""
        by_command, by_fault = self.of(0), self.of(1)
        met = {key for key, reached in self.reached.items() if reached.tries}
        return (
            all((each.name, fault.name) in met for each in COMMANDS for fault in FAULTS)
            and all(by_command[each.name] >= LEAST_OF_A_COMMAND for each in COMMANDS)
            and all(by_fault[each.name] >= LEAST_OF_A_FAULT for each in FAULTS)
        )

    def of_full_disks(self) -> dict[str, Reached]:
        """At how many of its calls each command met a full disk."""
        return {name: reached for (name, fault), reached in self.reached.items() if fault == FULL.name}

    def short(self) -> str:
        """Why not every call of every command met a full disk; nothing where each did."""
        missed = [f"{name} at {each}" for name, each in self.of_full_disks().items() if each.tries < each.calls]
        return (
            f"a full disk was not tried at every call: {', '.join(missed)}; threads write beside each other, and of "
            f"{RUNS} runs none made so many calls as were to fail"
            if missed
            else ""
        )


def shown(wrong: Sequence[str], what: str) -> str:
    """How many are wrong, and the first of them."""
    return f"{len(wrong):,} {what}" + "".join(f"; {each}" for each in wrong[:NAMED])


def findings(came: Told, *, is_short: bool) -> Iterator[Finding]:
    """Whether each was told of well, and nothing was lost. In the short form one call of one command is enough."""
    tries, counted = came.tries, "commands that met a fault"
    enough = tries > 0 and (is_short or came.are_enough())
    full = ", ".join(f"{name} {each}" for name, each in came.of_full_disks().items())
    met = "; ".join(", ".join(f"{name} {count:,}" for name, count in came.of(place).items()) for place in (0, 1))
    told = f"{came.told:,} told of it, the others did without; calls at which the disk was full: {full}; in all {met}"
    short = "" if is_short or not enough else came.short()
    for key, wrong, said, is_well in (
        ("told", came.unwell, f"{shown(came.unwell, 'badly told')}; {told}", came.told * 2 >= tries),
        ("kept", came.broken, f"{shown(came.broken, 'broken')}; {_passed(came.passed)}", True),
    ):
        is_right = enough and is_well and not wrong
        yield Finding(key, tries, counted, said, is_right and not short, short if is_right else "")


def _passed(passed: Counter[str]) -> str:
    """What was passed over."""
    counts = ", ".join(f"{count:,} times {name}" for name, count in passed.most_common())
    return f"passed over right behind the fault: {counts or 'nothing'}"
