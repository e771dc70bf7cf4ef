"""That a newcomer was not kept apart from the machine is no proof, and falls short."""

import pytest

from tests.proof.claim import Claim
from tests.proof.newcomer import NOT_APART, works
from tests.proof.scorecard import Line


@pytest.mark.parametrize(
    ("ran", "failed", "is_apart", "verdict"),
    [
        (32, [], True, "holds"),
        (32, [], False, "falls short"),
        (32, ["make (exit 2): no"], True, "BROKEN"),
        (32, ["make (exit 2): no"], False, "BROKEN"),
        (0, [], True, "NOT RUN"),
        (0, [], False, "NOT RUN"),
    ],
)
def test_without_namespaces_it_falls_short(ran: int, failed: list[str], is_apart: bool, verdict: str) -> None:
    found = works(ran, failed, is_apart=is_apart)
    assert Line(Claim("works", "", ""), found).verdict == verdict
    assert (found.short == NOT_APART) == (not is_apart and not failed)
    assert all(each in found.came_out for each in failed)
