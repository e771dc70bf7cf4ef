"""How well what is known answers: BM25 among what is open, and DNAM's boosts as terms of their own."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.blocks import item_line
from projections.events.values import Item, Source
from projections.ids import Ref, Seq
from projections.nearness import MOST_NEAR, Near, Nearness, Seqs, as_kept
from projections.recall.bm25 import ONE
from projections.recall.facts import Known, KnownItems, Ranked, best_by_words, known_item, known_items, rank
from projections.recall.scoring import Question
from projections.recall.words import terms_of, word_term
from projections.rows import Found
from tests.projections.items import a_row
from tests.projections.recall import oracle
from tests.projections.recall.stage import DAY, looks_for
from tests.world import NOW

OLD = NOW - 30 * DAY


def known(text: str, seq: int = 1, **fields: Any) -> Known:
    row = a_row(text, **{"updated": OLD, **fields})
    return known_item(Found(row.event, Seq(seq), row))


def ranking(there: list[Known], question: Question, said: int, **more: Any) -> list[Ranked]:
    """Items, best first; the same in whatever compartments they lie."""
    ranked = list(rank([KnownItems(there)], question, said, **more))
    split = rank([KnownItems(there[::2]), KnownItems([]), KnownItems(there[1::2])], question, said, **more)
    assert list(split) == ranked
    return ranked


def texts(ranked: list[Ranked]) -> list[str]:
    return [each.known.found.row.item.text for each in ranked]


def test_what_has_the_word_comes_first_and_the_rest_follows_by_age() -> None:
    there = [known("likes snow"), known("has a boat", updated=OLD + 1), known("likes green tea", updated=OLD - 1)]
    ranked = ranking(there, looks_for("tea"), NOW)
    assert texts(ranked) == ["likes green tea", "has a boat", "likes snow"]
    assert [each.score > 0 for each in ranked] == [True, False, False]


def test_tags_and_the_kind_are_words_too() -> None:
    there = [known("mornings", tags=("schedule",)), known("calls at nine", kind="preference"), known("rain")]
    assert texts(ranking(there, looks_for("schedule"), NOW))[0] == "mornings"
    assert texts(ranking(there, looks_for("preferences"), NOW))[0] == "calls at nine"


@pytest.mark.parametrize(("days", "points"), [(0, ONE), (7, ONE), (-7, ONE), (8, 0), (-8, 0)])
def test_what_was_updated_within_a_week_counts_more(days: int, points: int) -> None:
    (ranked,) = ranking([known("likes tea", updated=NOW + days * DAY)], Question({}), NOW)
    assert (ranked.fields.get(("recent", b""), 0), ranked.score, ranked.words) == (points, points, 0)


@pytest.mark.parametrize(
    ("kind", "about", "points"), [("project", True, 2 * ONE), ("project", False, 0), ("fact", True, 0)]
)
def test_a_project_counts_more_when_one_is_asked_about(kind: str, about: bool, points: int) -> None:
    (ranked,) = ranking([known("runs dnam", kind=kind)], Question({}), NOW, about_project=about)
    assert ranked.fields.get(("project", b""), 0) == ranked.score == points


def test_ties_go_by_age_and_then_by_address() -> None:
    there = [known("likes tea", compartment=where, updated=at) for where in ("b", "a") for at in (OLD, OLD + 1)]
    ranked = [each.known.found.row.item for each in ranking(there, looks_for("tea"), NOW)]
    assert [(item.updated - OLD, item.compartment) for item in ranked] == [(1, "a"), (1, "b"), (0, "a"), (0, "b")]


def test_nothing_known_is_nothing_found() -> None:
    assert ranking([], looks_for("tea"), NOW) == []


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({}, True),
        ({"status": "forgotten"}, False),
        ({"status": "deprecated"}, False),
        ({"valid_until": NOW}, True),
        ({"valid_until": NOW - 1}, False),
    ],
)
def test_what_holds(fields: dict[str, Any], holds: bool) -> None:
    assert known("likes tea", **fields).holds(NOW) is holds


WORDS = ("tea", "garden", "boat", "snow", "rain")
SAID = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)


@settings(max_examples=60)
@given(st.lists(SAID, min_size=1, max_size=8, unique=True), st.lists(st.sampled_from(WORDS), unique=True))
def test_words_count_by_the_formula(said: list[str], wanted: list[str]) -> None:
    there = [known(text, seq, kind="") for seq, text in enumerate(said)]
    average = Fraction(sum(len(text.split()) for text in said), len(said))
    ranked = ranking(there, looks_for(" ".join(wanted)), NOW)
    for each in ranked:
        text = each.known.found.row.item.text
        words = terms_of(text)
        expected = {
            ("words", word_term(word)): oracle.idf(len(said), sum(word in other.split() for other in said))
            * oracle.weight(words.counts[word_term(word)], words.length, average)
            >> 10
            for word in wanted
            if word in text.split()
        }
        assert each.fields == expected
        assert each.words == each.score == sum(expected.values())
    assert [each.score for each in ranked] == sorted((each.score for each in ranked), reverse=True)


def test_an_item_is_made_ready_by_its_row_alone() -> None:
    row = a_row("likes green tea", tags=("drinks",))
    item: Item = row.item
    assert known_item(Found(row.event, Seq(1), row)).terms == terms_of(f"{item.text} drinks {item.kind}")


def test_of_items_the_active_ones_are_made_ready_and_those_held_that_are_not_over() -> None:
    rows = [a_row("likes tea", valid_until=NOW), a_row("likes snow"), a_row("likes rain", status="forgotten")]
    there = known_items(Found(row.event, Seq(1), row) for row in rows)
    assert sorted(each.found.row.item.text for each in there.known) == ["likes snow", "likes tea"]
    assert there.holding(NOW) is there
    assert [each.found.row.item.text for each in there.holding(NOW + 1).known] == ["likes snow"]


def test_what_terms_weigh_is_that_of_the_search_at_hand_whatever_was_looked_at_before() -> None:
    tea, more = KnownItems([known("likes tea")]), [KnownItems([known("snow " * n)]) for n in range(1, 9)]
    for _ in range(2):
        for each in more:
            assert [found.score for found in rank([tea, each], looks_for("tea"), NOW)] == [
                found.score for found in rank([KnownItems(tea.known), each], looks_for("tea"), NOW)
            ]


def test_the_best_by_words_have_some_of_them() -> None:
    there = [known("likes tea"), known("has a boat"), known("drinks tea and more tea"), known("snow", updated=NOW)]
    found = best_by_words([KnownItems(there[:2]), KnownItems(there[2:])], looks_for("tea"), 9)
    by_rank = [(each.words, each.known) for each in ranking(there, looks_for("tea"), NOW) if each.words]
    assert sorted(found, key=lambda each: each[1].order) == sorted(by_rank, key=lambda each: each[1].order)
    assert [points for points, _ in found] == sorted((points for points, _ in found), reverse=True)
    assert (
        best_by_words([KnownItems(there)], looks_for("tea"), 1)
        == best_by_words([KnownItems(there)], looks_for("tea"), 9)[:1]
    )


def test_all_words_of_a_question_count() -> None:
    there = [known("likes tea"), known("tea on a boat"), known("has a boat", updated=OLD - 1)]
    (first, tea, boat) = ranking(there, looks_for("tea boat"), NOW)
    assert texts([first, tea, boat]) == ["tea on a boat", "likes tea", "has a boat"]
    assert first.words == sum(first.fields.values()) == first.score
    assert {term for _, term in first.fields} == {word_term("tea"), word_term("boat")}


def test_two_are_alike_that_say_the_same() -> None:
    row = a_row("likes tea")
    assert known_item(Found(row.event, Seq(1), row)) == known_item(Found(row.event, Seq(1), row))
    assert known_item(Found(row.event, Seq(1), row)) != known_item(Found(row.event, Seq(2), row))


def test_its_line_is_that_of_a_prompt() -> None:
    item = known("likes tea", source=Source("discord", Ref("discord", "1"), Ref("discord", "2")))
    for _ in range(2):
        for with_place in (True, False):
            assert item.line(with_place=with_place) == item_line(item.found.row.item, with_place=with_place)


def nearest(*seqs: int) -> Nearness:
    """An encoder's side to which these are near, in that order."""

    def among(said: Seqs, there: Sequence[Seq]) -> Near:
        assert len(said) == 0
        return Near(known={there.index(Seq(seq)): 900 - at for at, seq in enumerate(seqs)})

    return Nearness("tiny@1/2", among)


