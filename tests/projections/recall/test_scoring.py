"""Scoring, part by part, by hand: what counts for what, and what does not."""

import numpy as np
import pytest

from projections.recall import bm25, compiled, reckoning, scoring
from projections.recall import seeds as seeding
from projections.recall.bm25 import ONE
from projections.recall.corpus import corpus_of
from projections.recall.dated import Date
from projections.recall.documents import Document
from projections.recall.fields import DATE, FIRST, IN_FULL, NAMES, OWN
from projections.recall.opened import Part
from projections.recall.scoring import Fields, Question, search
from projections.recall.seeds import Allowed
from projections.recall.standing import TermsIn
from projections.recall.words import word_term
from tests.projections.recall.stage import DAY, HOUR, OTHER_UNIT, UNIT, WAYS, doc, looks_for, reckon
from tests.world import handle

ADA, KIM = handle("ada"), handle("kim")
TERMS = [word_term(word) for word in ("tea", "garden", "boat", "snow")]
UNITS = [bytes([number]) * 16 for number in range(1, 4)]
NEW_YEAR = 1_704_067_200_000
"""2024-01-01T00:00Z, in ms."""


@pytest.fixture(autouse=True, params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In which way it is reckoned: that makes no difference."""
    reckon(request.param, monkeypatch)


def seqs(documents: list[Document], question: Question, most: int = 10) -> list[int]:
    corpus = corpus_of(documents)
    return [int(corpus.seqs[each.at]) for each in search(TermsIn([Part(corpus, None)]), question, most)]


def reasons(documents: list[Document], question: Question, seq: int) -> dict[str, int]:
    corpus = corpus_of(documents)
    (hit,) = [each for each in search(TermsIn([Part(corpus, None)]), question, 1000) if corpus.seqs[each.at] == seq]
    assert hit.score == sum(hit.fields.values())
    return {name: sum(points for (field, _), points in hit.fields.items() if field == name) for name, _ in hit.fields}


def test_nothing_said_and_nothing_asked_find_nothing() -> None:
    assert seqs([], looks_for("tea")) == []
    assert seqs([doc("tea", 1)], Question({})) == []
    assert seqs([doc("tea", 1)], looks_for("coffee")) == []
    assert search(TermsIn([]), looks_for("tea"), 5) == []


def test_what_says_it_comes_before_what_stands_beside_it() -> None:
    said = [doc("hello", 1), doc("green tea please", 2, 1000), doc("fine", 3, 2000)]
    said += [doc("so much else", seq, seq * DAY) for seq in range(4, 100)]
    assert seqs(said, looks_for("tea")) == [2, 1, 3]
    assert seqs(said, looks_for("tea"), 1) == [2]


def test_of_two_that_say_the_same_the_later_one_comes_first() -> None:
    said = [doc("tea", 1, unit=UNIT), doc("tea", 2, unit=OTHER_UNIT)]
    assert seqs(said, looks_for("tea")) == [2, 1]
    assert seqs(said, looks_for("tea"), 1) == [2]


def test_what_many_say_tells_nothing_of_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [doc("tea", 1), doc("tea", 2, 9 * HOUR)]
    assert "day" in reasons(said, looks_for("tea"), 1)
    for module in (reckoning, compiled):
        monkeypatch.setattr(module, "COMMON", 1)
    assert "day" not in reasons(said, looks_for("tea"), 1)


def test_an_answer_is_found_by_the_words_of_its_question() -> None:
    said = [doc("Which tea is it?", 1), doc("The green one", 2, 1000)]
    assert reasons(said, looks_for("tea"), 2)["reply"] > 0
    apart = [doc("Which tea is it?", 1), doc("The green one", 2, 7 * HOUR)]
    assert seqs(apart, looks_for("tea")) == [1]


def test_what_a_question_is_about_counts_only_on_who_said_it() -> None:
    said = [doc("my tea", 1, speaker=ADA), doc("tea", 2, speaker=ADA), doc("my tea", 3, speaker=KIM)]
    of_ada = looks_for("tea", speaker=ADA)
    assert {field: reasons(said, of_ada, 1)[field] for field in ("speaker", "own")} == {"speaker": 3072, "own": 4096}
    assert "own" not in reasons(said, of_ada, 2)
    assert reasons(said, of_ada, 3).keys().isdisjoint(("speaker", "own"))


def test_names_do_not_outweigh_the_words() -> None:
    """Where these tell little, as in a small memory, names count as much less; where there are none, in full."""
    said = [doc("tea", 1), doc("so Ada met Kim near Bob", 2, 9 * HOUR), doc("tea so Ada met Kim near Bob", 3, DAY)]
    assert seqs(said[:2], looks_for("tea")) == [1]
    (weight,) = [bm25.worth(3, 2, ONE)]
    names, first = (points * weight // IN_FULL for points in (NAMES, FIRST))
    assert {field: reasons(said, looks_for("tea"), 3)[field] for field in ("names", "first")} == {
        "names": 3 * names,
        "first": first,
    }
    assert 3 * names <= weight
    of_a_day = Question({}, dates=(Date(days=frozenset((1,))),))
    assert reasons(said, of_a_day, 2)["names"] == 3 * NAMES


def test_what_is_only_like_a_word_has_nothing_for_its_names() -> None:
    said = [doc("tea", 1), doc("garden so Ada met Kim", 2, 9 * HOUR), doc("tea garden so Ada met Kim", 3, 18 * HOUR)]
    tea, garden, *_ = TERMS
    question = Question({tea: ONE, garden: ONE}, forms=((tea, garden),))
    assert reasons(said, question, 2).keys().isdisjoint(("names", "first"))
    assert reasons(said, question, 3).keys() >= {"names", "first"}
    assert "names" in reasons(said[1:2], question, 2), "it stands nowhere as it is looked for"


def test_dates_count_by_how_many_of_them_are_right() -> None:
    question = looks_for("tea")._replace(dates=(Date(frozenset((1,)), frozenset((2024,)), frozenset((1,))),))
    moments = (NEW_YEAR, NEW_YEAR + DAY, NEW_YEAR - 1, NEW_YEAR - 1 - 366 * DAY)
    said = [doc("tea", seq, moment) for seq, moment in enumerate(moments, 1)]
    assert [reasons(said, question, seq).get("date", 0) // ONE for seq in (1, 2, 3, 4)] == [48, 32, 0, 0]


def test_of_several_months_each_is_right() -> None:
    question = looks_for("tea")._replace(dates=(Date(frozenset((1, 12)), days=frozenset((1, 2))),))
    moments = (NEW_YEAR, NEW_YEAR + DAY, NEW_YEAR - 1, NEW_YEAR + 5 * DAY, NEW_YEAR + 40 * DAY)
    said = [doc("tea", seq, moment) for seq, moment in enumerate(moments, 1)]
    assert [reasons(said, question, seq).get("date", 0) // ONE for seq in (1, 2, 3, 4, 5)] == [32, 32, 16, 16, 0]


def test_of_two_dates_neither_lends_the_other_its_month() -> None:
    dates = tuple(Date(frozenset((month,)), frozenset((2024,)), frozenset((day,))) for month, day in ((1, 2), (2, 1)))
    question = looks_for("tea")._replace(dates=dates)
    moments = (NEW_YEAR, NEW_YEAR + DAY, NEW_YEAR + 31 * DAY, NEW_YEAR + 32 * DAY)
    said = [doc("tea", seq, moment) for seq, moment in enumerate(moments, 1)]
    found = [reasons(said, question, seq) for seq in (1, 2, 3, 4)]
    assert [(each["date"] // ONE, each.get("dated", 0)) for each in found] == [(32, 0), (48, ONE), (48, ONE), (32, 0)]


def test_of_a_day_and_a_month_only_the_day_is_looked_at_for_itself() -> None:
    said = [doc("so much else", 1, NEW_YEAR), doc("tea", 2, NEW_YEAR + 5 * DAY), doc("more", 3, NEW_YEAR + 50 * DAY)]
    dates = (Date(frozenset((1,)), days=frozenset((1,))), Date(frozenset((2,))))
    assert seqs(said, looks_for("tea")._replace(dates=dates)) == [1, 2]
    assert seqs(said, Question({}, dates=dates)) == [1, 3]


def test_what_gives_nothing_is_no_part_of_a_score() -> None:
    fields = Fields([("turn", b"tea"), ("near", b"tea"), ("first", b"")], np.array([0, 5, -2]))
    assert (list(fields), len(fields), dict(fields)) == ([("near", b"tea"), ("first", b"")], 2, dict(fields.items()))
    assert fields == {("near", b"tea"): 5, ("first", b""): -2}
    assert ("turn", b"tea") not in fields
    assert fields.get(("turn", b"tea")) is None


def test_dates_before_1970_are_dates_too() -> None:
    question = looks_for("tea")._replace(dates=(Date(years=frozenset((1969,)), days=frozenset((31,))),))
    assert reasons([doc("tea", 1, -1)], question, 1)["date"] == 32 * ONE


def test_many_postings_weigh_as_few_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a number on, weights are looked up in a table."""
    said = [doc("tea " * (1 + seq % 5) + "more " * (seq % 7), seq, seq * HOUR) for seq in range(1, 60)]
    few = seqs(said, looks_for("tea"), 100)
    monkeypatch.setattr(seeding, "_TABLE_FROM", 10)
    assert seqs(said, looks_for("tea"), 100) == few


def test_what_is_hidden_is_counted_all_the_same() -> None:
    corpus = corpus_of([doc("tea", 1), doc("tea and cake", 2, 1000)])
    (alone,) = search(
        TermsIn([Part(corpus, None)]), looks_for("tea"), 5, allowed=[Allowed(corpus, np.array([1], np.int32))]
    )
    both = {each.at: each for each in search(TermsIn([Part(corpus, None)]), looks_for("tea"), 5)}
    assert alone == both[alone.at]


def test_nothing_is_found_where_nothing_may_be() -> None:
    corpus = corpus_of([doc("tea", 1), doc("cake", 2, 1000)])
    none = Allowed(corpus, np.array([0, 1], np.int32))
    assert search(TermsIn([Part(corpus, None)]), looks_for("tea"), 5, {(0, 1): 9}, [none]) == []


def test_a_fact_brings_what_it_rests_on_though_no_word_is_in_it() -> None:
    corpus = corpus_of([doc("the green kind", 1), doc("oh", 2, 1000), doc("bye", 3, 9 * HOUR)])
    hits = search(TermsIn([Part(corpus, None)]), looks_for("tea"), 5, {(0, 0): 5000})
    assert [hit.at for hit in hits] == [0, 1]
    assert [hit.fields.get(("fact", b"")) for hit in hits] == [7500, None]
    assert [hit.fields[("near fact", b"")] for hit in hits] == [2500, 2500]


def test_what_has_the_date_is_looked_at_before_what_has_the_word_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "SEEDS", 1)
    often = [doc("tea tea tea", seq, NEW_YEAR + (30 + seq) * DAY) for seq in range(2, 9)]
    question = looks_for("tea")._replace(dates=(Date(days=frozenset((1,))),))
    assert seqs([doc("so much else and tea", 1, NEW_YEAR), *often], question, 1) == [1]


