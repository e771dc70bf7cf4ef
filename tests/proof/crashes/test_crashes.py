"""The lives that are lived in short, and lives that went wrong: each is found."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from projections.ids import EventId
from projections.registry import FOLD
from replay.engine import Engine
from replay.store import DiskStore
from tests.kills.child import Write
from tests.kills.victims import message_id
from tests.proof.claim import Trial
from tests.proof.crashes import LEAST, LEAST_DONE, PART, RANDOM, SEEN, SHORT, Ended, findings
from tests.proof.crashes.afterwards import Acknowledged, Afterwards, Held, Left, Stood, left
from tests.proof.crashes.life import ROUNDS, Kill


def test_commands_are_killed_and_nothing_is_lost(tmp_path: Path) -> None:
    found = {each.key: each for each in PART.prove(Trial(tmp_path, 3, True, lambda _: None))}
    assert set(found) == {claim.key for claim in PART.claims}
    assert found["lost"].count == len(SHORT)
    assert [each for each in found.values() if not each.holds] == []


REF = "Ref(platform='discord', key='5033164800000000000')"
M0 = EventId(b"m0")
HELD = Held(
    facts=Counter({"fact 1": 1}),
    refs=Counter({REF: 1}),
    reads=Counter({(b"kim", "guild", M0): 1}),
    heard={M0: message_id(0)},
    names=frozenset({"ada"}),
)
WELL = Afterwards(HELD, HELD, (), is_equal=True)
DONE = Acknowledged(["fact 1"] * 600, 1, 1, ["visitor 0"])


def kills(inside: Sequence[Write | None] = SEEN, begun: int = 1) -> list[Kill]:
    """As many as there must be, of all commands in turn."""
    names = list(ROUNDS)
    return [
        Kill(names[n % len(names)], n // len(names) % RANDOM == 0, inside[n % len(inside)], None, begun, True, True)
        for n in range(LEAST)
    ]


def ended(
    found: Afterwards = WELL, done: Acknowledged = DONE, killed: list[Kill] | None = None, broken_off: int = 0
) -> Ended:
    life = SimpleNamespace(
        kept=done.facts,
        acknowledged=done,
        in_the_end=DONE._replace(erased=()),
        erased=["visitor 0"],
        kills=kills() if killed is None else killed,
        broken_off=broken_off,
    )
    return Ended(life, found)  # type: ignore[arg-type]  # all of a life that is looked at


def both(**changed: Any) -> Afterwards:
    held = HELD._replace(**changed)
    return WELL._replace(before=held, after=held)


def one(**changed: Any) -> list[Kill]:
    first, *others = kills()
    return [first._replace(**changed), *others]


@pytest.fixture
def one_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """One acknowledgement of each is enough."""
    for what in LEAST_DONE:
        monkeypatch.setitem(LEAST_DONE, what, 1)


@pytest.mark.usefixtures("one_of_each")
@pytest.mark.parametrize(
    ("life", "broken"),
    [
        (ended(), set()),
        (ended(done=DONE._replace(facts=["fact 2"] * 600)), {"lost"}),
        (ended(done=DONE._replace(imported=2)), {"lost"}),
        (ended(done=DONE._replace(learned=2)), {"lost"}),
        (ended(done=DONE._replace(facts=["fact 1"])), {"lost"}),
        (ended(done=DONE._replace(imported=0)), {"lost"}),
        (ended(done=DONE._replace(learned=0)), {"lost"}),
        (ended(done=DONE._replace(erased=())), {"lost"}),
        (ended(WELL._replace(before=HELD._replace(names=frozenset({"v"}))), DONE._replace(erased=["v"])), {"lost"}),
        (ended(WELL._replace(before=HELD._replace(heard={}))), {"lost"}),
        (ended(WELL._replace(before=HELD._replace(reads=Counter()))), {"lost"}),
        (ended(killed=one(goes_on=False)), {"lost"}),
        (ended(broken_off=1), {"lost"}),
        (ended(both(facts=Counter({"fact 1": 2}))), {"double"}),
        (ended(both(refs=Counter({REF: 2}))), {"double"}),
        (ended(both(reads=Counter({(b"kim", "guild", M0): 2}))), {"double"}),
        (ended(WELL._replace(before=HELD._replace(refs=Counter({REF: 2})))), {"double"}),
        (ended(WELL._replace(after=HELD._replace(heard={}))), {"double"}),
        (ended(WELL._replace(problems=("#3 it is not what was written",))), {"views"}),
        (ended(WELL._replace(is_equal=False)), {"views"}),
        (ended(killed=one(is_equal=False)), {"views"}),
        (ended(WELL._replace(after=HELD._replace(names=frozenset({"visitor 0"})))), {"erased"}),
        (ended(WELL._replace(after=HELD._replace(facts=Counter({"fact 1": 1, "so visitor 0": 1})))), {"erased"}),
        (ended(killed=kills(begun=0)), {"beside"}),
        (ended(killed=kills([*SEEN, *[None] * 10])), {"in flight"}),
        (ended(killed=[each._replace(is_random=False) for each in kills()]), {"in flight"}),
        (ended(killed=kills()[1:]), {"everywhere"}),
        (ended(killed=kills(SEEN[:-1])), {"everywhere"}),
        (ended(killed=[each._replace(command="chat") for each in kills()]), {"everywhere"}),
    ],
)
def test_what_went_wrong_is_found(life: Ended, broken: set[str]) -> None:
    assert {each.key for each in findings([life]) if not each.holds} == broken


@pytest.mark.parametrize(
    ("life", "key", "named"),
    [
        (ended(done=DONE._replace(facts=["fact 2", "fact 3", "fact 4"])), "lost", "(facts 3: fact 2; fact 3 …)"),
        (ended(killed=one(goes_on=False)), "lost", "1 times the earlier log was no prefix: of chat, inside log"),
        (ended(broken_off=1), "lost", "no prefix: behind a round of life 0"),
        (ended(both(facts=Counter({"fact 1": 2}))), "double", "2 double (facts 2: fact 1; fact 1)"),
        (ended(killed=one(is_equal=False)), "views", "1 times unequal: of chat, inside log"),
        (ended(WELL._replace(problems=("#3 it is not so",))), "views", "1 problems in 1 memories at the end: #3 it is"),
        (ended(WELL._replace(after=HELD._replace(names=frozenset({"visitor 0"})))), "erased", "left: visitor 0"),
    ],
)
def test_what_went_wrong_is_named(life: Ended, key: str, named: str) -> None:
    assert named in {each.key: each for each in findings([life])}[key].came_out


def test_a_log_that_lost_its_end_or_was_written_anew_does_not_go_on(tmp_path: Path) -> None:
    Engine.open(tmp_path / "data", create=True).close()
    store = DiskStore(tmp_path / "data", FOLD, writable=False)
    try:
        stood = Stood.of(store)
    finally:
        store.close()
    assert left(tmp_path / "data", stood, rebuilt=True) == Left(stood, goes_on=True)
    assert not left(tmp_path / "data", stood._replace(size=stood.size + 1)).goes_on
    assert not left(tmp_path / "data", stood._replace(root=bytes(32))).goes_on
