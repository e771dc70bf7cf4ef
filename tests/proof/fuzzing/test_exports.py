"""Exports of dnam that were changed come with the digest of their lines, as those that were not."""

from pathlib import Path
from random import Random

import pytest

from tests.proof.fuzzing.exports import change, digested, seeds
from tests.proof.fuzzing.tally import Outcome
from tests.proof.fuzzing.targets import TARGETS

MOST = 16_384


def test_only_what_is_whole_has_a_digest_and_a_change_is_in_it() -> None:
    (whole,) = seeds()
    assert digested(whole) == whole
    changed = whole.replace(b"likes tea", b"likes pea")
    assert len(digested(changed)) == len(changed)
    assert digested(changed) != changed
    assert digested(b"") == digested(whole.rpartition(b'{"line":"end"')[0]) == b""


def test_exports_are_changed_and_many_are_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.proof.fuzzing.targets.SOME", tmp_path)
    dice, exports = Random(7), seeds()
    made = {change(b"[1]", MOST, dice, exports, lambda data, most: (data * 3)[:most]) for _ in range(400)}
    assert b"[1][1][1]" in made
    came = [TARGETS["importers"](each) for each in made - {*exports, b"[1][1][1]"}]
    assert {Outcome("dnam-export", is_accepted) for is_accepted in (True, False)} <= {*came}
    assert sum(each.is_accepted for each in came) >= 3
    assert max(map(len, made)) <= MOST