def test_what_is_near_in_meaning_has_points_by_its_rank() -> None:
    there = [known("likes tea", 1), known("brews ale", 2), known("likes ale, and tea", 3), known("has a boat", 4)]
    ranked = ranking(there, looks_for("tea"), NOW, nearness=nearest(3, 2))
    assert texts(ranked) == ["likes ale, and tea", "brews ale", "likes tea", "has a boat"]
    assert [each.near for each in ranked] == [1, 2, 0, 0]
    first, second = 10 * 10 * ONE // 11, 10 * 10 * ONE // 12
    assert [each.fields.get(("meaning", b"")) for each in ranked] == [first, second, None, None]
    assert [each.score for each in ranked] == [sum(each.fields.values()) for each in ranked]
    assert [each.score - each.words for each in ranked] == [first, second, 0, 0]
    kept = as_kept("tiny@1/2", {Seq(3): 1, Seq(2): 2, Seq(9): 3})
    assert ranking(there, looks_for("tea"), NOW, nearness=kept) == ranked


def test_only_so_many_of_the_nearest_have_a_rank() -> None:
    there = [known("brews ale", seq, id=f"durable-{seq}") for seq in range(1, MOST_NEAR + 3)]
    ranked = ranking(there, looks_for("beer"), NOW, nearness=nearest(*range(1, MOST_NEAR + 3)))
    assert [each.near for each in ranked] == [*range(1, MOST_NEAR + 1), 0, 0]
