"""The lives that are lived in short, and lives that went wrong: each is found."""

from collections import Counter
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from projections.events import RederivationAdopted
from projections.events.values import OPERATOR
from projections.ids import EventId, Seq
from projections.registry import FOLD
from replay.engine import Engine
from replay.store import DiskStore
from tests.kills.child import Write
from tests.kills.victims import message_id
from tests.proof.claim import Trial
from tests.proof.crashes import LEAST, LEAST_DONE, LEAST_EVENTS, PART, RANDOM, SEEN, SHORT, Ended, findings
from tests.proof.crashes.adoptions import Adopted, Effect
from tests.proof.crashes.afterwards import NO_ADOPTION, Acknowledged, Afterwards, Held, Left, Words, left
from tests.proof.crashes.backups import Kept
from tests.proof.crashes.kill import Kill
from tests.proof.crashes.life import ROUNDS
from tests.proof.crashes.stood import NOTHING, Stood
from tests.replay.stage import says


def test_commands_are_killed_and_nothing_is_lost(tmp_path: Path) -> None:
    found = {each.key: each for each in PART.prove(Trial(tmp_path, 3, True, lambda _: None))}
    assert set(found) == {claim.key for claim in PART.claims}
    assert found["lost"].count == len(SHORT)
    assert [each for each in found.values() if not each.holds] == []


REF = "Ref(platform='discord', key='5033164800000000000')"
M0 = EventId(b"m0")
ADOPTED = Adopted(EventId(b"a0"), Seq(9), 1, 2, 3)
WORDS = Counter({Words("item.upserted", str(number), NO_ADOPTION): 1 for number in range(LEAST_EVENTS)})
HELD = Held(
    facts=Counter({"fact 1": 1}),
    refs=Counter({REF: 1}),
    reads=Counter({(b"kim", "guild", M0): 1}),
    heard={M0: message_id(0)},
    names=frozenset({"ada"}),
    words=WORDS,
    ids=Counter({M0: 1}),
    adopted=frozenset({ADOPTED}),
)
WELL = Afterwards(HELD, HELD, (), is_equal=True)
DONE = Acknowledged(["fact 1"] * 600, 1, 1, ["visitor 0"], [ADOPTED])
THERE = Kept(Stood(9, b"root"))
LOOKED = (THERE, THERE, THERE)
"""Read whole before the end and at it, and restored."""


def kills(inside: Sequence[Write | None] = SEEN, begun: int = 1) -> list[Kill]:
    """As many as there must be, of all commands in turn."""
    names = list(ROUNDS)
    return [
        Kill(
            name, n // len(names) % RANDOM == 0, inside[n % len(inside)], None, begun, goes_on=True, has_views=True,
            is_equal=True, backup=THERE if name == "backup" else None,
        )
        for n, name in enumerate(islice(cycle(names), LEAST))
    ]  # fmt: skip


def ended(
    found: Afterwards = WELL,
    done: Acknowledged = DONE,
    killed: list[Kill] | None = None,
    broken_off: int = 0,
    without_views: int = 0,
    effects: Sequence[Effect] = (Effect(live=6, since=4),),
    backups: Sequence[Kept] = LOOKED,
) -> Ended:
    life = SimpleNamespace(
        kept=done.facts,
        acknowledged=done,
        in_the_end=DONE._replace(erased=()),
        erased=["visitor 0"],
        kills=kills() if killed is None else killed,
        broken_off=broken_off,
        without_views=without_views,
        effects=effects,
        backups=backups,
    )
    return Ended(life, found)  # type: ignore[arg-type]  # all of a life that is looked at


def both(**changed: Any) -> Afterwards:
    held = HELD._replace(**changed)
    return WELL._replace(before=held, after=held)


def one(**changed: Any) -> list[Kill]:
    first, *others = kills()
    return [first._replace(**changed), *others]


