"""Where terms stand: in what is open, there still, and not silent."""

import numpy as np
import pytest

from projections.recall.corpus import Corpus, corpus_of
from projections.recall.opened import Part
from projections.recall.standing import TermsIn, open_postings
from projections.recall.words import word_term
from tests.projections.recall.stage import OTHER_UNIT, UNIT, bare

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
