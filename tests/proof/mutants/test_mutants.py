"""Mutation testing, in short; a change that no test can see is found to survive, and fails the claims."""

from importlib.util import find_spec
from pathlib import Path

import msgspec
import pytest

from tests.proof.__main__ import SEED
from tests.proof.claim import Trial
from tests.proof.machine import Machine
from tests.proof.mutants import PART, findings
from tests.proof.mutants.__main__ import main
from tests.proof.mutants.fresh import SPENT, Again, FreshRun, Sampled, fresh, interval, kept, sampled, save
from tests.proof.mutants.orders import STUCK, Mutant, Outcome, Reached
from tests.proof.mutants.survivors import PATH, Kind, Survivor, accepted, explained
from tests.proof.mutants.tried import SPENT_S, Tried, picked

MUTANT = Mutant("replay/tree.py", "f", "return a", "return b", "def f(): return b", (3, 3), (2, 9))
FAILED, SURVIVED = Outcome("test_tree.py::test_a", "assert 1 == 2"), Outcome()


def trial(folder: Path, told: list[str]) -> Trial:
    return Trial(folder, 5, True, told.append)


def came(*outcomes: Outcome, unchanged: tuple[Outcome, ...] = (SURVIVED,)) -> Tried:
    return Tried(100, 3, [MUTANT] * len(outcomes), list(outcomes), list(unchanged))


@pytest.mark.skipif(find_spec("mutmut") is None, reason="mutmut comes with the extra `bench`")
def test_the_short_form_holds_and_what_no_test_can_see_survives(tmp_path: Path) -> None:
    told: list[str] = []
    found = {each.key: each for each in PART.prove(trial(tmp_path, told))}
    assert set(found) == {claim.key for claim in PART.claims}
    assert all(each.holds for key, each in found.items() if key != "fresh"), told
    assert [found[key].came_out.partition(" ")[0] for key in ("policies", "log")] == ["100.0%", "100.0%"]
    assert min(found[key].count for key in ("policies", "log")) >= 3
    assert (found["control"].count, found["control"].came_out) == (2, "2 survive")


def test_without_mutmut_that_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.proof.mutants.find_spec", lambda _: None)
    found = list(PART.prove(trial(tmp_path, [])))
    assert [each.short for each in found] == ["mutmut is not installed for this Python"] * len(PART.claims)
    assert not any(each.holds for each in found)


@pytest.mark.parametrize(
    ("some", "holds"),
    [
        (came(*[FAILED] * 10), {"policies": True, "log": True, "survivors": True, "control": True}),
        (came(*[FAILED] * 8, Outcome("t", STUCK), SURVIVED), {"policies": True, "survivors": False, "control": True}),
        (came(*[FAILED] * 8, SURVIVED, SURVIVED), {"policies": False, "log": False, "survivors": False}),
        (came(), {"policies": False, "log": False, "survivors": True}),
        (came(*[FAILED] * 10, unchanged=(FAILED,)), {"policies": True, "control": False}),
        (came(*[FAILED] * 10, unchanged=()), {"control": False}),
    ],
)
def test_what_survives_is_counted_and_named(some: Tried, holds: dict[str, bool]) -> None:
    found = {each.key: each for each in findings([some, some])}
    assert {key: found[key].holds for key in holds} == holds
    named = "replay/tree.py f: `return a` → `return b`" in found["survivors"].came_out
    assert named == bool(some.survivors)