def test_what_was_said_on_a_day_is_found_by_it_alone() -> None:
    said = [doc("so much else", 1, NEW_YEAR), doc("and more", 2, NEW_YEAR + DAY), doc("tea", 3, NEW_YEAR + 40 * DAY)]
    on_the_first = (Date(frozenset((1,)), frozenset((2024,)), frozenset((1,))),)
    assert seqs(said, Question({}, dates=on_the_first)) == [1]
    assert seqs(said, looks_for("tea")._replace(dates=on_the_first)) == [1, 3]
    assert reasons(said, looks_for("tea")._replace(dates=on_the_first), 1)["dated"] == ONE


def test_what_was_said_in_a_month_or_a_year_is_found_by_it_where_no_word_is() -> None:
    said = [doc("so much else", 1, NEW_YEAR), doc("tea", 3, NEW_YEAR + 40 * DAY)]
    in_january = (Date(frozenset((1,))),)
    assert seqs(said, looks_for("tea")._replace(dates=in_january)) == [3]
    assert seqs(said, looks_for("nothing")._replace(dates=in_january)) == [1]
    assert seqs(said, Question({}, dates=(Date(years=frozenset((2024,))),))) == [3, 1]


def test_of_a_day_only_so_much_is_looked_at_first_of_all_of_who_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "SEEDS", 2)
    said = [doc("so much else", seq, NEW_YEAR + seq, unit=bytes([seq]) * 16) for seq in range(1, 6)]
    said[1] = said[1]._replace(speaker=KIM)
    first = Question({}, dates=(Date(days=frozenset((1,))),))
    assert seqs(said, first, 2) == [5, 4]
    assert seqs(said, first._replace(speaker=KIM), 2) == [2, 5]


