"""The short form of the proof about rot; damage that nobody looks for is found."""

from pathlib import Path
from random import Random

from projections.ids import Seq
from replay.pages import PAGE_SIZE, PageFile, Walk, metas
from tests.proof.claim import Trial
from tests.proof.rot import CLAIMS, findings, of_large, prove
from tests.proof.rot.damage import Damage, Ground, ground
from tests.proof.rot.memory import Whole, save, whole
from tests.proof.rot.nursery import nursery
from tests.proof.rot.trying import Tally, Tried, named


def test_what_rots_is_found_and_named(tmp_path: Path) -> None:
    told: list[str] = []
    came = {each.key: each for each in prove(Trial(tmp_path, 20261122, True, told.append))}
    assert came.keys() == {claim.key for claim in CLAIMS}
    assert [each for each in came.values() if not each.holds and not each.short] == [], told


def test_damage_that_nobody_looks_for_is_found(tmp_path: Path) -> None:
    """A page that LMDB trusts ends the process, where nobody looked at it first."""
    made = whole(tmp_path, 0, Random("rot memory"))
    save(tmp_path / "whole", made)
    tally = Tally(made, ground(made.data))
    name = tally.ground.file("views", "data.mdb")
    damage = Damage("zero", "views", (name,), _second_leaf(made.data / name) * PAGE_SIZE, 0, PAGE_SIZE, in_use=True)
    assert damage.inflict(made.data)
    with nursery(tmp_path / "whole", as_large=True) as asked:
        answers = asked.tried(0, made.data, ["trees", "look", "rows", "verify", "write", "again"])
    tally.take("try", Tried(damage, answers))
    came = {each.key: each for each in findings(tally, 0)}
    assert not came["alive"].holds
    assert "SIGABRT" in tally.bad[0]


def _second_leaf(path: Path) -> int:
    """A page that is only come to from the one in front of it."""
    file = PageFile(path)
    meta = max(metas(file), key=lambda each: each.commit)
    walk = Walk(file, meta.last)
    leaves = [at.page for at, _ in walk.rows("history", walk.tables(meta.names)["history"])]
    file.close()
    return leaves[1]


def test_a_changed_event_that_is_not_named_is_found() -> None:
    tally = Tally(Whole(Path(), Path(), Path(), (), (), b"", b"", Seq(0), ""), Ground({}, {}, {}))
    damage = Damage("flip", "log", ("log/000001/data.mdb",), 5000, 1, 4096, in_use=True)
    same = ("same", "")
    answers = {"events": ("changed", "3 4"), "verify": ("named", "#3\nwhat"), "look": same, "rows": same, "write": same}
    tally.take("try", Tried(damage, answers))
    assert tally.counts["not named"] == 1
    assert "not named [4]: try" in tally.bad[0]
    assert named("events #3 to #5, #9, from #99990 on") >= {3, 4, 5, 9, 99990, 99999}


def test_of_large_files_only_a_process_that_ends_is_known() -> None:
    tally = Tally(Whole(Path(), Path(), Path(), (), (), b"", b"", Seq(0), ""), Ground({}, {}, {}))
    assert of_large(tally).holds
    tally.counts["died"] = 3
    assert (of_large(tally).holds, bool(of_large(tally).short)) == (False, True)
    for each in ("wrong", "not named", "unseen views"):
        tally.counts[each] = 1
        assert (of_large(tally).holds, of_large(tally).short) == (False, "")
        tally.counts[each] = 0