@pytest.mark.parametrize(
    ("lines", "body", "expected"),
    [
        ((3, 3), (2, 9), ["own", "quick", "other", "slow"]),
        ((4, 5), (2, 9), ["quick", "own", "other", "slow"]),
        ((7, 7), (6, 9), ["slow", "own", "quick", "other"]),
    ],
)
def test_tests_that_reach_a_mutant_s_line_come_first_and_take_no_longer_than_they_may(
    lines: tuple[int, int], body: tuple[int, int], expected: list[str]
) -> None:
    tests = ["x.py::slow", "x.py::quick", "y.py::other", "z/test_tree.py::own", "z/test_tree.py::endless"]
    reach = {"replay/tree.py": {3: [0, 1, 2, 3, 4], 4: [1], 9: [0]}}
    found = Reached(tests, [0.3, 0.1, 0.2, 2.0, SPENT_S + 1], reach, {})
    some = picked(found, msgspec.structs.replace(MUTANT, lines=lines, body=body))
    assert [test.partition("::")[2] for test, _ in some] == expected
    assert picked(found, msgspec.structs.replace(MUTANT, file="replay/other.py")) == []


def test_what_is_listed_as_surviving_counts_so_without_a_test() -> None:
    listed = accepted().survivor[0]
    mutant = msgspec.structs.replace(
        MUTANT, file=listed.file, function=listed.function, before=listed.before, after=listed.after
    )
    found = Reached(["x.py::one"], [0.1], {listed.file: {3: [0]}}, {})
    assert picked(found, mutant) == []
    assert picked(found, msgspec.structs.replace(mutant, after="otherwise")) == [("x.py::one", 0.1)]


@pytest.mark.parametrize(
    ("after", "is_it"),
    [("f(a, b, )", True), ("f(a, b, strict=None)", True), ("f(a, strict=True)", False), ("f(a, b, strict=1)", False)],
)
def test_a_kind_of_change_is_known_wherever_it_is_made(after: str, is_it: bool) -> None:
    kind = Kind(before="strict=True", after=("strict=None", ""), why="")
    assert kind.is_of(msgspec.structs.replace(MUTANT, before="f(a, b, strict=True)", after=after)) == is_it


def run(*every: Sampled, seed: int = 8) -> FreshRun:
    return FreshRun(seed, "2026-11-23 10:00", Machine("abc123", "3.11.0", "Linux 6 x86_64", 2, 24.0), every)


def name(listed: Survivor | None = None) -> str:
    """What is kept of a survivor, in a line that it had once; of none, one that nobody explained."""
    if listed is None:
        return "replay/tree.py:9 f: def f() -> int: -> def f() -> None:"
    return f"{listed.file}:1000 {listed.function}: {listed.before} -> {listed.after}"


EXPLAINED = name(accepted().survivor[0])
ENOUGH, FEW = Sampled("policies", 1_000, 100, (EXPLAINED,)), Sampled("policies", 1_000, 10, (EXPLAINED,) * 2)
OF_LOG = Sampled("log", 500, 50, ())


@pytest.mark.parametrize(
    ("some", "holds", "count"),
    [
        (run(ENOUGH, OF_LOG), True, 150),
        (run(ENOUGH, OF_LOG, seed=5), False, 150),
        (run(ENOUGH, OF_LOG, seed=7), False, 150),
        (run(FEW, OF_LOG), False, 60),
        (run(ENOUGH), False, 100),
        (run(ENOUGH, Sampled("log", 500, 0, ())), False, 100),
        (None, False, 0),
    ],
)
def test_a_fresh_sample_is_by_another_seed_and_of_every_scope(some: FreshRun | None, holds: bool, count: int) -> None:
    found = fresh(some, 5, 0.9)
    assert (found.holds, found.count) == (holds, count)
    assert bool(found.short) == (some is None)
    assert some is None or "2026-11-23 10:00, commit abc123: policies: " in found.came_out


def test_the_interval_is_wilson_s() -> None:
    """By Newcombe (1998), method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29."""
    for killed, tried, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611)):
        assert interval(killed, tried) == pytest.approx((low, high), abs=5e-5)
    assert interval(1, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)
    assert interval(0, 0) == (0, 1)