def test_who_asks_for_much_finds_all_that_says_it() -> None:
    said = [doc("tea", seq, seq * DAY) for seq in range(1, 100)]
    assert seqs(said, looks_for("tea"), 1000) == list(range(99, 0, -1))
    assert len(seqs(said, looks_for("tea"), 70)) == 70


def test_what_has_the_word_is_found_though_everything_has_it_and_it_asks() -> None:
    said = [doc("is the tea green?", seq, seq * 1000) for seq in range(1, 601)]
    assert sorted(seqs(said, looks_for("tea"), 1000)) == list(range(1, 601))
    found = reasons(said, looks_for("tea"), 300)
    assert found["turn"] > 0 > sum(found.values())


def test_what_has_no_word_is_found_only_where_more_speaks_for_it_than_against() -> None:
    said = [doc("which one?" if seq == 2 else "tea", seq, seq * 1000) for seq in range(1, 100)]
    assert 2 not in seqs(said, looks_for("tea"), 1000)
    assert len(seqs(said, looks_for("tea"), 1000)) == 98


def test_no_score_leaves_the_whole_numbers() -> None:
    assert {type(value) for value in (OWN, DATE, NAMES, bm25.idf(9, 2))} == {int}
    (hit,) = search(TermsIn([Part(corpus_of([doc("Tea with Kim?", 1)]), None)]), looks_for("tea"), 5)
    assert {type(points) for points in (hit.score, *hit.fields.values())} == {int}


@pytest.mark.parametrize("later", [1000, 5 * DAY], ids=["on a day of others", "on a day of its own"])
def test_what_asks_counts_as_if_it_had_not_been_said_yet(later: int) -> None:
    said = [doc("the tea is cold", 1), doc("so much else", 2, DAY)]
    asked = doc("who made the tea", 3, DAY + later)
    corpus, before = corpus_of([*said, asked]), corpus_of(said)
    found = search(TermsIn([Part(corpus, None, corpus.place(3))]), looks_for("tea"), 10)
    without = search(TermsIn([Part(before, None)]), looks_for("tea"), 10)
    assert [int(corpus.seqs[each.at]) for each in found] == [1]
    assert [(each.score, {**each.fields}) for each in found] == [(each.score, {**each.fields}) for each in without]


def test_of_a_long_question_the_terms_count_that_tell_most(monkeypatch: pytest.MonkeyPatch) -> None:
    said = [doc("tea garden", 1), doc("tea", 2, DAY), doc("tea boat", 3, 2 * DAY)]
    monkeypatch.setattr(scoring, "MOST_TERMS", 2)
    assert set(seqs(said, looks_for("tea garden boat"))) == {1, 3}
