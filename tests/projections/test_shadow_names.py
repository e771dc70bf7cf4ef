"""Items that say the same but for a name of which there is one at a time: a table of cases."""

import pytest

from dnam.languages import load
from dnam.rephrasing import rephrasing_of
from projections.policies.rephrasing import UNKNOWN
from projections.rederiving.judged import MOST_COMPARED, Texts, judged
from projections.rederiving.names import named
from tests.projections.items import a_row

ENGLISH = load("en")
TEXTS = Texts(ENGLISH.vocabulary, rephrasing_of(ENGLISH))

APART = (
    ("User lives on Orchard Road.", "User lives on Mill Lane.", "homes"),
    ("User lives on Orchard Road", "user  lives on Mill Road.", "homes"),
    ("User lives at 12 Mill Lane", "User lives at 7 Orchard Road", "homes"),
    ("Kim lives in Bern", "Kim lives in Basel", "homes"),
    ("User is from Bern", "User is from Basel", "origins"),
    ("User was born in Bern", "User was born in Saint-Imier", "origins"),
    ("User's name is Kim", "User's name is Robin", "names"),
    ("User is called Kim", "User is called Robin", "names"),
)
ALIKE = (
    ("User likes Bern", "User likes Basel"),
    ("User likes Mill Lane", "User likes Orchard Road"),
    ("User has a cat named Tom", "User has a cat named Kit"),
    ("User's sister is called Ada", "User's sister is called Bea"),  # there may be two
    ("User's sister lives in Bern", "User's sister lives in Basel"),
    ("User lives in Bern", "User lives in Switzerland"),  # which lies in it
    ("User is from Quebec", "User is from Montreal"),
    ("User lives in York", "User lives in New York"),
    ("User is called Tobi", "User is called Tobias"),
    ("User lives on Orchard Road", "User lives on Orchard Road 3"),
    ("User lives on Mill Lane", "User lives in Bern"),  # a street, and a town
    ("User lives on Mill Lane", "User works on Orchard Road"),
    ("User lives on Mill Lane", "Kim lives on Orchard Road"),
    ("User lives on Mill Lane", "User no longer lives on Orchard Road"),
    ("User lives on Mill Lane", "User lives on Orchard Road now"),  # that is no name
    ("User lives in a house", "User lives in a flat"),
    ("User lives in Bern", "User lives in Basel and Geneva"),
    ("User lives in Bern", "User lives in The Old House By The Lake"),
    ("User visits Bern", "User visits Basel"),
    ("User works at Migros", "User works at Coop"),  # it may be both
)


@pytest.mark.parametrize(("one", "other", "what"), APART)
@pytest.mark.parametrize("turned", [False, True])
def test_what_differs_in_such_a_name_is_to_be_looked_at(one: str, other: str, what: str, *, turned: bool) -> None:
    first, second = (other, one) if turned else (one, other)
    (found,) = judged([a_row(first, id="1"), a_row(second, id="2")], TEXTS).contradictions
    assert (found.row.item.id, found.other.item.id) == ("2", "1")
    assert found.reason == f"they have different {what}"


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_differs_otherwise_is_not(one: str, other: str) -> None:
    assert judged([a_row(one, id="1"), a_row(other, id="2")], TEXTS).contradictions == ()


def test_of_many_each_is_beside_one() -> None:
    towns = ("Bern", "Basel", "Zug", "Chur")
    rows = [a_row(f"User lives in {town}", id=str(number)) for number, town in enumerate(towns * MOST_COMPARED)]
    found = judged(rows, TEXTS).contradictions
    assert {each.row.item.text for each in found} >= {f"User lives in {town}" for town in towns[1:]}


def test_a_language_that_nobody_knows_has_none() -> None:
    assert named("User lives in Bern", UNKNOWN) is None
    assert named("User was born in March", TEXTS.known) is named("User was born in 1990", TEXTS.known) is None
    found = named("User  lives in Bern.", TEXTS.known)
    assert found is not None
    assert (found.says, found.kind, found.name) == (("user", "lives in"), "homes", "Bern")
