"""The lives that are lived in short, and lives that went wrong: each is found."""

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.proof.claim import Trial
from tests.proof.crashes import PART, SEEN, SHORT, Ended, findings
from tests.proof.crashes.afterwards import Afterwards


def test_commands_are_killed_and_nothing_is_lost(tmp_path: Path) -> None:
    found = {each.key: each for each in PART.prove(Trial(tmp_path, 3, True, lambda _: None))}
    assert set(found) == {claim.key for claim in PART.claims}
    assert found["lost"].count == len(SHORT)
    assert [each for key, each in found.items() if key != "everywhere" and not each.holds] == []


REF = "Ref(platform='discord', key='5033164800000000000')"
WELL = Afterwards(Counter({"fact 1": 1}), Counter({REF: 1}), frozenset({"ada"}), 0, True)


def ended(found: Afterwards, *kept: str, messages: int = 1, **killed: int) -> Ended:
    life = SimpleNamespace(
        kept=[*kept, *["fact 1"] * 9],
        messages=messages,
        erased=["visitor 0"],
        unequal=list[str](),
        killed=Counter(killed or SEEN),
    )
    return Ended(life, found)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("life", "broken"),
    [
        (ended(WELL), set()),
        (ended(WELL, "fact 2"), {"lost"}),
        (ended(WELL._replace(facts=Counter({"fact 1": 2}))), {"double"}),
        (ended(WELL._replace(refs=Counter({REF: 2}))), {"double"}),
        (ended(WELL, messages=2), {"double"}),
        (ended(WELL._replace(problems=1)), {"views"}),
        (ended(WELL._replace(is_equal=False)), {"views"}),
        (ended(WELL._replace(names=frozenset({"visitor 0"}))), {"erased"}),
        (ended(WELL._replace(facts=Counter({"fact 1": 1, "the word of visitor 0": 1}))), {"erased"}),
        (ended(WELL, log=1), {"everywhere"}),
    ],
)
def test_what_went_wrong_is_found(life: Ended, broken: set[str]) -> None:
    assert {each.key for each in findings([life]) if not each.holds} == broken


def test_kills_that_met_no_write_prove_nothing() -> None:
    life = ended(WELL)
    life.life.killed[None] = 100
    assert "in flight" in {each.key for each in findings([life]) if not each.holds}


def test_views_that_were_unequal_behind_a_kill_are_told() -> None:
    life = ended(WELL)
    life.life.unequal.append("backup")
    assert {each.key for each in findings([life]) if not each.holds} == {"views"}