@pytest.mark.parametrize(("tried", "short"), [(100, False), (30, True)])
def test_a_sample_that_is_too_small_to_tell_falls_short(tried: int, short: bool) -> None:
    found = fresh(run(Sampled("policies", 1_000, tried, ()), OF_LOG), 5, 0.9)
    assert (found.holds, bool(found.short)) == (not short, short)
    assert found.short == ("a sample of 30 cannot tell that of all policies 90% are killed" if short else "")
    assert ("of all 88.6% to 100.0% (Wilson, 95%)" in found.came_out) == short


@pytest.mark.parametrize(
    ("survivor", "killed", "told"),
    [
        (EXPLAINED, (), ""),
        (name(), (name(),), ""),
        (name(), (), "1 of 1 survivors are neither explained nor killed since"),
        (name(), (EXPLAINED,), "1 of 1 survivors are neither explained nor killed since"),
    ],
)
def test_a_survivor_that_is_neither_explained_nor_killed_since_falls_short(
    survivor: str, killed: tuple[str, ...], told: str
) -> None:
    some = run(Sampled("policies", 1_000, 100, (survivor,)), OF_LOG)
    some = msgspec.structs.replace(some, again=Again("2026-11-24 10:00", some.machine, killed)) if killed else some
    found = fresh(some, 5, 0.9)
    assert (found.holds, found.short) == (not told, told)


def test_what_survived_is_tried_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is killed at one of two places of its function survives, and so does what is there no more."""
    every = [msgspec.structs.replace(MUTANT, after=f"return {each}", lines=(n, n)) for n, each in enumerate("bccd")]
    came_again = Tried(100, 3, every, [FAILED, FAILED, SURVIVED, FAILED], [])
    names = tuple(f"replay/tree.py:7 f: return a -> return {each}" for each in "bce")
    monkeypatch.setattr("tests.proof.mutants.__main__.tried", lambda *_: [came_again])
    out = tmp_path / "fresh.json"
    assert main(["--again", "--out", str(out)]) == 1
    save(out, run(Sampled("policies", 100, 90, names), OF_LOG))
    assert main(["--again", "--out", str(out)]) == 0
    found = kept(out)
    assert found is not None
    assert found.again is not None
    assert (found.again.killed, found.killed_since, found.open) == (names[:1], [names[0]], list(names[1:]))


def test_what_was_in_an_earlier_sample_is_not_fresh() -> None:
    each = came(FAILED, SURVIVED, SURVIVED)
    each.mutants[1:] = [msgspec.structs.replace(each.mutants[1], after=after) for after in ("return c", "return d")]
    fresh_only = sampled("policies", each, [each.mutants[1]])
    assert fresh_only == Sampled("policies", 100, 2, ("replay/tree.py:3 f: return a -> return d",))


def test_a_fresh_sample_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    every = [came(FAILED, SURVIVED), came(FAILED)]
    spent: list[int] = []

    def sample(_: object, seed: int) -> list[Mutant]:
        spent.append(seed)
        return []

    monkeypatch.setattr("tests.proof.mutants.__main__.tried", lambda trial, _: every if trial.seed == 8 else [])
    monkeypatch.setattr("tests.proof.mutants.__main__.sample", sample)
    assert main(["--fresh", "8", "--out", str(tmp_path / "fresh.json")]) == 0
    assert set(spent) == {SEED, *SPENT}
    found = kept(tmp_path / "fresh.json")
    assert found is not None
    assert (found.seed, [each.scope for each in found.sampled]) == (8, ["policies", "log"])
    assert found.sampled[0] == Sampled("policies", 100, 2, ("replay/tree.py:3 f: return a -> return b",))
    assert found.sampled[1] == Sampled("log", 100, 1, ())
    assert kept(tmp_path / "none.json") is None


def test_every_survivor_has_a_reason_and_is_listed_once() -> None:
    listed = accepted().survivor
    assert all(why.strip() for why in (*(each.why for each in listed), *(each.why for each in accepted().kind)))
    assert len({(each.file, each.function, each.before, each.after) for each in listed}) == len(listed)
    assert all((PATH.parents[3] / each.file).is_file() for each in listed)
    assert not explained(MUTANT)
