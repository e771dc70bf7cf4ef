"""Where terms stand: in what is open, there still, and not silent."""

from collections.abc import Sequence

import numpy as np
import pytest

from projections.recall.columns import Raised
from projections.recall.corpus import Corpus, corpus_of
from projections.recall.opened import Part
from projections.recall.standing import AT_ONCE, TermsIn, open_postings
from projections.recall.words import word_term
from tests.projections.recall.stage import OTHER_UNIT, UNIT, bare, doc, sealed

TEA, CAKE, SNOW = (word_term(word) for word in ("tea", "cake", "snow"))


@pytest.fixture
def corpus() -> Corpus:
    """Tea in the first, the third and the last; cake in the second, elsewhere."""
    said: tuple[dict[bytes, int], ...] = ({TEA: 1}, {CAKE: 2}, {TEA: 3}, {}, {TEA: 5})
    units = (UNIT, OTHER_UNIT, UNIT, UNIT, UNIT)
    told = enumerate(zip(said, units, strict=True), 1)
    return corpus_of(bare(seq, seq, counts, 9, unit=unit) for seq, (counts, unit) in told)


def seqs(corpus: Corpus, part: Part, term: bytes = TEA) -> dict[int, int]:
    """How often a term stands, by seq."""
    found = open_postings(part, term)
    return dict(zip(corpus.seqs[found.at].tolist(), found.counts.tolist(), strict=True))


@pytest.mark.parametrize(
    ("silent", "left"),
    [(None, {1: 1, 3: 3, 5: 5}), (1, {3: 3, 5: 5}), (3, {1: 1, 5: 5}), (5, {1: 1, 3: 3}), (4, {1: 1, 3: 3, 5: 5})],
)
def test_what_is_silent_says_nothing(corpus: Corpus, silent: int | None, left: dict[int, int]) -> None:
    part = Part(corpus, None) if silent is None else Part(corpus, None, corpus.place(silent))
    assert seqs(corpus, part) == left
    assert seqs(corpus, Part(corpus, None)) == {1: 1, 3: 3, 5: 5}, "what is kept for the next search is whole"


def test_what_is_behind_all_that_has_a_term_is_not_looked_for(corpus: Corpus) -> None:
    assert seqs(corpus, Part(corpus, None, corpus.place(5)), CAKE) == {2: 2}


def test_what_is_closed_is_dropped(corpus: Corpus) -> None:
    elsewhere = corpus.units.find(OTHER_UNIT)
    only_here = np.array([number != elsewhere for number in range(len(corpus.units.all))] + [False])
    assert seqs(corpus, Part(corpus, only_here), CAKE) == {}
    assert seqs(corpus, Part(corpus, only_here)) == {1: 1, 3: 3, 5: 5}
    assert seqs(corpus, Part(corpus, ~only_here), TEA) == {}


def test_terms_stand_where_any_part_has_them(corpus: Corpus) -> None:
    other = corpus_of([bare(7, 7, {SNOW: 1}, 1)])
    there = TermsIn([Part(corpus, None, corpus.place(2)), Part(other, None)])
    assert set(there.standing({TEA, CAKE, SNOW, b"nothere!"})) == {TEA, SNOW}
    assert there.postings(TEA) is there.postings(TEA)


def test_what_is_not_at_hand_is_read_some_terms_at_a_time() -> None:
    """Who asks may have enough by then: nothing is read for what nobody looks at."""
    names = [f"word{number}" for number in range(2 * AT_ONCE + 1)]
    from_disk, reads = sealed([doc(" ".join(names), 1), doc("tea", 2)]), list[list[bytes]]()

    def postings(terms: Sequence[bytes]) -> Raised:
        reads.append(list(terms))
        return from_disk.postings(terms)

    terms = {word_term(name) for name in names}
    corpus = Corpus(from_disk._replace(postings=postings, standing=lambda _: terms))
    corpus.fetch([TEA])
    reads.clear()
    standing = TermsIn([Part(corpus, None)]).standing(terms | {TEA})
    assert next(standing) == TEA
    assert reads == []
    first = next(standing)
    assert [len(each) for each in reads] == [AT_ONCE]
    assert {first, *standing} == terms
    assert [len(each) for each in reads] == [AT_ONCE, AT_ONCE, 1]
    assert set().union(*reads) == terms


def test_what_stands_nowhere_is_not_looked_for_on_disk() -> None:
    from_disk, reads = sealed([doc("tea", 1), doc("cake", 2)]), list[bytes]()

    def postings(terms: Sequence[bytes]) -> Raised:
        reads.extend(terms)
        return from_disk.postings(terms)

    corpus = Corpus(from_disk._replace(postings=postings, standing=lambda _: {TEA}))
    there = TermsIn([Part(corpus, None)])
    assert [*there.standing({TEA, SNOW})] == [TEA]
    assert ([len(each.at) for each in there.postings(SNOW)], reads) == ([0], [TEA])
