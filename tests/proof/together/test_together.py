"""Many at once, in short; and a model that finds what was not one at a time."""

from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from projections.ids import Seq
from replay.codec import decode_header
from replay.engine import Engine
from tests.proof.claim import Trial
from tests.proof.together import PART, collided, ordered
from tests.proof.together.ops import Op, Order, Seen, Told, text_of
from tests.proof.together.oracle import Model
from tests.proof.together.workers import Workers


def test_the_short_form_holds(tmp_path: Path) -> None:
    findings = list(PART.prove(Trial(tmp_path, 1, True, lambda _: None)))
    assert [each.key for each in findings] == [claim.key for claim in PART.claims]
    assert [each for each in findings if not each.holds] == []


HEAR, KEEP, TAKE = Op("hear", "hello", "k"), Op("remember", "tea"), Op("forget", "tea")
RIGHT = (
    Told(HEAR, (1,), 0, 1),
    Told(HEAR, (), 0, 2),
    Told(KEEP, (2,), 1, 2),
    Told(TAKE, (3,), 2, 3),
    Told(TAKE, (), 2, 4),
    Told(KEEP, (4,), 3, 5),
    Told(KEEP, (5,), 3, 5),
)


def test_what_happened_one_at_a_time_is_right() -> None:
    model = Model(RIGHT, range(6))
    assert list(model.wrong(5)) == []
    assert [sorted(model.active(at)) for at in range(6)] == [[], [], ["tea"], [], ["tea"], ["tea"]]
    assert list(model.wrongly_seen(Seen(3, frozenset(), 1))) == []


@pytest.mark.parametrize(
    ("number", "instead", "expected"),
    [
        (0, {"seqs": (1, 1)}, "were acknowledged"),
        (3, {"seqs": (2,)}, "were acknowledged"),
        (1, {"seqs": (6,), "after": 6}, "came a second time"),
        (4, {"seqs": (6,), "op": TAKE, "after": 5}, "after it was acknowledged"),
        (2, {"before": 2}, "before it began"),
        (5, {"seqs": ()}, "nothing was recorded"),
        (1, {"after": 0}, "something had to"),
        (4, {"before": 4}, "something had to"),
    ],
)
def test_what_was_not_is_found(number: int, instead: dict[str, object], expected: str) -> None:
    told = list(RIGHT)
    told[number] = msgspec.structs.replace(told[number], **instead)
    assert any(expected in each for each in Model(told, range(7)).wrong(len({s for t in told for s in t.seqs})))


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (Seen(2, frozenset(), 1), "what was not so then"),
        (Seen(3, frozenset({"tea"}), 1), "what was not so then"),
        (Seen(3, frozenset(), 0), "what was not so then"),
        (Seen(4, frozenset({"tea"}), 1), "half of a decision"),
    ],
)
def test_what_was_never_so_is_found(seen: Seen, expected: str) -> None:
    assert [expected in each for each in Model(RIGHT, (1, 2, 3, 5)).wrongly_seen(seen)] == [True]


def told(op: Op, before: int, after: int, *seqs: int) -> Told:
    return Told(op, seqs, before, after)


OTHER = Op("hear", "hello", "other")


@pytest.mark.parametrize(
    ("some", "expected"),
    [
        ([], (0, 0)),
        ([told(HEAR, 0, 2), told(HEAR, 1, 3)], (2, 0)),
        ([told(HEAR, 0, 2), told(OTHER, 1, 3)], (0, 0)),
        ([told(HEAR, 0, 2), told(HEAR, 2, 3)], (0, 0)),
        ([told(HEAR, 0, 9), told(HEAR, 4, 4), told(HEAR, 9, 9)], (2, 0)),
        ([told(KEEP, 0, 3), told(TAKE, 2, 5), told(KEEP, 7, 8)], (0, 2)),
    ],
)
def test_what_collides_is_about_the_same_at_the_same_time(some: list[Told], expected: tuple[int, int]) -> None:
    assert collided(some) == expected


BOTH = [told(HEAR, 0, 4, 1), told(HEAR, 0, 4, 2), told(KEEP, 0, 4, 3), told(TAKE, 0, 4, 4)]
APART = [told(op, number, number + 2, number + 1) for number, op in enumerate((HEAR, OTHER, KEEP))]


@pytest.mark.parametrize(
    ("some", "wrong", "holds"),
    [
        (BOTH, [], True),
        (BOTH, ["it came a second time"], False),
        (BOTH[:2], [], False),
        (BOTH[2:], [], False),
        (APART, [], False),
        ([], [], False),
        ([*BOTH, *[told(OTHER, 4 + number, 6 + number, 5 + number) for number in range(100)]], [], False),
    ],
)
def test_without_collisions_nothing_was_tried(some: list[Told], wrong: list[str], holds: bool) -> None:
    found = ordered(some, wrong, (4, 16, 1000))
    assert found.holds == holds
    assert all(each in found.came_out for each in wrong)


OPS = st.one_of(
    st.builds(lambda n: Op("hear", f"word {n}", f"key {n}"), st.integers(0, 5)),
    st.builds(lambda kind, n: Op(kind, text_of(n)), st.sampled_from(("remember", "forget")), st.integers(0, 3)),
)
TASKS = st.lists(st.lists(OPS, max_size=4).map(tuple), max_size=3).map(tuple)


def machine(workers: Workers) -> type[RuleBasedStateMachine]:
    """Two writers and a reader on one folder, and the model of what they were told."""

    class Together(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.place = TemporaryDirectory()
            self.data = str(Path(self.place.name) / "data")
            self.told: list[Told] = []

        @initialize()
        def begin(self) -> None:
            for number in range(3):
                workers.ask(number, Order("open", self.data, is_reader=number == 2), type(None))

        @rule(left=TASKS, right=TASKS)
        def both_write(self, left: tuple[tuple[Op, ...], ...], right: tuple[tuple[Op, ...], ...]) -> None:
            for number, tasks in enumerate((left, right)):
                workers.send(number, Order("run", tasks=tasks))
            for number in range(2):
                self.told += workers.answer(number, list[Told])

        @rule(writer=st.integers(0, 1), op=OPS)
        def one_writes(self, writer: int, op: Op) -> None:
            self.told += workers.ask(writer, Order("run", tasks=((op,),)), list[Told])

        @rule(number=st.integers(0, 2))
        def one_starts_again(self, number: int) -> None:
            workers.ask(number, Order("close"), type(None))
            workers.ask(number, Order("open", self.data, is_reader=number == 2), type(None))

        @rule(number=st.integers(0, 2))
        def one_looks(self, number: int) -> None:
            seen = workers.ask(number, Order("look"), Seen)
            assert list(self.model().wrongly_seen(seen)) == []
            assert seen.upto == sum(len(each.seqs) for each in self.told)

        def model(self) -> Model:
            return Model(self.told, ends(Path(self.data)))

        def teardown(self) -> None:
            for number in range(3):
                workers.ask(number, Order("close"), type(None))
            wrong = list(self.model().wrong(sum(len(each.seqs) for each in self.told)))
            self.place.cleanup()
            assert wrong == []

    return Together


def ends(data: Path) -> list[Seq]:
    """The seqs at which a decision ends."""
    with Engine.open(data, writable=False) as engine:
        return [each.seq for each in engine.store.log.read(0) if not decode_header(each.header).left]


def test_any_course_of_things_is_as_if_one_at_a_time() -> None:
    with Workers(3) as workers:
        run_state_machine_as_test(machine(workers), settings=settings(max_examples=5, stateful_step_count=6))
