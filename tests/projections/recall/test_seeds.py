"""Looking at the best alone finds what looking at everything finds."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.recall import seeds as seeding
from projections.recall.bm25 import Average
from projections.recall.columns import Peak
from projections.recall.corpus import Corpus, corpus_of
from projections.recall.seeds import Allowed, Best, Term, all_scored, best_scored, by_bound, counts_in, everything
from projections.recall.stacked import Stack
from projections.recall.words import word_term
from tests.projections.recall import oracle
from tests.projections.recall.stage import bare
from tests.world import handle

WORDS = [word_term(word) for word in ("the", "a", "tea", "garden")]
"""From common ones to rare ones."""
AVERAGE = Average(300, 40)
COUNTS = st.fixed_dictionaries(
    {}, optional={WORDS[0]: st.integers(1, 4), WORDS[1]: st.integers(1, 2), WORDS[2]: st.integers(1, 300)}
)
RARE = st.fixed_dictionaries({}, optional={WORDS[3]: st.just(1)})
CORPORA = st.lists(st.tuples(COUNTS, RARE, st.integers(0, 40)), min_size=1, max_size=40).map(
    lambda made: corpus_of(
        bare(seq, seq, common | rare, sum(common.values()) + more) for seq, (common, rare, more) in enumerate(made, 1)
    )
)
WEIGHTS = st.lists(st.integers(0, 9000), min_size=4, max_size=4)


def terms(corpus: Corpus, weights: list[int]) -> list[Term]:
    found = [(term, corpus.postings(term), weight) for term, weight in zip(WORDS, weights, strict=True)]
    return [Term(term, at, weight, len(at.at)) for term, at, weight in found if len(at.at)]


def by_place(best: Best) -> dict[int, int]:
    return dict(zip(best.places.tolist(), best.scores.tolist(), strict=True))


@settings(max_examples=60)
@given(CORPORA, WEIGHTS, st.integers(1, 12))
def test_the_best_are_those_of_all(corpus: Corpus, weights: list[int], most: int) -> None:
    asked = terms(corpus, weights)
    if not asked:
        return
    every, some = by_place(all_scored(corpus, asked, AVERAGE)), by_place(best_scored(corpus, asked, AVERAGE, most))
    worst = sorted(every.values(), reverse=True)[:most][-1]
    assert some.items() >= {at: score for at, score in every.items() if score >= worst}.items()
    assert some.items() <= every.items()
    assert not corpus.scores.any()


@settings(max_examples=60)
@given(CORPORA, WEIGHTS)
def test_laid_behind_one_another_they_say_the_same(corpus: Corpus, weights: list[int]) -> None:
    asked = terms(corpus, weights)
    if not asked:
        return
    stack, places = Stack(corpus, asked), np.arange(0, corpus.size, 2, dtype=np.int32)
    for _ in range(2):  # what the first has left in the corpus makes no difference
        assert by_place(stack.scored(AVERAGE)) == by_place(all_scored(corpus, asked, AVERAGE))
        counts = [counts_in(each.postings, places).tolist() for each in asked]
        assert stack.counts_in(places).T.tolist() == [[*each, 0] for each in counts]


@settings(max_examples=30)
@given(CORPORA, WEIGHTS)
def test_a_score_is_the_sum_of_what_each_term_gives(corpus: Corpus, weights: list[int]) -> None:
    expected: dict[int, int] = {}
    for each in terms(corpus, weights):
        for at, count in zip(each.postings.at.tolist(), each.postings.counts.tolist(), strict=True):
            gives = oracle.weight(count, int(corpus.lengths[at]), Fraction(AVERAGE.words, AVERAGE.texts))
            expected[at] = expected.get(at, 0) + (each.weight * gives >> 10)
    with pytest.MonkeyPatch.context() as patched:
        for table_from in (1, 4096):
            patched.setattr(seeding, "_TABLE_FROM", table_from)
            asked = terms(corpus, weights)
            assert not asked or by_place(all_scored(corpus, asked, AVERAGE)) == expected


@settings(max_examples=60)
@given(CORPORA, WEIGHTS, st.integers(1, 12))
def test_the_best_are_those_of_all_also_where_terms_once_went_further(
    corpus: Corpus, weights: list[int], most: int
) -> None:
    asked = terms(corpus, weights)
    loose = [each._replace(postings=each.postings._replace(peak=Peak())) for each in asked]
    if not asked:
        return
    every, some = by_place(all_scored(corpus, loose, AVERAGE)), by_place(best_scored(corpus, loose, AVERAGE, most))
    assert every == by_place(all_scored(corpus, asked, AVERAGE))
    worst = sorted(every.values(), reverse=True)[:most][-1]
    assert some.items() >= {at: score for at, score in every.items() if score >= worst}.items()


@settings(max_examples=60)
@given(CORPORA, WEIGHTS)
def test_no_term_gives_more_than_it_is_said_to(corpus: Corpus, weights: list[int]) -> None:
    asked = terms(corpus, weights)
    if not asked:
        return
    bounds, ordered = by_bound(asked, AVERAGE)
    assert bounds == sorted(bounds, reverse=True)
    assert sorted(each.term for each in ordered) == sorted(each.term for each in asked)
    for bound, each in zip(bounds, ordered, strict=True):
        assert max(by_place(all_scored(corpus, [each], AVERAGE)).values()) <= bound


def test_what_a_term_gives_at_the_most_is_told_by_its_peak_and_not_by_its_postings() -> None:
    corpus = corpus_of([bare(1, 1, {WORDS[2]: 2, WORDS[3]: 1}, 4), bare(2, 2, {WORDS[2]: 1}, 3)])
    tea, garden = terms(corpus, [0, 0, 1000, 5000])
    nothing = np.empty(0, np.uint8)  # of which there is no greatest
    unread = [each._replace(postings=each.postings._replace(counts=nothing)) for each in (tea, garden)]
    bounds, ordered = by_bound(unread, AVERAGE)
    length = Fraction(AVERAGE.words, AVERAGE.texts)
    assert bounds == [5000 * oracle.weight(1, 4, length) >> 10, 1000 * oracle.weight(2, 3, length) >> 10]
    assert [each.term for each in ordered] == [WORDS[3], WORDS[2]]


def test_a_common_word_is_looked_up_only_where_it_can_still_count() -> None:
    """Twenty have the rare word: nothing that has the common one alone can be among the best."""
    common = [bare(seq, seq, {WORDS[0]: 1}, 5) for seq in range(1, 400)]
    rare = [bare(seq, seq, {WORDS[0]: 1 + seq % 3, WORDS[3]: 5}, 9) for seq in range(400, 420)]
    corpus = corpus_of([*common, *rare])
    asked = terms(corpus, [3, 0, 0, 9000])
    every, some = by_place(all_scored(corpus, asked, AVERAGE)), by_place(best_scored(corpus, asked, AVERAGE, 5))
    assert len(every) == 419
    assert len(some) == 20
    assert by_place(best_scored(corpus, asked, AVERAGE, 20)) == some
    assert sorted(some.values())[-5:] == sorted(every.values())[-5:]


def test_counts_are_looked_up_by_place() -> None:
    corpus = corpus_of(bare(seq, seq, {WORDS[2]: seq} if seq % 2 else {}, seq) for seq in range(1, 8))
    everywhere = np.arange(7, dtype=np.int32)
    assert counts_in(corpus.postings(WORDS[2]), everywhere).tolist() == [1, 0, 3, 0, 5, 0, 7]
    assert counts_in(corpus.postings(WORDS[3]), everywhere).tolist() == [0] * 7


def test_what_may_be_found() -> None:
    said = [bare(seq, seq, {}, 1, speaker=handle(f"{seq % 2}"), unit=bytes([seq % 3]) * 16) for seq in range(6)]
    corpus, places = corpus_of(said), np.arange(6, dtype=np.int32)
    all_of_it = everything(corpus)
    assert all_of_it(places).all()
    assert not all_of_it.narrow
    without = np.array([2, 5], np.int32)
    assert Allowed(corpus, without)(places).tolist() == [True, True, False, True, True, False]
    theirs = Allowed(corpus, without, speaker=corpus.speakers.find(handle("0")))
    assert (theirs(places).tolist(), theirs.narrow) == ([True, False, False, False, True, False], True)
    units = np.array([True, False, False, False])
    assert Allowed(corpus, without, units=units)(places).tolist() == [True, False, False, True, False, False]
