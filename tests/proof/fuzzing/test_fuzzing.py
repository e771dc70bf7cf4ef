"""Everything the fuzzers begin with, everything they ever found, and some of what they would make of it."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from dnam.importers.source import FORMATS
from tests.proof.claim import Trial
from tests.proof.fuzzing import INSTRUMENTED, LEAST, PART, READERS, SHARES, Fuzzed
from tests.proof.fuzzing.corpus import REFUSED, inputs
from tests.proof.fuzzing.tally import UNKNOWN, Counted, Outcome, Tally, read_tally
from tests.proof.fuzzing.targets import KINDS, TARGETS

CHANGES = 60
"""How many inputs are made of those that there are, for each target."""


PUT_IN = (b'"', b"{", b"]", b"null", b"1e999", b"\xff", b"\xed\xa0\x80")


def changed(data: bytes, dice: random.Random) -> bytes:
    """An input as a fuzzer might change it: in the place of a few bytes others, none, or the same ones twice."""
    for _ in range(dice.randint(1, 4)):
        at, length = dice.randrange(len(data) + 1), dice.randint(0, 9)
        some = data[at : at + length]
        data = (
            data[:at] + dice.choice((dice.randbytes(length), b"", some * 2, dice.choice(PUT_IN))) + data[at + length :]
        )
    return data


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_breaks_a_reader(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.proof.fuzzing.targets.SOME", tmp_path)
    seeds = [path.read_bytes() for path in inputs(name)]
    assert seeds
    dice = random.Random(f"20261122 {name}")
    for data in (*seeds, *(changed(dice.choice(seeds), dice) for _ in range(CHANGES))):
        TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
def test_every_kept_input_is_accepted_or_refused_as_it_should_be(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.proof.fuzzing.targets.SOME", tmp_path)
    came = {path.name: TARGETS[name](path.read_bytes()) for path in inputs(name)}
    assert {kept for kept, outcome in came.items() if not outcome.is_accepted} == REFUSED.get(name, set())
    assert {outcome.kind for outcome in came.values() if outcome.is_accepted} == {*KINDS[name]} - {UNKNOWN}


def test_every_target_has_its_share_and_its_claim() -> None:
    assert set(TARGETS) == set(SHARES) == set(READERS) == {claim.key for claim in PART.claims} - {"long"}
    assert set(LEAST) == set(KINDS) == set(TARGETS)
    assert min(number for least in LEAST.values() for number in least) > 0


def test_a_format_is_a_kind_of_its_own_and_what_is_none_is_only_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.proof.fuzzing.targets.SOME", tmp_path)
    assert {*KINDS["importers"], *KINDS["discoclaw"]} == {*FORMATS, UNKNOWN}
    assert TARGETS["importers"](b"{}") == Outcome(UNKNOWN, is_accepted=False)
    assert TARGETS["importers"](b'[{"conversation": {}}]') == Outcome("locomo", is_accepted=True)


ENOUGH, REACHED = {"some": Counted(9, 9)}, 10_000


@pytest.mark.parametrize(
    ("ran", "holds"),
    [
        (Fuzzed(100, 2, REACHED, ENOUGH, 0, (), ""), True),
        (Fuzzed(0, 2, 0, {}, 0, (), ""), False),
        (Fuzzed(100, 2, 5, ENOUGH, 0, (), ""), False),
        (Fuzzed(100, 2, REACHED, ENOUGH | {"other": Counted(0, 9)}, 0, (), ""), False),
        (Fuzzed(100, 2, REACHED, ENOUGH | {UNKNOWN: Counted(0, 9)}, 0, (), ""), True),
        (Fuzzed(100, 2, REACHED, ENOUGH | {UNKNOWN: Counted(0, 0)}, 0, (), ""), False),
        (Fuzzed(100, 2, REACHED, {UNKNOWN: Counted(0, 9)}, 0, (), ""), False),
        (Fuzzed(100, 2, REACHED, ENOUGH | {"other": Counted(9, 0)}, 0, (), ""), False),
        (Fuzzed(100, 2, REACHED, ENOUGH, 77, (Path("crash-1"),), "ZeroDivisionError: division by zero"), False),
        (Fuzzed(100, 2, REACHED, ENOUGH, 77, (), "RecursionError: in what changes inputs"), False),
    ],
)
def test_what_breaks_a_reader_is_told(
    ran: Fuzzed, holds: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tests.proof.fuzzing.find_spec", lambda _: True)
    monkeypatch.setattr("tests.proof.fuzzing._fuzzed", lambda *_: ran)
    *every, long = PART.prove(Trial(tmp_path, 1, True, lambda _: None))
    assert {each.holds for each in every} == {holds}
    names = [each.name for each in ran.broke] or ["no input that was kept"]
    assert all((f"broken by {names[0]}: {ran.told}" in found.came_out) == bool(ran.code) for found in every)
    assert (long.holds, long.count) == (True, 2 * len(SHARES))


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_that_reaches_less_than_it_must_fails_the_whole_run(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    least = LEAST[name]

    def holds(edges: int, accepted: int, refused: int) -> bool:
        ran = Fuzzed(10**6, 600, edges, {"some": Counted(10**6, 10**6), "other": Counted(accepted, refused)}, 0, (), "")
        monkeypatch.setattr("tests.proof.fuzzing._fuzzed", lambda *_: ran)
        every = {each.key: each for each in PART.prove(Trial(tmp_path, 1, False, lambda _: None))}
        assert ("too few" in every[name].came_out) is not every[name].holds
        return every[name].holds

    monkeypatch.setattr("tests.proof.fuzzing.find_spec", lambda _: True)
    assert holds(*least)
    assert not any(holds(*(number - (at == less) for at, number in enumerate(least))) for less in range(len(least)))


def test_what_was_broken_off_is_not_counted_as_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.proof.fuzzing.find_spec", lambda _: True)
    monkeypatch.setattr("tests.proof.fuzzing._fuzzed", lambda *_: Fuzzed(100, 0, 7, ENOUGH, 77, (), "killed"))
    *_, long = PART.prove(Trial(tmp_path, 1, True, lambda _: None))
    assert (long.holds, long.count) == (False, 0)


def test_without_the_fuzzer_that_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.proof.fuzzing.find_spec", lambda _: None)
    found = list(PART.prove(Trial(tmp_path, 1, True, lambda _: None)))
    assert [each.short for each in found] == ["atheris is not installed for this Python"] * len(PART.claims)
    assert not any(each.holds for each in found)


def divides(data: bytes) -> Outcome:
    """A reader with a defect."""
    return Outcome("reply", all(1 // (byte - ord("{")) for byte in data))


def returns(_: bytes) -> Outcome:
    """A target that does nothing."""
    return Outcome("reply", is_accepted=False)


def test_a_reader_with_a_defect_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TARGETS, "reply", divides)
    with pytest.raises(ZeroDivisionError):
        test_nothing_breaks_a_reader("reply", tmp_path, monkeypatch)


def test_a_target_that_returns_at_once_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TARGETS, "reply", returns)
    with pytest.raises(AssertionError):
        test_every_kept_input_is_accepted_or_refused_as_it_should_be("reply", tmp_path, monkeypatch)


def test_what_is_fuzzed_is_imported_when_it_is_instrumented() -> None:
    asked = f"import sys, tests.proof.fuzzing.corpus as _; print({{*{INSTRUMENTED}}} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_what_is_counted_is_read_again_by_kind(tmp_path: Path) -> None:
    tally = Tally(tmp_path / "tally", ("one", "other"))
    for kind, is_accepted in (("one", True), ("other", False), ("other", False), ("other", True)):
        tally.add(Outcome(kind, is_accepted))
    assert read_tally(tmp_path / "tally") == {"one": Counted(1, 0), "other": Counted(1, 2)}
    assert read_tally(tmp_path / "none") == {}
