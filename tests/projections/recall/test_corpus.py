"""A corpus beside its scores: names, places, what stands somewhere, what is kept of what was read."""

from collections.abc import Sequence

import numpy as np
import pytest

from projections.recall import corpus as recall_corpus
from projections.recall.columns import NO_PEAK, Peak, Raised, Sealed, short_id
from projections.recall.corpus import (
    KEPT_EACH,
    KEPT_FROM,
    LEAST_KEPT,
    NONE,
    Corpus,
    Names,
    corpus_of,
    most_kept,
)
from projections.recall.documents import Document
from projections.recall.kept_postings import HOLDING
from projections.recall.seeds import counts_in
from projections.recall.words import word_term
from tests.projections.recall.stage import DAY, HOUR, OTHER_UNIT, UNIT, doc, message_id, sealed

TEA, CAKE = word_term("tea"), word_term("cake")


def stands_in(corpus: Corpus, term: bytes) -> list[int]:
    return sorted(int(corpus.seqs[at]) for at in corpus.postings(term).at)


def test_a_name_has_one_number() -> None:
    names = Names([b"a", b"b"])
    assert [names.number(each) for each in (b"b", b"c", b"a", b"c")] == [1, 2, 0, 2]
    assert (names.find(b"c"), names.find(b"d"), names.all) == (2, NONE, [b"a", b"b", b"c"])


def test_an_empty_corpus_holds_nothing() -> None:
    corpus = Corpus()
    assert (corpus.size, corpus.place(1), corpus.standing({TEA})) == (0, NONE, set())
    assert corpus.places_of([message_id("1")]) == [NONE]
    assert corpus.at(UNIT, 0) == set()
    corpus.remove(1)
    assert corpus.dead == 0


@pytest.mark.parametrize("from_disk", [True, False])
def test_what_is_there_can_be_looked_up(from_disk: bool) -> None:
    documents = [doc("tea", 3), doc("tea and cake", 5, 1000), doc("cake", 9, 1000, unit=OTHER_UNIT)]
    corpus = Corpus(sealed(documents)) if from_disk else corpus_of(documents)
    assert [corpus.place(seq) for seq in (2, 3, 4, 5, 9, 10)] == [NONE, 0, NONE, 1, 2, NONE]
    assert corpus.places_of(map(message_id, ("9", "3", "7"))) == [2, 0, NONE]
    assert (corpus.at(UNIT, 1000), corpus.at(OTHER_UNIT, 1000), corpus.at(UNIT, 2000)) == ({5}, {9}, set())
    assert corpus.at(UNIT, 500) == set()
    assert (stands_in(corpus, TEA), stands_in(corpus, CAKE)) == ([3, 5], [5, 9])
    assert corpus.standing({TEA, word_term("coffee")}) == {TEA}


@pytest.mark.parametrize("from_disk", [True, False])
def test_what_goes_is_nowhere_any_more(from_disk: bool) -> None:
    documents = [doc("tea", 3), doc("tea and cake", 5, 1000)]
    corpus = Corpus(sealed(documents)) if from_disk else corpus_of(documents)
    corpus.remove(3)
    corpus.remove(3)
    assert (corpus.dead, stands_in(corpus, TEA), corpus.at(UNIT, 0)) == (1, [5], set())
    assert corpus.places_of([message_id("3")]) == [NONE]
    corpus.remove(5)
    assert (stands_in(corpus, CAKE), corpus.at(UNIT, 1000), corpus.documents, corpus.unit_days) == ([], set(), [0], [0])


@pytest.mark.parametrize("from_disk", [True, False])
def test_how_far_a_term_goes_anywhere_is_kept_beside_its_postings(from_disk: bool) -> None:
    documents = [doc("tea and cake", 3), doc("tea tea tea with much cake", 5), doc("one, two, three, tea", 6)]
    corpus = Corpus(sealed(documents)) if from_disk else corpus_of(documents)
    assert (corpus.postings(TEA).peak, corpus.postings(CAKE).peak) == (Peak(3, 3), Peak(1, 3))
    assert corpus.postings(word_term("coffee")).peak == NO_PEAK
    corpus.add(doc("tea?", 7))
    corpus.add(doc("cake, cake and more of it", 8))
    assert (corpus.postings(TEA).peak, corpus.postings(CAKE).peak) == (Peak(3, 1), Peak(2, 3))
    corpus.add(doc("tea " * 300, 9))
    assert corpus.postings(TEA).peak == Peak(255, 1)


