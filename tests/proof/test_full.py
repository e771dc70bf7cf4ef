"""Full disks, the short form: a command and an open memory that meet one, and a log that says nothing of it."""

from pathlib import Path

import pytest

from tests.proof.claim import Trial
from tests.proof.full import PART
from tests.proof.full.faults import compiler


@pytest.mark.skipif(compiler() is None, reason="no C compiler here, or not Linux")
def test_a_full_disk_is_told_of_and_loses_nothing(tmp_path: Path) -> None:
    told: list[str] = []
    found = {each.key: each for each in PART.prove(Trial(tmp_path, 20261122, is_short=True, say=told.append))}
    assert set(found) == {claim.key for claim in PART.claims} - {"slow"}  # which measures time
    assert [each for each in found.values() if not each.holds] == [], told
    assert all(each.count for each in found.values())
