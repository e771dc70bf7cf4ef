"""Short items that say the same but for a value: a table of cases."""

import pytest

from dnam.languages import load
from dnam.rephrasing import rephrasing_of
from projections.policies.rephrasing import UNKNOWN
from projections.rederiving.judged import MOST_COMPARED, Texts, judged
from projections.rederiving.values import valued
from tests.projections.items import a_row

ENGLISH = load("en")
TEXTS = Texts(ENGLISH.vocabulary, rephrasing_of(ENGLISH))

APART = (
    ("Standup is on Monday", "Standup is on Tuesday", "weekdays"),
    ("User swims on Mondays", "User swims on Friday", "weekdays"),
    ("User was born in March", "User was born in October", "months"),
    ("User runs in the morning", "User runs in the evening", "times"),
    ("User has two cats", "User has three cats", "numbers"),
    ("User has 2 cats", "User has three cats", "numbers"),
    ("User earns 85k", "User earns 90,000", "numbers"),
    ("Raid begins at 9 on Friday", "Raid begins at 10 on Friday", "numbers"),
    ("Ada's exam is in June", "Ada's exam is in July", "months"),
)
ALIKE = (
    ("Standup is on Monday", "Retro is on Tuesday"),  # of something else
    ("Raid begins at 9 on Friday", "Raid begins at 10 on Sunday"),  # another thing, at another time
    ("User swims on Monday and Friday", "User swims on Monday"),  # more, and not something else
    ("User has two cats", "User has three dogs"),
    ("User has two cats", "User has cats"),  # less is said
    ("Sister has two cats", "Brother has three cats"),
    ("Ada has two cats", "User has three cats"),
    ("User runs in the morning", "User runs in June"),  # of different sets
    ("User likes Bern", "User likes Basel"),  # no value: both may be
    ("Standup is on Monday", "Standup is on Mondays"),
    ("Monday", "Tuesday"),  # nothing is said of it
)


@pytest.mark.parametrize(("one", "other", "what"), APART)
@pytest.mark.parametrize("turned", [False, True])
def test_what_differs_in_a_value_is_to_be_looked_at(one: str, other: str, what: str, *, turned: bool) -> None:
    first, second = (other, one) if turned else (one, other)
    (found,) = judged([a_row(first, id="1"), a_row(second, id="2")], TEXTS).contradictions
    assert (found.row.item.id, found.other.item.id, found.reason) == ("2", "1", f"they have different {what}")


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_differs_otherwise_is_not(one: str, other: str) -> None:
    assert judged([a_row(one, id="1"), a_row(other, id="2")], TEXTS).contradictions == ()


def test_only_of_one_kind_and_subject() -> None:
    one, other = "Standup is on Monday", "Standup is on Tuesday"
    assert judged([a_row(one, id="1"), a_row(other, id="2", kind="project")], TEXTS).contradictions == ()
    assert judged([a_row(one, id="1"), a_row(other, id="2", about="guild")], TEXTS).contradictions == ()


def test_of_many_each_is_beside_one() -> None:
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
    rows = [a_row(f"Standup is on {day}", id=str(number)) for number, day in enumerate(days * MOST_COMPARED)]
    assert len(judged(rows, TEXTS).contradictions) == len(rows) - 1


def test_a_language_that_nobody_knows_has_numbers_alone() -> None:
    assert valued("Standup is on Monday", UNKNOWN) is None
    found = valued("Standup at 9", UNKNOWN)
    assert found is not None
    assert found.values == {"numbers": frozenset({"9"})}