def test_what_is_gone_or_not_here_may_still_count_in_how_far_a_term_goes() -> None:
    documents = [doc("tea tea", 3), doc("tea with milk", 5)]
    corpus = Corpus(sealed(documents)._replace(postings=sealed([*documents, doc("tea", 9)]).postings))
    corpus.remove(3)
    assert (stands_in(corpus, TEA), corpus.postings(TEA).peak) == ([5], Peak(2, 1))


def test_what_returns_is_there_once() -> None:
    corpus = Corpus(sealed([doc("tea", 3)]))
    corpus.remove(3)
    corpus.add(doc("tea", 3))
    assert (stands_in(corpus, TEA), corpus.at(UNIT, 0), corpus.documents) == ([3], {3}, [1])
    assert corpus.places_of([message_id("3")]) == [1]


def test_an_edit_is_found_under_the_id_of_the_message() -> None:
    corpus = Corpus(sealed([doc("tea", 3, name="m")]))
    corpus.remove(3)
    corpus.add(doc("cake", 8, name="m"))
    assert corpus.places_of([message_id("m")]) == [corpus.place(8)]


def test_a_late_one_stands_between_those_that_were_there() -> None:
    corpus = corpus_of([doc("one", 1, 0), doc("three", 2, 2000), doc("two", 3, 1000), doc("zero", 4, -DAY)])
    order = [corpus.place(4)]
    while corpus.after[order[-1]] != NONE:
        order.append(int(corpus.after[order[-1]]))
    assert [int(corpus.seqs[at]) for at in order] == [4, 1, 3, 2]
    assert corpus.joined[order].tolist() == [False, False, True, True]
    assert [int(corpus.before[at]) for at in order] == [NONE, *order[:-1]]


@pytest.mark.parametrize("from_disk", [True, False])
def test_a_sitting_ends_where_nothing_is_said_for_more_than_six_hours(from_disk: bool) -> None:
    documents = [doc("one", 1, 0), doc("two", 2, 6 * HOUR), doc("three", 3, 12 * HOUR + 1)]
    corpus = Corpus(sealed(documents)) if from_disk else corpus_of(documents)
    assert corpus.joined[:3].tolist() == [False, True, False]


@pytest.mark.parametrize("from_disk", [True, False])
def test_a_sitting_falls_apart_where_what_held_it_together_goes(from_disk: bool) -> None:
    documents = [doc("one", 1, 0), doc("two", 2, 5 * HOUR), doc("three", 3, 10 * HOUR), doc("four", 4, 11 * HOUR)]
    corpus = Corpus(sealed(documents)) if from_disk else corpus_of(documents)
    assert corpus.joined[:4].tolist() == [False, True, True, True]
    corpus.remove(2)
    assert corpus.joined[[0, 2, 3]].tolist() == [False, False, True]
    corpus.remove(3)
    assert (corpus.joined[[0, 3]].tolist(), int(corpus.before[3])) == ([False, False], 0)
    corpus.add(doc("back", 5, 6 * HOUR))
    assert corpus.joined[[0, 4, 3]].tolist() == [False, True, True]


def test_a_corpus_grows_and_stays_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall_corpus, "_SPARE", 2)
    documents = [doc("tea" if seq % 2 else "cake", seq, seq * 1000) for seq in range(1, 60)]
    corpus = Corpus(sealed(documents[:5]))
    for each in documents[5:]:
        corpus.add(each)
        assert len(corpus.seqs) > corpus.size
        assert {int(corpus.before[-1]), int(corpus.after[-1])} == {NONE}
        assert not any((corpus.alive[-1], corpus.joined[-1], corpus.flags[-1]))
    assert stands_in(corpus, TEA) == list(range(1, 60, 2))
    assert (corpus.documents, corpus.words) == ([59], [59])


def arrays(corpus: Corpus) -> list[np.ndarray[tuple[int], np.dtype[np.generic]]]:
    return [getattr(corpus, name) for name in recall_corpus._KINDS]


