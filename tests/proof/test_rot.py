"""The short form of the proof about rot; damage that nobody looks for is found."""

from collections import Counter
from pathlib import Path
from random import Random
from shutil import copytree

import pytest

from projections.ids import Seq
from replay.engine import Engine
from replay.log import StoredEvent
from replay.pages.fitting import PageFile, Walk, metas
from replay.pages.form import PAGE_SIZE
from tests.dnam.cli.memories import Ran
from tests.proof.claim import Trial
from tests.proof.rot import CLAIMS, asking, prove
from tests.proof.rot.asking import Answer, _in_one_line, ask
from tests.proof.rot.damage import PLACES, Damage, Ground, Where, ground, ground_beside, harmless, struck
from tests.proof.rot.judging import findings, of_large, of_trusted
from tests.proof.rot.memory import Whole, save, whole
from tests.proof.rot.nursery import nursery
from tests.proof.rot.tally import Tally, Tried, named, one_by_one
from tests.replay.stage import FakeClock, says


def test_what_rots_is_found_and_named(tmp_path: Path) -> None:
    told: list[str] = []
    came = {each.key: each for each in prove(Trial(tmp_path, 20261128, True, told.append))}
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
    with nursery(tmp_path / "whole", "huge") as asked:
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


def test_of_larger_files_what_is_left_falls_short_and_what_is_not_named_is_found() -> None:
    def came(size: str, **counts: int) -> tuple[bool, bool]:
        tally = Tally(NOBODY, Ground({}, {}, {}))
        tally.counts.update({"tries": 400, "changed": 1, "damaged views": 9, "repairs": 30} | spaced(counts))
        found = of_large(tally, size, 300)
        return found.holds, bool(found.short)

    for size in ("large", "huge"):
        assert came(size) == (True, False)
        for left in ("in_vain", "not_repaired"):
            assert [came(size, **{left: each}) for each in (3, 4)] == [(False, True), (False, False)]
        for each in ("not_named", "unseen_views"):
            assert came(size, unnoticed_views=1, **{each: 1}) == (False, False)
        for each in ("changed", "damaged_views", "repairs"):
            assert came(size, **{each: 0}) == (False, False)
        assert came(size, tries=0) == (False, True)
        assert came(size, tries=299) == (False, False)
    assert [came("large", unnoticed_views=each) for each in (3, 4)] == [(False, True), (False, False)]
    assert came("huge", unnoticed_views=9) == (False, True)


def spaced(counts: dict[str, int]) -> dict[str, int]:
    return {name.replace("_", " "): count for name, count in counts.items()}


def test_of_larger_files_few_may_end_a_process_and_none_be_answered_otherwise() -> None:
    def came(**counts: int) -> tuple[bool, bool]:
        tallies = [Tally(NOBODY, Ground({}, {}, {})), Tally(NOBODY, Ground({}, {}, {}))]
        tallies[0].counts.update({"tries": 100})
        tallies[1].counts.update({"tries": 300} | counts)
        found = of_trusted(tallies, 400)
        return found.holds, bool(found.short)

    assert came() == (True, False)
    assert came(died=16) == (False, True)
    assert came(died=17) == came(wrong=1) == came(died=1, wrong=1) == came(tries=299) == (False, False)
    nothing = of_trusted([Tally(NOBODY, Ground({}, {}, {}))], 0)
    assert (nothing.holds, bool(nothing.short)) == (False, True)


BACKED_UP = NOBODY._replace(kept=Seq(4))
"""Of five events, the backup has four."""
PAGES = Ground({}, {}, {seq: frozenset({seq}) for seq in range(1, 6)})
BEHIND, IN_FRONT = 5 * PAGE_SIZE, 4 * PAGE_SIZE
CLEAN = ("named", "\n")


