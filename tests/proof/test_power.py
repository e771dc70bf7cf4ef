"""Power cuts, the short form: a few states of a short recording hold, and a sync that is left out is found."""

from collections import Counter
from pathlib import Path

import pytest

from replay.verify import Problem as Told
from tests.proof.claim import Trial
from tests.proof.power import FEWEST, PART, Tried, findings
from tests.proof.power.cuts import BEGUN, UNDER_WAY
from tests.proof.power.disk import Disk, everything, nothing
from tests.proof.power.holding import Problem, _told
from tests.proof.power.operation import Made, Operation, Sized, SyncBegan, SyncEnded, Wrote
from tests.proof.power.trace import UnknownCall, calls, strace


@pytest.mark.skipif(strace() is None, reason="no strace here, or it may not trace")
def test_a_memory_holds_after_power_cuts(tmp_path: Path) -> None:
    told: list[str] = []
    found = {each.key: each for each in PART.prove(Trial(tmp_path, 20261122, is_short=True, say=told.append))}
    assert set(found) == {claim.key for claim in PART.claims}
    assert [each for each in found.values() if not each.holds] == [], told
    assert found["planted"].came_out.count(": 1 states found broken") == 2


def test_a_claim_that_too_few_states_are_about_was_not_tried() -> None:
    """Each claim tells of its own states alone."""

    def tried(erased: int) -> Tried:
        counts = Counter(FEWEST) | Counter(erased=erased)
        during = {
            claim: Counter({"nothing": 1, **dict.fromkeys((*UNDER_WAY, *BEGUN), count)})
            for claim, count in counts.items()
        }
        return Tried(1320, counts, during, Counter({"the shadow's views": 7}), Counter(), {})

    found = {each.key: each for each in findings(tried(FEWEST["erased"]))}
    assert all(each.holds for each in found.values())
    assert "300 during a swap" in found["erased"].came_out
    assert "1,000 during a swap" in found["keys"].came_out
    assert "7 times the shadow's views" in found["beside"].came_out
    for claim in FEWEST:
        few = tried(300)
        few.tried[claim] -= 1
        assert [each.key for each in findings(few) if not each.holds] == [claim]
    broken = tried(300)._replace(broken=Counter(views=1), first={"views": "cut behind 7: they differ"})
    (found_broken,) = [each for each in findings(broken) if not each.holds]
    assert found_broken.came_out.startswith("1 of them broken (cut behind 7: they differ)")
    none = Tried(0, Counter(), {claim: Counter() for claim in FEWEST}, Counter(), Counter(), {})
    assert not any(each.holds for short in (True, False) for each in findings(none, is_short=short))


def test_what_is_passed_over_is_told_of_and_nothing_else_is() -> None:
    assert _told(Told(0, "views: a row is damaged"), "opens", "reading") == Problem("", "views at the first opening")
    assert _told(Told(7, "its body is missing"), "beside", "beside") == Problem("beside", "#7: its body is missing")
    assert _told(Told(7, "its body is missing"), "beside", "unfinished").claim == ""


def test_of_two_writes_a_sync_in_between_makes_the_first_one_last() -> None:
    disk = Disk(4)
    done: tuple[Operation, ...] = (
        Made(1, 0, "file", is_folder=False),
        SyncBegan(0, 1),
        SyncEnded(0, 1),
        Wrote(1, 0, b"first!"),
        SyncBegan(1, 2),
        Wrote(1, 4, b"ly, "),  # behind the beginning of the sync: not part of it
        SyncEnded(1, 2),
        Wrote(1, 0, b"Fir"),
    )
    for time, operation in enumerate(done):
        disk.take(time, operation)
    assert disk.after_a_cut(nothing) == {"file": b"first!"}
    assert disk.after_a_cut(everything) == {"file": b"Firsly, "}
    blocks = disk.after_a_cut(lambda changes: len(changes) if changes[0].time == 7 else 0)
    assert blocks == {"file": b"First!"}


def test_a_name_that_was_not_synced_may_be_lost_and_a_length_may_come_without_its_bytes() -> None:
    disk = Disk(4)
    done: tuple[Operation, ...] = (Made(1, 0, "file", is_folder=False), Wrote(1, 0, b"abcdefgh"), Sized(1, 6))
    for time, operation in enumerate(done):
        disk.take(time, operation)
    assert disk.after_a_cut(nothing) == {}
    assert disk.after_a_cut(lambda changes: int(changes[0].is_name)) == {"file": b""}
    lengths = disk.after_a_cut(lambda changes: len(changes) if changes[0].is_name or len(changes) == 2 else 0)
    assert lengths in ({"file": bytes(6)}, {"file": bytes(4) + b"ef"})
    assert disk.after_a_cut(everything) == {"file": b"abcdef"}


def test_calls_of_two_threads_are_put_together() -> None:
    trace = (
        "1 fsync(3 <unfinished ...>\n",
        '2 write(4, "\\x61\\x62", 2) = 2\n',
        "1 <... fsync resumed>)              = 0\n",
        "2 +++ exited with 0 +++\n",
    )
    began, wrote, ended = calls(iter(trace))
    assert (began.name, began.result, ended.name, ended.result) == ("fsync", None, "fsync", 0)
    assert (wrote.strings, wrote.number(0)) == ([b"ab"], 4)


@pytest.mark.parametrize("line", ["no trace\n", "1 write(4, <nonsense>\n", "1 exit_group(0) = ?\n"])
def test_what_is_not_understood_is_an_error(line: str) -> None:
    with pytest.raises(UnknownCall):
        list(calls(iter([line])))