def test_there_is_little_room_for_what_comes() -> None:
    corpus = Corpus(sealed([doc("tea", seq, seq) for seq in range(1, 1_601)]))
    for seq in range(1_601, 2_001):
        corpus.add(doc("tea", seq, seq))
        assert corpus.size < len(corpus.seqs) <= corpus.size + 32 + corpus.size // 15 + 8
        assert {len(each) for each in arrays(corpus)} == {len(corpus.seqs)}
    assert stands_in(corpus, TEA) == corpus.seqs[:2_000].tolist() == list(range(1, 2_001))
    assert corpus._kept[TEA].bytes <= HOLDING + 5 * (2_000 + 2_000 // 60 + 32)


@pytest.mark.parametrize("most", [1 << 20, 0])
def test_short_arrays_lie_in_one_piece(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(recall_corpus, "_MOST_IN_ONE", most)
    corpus = Corpus(sealed([doc("tea", 1, 1), doc("tea", 2, 2)]))
    for seq in range(3, 100):
        corpus.add(doc("tea", seq, seq))
    pieces = {id(each if each.base is None else each.base) for each in arrays(corpus)}
    assert len(pieces) == (1 if most else len(recall_corpus._KINDS))
    assert [each.dtype for each in arrays(corpus)] == [*recall_corpus._KINDS.values()]
    assert all(each.flags.c_contiguous and each.flags.aligned for each in arrays(corpus))


def test_ids_are_found_among_many() -> None:
    """Also at both ends of those that stand by themselves, and where several places have one."""
    documents = [doc("tea", seq, seq, name=str(seq % 90)) for seq in range(1, 101)]
    corpus, _ = settling(documents, 60)
    assert corpus.places_of([message_id("1")]) == [90]
    for seq in range(1, 11):
        corpus.remove(seq)
    corpus.settle(40)
    for seq in range(11, 101):
        assert corpus.places_of([message_id(str(seq % 90))]) == [seq - 1]
    assert corpus.places_of([message_id("none"), message_id("nobody")]) == [NONE, NONE]
    assert corpus._by_id is not None
    assert corpus._by_id._order.dtype == np.int32, "a zone of a million has eight MB of them else"


def test_days_of_units_have_numbers_also_those_before_1970() -> None:
    said = [(-DAY - 1, UNIT), (-1, OTHER_UNIT), (0, UNIT), (5, UNIT), (DAY, UNIT), (3 * DAY, OTHER_UNIT)]
    documents = [doc("tea", seq, at, unit=unit) for seq, (at, unit) in enumerate(said, 1)]
    corpus, one_by_one = Corpus(sealed(documents)), corpus_of(documents)
    numbers = [corpus._days[int(corpus.unit[at]), said[at][0] // DAY] for at in range(6)]
    assert corpus.day[:6].tolist() == numbers == [0, 3, 1, 1, 2, 4]
    assert corpus.dates().tolist() == [-2, 0, 1, -1, 3]
    assert (corpus.day_documents, corpus.day_words, corpus.unit_days) == ([1, 2, 1, 1, 1], [1, 2, 1, 1, 1], [3, 2])
    assert one_by_one.unit_days == [3, 2]
    assert one_by_one._days.keys() == corpus._days.keys()


def test_a_long_text_counts_as_far_as_a_byte_goes() -> None:
    corpus = corpus_of([doc("tea " * 400, 1)])
    assert (corpus.words, corpus.postings(TEA).counts.tolist()) == ([255], [255])


def test_what_is_on_disk_and_not_here_is_passed_over() -> None:
    """The index may be further than what was loaded of it; it may also hold what is here under another place."""
    whole = sealed([doc("tea", 3), doc("tea", 5), doc("tea", 9)])
    here = sealed([doc("tea", 3), doc("cake", 6)])
    corpus = Corpus(here._replace(postings=whole.postings))
    assert stands_in(corpus, TEA) == [3]


def test_more_is_kept_of_more_documents() -> None:
    few, many, most = map(most_kept, (10_000, 1_000_000, 10_000_000))
    assert few == most_kept(0) == LEAST_KEPT
    assert few < many < most == recall_corpus.MOST_KEPT
    assert many == KEPT_EACH * (1_000_000 - KEPT_FROM)


def test_what_was_read_is_kept_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = [doc("tea cake jam", seq) for seq in range(1, 11)]
    reads: list[bytes] = []
    from_disk = sealed(documents)

    def postings(terms: Sequence[bytes]) -> Raised:
        reads.extend(terms)
        return from_disk.postings(terms)

    monkeypatch.setattr(recall_corpus, "LEAST_KEPT", 2 * (HOLDING + 50))  # two terms of ten places of five bytes
    corpus = Corpus(Sealed(from_disk.columns, from_disk.units, from_disk.speakers, postings))
    jam, none = word_term("jam"), word_term("none")
    for term in (TEA, CAKE, TEA, jam, TEA, CAKE, none, none):
        corpus.postings(term)
    assert reads == [TEA, CAKE, jam, CAKE, none, none]
    corpus.fetch([TEA, CAKE, jam])
    assert reads[6:] == [jam], "what is kept is not read again"
    assert (stands_in(corpus, jam), stands_in(corpus, CAKE)) == ([*range(1, 11)], [*range(1, 11)])
    assert corpus._kept_bytes <= recall_corpus.LEAST_KEPT
    corpus.fetch([jam, CAKE])
    assert reads[6:] == [jam]


@pytest.mark.parametrize("at_once", [True, False])
def test_terms_that_are_read_together_stand_where_each_does_alone(*, at_once: bool) -> None:
    """Also where the index is further than what was loaded of it, at either end, and holds nothing of a term."""
    documents = [doc("tea with milk", 5), doc("cake and tea", 6), doc("milk, milk", 9)]
    further = sealed([doc("tea", 3), *documents, doc("milk tea", 12)])
    corpus = Corpus(sealed([*documents[:2], doc("jam", 8), documents[2]])._replace(postings=further.postings))
    terms = [word_term(word) for word in ("none", "milk", "tea", "cake", "nil")]
    if at_once:
        corpus.fetch(terms)
    found = [corpus.postings(term) for term in terms]
    seqs = [corpus.seqs[each.at].tolist() for each in found]
    assert seqs == [[], [5, 9], [5, 6], [6], []]
    assert [each.counts.tolist() for each in found] == [[], [1, 2], [1, 1], [1], []]
    assert [each.peak for each in found] == [NO_PEAK, Peak(2, 2), Peak(1, 1), Peak(1, 3), NO_PEAK]
    assert all(corpus._kept[term]._at.base is None for term in terms if term in corpus._kept), "none holds another's"
    corpus.add(doc("tea and nil", 20))
    assert stands_in(corpus, TEA) == [5, 6, 20]
    assert (stands_in(corpus, terms[1]), stands_in(corpus, terms[4])) == ([5, 9], [20])


def test_where_nothing_lies_on_disk_nothing_is_read() -> None:
    corpus = corpus_of([doc("tea", 1)])
    corpus.fetch([TEA, CAKE])
    assert (corpus._kept_bytes, stands_in(corpus, TEA)) == (0, [1])


def test_an_id_is_known_by_its_end() -> None:
    event = message_id("x")
    assert short_id(event) == int(np.frombuffer(event[-8:], ">i8")[0])


def settling(documents: list[Document], first: int) -> tuple[Corpus, list[bytes]]:
    """A corpus that was read when so many documents lay on disk, of which all do by now; and what it tells the disk."""
    told: list[bytes] = []
    columns = sealed(documents[:first])
    corpus = Corpus(columns._replace(postings=sealed(documents).postings, tell=told.extend))
    for each in documents[first:]:
        corpus.add(each)
    return corpus, told


def test_what_came_is_settled_as_far_as_it_lies_on_disk() -> None:
    documents = [doc(f"tea {n}", n, n) for n in range(1, 11)]
    corpus, told = settling(documents, 3)
    assert (corpus.late, [corpus.settled(seq) for seq in (3, 4, 8, 10, 99)]) == (7, [0, 1, 5, 7, 7])
    assert corpus.places_of([message_id("2")]) == [1]
    corpus.settle(5)
    assert (corpus.late, sorted(told)) == (2, sorted([TEA, *(word_term(str(n)) for n in range(4, 9))]))
    corpus.settle(2)
    assert (corpus.late, corpus._late, corpus._late_places, corpus._late_ids) == (0, {}, {}, {})
    for n in range(1, 11):
        assert (corpus.place(n), corpus.places_of([message_id(str(n))])) == (n - 1, [n - 1])
        assert stands_in(corpus, word_term(str(n))) == [n]
    assert stands_in(corpus, TEA) == list(range(1, 11))


@pytest.mark.parametrize(("asked", "short"), [(0, 0), (2, 0), (3, 0), (4, 0), (6, 0), (6, 5), (6, 6)])
def test_what_was_read_of_a_term_stays_where_it_has_what_is_settled(
    monkeypatch: pytest.MonkeyPatch, asked: int, short: int
) -> None:
    monkeypatch.setattr("projections.recall.kept_postings.SHORT", short)
    documents = [doc(f"tea {n}", n, n) for n in range(1, 7)]
    reads: list[bytes] = []
    everything = sealed(documents)

    def postings(terms: Sequence[bytes]) -> Raised:
        reads.extend(terms)
        return everything.postings(terms)

    corpus = Corpus(sealed(documents[:2])._replace(postings=postings))
    for each in documents[2:]:
        if each.seq == asked + 1:
            assert stands_in(corpus, TEA) == list(range(1, asked + 1))
        corpus.add(each)
    if asked == 6:
        assert stands_in(corpus, TEA) == [1, 2, 3, 4, 5, 6]
    before = len(reads)
    corpus.settle(2)
    corpus.remove(3)
    assert stands_in(corpus, TEA) == [1, 2, 4, 5, 6]
    assert len(reads) - before == (0 if asked >= 4 and short < 6 else 1)
    corpus.add(doc("tea at last", 9, 9))
    corpus.settle(2)
    assert stands_in(corpus, TEA) == [1, 2, 4, 5, 6, 9]
    assert corpus.postings(TEA).at.tolist() == [0, 1, 3, 4, 5, 6]
    assert corpus._kept_bytes == sum(each.bytes for each in corpus._kept.values())


def test_an_edit_that_is_settled_is_found_under_the_id_of_the_message() -> None:
    documents = [
        doc("tea", 1, 1, name="a"),
        doc("cake", 2, 2),
        doc("coffee", 3, 1, name="a"),
        doc("milk", 4, 1, name="a"),
    ]
    corpus, _ = settling(documents[:2], 2)
    assert corpus.places_of([message_id("a")]) == [0]
    for gone, each in ((1, documents[2]), (3, documents[3])):
        corpus.remove(gone)
        corpus.add(each)
    corpus.settle(2)
    assert corpus.places_of([message_id("a"), message_id("b")]) == [3, NONE]
    corpus.remove(4)
    assert corpus.places_of([message_id("a")]) == [NONE]


def test_one_that_went_and_returned_is_settled_where_it_is_now() -> None:
    documents = [doc("tea", 1, 1), doc("cake", 2, 2)]
    corpus, _ = settling(documents, 2)
    corpus.remove(2)
    corpus.add(documents[1])
    corpus.settle(1)
    assert (corpus.place(2), stands_in(corpus, CAKE)) == (2, [2])


def test_what_returned_after_what_was_recorded_later_is_settled_in_the_order_of_places() -> None:
    """From disk it comes by seqs; by places it is looked up."""
    there = [doc("tea", 3), doc("tea tea", 5), doc("tea tea tea", 7)]
    whole = sealed(there)
    corpus = Corpus(sealed(there[:1])._replace(postings=whole.postings))
    for each in (there[1], there[2]):
        corpus.add(each)
    corpus.remove(5)
    corpus.add(there[1])
    corpus.settle(3)
    found = corpus.postings(TEA)
    assert found.at.tolist() == sorted(found.at.tolist())
    assert (stands_in(corpus, TEA), found.counts.tolist()) == ([3, 5, 7], [1, 3, 2])
    assert counts_in(found, np.arange(4, dtype=np.int32)).tolist() == [1, 0, 3, 2]


@pytest.mark.parametrize("first", [0, 1])
def test_what_cannot_be_laid_behind_what_was_there_is_not_settled(first: int) -> None:
    documents = [doc("tea", 5, 5), doc("cake", 2, 2), doc("milk", 7, 7)]
    corpus, told = settling(documents, first)
    with pytest.raises(ValueError, match="behind what was there"):
        corpus.settle(1)
    assert (told, corpus.late, stands_in(corpus, TEA)) == ([], 3 - first, [5])