def of_repairs(*came: tuple[int, str, str], undamaged: str = "same") -> Tally:
    """Repairs of logs in which a page of zeros came to lie, here: what came of each, and what it said. And of one in
    which nothing was damaged.
    """
    tally = Tally(BACKED_UP, PAGES)
    for at, what, words in came:
        damage = Damage("zero", "log", ("log/000001/data.mdb",), at, 0, PAGE_SIZE, in_use=True)
        tally.take_repair("try", Tried(damage, {"events": ("refused", ""), "repair": (what, words)}))
    nothing = Damage("flip", "log", (), 0, 0, 0, in_use=False)
    tally.take_control("nothing", Tried(nothing, {"verify": CLEAN, "repair": (undamaged, "")}))
    return tally


def found(tally: Tally, key: str, fewest: int = 0) -> tuple[bool, bool]:
    """Whether a claim holds, and whether it falls short."""
    finding = next(each for each in findings(tally, fewest) if each.key == key)
    return finding.holds, bool(finding.short)


def test_a_repair_that_gives_up_though_the_backup_has_all_that_is_gone_falls_short_or_is_found() -> None:
    right = (IN_FRONT, "same", "")
    lost = (BEHIND, "restored", "`dnam restore-backup`"), (BEHIND, "refused", "#5: not repaired")
    assert found(of_repairs(right, *lost), "repair") == (True, False)
    for what in ("restored", "refused"):
        in_vain = (IN_FRONT, what, "what it says of itself cannot be read: `dnam restore-backup`")
        tally = of_repairs(*[right] * 49, in_vain)
        assert (tally.counts["in vain"], tally.counts["blamed"], tally.counts["restored"]) == (1, 0, 0)
        assert "in vain: try" in tally.bad[0]
        assert found(tally, "repair") == (False, True)
        assert found(of_repairs(*[right] * 48, in_vain), "repair") == (False, False)
    for what in ("other", "dead", "unclear"):
        assert found(of_repairs(right, (BEHIND, what, "")), "repair") == (False, False)
    assert found(of_repairs(right, undamaged="refused"), "repair") == (False, False)


def test_a_repair_that_blames_an_event_that_is_as_it_was_is_no_excuse() -> None:
    right, blames = (
        (IN_FRONT, "same", ""),
        (IN_FRONT, "refused", "damaged there is #5, which this backup does not have"),
    )
    tally = of_repairs(*[right] * 99, blames)
    assert (tally.counts["in vain"], tally.counts["blamed"]) == (1, 1)
    assert found(tally, "repair") == (False, True)
    assert found(of_repairs(*[right] * 98, blames), "repair") == (False, False)


def test_a_program_that_never_repairs_is_found() -> None:
    def came(repaired: int) -> tuple[bool, bool]:
        tally = of_repairs(*[(IN_FRONT, "same", "")] * repaired, *[(BEHIND, "restored", "")] * (20 - repaired))
        tally.counts.update(dict.fromkeys(("flip", "zero", "cut", "log", "ring", "views"), 20))
        return found(tally, "repair", 20)

    assert [came(repaired) for repaired in (10, 9)] == [(True, False), (False, False)]


def test_advice_to_restore_a_backup_that_does_not_help_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "dnam", lambda *_: Ran(3, "", "dnam: use `dnam restore-backup`\n"))
    assert ask("repair", tmp_path, NOBODY, 0)[0] == "other"


def of_one_copy(**otherwise: Answer) -> Tally:
    """A try in which one copy of the key ring was damaged: as it should be, but for these answers."""
    tally = Tally(NOBODY, Ground({}, {}, {}))
    damage = Damage("flip", "ring", ("keys/ring-a",), 100, 1, 512, in_use=True)
    answers: dict[str, Answer] = {
        "look": SAME,
        "rows": SAME,
        "verify": ("named", "\nring"),
        "write": SAME,
        "again": CLEAN,
    }
    tally.take("try", Tried(damage, answers | otherwise))
    tally.take_control("nothing", Tried(damage._replace(files=(), in_use=False), {"verify": CLEAN, "write": SAME}))
    return tally


