"""What is counted of one side of a difference."""

import pytest

from dnam.languages import load
from dnam.rephrasing import rephrasing_of
from projections.blocks import item_line
from projections.events.values import Source
from projections.items import ItemRow
from projections.retrieval import Vocabulary
from projections.shadow_judged import MOST_COMPARED, Judged, Measures, judged, measures
from projections.tokens import by_characters
from tests.projections.items import WIDE, a_row, quote

ENGLISH = load("en")
WORDS = Vocabulary(ENGLISH.stop_words, ENGLISH.project_words)
KNOWN = rephrasing_of(ENGLISH)
LEARNED = Source("model")


def found(*rows: ItemRow) -> Judged:
    return judged(rows, WORDS, KNOWN)


def of(*texts: str) -> Judged:
    return found(*(a_row(text, id=f"durable-{number:03}") for number, text in enumerate(texts)))


def numbers(of: Judged) -> tuple[int, ...]:
    return measures([of])[:4]


def test_of_nothing_nothing_is_counted() -> None:
    assert measures([]) == measures([found()]) == Measures()


def test_in_sum() -> None:
    one = of("User prefers oolong tea", "User prefers oolong tea always")
    assert measures([one, one]) == Measures(4, 2, 0, 0, 2 * one.tokens)


def test_what_says_nearly_the_same_is_a_duplicate_of_what_stands_before_it() -> None:
    near = of("User prefers oolong tea mornings", "User prefers oolong tea daily", "User prefers oolong tea weekly")
    assert numbers(near) == (3, 0, 0, 0)  # three of five words
    close = of("User prefers oolong tea", "User prefers oolong tea weekly", "User prefers oolong tea daily")
    assert numbers(close) == (3, 2, 0, 0)
    assert {each.other.item.id for each in close.duplicates} == {"durable-000"}
    assert close.duplicates[0].reason == "3 of 4 words are shared"


def test_only_what_is_of_one_compartment_kind_and_subject_is_a_duplicate() -> None:
    tea = "User prefers oolong tea"
    others = (a_row(tea, id="2", kind="project"), a_row(tea, id="3", about="guild"), a_row(tea, compartment=WIDE))
    assert numbers(found(a_row(tea, id="1"), *others)) == (4, 0, 0, 0)


@pytest.mark.parametrize("status", ["deprecated", "forgotten", "evicted", "merged"])
def test_only_active_items_are_counted(status: str) -> None:
    tea = "User prefers oolong tea"
    assert numbers(found(a_row(tea, id="1"), a_row(tea, id="2", status=status))) == (1, 0, 0, 0)


def test_many_that_say_the_same_are_each_compared_with_one() -> None:
    same = of(*["User prefers oolong tea"] * 300)
    assert numbers(same) == (300, 299, 0, 0)


def test_each_is_compared_with_so_many_at_the_most() -> None:
    many = of(*(f"User has {number} oolong teapots" for number in range(2 * MOST_COMPARED)))
    assert numbers(many)[1::2] == (0, 2 * MOST_COMPARED - 1)


def test_without_evidence() -> None:
    rows = [
        a_row("User sails", source=LEARNED),
        a_row("User swims", source=LEARNED, evidence=(quote("I swim"),)),
        a_row("User climbs"),  # they wrote it
    ]
    assert [row.item.text for row in found(*rows).unsourced] == ["User sails"]


def test_an_item_beside_what_it_replaced() -> None:
    old = a_row("User lives in Bern", id="durable-1")
    new = a_row("User moved south", id="durable-2", supersedes=("durable-1", "durable-2", "durable-9"))
    (each,) = found(old, new).contradictions
    assert (each.row, each.other) == (new, old)
    assert each.reason == "it replaced the other one, which stands all the same"
    elsewhere = a_row("User lives in Bern", id="durable-1", compartment=WIDE)
    assert found(elsewhere, new).contradictions == ()


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("User has 2 black cats", "User has 3 black cats", "they have different numbers"),
        (
            "Sister is called Ana Maria Larkspur",
            "Brother is called Ana Maria Larkspur",
            "they are about different people",
        ),
        ("User likes green tea", "User does not like green tea", "one denies what the other says"),
        ("User likes tea", "User dislikes tea", "one denies what the other says"),
        ("User dislikes tea", "User likes tea", "one denies what the other says"),
    ],
)
def test_what_contradicts(one: str, other: str, reason: str) -> None:
    (each,) = of(one, other).contradictions
    assert each.reason == reason


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User does not like tea", "User never drinks coffee"),
        ("User does not like tea", "User likes coffee"),
        ("User lives in Bern", "User works in Basel"),
        ("User does not like tea", "Ada likes tea"),
    ],
)
def test_what_does_not(one: str, other: str) -> None:
    assert of(one, other).contradictions == ()


def test_a_pair_that_contradicts_in_two_ways_is_counted_once() -> None:
    texts = ("User likes green oolong tea", "User likes no green oolong tea")
    for first, second in (texts, texts[::-1]):
        old, new = a_row(first, id="durable-1"), a_row(second, id="durable-2", supersedes=("durable-1",))
        assert len(found(old, new).contradictions) == 1


def test_tokens_are_those_of_the_lines_in_a_prompt() -> None:
    row = a_row("User prefers oolong tea")
    assert found(row).tokens == by_characters(item_line(row.item) + "\n") > 0
