"""Everything the fuzzers begin with, everything they ever found, and some of what they would make of it."""

import random
from pathlib import Path

import pytest

from tests.proof.claim import Trial
from tests.proof.fuzzing import PART, READERS, SHARES, Fuzzed
from tests.proof.fuzzing.corpus import inputs
from tests.proof.fuzzing.targets import TARGETS

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


def test_every_target_has_its_share_and_its_claim() -> None:
    assert set(TARGETS) == set(SHARES) == set(READERS) == {claim.key for claim in PART.claims} - {"long"}


@pytest.mark.parametrize(
    ("ran", "holds"),
    [
        (Fuzzed(100, 1, 7, 0, (), ""), True),
        (Fuzzed(0, 1, 0, 0, (), ""), False),
        (Fuzzed(100, 1, 7, 77, (Path("crash-1"),), "ZeroDivisionError: division by zero"), False),
    ],
)
def test_what_breaks_a_reader_is_told(
    ran: Fuzzed, holds: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tests.proof.fuzzing.find_spec", lambda _: True)
    monkeypatch.setattr("tests.proof.fuzzing._fuzzed", lambda *_: ran)
    *every, long = PART.prove(Trial(tmp_path, 1, True, lambda _: None))
    assert {each.holds for each in every} == {holds}
    assert all(each.name in found.came_out and ran.told in found.came_out for each in ran.broke for found in every)
    assert (long.holds, long.count) == (True, len(SHARES))


def test_what_was_broken_off_is_not_counted_as_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.proof.fuzzing.find_spec", lambda _: True)
    monkeypatch.setattr("tests.proof.fuzzing._fuzzed", lambda *_: Fuzzed(100, 0, 7, 77, (), "killed"))
    *_, long = PART.prove(Trial(tmp_path, 1, True, lambda _: None))
    assert (long.holds, long.count) == (False, 0)


def test_without_the_fuzzer_that_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.proof.fuzzing.find_spec", lambda _: None)
    found = list(PART.prove(Trial(tmp_path, 1, True, lambda _: None)))
    assert [each.short for each in found] == ["atheris is not installed for this Python"] * len(PART.claims)
    assert not any(each.holds for each in found)


def divides(data: bytes) -> None:
    """A reader with a defect."""
    for byte in data:
        1 // (byte - ord("{"))


def test_a_reader_with_a_defect_would_be_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TARGETS, "reply", divides)
    with pytest.raises(ZeroDivisionError):
        test_nothing_breaks_a_reader("reply", tmp_path, monkeypatch)