def left_by_backup(kept: Kept) -> list[Kill]:
    """Where each kill of `backup` left the same."""
    return [each._replace(backup=kept) if each.backup else each for each in kills()]


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
        (ended(done=DONE._replace(adopted=())), {"lost"}),
        (ended(done=DONE._replace(adopted=[ADOPTED._replace(items=3)])), {"lost"}),
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
        (ended(WELL._replace(after=HELD._replace(adopted=frozenset()))), {"double"}),
        (ended(both(words=WORDS + WORDS)), {"double"}),
        (ended(both(words=Counter(dict.fromkeys(list(WORDS)[1:], 1)))), {"double"}),
        (ended(both(ids=Counter({M0: 2}))), {"double"}),
        (ended(effects=[Effect(live=6, since=4, wrong=("what #3 made is not there",))]), {"adopted"}),
        (ended(effects=[Effect(live=5, since=4)]), {"adopted"}),
        (ended(effects=[Effect(live=0, since=0)]), {"adopted"}),
        (ended(effects=[]), {"adopted"}),
        (ended(killed=left_by_backup(Kept(None))), {"backup"}),
        (ended(killed=left_by_backup(Kept(Stood(9, b""), ("it has 9 events, and had 10",)))), {"backup"}),
        (ended(backups=[*LOOKED[:2], Kept(None, ("restore-backup ended with 1",))]), {"backup"}),
        (ended(backups=[*LOOKED[:2], Kept(Stood(0, b""))]), {"backup"}),
        (ended(backups=[Kept(None, ("#3 has other bytes",)), *LOOKED[1:]]), {"backup"}),
        (ended(backups=()), {"backup"}),
        (ended(killed=one(has_views=False)), {"views"}),
        (ended(without_views=1), {"views"}),
        (ended(WELL._replace(has_views=False)), {"views"}),
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
        (ended(both(ids=Counter({M0: 2}))), "double", "2 double (ids 2: b'm0'; b'm0')"),
        (ended(killed=one(is_equal=False)), "views", "1 times unequal: of chat, inside log"),
        (ended(killed=one(has_views=False)), "views", "1 times none on disk: of chat, inside log"),
        (ended(without_views=1), "views", "1 times none on disk: behind a round of life 0"),
        (ended(effects=[Effect(1, 0, ("what #3 made is not there",))]), "adopted", "1 neither: what #3 made is not th"),
        (ended(backups=[*LOOKED[:2], Kept(None, ("it has 1",))]), "backup", "0 events; 1 problems: it has 1"),
        (ended(WELL._replace(problems=("#3 it is not so",))), "views", "1 problems in 1 memories at the end: #3 it is"),
        (ended(WELL._replace(after=HELD._replace(names=frozenset({"visitor 0"})))), "erased", "left: visitor 0"),
    ],
)
def test_what_went_wrong_is_named(life: Ended, key: str, named: str) -> None:
    assert named in {each.key: each for each in findings([life])}[key].came_out


def test_the_same_words_are_double_unless_they_were_adopted_again() -> None:
    event = RederivationAdopted(said=1, by=OPERATOR, shadow=b"", name=b"", upto=1, people=1, items=2, summaries=3)
    by_none, by_one, by_another = (Words.of(event, EventId(each)) for each in (b"", b"one", b"another"))
    held = HELD._replace(words=Counter([by_none, by_one, by_another]))
    assert not any(held.double.values())
    held = HELD._replace(words=Counter([by_none, by_one, by_one]))
    assert held.double["events word for word"] == [str(by_one)]


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


def test_views_that_are_not_there_are_missed_although_the_rows_are_a_rebuilds(tmp_path: Path) -> None:
    with Engine.open(tmp_path / "data", create=True) as engine:
        engine.record(says("m0"))
    found = left(tmp_path / "data", NOTHING, rebuilt=True)
    assert (found.has_views, found.is_equal) == (True, True)
    (tmp_path / "data" / "views" / "CURRENT").unlink()
    found = left(tmp_path / "data", NOTHING, rebuilt=True)
    assert (found.has_views, found.is_equal) == (False, True)
