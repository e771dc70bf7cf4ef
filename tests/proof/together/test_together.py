"""Many at once, in short; and a model that finds what was not one at a time."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.proof import together
from tests.proof.claim import Trial
from tests.proof.together import PART, any_course, collided, courses, ordered
from tests.proof.together.ops import Op, Seen, Told
from tests.proof.together.oracle import Model


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
