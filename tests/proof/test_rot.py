"""The short form of the proof about rot; damage that nobody looks for is found."""

from pathlib import Path
from random import Random
from shutil import copytree

import pytest

from projections.ids import Seq
from replay.engine import Engine
from replay.log import StoredEvent
from replay.pages import PAGE_SIZE, PageFile, Walk, metas
from tests.dnam.cli.memories import Ran
from tests.proof.claim import Trial
from tests.proof.rot import CLAIMS, asking, findings, of_large, prove
from tests.proof.rot.asking import _in_one_line, ask
from tests.proof.rot.damage import Damage, Ground, ground, struck
from tests.proof.rot.memory import Whole, save, whole
from tests.proof.rot.nursery import nursery
from tests.proof.rot.trying import Tally, Tried, named, one_by_one
from tests.replay.stage import FakeClock, says


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


SAME = ("same", "")
NOBODY = Whole(Path(), Path(), Path(), (), (), b"", b"", Seq(0), "")


def of_log(whole: Whole, changed: str, verified: str, at: int = 5000) -> Tally:
    """A try in which a flip changed these events, and `verify` said this."""
    tally = Tally(whole, Ground({}, {}, {}))
    damage = Damage("flip", "log", ("log/000001/data.mdb",), at, 1, 4096, in_use=True)
    answers = {"events": ("changed", changed), "verify": ("named", verified), "look": SAME, "rows": SAME, "write": SAME}
    tally.take("try", Tried(damage, answers))
    return tally


def test_a_changed_event_that_is_not_named_is_found() -> None:
    tally = of_log(NOBODY, "3 4", "#3\nwhat")
    assert tally.counts["not named"] == 1
    assert "not named [4]: try" in tally.bad[0]
    assert "[4]: verify" in tally.told("not named")
    assert named("events #3 to #5, #9, from #99990 on") >= {3, 4, 5, 9, 99990, 99999}
    assert one_by_one("events #3 to #5, #9, from #99990 on") == {3, 4, 5, 9}


def test_a_verify_that_always_names_everything_is_found() -> None:
    many = NOBODY._replace(events=tuple(StoredEvent(Seq(seq), b"", None) for seq in range(1, 251)))
    exact, everything = of_log(many, "3 4", "#3 #4\nwhat"), of_log(many, "3 4", "\nfrom #1 on")
    assert exact.counts["named singly"] == everything.counts["named from on"] == 2
    assert [each.counts["imprecise"] for each in (exact, everything)] == [0, 1]
    found = [{one.key: one for one in findings(each, 0)} for each in (exact, everything)]
    assert [each["named"].holds for each in found] == [True, False]
    assert "248 that are as they were, too many in 1 tries" in found[1]["named"].came_out


def test_of_a_flip_that_lmdb_cannot_read_the_event_that_it_hits_has_to_be_named(tmp_path: Path) -> None:
    made = whole(tmp_path, 0, Random("rot memory"))
    tally = Tally(made, ground(made.data))
    name = tally.ground.file("log", "data.mdb")
    file = (made.data / name).read_bytes()
    event = next(each for each in made.events if file.count(each.header) == 1)
    damage = Damage("flip", "log", (name,), file.index(event.header) + 3, 0, 1, in_use=True)
    assert struck(damage, made.data) == {event.seq}
    assert struck(damage._replace(at=8), made.data) == frozenset()
    answers = dict.fromkeys(("look", "rows", "write"), SAME) | {
        "events": ("dead", "SIGABRT"),
        "verify": ("named", "\n"),
    }
    tally.take("try", Tried(damage, answers))
    tally.take("try", Tried(damage._replace(at=8), answers))
    assert (tally.counts["unread flips"], tally.counts["not named"]) == (2, 2)


def test_what_is_said_in_more_than_a_line_and_what_is_as_of_another_event_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for told, came in (
        ("dnam: no", "refused"),
        ("dnam: no\n", "refused"),
        ("dnam: no\nmore", "unclear"),
        ("no", "unclear"),
    ):
        assert _in_one_line(told)[0] == came
    made = whole(tmp_path, 0, Random("rot memory"))
    moment = "dnam: as recorded up to #30, 2023-11-14 22:13+00:00\n"
    for told, came in (
        (f"{moment}dnam: no\n", "refused"),
        (moment, "unclear"),
        (f"{moment}dnam: a\ndnam: b", "unclear"),
    ):
        monkeypatch.setattr(asking, "dnam", lambda *_, told=told: Ran(3, "", told))
        assert ask("look", made.data, made, 0)[0] == came
    size, data = len(made.events), tmp_path / "less"
    copytree(made.backup.parent / "data", data)
    for seq, came in ((size - 1, "other"), (size, "other")):
        stale = f"dnam: as of #{seq}: what follows cannot be read"
        monkeypatch.setattr(asking, "dnam", lambda *_, stale=stale: Ran(0, "[]", stale))
        assert ask("look", data, made, 0)[0] == came
    with Engine.open(made.data, clock=FakeClock()) as engine:
        engine.record(says("one more", "hello"))
    more = made._replace(events=(*made.events, made.events[-1]))
    monkeypatch.setattr(asking, "dnam", lambda *_: Ran(0, "[]", f"dnam: as of #{size}: what follows cannot be read"))
    assert ask("look", data, more, 0)[0] == "earlier"


def test_of_large_files_few_may_end_a_process_or_be_answered_otherwise() -> None:
    def came(**counts: int) -> dict[str, tuple[bool, bool]]:
        tally = Tally(NOBODY, Ground({}, {}, {}))
        tally.counts.update(
            {"tries": 400, "changed": 1, "damaged views": 1} | {k.replace("_", " "): n for k, n in counts.items()}
        )
        return {each.key: (each.holds, bool(each.short)) for each in of_large(tally, 300)}

    assert came() == {"large": (True, False), "trusted": (True, False)}
    assert came(died=16) == {"large": (True, False), "trusted": (False, True)}
    assert came(died=17) == came(wrong=1) == {"large": (True, False), "trusted": (False, False)}
    for each in ("not_named", "unseen_views"):
        assert came(**{each: 1})["large"] == (False, False)
    for each in ("changed", "damaged_views"):
        assert came(**{each: 0})["large"] == (False, False)
    assert came(tries=0) == {"large": (False, True), "trusted": (False, True)}
    assert came(tries=299) == {"large": (False, False), "trusted": (False, False)}