def test_one_damaged_copy_of_the_key_ring_has_to_be_told_of_and_put_right() -> None:
    assert found(of_one_copy(), "copy") == (True, False)
    for wrong, what in (
        ({"verify": CLEAN}, "copy untold"),
        ({"verify": ("refused", "no")}, "copy untold"),
        ({"look": ("refused", "no")}, "copy otherwise"),
        ({"write": ("refused", "no")}, "copy otherwise"),
        ({"again": ("named", "\nring")}, "copy left"),
        ({"again": ("dead", "SIGABRT")}, "copy left"),
    ):
        tally = of_one_copy(**wrong)
        assert tally.counts[what] == 1
        assert found(tally, "copy") == (False, False)
    tally = of_one_copy()
    assert found(tally, "copy", 3) == (False, False)
    touched = Damage("flip", "ring", (), 0, 0, 0, in_use=False)
    tally.take_control("nothing", Tried(touched, {"verify": ("named", "\nring")}))
    assert found(tally, "copy") == (False, False)


def of_many(same: int, refused: int, where: Where, harmless: Answer = SAME) -> Tally:
    """Tries of which so many were answered as if nothing were damaged and so many refused; and one that is harmless at
    every place, of which this came at one.
    """
    tally = Tally(NOBODY, Ground({}, {}, {}))
    damage = Damage("flip", where, ("a file",), 0, 0, 0, in_use=True)
    phase, take = ("compare", tally.take_beside) if where in ("shadow", "backup") else ("rows", tally.take)
    besides: dict[str, Answer] = {"trees": SAME, "events": ("changed", ""), "verify": CLEAN}
    for answer in [SAME] * same + [("refused", "no")] * refused:
        take("try", Tried(damage, {phase: answer} if phase == "compare" else besides | {phase: answer}))
    for place in (*PLACES, where):
        answer = harmless if place == where else SAME
        tally.take_control("nothing", Tried(damage._replace(where=place, in_use=False), {phase: answer}))
    tally.counts["changed"] = 100
    return tally


@pytest.mark.parametrize(("where", "least"), [("log", 20), ("views", 70), ("shadow", 27)])
def test_a_program_that_refuses_nearly_everything_is_found(where: Where, least: int) -> None:
    key = "right" if where in PLACES else where
    elsewhere = ("flip", "zero", "cut", *PLACES, *(f"{each} same" for each in PLACES if each != where))
    for same, holds in ((least, True), (least - 1, False)):
        tally = of_many(same, 100 - same, where)
        tally.counts |= Counter(dict.fromkeys(elsewhere, 100))
        assert found(tally, key, 100) == (holds, False)


@pytest.mark.parametrize("where", ["log", "views", "shadow", "backup"])
def test_a_program_that_refuses_what_is_not_damaged_is_found(where: Where) -> None:
    key = "right" if where in PLACES else where
    assert found(of_many(5, 5, where), key) == (True, False)
    assert found(of_many(5, 5, where, harmless=("refused", "no")), key) == (False, False)
    untried = of_many(5, 5, where)
    untried.counts[f"{where} controls"] = 0
    assert found(untried, key) == (False, False)


def test_what_is_harmless_changes_no_byte_that_is_used(tmp_path: Path) -> None:
    made = whole(tmp_path, 0, Random("rot memory"))
    looked: dict[Where, tuple[Path, Ground]] = {where: (made.data, ground(made.data)) for where in PLACES}
    looked["shadow"] = made.beside, ground_beside(made.beside, "shadows")
    looked["backup"] = made.backup, ground_beside(made.backup, "")
    for where, (folder, files) in looked.items():
        assert harmless(where, files, None).files == ()
        damage = harmless(where, files, Random(1))
        before = [(folder / name).read_bytes() for name in damage.files]
        assert damage.inflict(folder) == (where != "ring")
        for name, was in zip(damage.files, before, strict=True):
            now = (folder / name).read_bytes()
            changed = [at for at, (one, other) in enumerate(zip(was, now, strict=False)) if one != other]
            assert changed == ([] if where == "backup" else [damage.at])
            assert len(now) - len(was) == (damage.size if where == "backup" else 0)
            assert damage.at // PAGE_SIZE not in files.used.get(name, ())
