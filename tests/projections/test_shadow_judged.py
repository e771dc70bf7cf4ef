"""What is counted of one side of a difference."""

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from dnam.languages import load
from dnam.rephrasing import rephrasing_of
from projections.blocks import item_line, item_line_chars
from projections.events.values import Item, Source
from projections.ids import Ref
from projections.items import ItemRow
from projections.policies.closeness import SHARED_PERCENT
from projections.policies.rephrasing import about, denier, told_apart
from projections.rederiving.judged import MOST_COMPARED, MOST_OTHER_WORDS, Judged, Measures, Texts, judged, measures
from projections.rederiving.values import MOST_WORDS, Valued, differing_values, valued
from projections.retrieval import tokens
from projections.tokens import by_characters
from tests.projections.items import HOME, WIDE, a_row, an_item, quote

ENGLISH = load("en")
WORDS = ENGLISH.vocabulary
KNOWN = rephrasing_of(ENGLISH)
LEARNED = Source("model")


def found(*rows: ItemRow) -> Judged:
    return judged(rows, Texts(WORDS, KNOWN))


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


# -- the same by a naive computation -------------------------------------------------------------------------------

SAID = """tea coffee oolong likes dislikes never not does has two three 2 3 cats dogs Bern Basel sister brother works
lives plays chess green black no daily Monday Friday morning"""


def by_chance(dice: Random) -> list[ItemRow]:
    """As many items of one owner as are all held against each other, of few words."""
    every = SAID.split()
    some = every[: dice.randint(5, len(every))]
    return [
        a_row(
            f"User {' '.join(dice.choices(some, k=dice.randint(2, 7)))}",
            id=f"durable-{number:03}",
            kind=dice.choice(["fact", "fact", "project"]),
            about=dice.choice(["person", "person", "guild"]),
            compartment=dice.choice([HOME, HOME, WIDE]),
        )
        for number in range(MOST_COMPARED)
    ]


def naively(rows: list[ItemRow]) -> tuple[list[tuple[str, str]], set[tuple[str, ...]]]:
    """Duplicates, and pairs that contradict each other, by sets and one look at every two."""
    duplicates: list[tuple[str, str]] = []
    apart: set[tuple[str, ...]] = set()
    for group in in_groups(rows, lambda item: (item.compartment, item.about, item.kind)):
        standing: list[ItemRow] = []
        said: list[tuple[ItemRow, Valued]] = []
        for row in group:
            near = sorted((each for each in standing if is_near(each, row)), key=lambda each: rarest(group, row, each))
            same = [each for each in near if not told_apart(each.item.text, row.item.text, KNOWN)]
            duplicates += [(row.item.id, each.item.id) for each in same[:1]]
            if not same:
                standing.append(row)
                apart |= {ids(row, each) for each in near[:1]}
            its = valued(row.item.text, KNOWN) if len(words(row)) <= MOST_WORDS else None
            if its is not None:
                others = [each for each, theirs in said if theirs.says == its.says and differing_values(its, theirs)]
                apart |= {ids(row, each) for each in others[:1]}
                said.append((row, its))
    for group in in_groups(rows, lambda item: (item.compartment, item.about)):
        denies = denier(KNOWN)
        for row in (each for each in group if denies(each.item.text)):
            saying = [each for each in group if not denies(each.item.text) and words(each) & words(row)]
            others = sorted(saying, key=lambda each: rarest(group, row, each))
            meant = [each for each in others if len(words(each) ^ words(row)) <= MOST_OTHER_WORDS and claims(each, row)]
            apart |= {ids(row, each) for each in meant[:1]}
    return duplicates, apart


def words(row: ItemRow) -> frozenset[str]:
    return tokens(row.item.text, WORDS)


def ids(*rows: ItemRow) -> tuple[str, ...]:
    return tuple(sorted(f"{row.item.compartment} {row.item.id}" for row in rows))


def is_near(one: ItemRow, other: ItemRow) -> bool:
    return 100 * len(words(one) & words(other)) > SHARED_PERCENT * len(words(one) | words(other))


def rarest(group: list[ItemRow], row: ItemRow, other: ItemRow) -> tuple[int, str]:
    """The rarest word that both have: by that they are found, the rarest ones first."""
    having = Counter(word for each in group for word in words(each))
    return min((having[word], word) for word in words(row) & words(other))


def claims(one: ItemRow, other: ItemRow) -> bool:
    both = [about(each.item.text, KNOWN) for each in (one, other)]
    said = [(a.words | a.predicates | a.units, a.relations, a.names, a.numbers) for a in both]
    return said[0] == said[1]


def in_groups(rows: list[ItemRow], key: Callable[[Item], tuple[str, ...]]) -> list[list[ItemRow]]:
    found: dict[tuple[str, ...], list[ItemRow]] = {}
    for row in sorted(rows, key=lambda row: (row.item.compartment, row.item.id)):
        found.setdefault(key(row.item), []).append(row)
    return list(found.values())


def test_it_is_what_a_naive_computation_finds() -> None:
    dice, texts, seen = Random(7), Texts(WORDS, KNOWN), Counter[str]()
    for _ in range(50):
        rows = by_chance(dice)
        quickly, (duplicates, apart) = judged(rows, texts), naively(rows)
        assert sorted((each.row.item.id, each.other.item.id) for each in quickly.duplicates) == sorted(duplicates)
        assert {ids(each.row, each.other) for each in quickly.contradictions} == apart
        assert quickly.tokens == sum(by_characters(item_line(row.item) + "\n") for row in rows)
        texts.clear()
        seen.update(duplicates=len(duplicates), contradictions=len(apart))
    assert min(seen["duplicates"], seen["contradictions"]) > 30


@pytest.mark.parametrize(
    "item",
    [
        an_item("  two \n words\t", kind="weird kind <b>"),
        an_item("\x1b[31m\u202e red", kind="", updated=-(10**18)),
        an_item("of a place", source=Source("discord", Ref("discord", "5"), Ref("discord", "7")), updated=10**18),
    ],
)
def test_a_line_is_counted_as_long_as_it_is(item: Item) -> None:
    assert item_line_chars(item) == len(item_line(item))
