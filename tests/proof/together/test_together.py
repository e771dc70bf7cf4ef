"""Many at once, in short; and a model that finds what was not one at a time."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.proof import together
from tests.proof.claim import Trial
from tests.proof.together import FEWEST_OWN_STATES, FEWEST_STATES, PART, Written, any_course, courses, looked, ordered
from tests.proof.together.collisions import collided, met
from tests.proof.together.looks import stale, went_back
from tests.proof.together.ops import Op, Seen, Told
from tests.proof.together.oracle import Model


def test_the_short_form_holds(tmp_path: Path) -> None:
    findings = list(PART.prove(Trial(tmp_path, 1, True, lambda _: None)))
    assert [each.key for each in findings] == [claim.key for claim in PART.claims]
    assert [each for each in findings if not each.holds] == []


HEAR, KEEP, TAKE = Op("hear", "hello", "k"), Op("remember", "tea"), Op("forget", "tea")
RIGHT = (
    Told(HEAR, (1,), 0, 1, 1),
    Told(HEAR, (), 0, 2, 2),
    Told(KEEP, (2,), 1, 2, 1),
    Told(TAKE, (3,), 2, 3, 1),
    Told(TAKE, (), 2, 4, 2),
    Told(KEEP, (4,), 3, 5, 1),
    Told(KEEP, (5,), 3, 5, 2),
)


def seen(upto: int, active: frozenset[str] = frozenset(), heard: int = 1, least: int = 0, process: int = 3) -> Seen:
    return Seen(upto, active, heard, least, process)


def test_what_happened_one_at_a_time_is_right() -> None:
    model = Model(RIGHT, range(6))
    assert list(model.wrong(5)) == []
    assert [sorted(model.active(at)) for at in range(6)] == [[], [], ["tea"], [], ["tea"], ["tea"]]
    assert list(model.wrongly_seen(seen(3))) == []


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
    ("look", "expected"),
    [
        (seen(2), "what was not so then"),
        (seen(3, frozenset({"tea"})), "what was not so then"),
        (seen(3, heard=0), "what was not so then"),
        (seen(4, frozenset({"tea"})), "half of a decision"),
    ],
)
def test_what_was_never_so_is_found(look: Seen, expected: str) -> None:
    assert [expected in each for each in Model(RIGHT, (1, 2, 3, 5)).wrongly_seen(look)] == [True]


def test_a_process_that_sees_less_than_before_is_found() -> None:
    assert list(went_back([seen(3), seen(2, process=4), seen(3), seen(5), seen(4, process=4)])) == []
    found = list(went_back([seen(3), seen(5, process=4), seen(2), seen(2), seen(4, process=4)]))
    assert found == [
        "process 3 saw up to #3, and then up to #2",
        "process 3 saw up to #3, and then up to #2",
        "process 4 saw up to #5, and then up to #4",
    ]


def test_a_process_that_sees_less_than_was_there_is_found() -> None:
    assert list(stale([seen(3, least=3), seen(4, least=0)])) == []
    assert list(stale([seen(3, least=4)])) == ["process 3 saw up to #3, and #4 was there before it looked"]


def looks(first: int, count: int, least: int = 0, process: int = 3) -> list[Seen]:
    """Looks of one process, a state each."""
    return [seen(upto, heard=0, least=least, process=process) for upto in range(first, first + count)]


@pytest.mark.parametrize(
    ("reader", "writers", "named"),
    [
        (looks(0, FEWEST_STATES), looks(0, FEWEST_OWN_STATES, process=4), ""),
        (looks(0, FEWEST_STATES - 1), looks(0, FEWEST_OWN_STATES, process=4), f"{FEWEST_STATES - 1} different states"),
        (looks(0, FEWEST_STATES), looks(0, FEWEST_OWN_STATES - 1, process=4), f"{FEWEST_OWN_STATES - 1} by the wr"),
        (
            [*looks(0, FEWEST_STATES), seen(1, heard=0)],
            looks(0, FEWEST_OWN_STATES, process=4),
            "1 behind an earlier look",
        ),
        (looks(0, FEWEST_STATES), looks(0, FEWEST_OWN_STATES, least=1, process=4), "1 behind what was there before"),
        ([*looks(0, FEWEST_STATES), seen(9999)], looks(0, FEWEST_OWN_STATES, process=4), "1 never so"),
    ],
)
def test_looks_that_are_too_few_or_wrong_are_found(reader: list[Seen], writers: list[Seen], named: str) -> None:
    found = looked(Written([], writers, reader), Model([], range(10_000)))
    assert found.holds == (not named)
    assert named in found.came_out


def test_few_looks_are_enough_in_short() -> None:
    model, own = Model([], range(9)), looks(0, 3, process=4)
    assert looked(Written([], own, looks(0, 3)), model, is_short=True).holds
    assert not looked(Written([], own, looks(0, 2)), model, is_short=True).holds
    assert not looked(Written([], own[1:], looks(0, 3)), model, is_short=True).holds


def told(op: Op, before: int, after: int, *seqs: int, process: int = 1) -> Told:
    return Told(op, seqs, before, after, process)


def other(op: Op, before: int, after: int, *seqs: int) -> Told:
    """The same of another process."""
    return told(op, before, after, *seqs, process=2)


OTHER = Op("hear", "hello", "other")


@pytest.mark.parametrize(
    ("some", "expected"),
    [
        ([], (0, 0)),
        ([told(HEAR, 0, 2), other(HEAR, 1, 3)], (2, 0)),
        ([told(HEAR, 0, 2), told(HEAR, 1, 3)], (0, 0)),
        ([told(HEAR, 0, 2), told(HEAR, 1, 3), other(HEAR, 2, 4)], (2, 0)),
        ([told(HEAR, 0, 2), other(OTHER, 1, 3)], (0, 0)),
        ([told(HEAR, 0, 2), other(HEAR, 2, 3)], (0, 0)),
        ([told(HEAR, 0, 9), other(HEAR, 4, 4), other(HEAR, 9, 9)], (2, 0)),
        ([told(HEAR, 4, 4), told(HEAR, 4, 4), other(HEAR, 0, 9)], (3, 0)),
        ([told(HEAR, 4, 4), other(HEAR, 4, 4)], (0, 0)),
        ([told(KEEP, 0, 3), other(TAKE, 2, 5), other(KEEP, 7, 8)], (0, 2)),
    ],
)
def test_what_collides_is_about_the_same_at_the_same_time_in_another_process(
    some: list[Told], expected: tuple[int, int]
) -> None:
    assert collided(some) == expected


@pytest.mark.parametrize(
    ("some", "expected"),
    [
        ([], 0),
        ([told(HEAR, 0, 2, 1), told(HEAR, 0, 2, 2)], 0),
        ([told(HEAR, 0, 2, 1), other(HEAR, 0, 2, 2)], 2),
        ([told(HEAR, 0, 1, 1), other(HEAR, 0, 2, 2)], 1),
        ([told(HEAR, 2, 3, 3), other(HEAR, 0, 2, 2)], 0),
    ],
)
def test_an_op_is_met_where_another_process_wrote_meanwhile(some: list[Told], expected: int) -> None:
    assert met(some) == expected


BOTH = [told(HEAR, 0, 4, 1), other(HEAR, 0, 4, 2), told(KEEP, 0, 4, 3), other(TAKE, 0, 4, 4)]
ALONE = [msgspec.structs.replace(each, process=1) for each in BOTH]
APART = [told(op, number, number + 2, number + 1) for number, op in enumerate((HEAR, OTHER, KEEP))]


@pytest.mark.parametrize(
    ("some", "wrong", "holds"),
    [
        (BOTH, [], True),
        (BOTH, ["it came a second time"], False),
        (BOTH[:2], [], False),
        (BOTH[2:], [], False),
        (ALONE, [], False),
        (APART, [], False),
        ([], [], False),
        ([*BOTH, *[told(OTHER, 4 + number, 6 + number, 5 + number) for number in range(100)]], [], False),
    ],
)
def test_without_collisions_of_processes_nothing_was_tried(some: list[Told], wrong: list[str], holds: bool) -> None:
    found = ordered(some, wrong, (4, 16, 1000))
    assert found.holds == holds
    assert all(each in found.came_out for each in wrong)


def test_in_short_one_collision_of_processes_is_enough() -> None:
    assert ordered(BOTH[:2], [], (2, 4, 40), is_short=True).holds
    assert not ordered(ALONE, [], (2, 4, 40), is_short=True).holds


class Deaf(Model):
    """A model of which nothing that was told is right."""

    def wrong(self, size: int) -> Iterator[str]:
        yield f"{size} events, and none should be"


def test_a_course_that_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(courses, "Model", Deaf)
    found = any_course(1, 1, 1)
    assert not found.holds
    assert "none should be" in found.came_out


def test_courses_without_a_look_or_enough_writes_are_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    every = {"courses": 2, "writes": 9, "looks": 9, "starts": 9, "at once": 1}
    for name in every:
        counts = every | {name: 0}
        monkeypatch.setattr(together, "tried", lambda *_, counts=counts: Counter(counts))
        assert not any_course(2, 1, 1).holds
    monkeypatch.setattr(together, "tried", lambda *_: Counter(every))
    assert any_course(2, 1, 1).holds
