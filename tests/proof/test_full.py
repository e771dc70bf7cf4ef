"""Full disks, the short form: a command and an open memory that meet one, and a log that says nothing of it."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from itertools import chain, repeat
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import pytest
from msgspec import structs

from dnam.memory import Memory as Opened
from replay.verify import Problem
from tests.dnam.scripted import FakeClock
from tests.proof.claim import Trial
from tests.proof.full import EVERY, MEET, PART, gone_on
from tests.proof.full.faults import FULL, READ_ONLY, Fault, Page, compiler
from tests.proof.full.living import RUNS, Life, Lived
from tests.proof.full.looking import Looked, look, look_again, sifted, stood
from tests.proof.full.refused import COMMANDS, Memory, Tried, some
from tests.proof.full.refused import RUNS as TRIED_RUNS
from tests.proof.full.said import COULD_NOT, DONE, Counts, Left, Said, told_badly, undone
from tests.proof.full.told import FAULTS, Reached, Told, findings
from tests.proof.scorecard import Line


@pytest.mark.skipif(compiler() is None, reason="no C compiler here, or not Linux")
def test_a_full_disk_is_told_of_and_loses_nothing(tmp_path: Path) -> None:
    told: list[str] = []
    found = {each.key: each for each in PART.prove(Trial(tmp_path, 20261122, is_short=True, say=told.append))}
    assert set(found) == {claim.key for claim in PART.claims} - {"slow"}  # which measures time
    assert [each for each in found.values() if not each.holds] == [], told
    assert all(each.count for each in found.values())


PAIRS = [(command.name, fault.name) for command in COMMANDS for fault in FAULTS]


def came(**other: Any) -> Told:
    """Each command met each fault at all of its 8 calls."""
    return structs.replace(Told(dict.fromkeys(PAIRS, Reached(8, 8)), told=len(PAIRS) * 8), **other)


def verdicts(told: Told) -> dict[str, str]:
    """What the page says of each of the two lines."""
    claims = {each.key: each for each in PART.claims}
    return {each.key: Line(claims[each.key], each).verdict for each in findings(told, is_short=False)}


def test_a_command_or_a_fault_that_was_not_tried_is_not_enough() -> None:
    assert came().are_enough()
    assert verdicts(came()) == {"told": "holds", "kept": "holds"}
    for few in (dict.fromkeys(PAIRS[1:], Reached(8, 8)), dict.fromkeys(PAIRS, Reached(1, 1))):
        assert not came(reached=few).are_enough()
        assert verdicts(came(reached=few)) == {"told": "BROKEN", "kept": "BROKEN"}
    assert not came(reached=dict.fromkeys(PAIRS, Reached(8, 8)) | {PAIRS[0]: Reached(0, 8)}).are_enough()


def test_a_call_at_which_no_disk_was_full_lets_the_lines_fall_short() -> None:
    pair = (COMMANDS[1].name, FULL.name)
    missed = came(reached=came().reached | {pair: Reached(173, 174)})
    assert verdicts(missed) == {"told": "falls short", "kept": "falls short"}
    for found in findings(missed, is_short=False):
        assert "import at 173 of 174;" in found.short
    (told, _) = findings(missed, is_short=False)
    assert "calls at which the disk was full: chat 8 of 8, import 173 of 174, erase 8 of 8," in told.came_out
    other = came(reached=came().reached | {(COMMANDS[1].name, READ_ONLY.name): Reached(5, 174)})
    assert verdicts(other) == {"told": "holds", "kept": "holds"}  # of the others not every call is claimed


def test_a_call_that_one_run_does_not_make_is_tried_in_another_one() -> None:
    memory, met = Memory.__new__(Memory), Tried(True, [], [], [], frozenset())
    with mock.patch.object(Memory, "tried", side_effect=[None, None, met]):
        assert memory.met(COMMANDS[1], FULL, 170) is met
    with mock.patch.object(Memory, "tried", return_value=None) as tried:
        assert memory.met(COMMANDS[1], FULL, 170) is None
        assert tried.call_count == TRIED_RUNS
    with mock.patch.object(Memory, "_calls", side_effect=[163, 187, 163, 152, 170]):
        assert memory.calls(COMMANDS[1], FULL) == 163


def test_every_call_is_tried_or_the_first_the_last_and_some() -> None:
    assert some(173, None, Random(1)) == list(range(1, 174))
    few = some(173, 5, Random(1))
    assert (few[0], few[-1], len(set(few))) == (1, 173, 5)


def test_what_is_wrong_is_broken_and_does_not_fall_short() -> None:
    for reached in (Reached(8, 8), Reached(8, 9)):
        every = came().reached | {PAIRS[0]: reached}
        rest = "holds" if reached.tries == reached.calls else "falls short"
        assert verdicts(came(reached=every, unwell=["a traceback"])) == {"told": "BROKEN", "kept": rest}
        assert verdicts(came(reached=every, broken=["lost"])) == {"told": rest, "kept": "BROKEN"}
        assert verdicts(came(reached=every, told=0)) == {"told": "BROKEN", "kept": rest}


def test_what_is_passed_over_is_named_and_counted_and_nothing_else_is() -> None:
    every = [Problem(0, "key ring: ring-b is cut"), Problem(0, "views: a row is damaged"), Problem(0, "views: a page")]
    assert sifted([], every) == Looked([], frozenset({"a copy of the key ring", "views"}))
    assert sifted(["lost"], [Problem(7, "its body: views")]) == Looked(["lost", "#7: its body: views"], frozenset())
    (_, kept) = findings(came(passed=Counter({"views": 37, "a copy of the key ring": 2})), is_short=False)
    assert kept.holds
    assert "over right behind the fault: 37 times views, 2 times a copy of the key ring" in kept.came_out
    (_, kept) = findings(came(), is_short=False)
    assert kept.came_out.endswith("passed over right behind the fault: nothing")


def test_once_the_command_has_come_again_nothing_is_passed_over(tmp_path: Path) -> None:
    asyncio.run(remembered(tmp_path / "data"))
    before = stood(tmp_path / "data")
    assert look(tmp_path / "data", before) == Looked([], frozenset())
    assert look_again(tmp_path / "data", before, adds=False) == []
    copy = tmp_path / "data" / "keys" / "ring-b"
    copy.write_bytes(copy.read_bytes()[:-1])
    assert look(tmp_path / "data", before) == Looked([], frozenset({"a copy of the key ring"}))
    assert look_again(tmp_path / "data", before, adds=False) == []  # the writer has mended it
    with mock.patch("replay.engine.Engine.open"):  # no writer has it open
        copy.write_bytes(copy.read_bytes()[:-1])
        assert [each for each in look_again(tmp_path / "data", before, adds=False) if "key ring: " in each]
    longer = before._replace(size=before.size - 1, root=b"another")
    assert look_again(tmp_path / "data", longer, adds=True) == ["events that were acknowledged are lost"]
    assert len(look_again(tmp_path / "data", longer, adds=False)) == 2


async def remembered(data: Path) -> None:
    """A memory in which something is remembered."""
    async with Opened.open(data, clock=FakeClock()) as memory:
        await memory.remember("kim", "has plans")


def test_a_step_that_met_no_fault_is_not_enough() -> None:
    lives = {fault: Lived(tries=300, met=dict.fromkeys(MEET[fault], 1)) for fault in EVERY}
    assert gone_on(lives, 1500).holds
    assert not gone_on(lives, 1501).holds
    assert not gone_on(lives | {FULL: Lived(tries=300, met=lives[FULL].met, problems=["lost"])}, 1500).holds
    for fault in EVERY:
        for step in MEET[fault]:
            few = Lived(tries=300, met={each: 1 for each in MEET[fault] if each != step})
            found = gone_on(lives | {fault: few}, 1500)
            assert not found.holds
            assert step in found.came_out


class Failing(Page):
    """A page on which a call fails in those runs that are told, though nothing else does."""

    def __init__(self, path: Path, runs: Iterable[bool]) -> None:
        super().__init__(path)
        self.runs = iter(runs)
        self.is_failed = False

    def arm(self, fault: Fault, first: int) -> None:
        self.is_failed = next(self.runs)

    @property
    def failed(self) -> int:
        return int(self.is_failed)


@pytest.mark.parametrize(
    ("runs", "every", "tries", "is_well"),
    [
        ([True, True], 1, 2, True),
        ([True, *[False] * (RUNS - 1), True], 1, 2, True),
        ([True, *[False] * RUNS, True], 1, 1, True),
        ([True, True, True], 1, 3, False),
        ([True], 2, 1, True),
        ([True, True], 2, 2, False),
    ],
)
def test_a_step_is_tried_to_its_last_call_or_it_is_told(
    tmp_path: Path, runs: list[bool], every: int, tries: int, *, is_well: bool
) -> None:
    async def lived() -> Lived:
        async with Opened.open(tmp_path / "data", clock=FakeClock()) as memory:
            life = Life(memory, Failing(tmp_path / "page", chain(runs, repeat(False))), FULL)
            await life.tries(life.meets, every, most=3)
            return life.lived

    found = asyncio.run(lived())
    assert found.tries == tries
    assert (found.problems == []) == is_well
    assert is_well or found.problems == ["meets 3: it makes so many calls or more: not all are tried"]


LEFT = Left((("item.upserted", 5), ("message.heard", 50), ("summary.refreshed", 2)), "a", False, (), None, None)


@pytest.mark.parametrize(
    ("events", "is_well"),
    [
        (LEFT.events, True),
        ((("item.upserted", 4), *LEFT.events[1:]), False),
        ((("item.upserted", 4), ("job.failed", 1), ("message.heard", 50)), True),
        ((("item.upserted", 5), ("job.failed", 1), ("message.heard", 5), LEFT.events[2]), False),
    ],
)
def test_a_job_that_failed_excuses_what_learning_left_and_nothing_else(events: Counts, is_well: bool) -> None:
    assert (list(undone(LEFT._replace(events=events), LEFT)) == []) == is_well


HEALTHY = Said(DONE, "Imported 8 messages.", "dnam: a warning that every run gives\n")


@pytest.mark.parametrize(
    ("fault", "status", "more", "is_well"),
    [
        (FULL, COULD_NOT, "dnam: the disk of data/log is full: make room", True),
        (READ_ONLY, COULD_NOT, "dnam: data/log cannot be written to: Read-only file system", True),
        (READ_ONLY, COULD_NOT, "dnam: the disk of data/log is full: make room", False),
        (FULL, COULD_NOT, "dnam: something went wrong, nobody knows what", False),
        (FULL, COULD_NOT, "", False),
        (FULL, 1, "dnam: the disk of data/log is full: make room", False),
        (FULL, DONE, "", True),
        (FULL, DONE, "dnam: the views could not be written and will be caught up with later: it is full", True),
        (FULL, DONE, "dnam: something nobody has heard of", False),
        (FULL, COULD_NOT, "Traceback\ndnam: the disk of data/log is full: make room", False),
    ],
)
def test_a_warning_that_every_run_gives_tells_of_no_fault(fault: Fault, status: int, more: str, is_well: bool) -> None:
    said = Said(status, "", HEALTHY.err + more)
    assert bool(said.beyond(HEALTHY)) == bool(more)
    assert (list(told_badly(said, HEALTHY, fault)) == []) == is_well


@pytest.mark.parametrize(
    ("answer", "is_refused", "is_well"),
    [
        ("`!memory remember` could not be done: data/log: mdb_txn_commit: No space left on device", True, True),
        ("`!memory remember` could not be done: nobody knows why", True, False),
        ("Remembered: fact 1", False, True),
    ],
)
def test_a_chat_tells_of_a_fault_in_its_answers(answer: str, is_refused: bool, is_well: bool) -> None:
    said = Said(DONE, f"Remembered: fact 0\n{answer}\n", HEALTHY.err)
    assert bool(said.refused()) == is_refused
    assert (list(told_badly(said, HEALTHY, FULL)) == []) == is_well
