"""Full disks, the short form: a command and an open memory that meet one, and a log that says nothing of it."""

from collections import Counter
from pathlib import Path

import pytest

from tests.proof.claim import Trial
from tests.proof.full import EVERY, MEET, MOST, PART, Told, gone_on
from tests.proof.full.faults import FULL, READ_ONLY, Fault, compiler
from tests.proof.full.living import Lived
from tests.proof.full.refused import COMMANDS
from tests.proof.full.said import COULD_NOT, DONE, Counts, Left, Said, told_badly, undone


@pytest.mark.skipif(compiler() is None, reason="no C compiler here, or not Linux")
def test_a_full_disk_is_told_of_and_loses_nothing(tmp_path: Path) -> None:
    told: list[str] = []
    found = {each.key: each for each in PART.prove(Trial(tmp_path, 20261122, is_short=True, say=told.append))}
    assert set(found) == {claim.key for claim in PART.claims} - {"slow"}  # which measures time
    assert [each for each in found.values() if not each.holds] == [], told
    assert all(each.count for each in found.values())


def test_a_command_or_a_fault_that_was_not_tried_is_not_enough() -> None:
    pairs = [(command.name, fault.name) for command in COMMANDS for fault in MOST]
    enough = Told(Counter(dict.fromkeys(pairs, 8)), 0, [], [])
    assert enough.are_enough()
    assert not Told(Counter(dict.fromkeys(pairs[1:], 8)), 0, [], []).are_enough()
    assert not Told(Counter(dict.fromkeys(pairs, 1)), 0, [], []).are_enough()


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
