"""Two rankings made one: by hand, by the paper's formula, and what happens where vectors are missing."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from projections.vectors import Closest, quantised
from projections.vectors_fusion import BILLION, Meant, by_meaning, fuse, fuse_ranks, share_of_meaning

RANKINGS = st.lists(st.integers(0, 9), unique=True, max_size=10)


def test_what_both_find_comes_before_what_one_finds_higher() -> None:
    found = fuse(["words", "both", "w3"], ["meaning", "both"])
    assert [each.what for each in found] == ["both", "words", "w3", "meaning"]
    assert [each.reason for each in found] == [
        "number 2 by words, number 2 by meaning",
        "number 1 by words",
        "number 3 by words",
        "number 1 by meaning",
    ]
    assert found[0].score == BILLION // 12 + BILLION // 24


def test_without_a_meaning_the_words_ranking_stays() -> None:
    assert [each.what for each in fuse("abc", "")] == ["a", "b", "c"]
    assert [each.what for each in fuse("", "abc")] == ["a", "b", "c"]
    assert fuse("", "") == []


def test_what_stands_twice_counts_once_and_where_it_stands_higher() -> None:
    assert fuse("aba", "") == fuse("ab", "")


@given(RANKINGS, RANKINGS, st.integers(0, 100), st.integers(0, 200))
def test_scores_are_the_paper_s_rounded_down_and_the_order_is_theirs(
    words: list[int], meaning: list[int], k: int, percent: int
) -> None:
    found = fuse(words, meaning, k, percent)
    assert {each.what for each in found} == {*words, *meaning}
    for each in found:
        ranked = ((words, 100), (meaning, percent))
        shares = [Fraction(BILLION * of, 100 * (k + r.index(each.what) + 1)) for r, of in ranked if each.what in r]
        assert sum(shares) - len(shares) < each.score <= sum(shares)
    order = [(-each.score, each.by_words or 99, each.by_meaning) for each in found]
    assert order == sorted(order)
    assert found == fuse(words, meaning, k, percent)


def test_what_words_find_counts_twice_as_much() -> None:
    assert [each.what for each in fuse("ab", "dc")] == ["a", "b", "d", "c"]
    assert [each.what for each in fuse("ab", "dc", meaning_percent=200)] == ["d", "c", "a", "b"]


QUERY, NEAR, FAR = quantised((1, 0)), quantised((1, 0.1)), quantised((0, 1))


def test_what_is_near_is_found_by_its_place_among_all_texts() -> None:
    vectors = [FAR, *[NEAR] * 2, *[FAR] * 7, None]
    assert by_meaning(QUERY, vectors, 9) == Meant(Closest((1, 2), (994, 994)), "1 of 11 texts have no vector yet")
    assert by_meaning(QUERY, [NEAR, FAR], 9) == Meant(Closest((0,), (994,)))


def test_where_many_vectors_are_missing_only_words_decide_and_it_is_said() -> None:
    assert by_meaning(QUERY, [NEAR, None], 9) == Meant(note="1 of 2 texts have no vector yet: only words decide")
    assert by_meaning(QUERY, [NEAR] * 9 + [None], 9).near.indices == tuple(range(9))
    assert by_meaning(QUERY, [], 9) == Meant()


def test_a_part_of_a_ranking_keeps_its_ranks() -> None:
    words, meaning = ["a", "b", "c"], ["d", "b", "e", "a"]
    whole = fuse(words, meaning)
    part = fuse_ranks({"a": 1, "b": 2, "c": 3}, {"b": 2, "a": 4})
    assert [each for each in whole if each.what not in ("d", "e")] == part
    assert [each.score for each in fuse_ranks({}, {"x": 7})] == [share_of_meaning(7)]
    assert share_of_meaning(0) == 0
