"""Compiled loops say what steps in numpy say; what can be left out of the seeds is."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from projections.recall import compiled, kernels, reckoners, spelling
from projections.recall.alphabets import LATIN
from projections.recall.bm25 import K1, LEAST_NORM, ONE
from projections.recall.compiled import CompiledReckoning
from projections.recall.corpus import Corpus, corpus_of
from projections.recall.fields import Counts
from projections.recall.opened import Part
from projections.recall.reckoning import Reckoning
from projections.recall.seeds import Allowed, Term, everything
from projections.recall.words import FACTOR, HALF, LONGEST, PRIME, stem_of, word_term
from tests.projections.recall.stage import bare, reckon, without_numba
from tests.projections.recall.test_seeds import CORPORA, WEIGHTS, terms
from tests.world import handle

COUNTS = Counts(40, 300, 9)
COMMON, RARE = word_term("the"), word_term("garden")
LOOPS = ("loops", "compiled")


def both(corpus: Corpus, asked: list[Term], most: int) -> tuple[Reckoning, CompiledReckoning]:
    part = Part(corpus, None)
    return Reckoning(part, asked, COUNTS, most), CompiledReckoning(part, asked, COUNTS, most)


@pytest.mark.parametrize("way", LOOPS)
@settings(max_examples=60)
@given(CORPORA, WEIGHTS, st.integers(1, 12), st.sets(st.integers(0, 39), max_size=3))
def test_the_same_are_looked_at(way: str, corpus: Corpus, weights: list[int], most: int, hidden: set[int]) -> None:
    asked = terms(corpus, weights)
    without = np.array([at for at in sorted(hidden) if at < corpus.size], np.int32)
    with pytest.MonkeyPatch.context() as patched:
        reckon(way, patched)
        ours, loops = both(corpus, asked, most)
        nowhere = np.zeros(len(corpus.units.all) + 1, np.bool_)
        for may in (
            Allowed(corpus, without), Allowed(corpus, without, speaker=0), Allowed(corpus, without, speaker=1),
            Allowed(corpus, without, units=nowhere), Allowed(corpus, without, units=~nowhere),
        ):  # fmt: skip
            expected = sorted(ours.seeds((), may).tolist())
            assert sorted(loops.seeds((), may).tolist()) == expected
    assert not corpus.scores.any()
    assert not corpus.touched.any()


@pytest.mark.parametrize("way", LOOPS)
def test_a_place_is_sought_from_wherever_one_is(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reckon(way, monkeypatch)
    at = np.arange(0, 60, 2, dtype=np.int32)
    for place in range(-1, 62):
        assert {kernels.seek(at, place, near) for near in range(len(at) + 3)} == {int(at.searchsorted(place))}


@pytest.mark.parametrize("way", LOOPS)
def test_a_common_word_is_looked_up_only_where_it_can_still_count(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty have the rare word: nothing that has the common one alone can be among the best."""
    reckon(way, monkeypatch)
    looked_up = list[int]()
    real: Any = kernels.look_up

    def look_up(*given: Any) -> None:
        looked_up.append(given[6])
        real(*given)

    monkeypatch.setattr(kernels, "look_up", look_up)
    common = [bare(seq, seq, {COMMON: 1}, 5) for seq in range(1, 400)]
    rare = [bare(seq, seq, {COMMON: 1 + seq % 3, RARE: 5}, 9) for seq in range(400, 420)]
    corpus = corpus_of([*common, *rare])
    asked = [Term(term, corpus.postings(term), weight, 1) for term, weight in ((COMMON, 3), (RARE, 9000))]
    ours, loops = both(corpus, asked, 5)
    assert sorted(loops.seeds((), everything(corpus))) == sorted(ours.seeds((), everything(corpus)))
    assert looked_up == [20]
    assert not corpus.scores.any()
    assert not corpus.touched.any()


@pytest.mark.parametrize("way", LOOPS)
def test_what_falls_behind_is_left_out_word_by_word(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reckon(way, monkeypatch)
    said = [bare(seq, seq, {RARE: 1 + seq % 9, COMMON: 1}, 9 + seq % 7) for seq in range(1, 300)]
    corpus = corpus_of(said)
    weights = ((RARE, 9000), (COMMON, 40), (COMMON, 9))
    asked = [Term(term, corpus.postings(term), weight, 1) for term, weight in weights]
    ours, loops = both(corpus, asked, 4)
    assert sorted(loops.seeds((), everything(corpus))) == sorted(ours.seeds((), everything(corpus)))
    assert not corpus.scores.any()
    assert not corpus.touched.any()


@pytest.mark.parametrize("way", LOOPS)
def test_only_what_may_be_found_is_looked_at(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reckon(way, monkeypatch)
    said = [bare(seq, seq, {RARE: 1}, 5, unit=bytes([seq % 3]) * 16, speaker=handle(f"{seq % 2}")) for seq in range(12)]
    corpus = corpus_of(said)
    _, loops = both(corpus, [Term(RARE, corpus.postings(RARE), 9000, 12)], 20)
    nothing, units = np.empty(0, np.int32), np.array([True, False, False, False])
    found = [
        sorted(loops.seeds((), may).tolist())
        for may in (
            Allowed(corpus, np.array([3, 7], np.int32)), Allowed(corpus, nothing, speaker=1),
            Allowed(corpus, nothing, units=units), Allowed(corpus, np.array([0], np.int32), speaker=0, units=units),
        )
    ]  # fmt: skip
    assert found == [[0, 1, 2, 4, 5, 6, 8, 9, 10, 11], [1, 3, 5, 7, 9, 11], [0, 3, 6, 9], [6]]


@pytest.mark.parametrize("way", LOOPS)
@given(
    st.lists(st.integers(0, 40), unique=True, max_size=20).map(sorted),
    st.integers(-1, 42),
    st.integers(0, 25),
)
def test_a_place_is_sought_from_anywhere(way: str, at: list[int], place: int, near: int) -> None:
    places = np.array(at, np.int32)
    with pytest.MonkeyPatch.context() as patched:
        reckon(way, patched)
        assert kernels.seek(places, place, near) == np.searchsorted(places, place)


STEMS = st.text("abcy", min_size=1, max_size=9) | st.text(LATIN, min_size=1, max_size=LONGEST)


@pytest.mark.parametrize("way", LOOPS)
@given(STEMS.filter(lambda stem: stem_of(stem) == stem))
@example("a")
@example("bookkeepr")
@example("z" * LONGEST)
def test_the_same_words_are_spelled_like_one(way: str, stem: str) -> None:
    with pytest.MonkeyPatch.context() as patched, np.errstate(over="ignore"):
        reckon(way, patched)
        found = CompiledReckoning.spell(stem)
        reckon("term by term", patched)
        patched.setattr(spelling, "FEWEST_LETTERS", 1)
        expected = spelling.spelled_like.__wrapped__(stem)
    assert (np.diff(found.astype(object)) >= 0).all()
    assert np.unique(found).tolist() == np.unique(expected).tolist()


@pytest.mark.parametrize("word", ["bakulodu", "naïveté", "картошка", "boat"])
def test_where_there_are_loops_they_say_what_is_spelled_like_a_word_in_ascii(
    monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    by_numpy = spelling.spelled_like.__wrapped__(word)
    reckon("loops", monkeypatch)
    asked, real = list[str](), CompiledReckoning.spell

    def spell(stem: str) -> Any:
        asked.append(stem)
        with np.errstate(over="ignore"):
            return real(stem)

    monkeypatch.setattr(CompiledReckoning, "spell", staticmethod(spell))
    assert np.unique(spelling.spelled_like.__wrapped__(word)).tolist() == np.unique(by_numpy).tolist()
    assert asked == (["bakulodu"] if word == "bakulodu" else [])


def test_they_are_used_once_that_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reckoners, "_used", [Reckoning])
    assert reckoners.reckoner() is Reckoning
    assert reckoners.use_compiled()
    assert reckoners.reckoner() is CompiledReckoning


def test_not_where_they_cannot_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reckoners, "_used", [Reckoning])
    without_numba(monkeypatch)
    assert not reckoners.use_compiled()
    assert reckoners.reckoner() is Reckoning


def test_what_keeps_numba_from_being_loaded_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reckoners, "_used", [Reckoning])
    monkeypatch.setitem(sys.modules, compiled.__name__, None)
    with pytest.raises(ModuleNotFoundError, match=r"projections\.recall\.compiled"):
        reckoners.use_compiled()
    assert reckoners.reckoner() is Reckoning


def test_whoever_stops_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reckoners, "_used", [Reckoning])
    asked = list[int]()

    def stops() -> bool:
        asked.append(0)
        return len(asked) == 3

    assert not reckoners.use_compiled(stops)
    assert (len(asked), reckoners.reckoner()) == (3, Reckoning)


def test_the_constants_are_those_of_bm25_and_of_words() -> None:
    """What was compiled is made anew when `kernels` changes, and not when what it would import does."""
    assert (kernels.ABOVE, kernels.LEAST) == (ONE * (K1 + 1000), LEAST_NORM)
    assert (int(kernels.PRIME), int(kernels.FACTOR), int(kernels.HALF)) == (PRIME, FACTOR, HALF)
    assert (kernels.LETTERS, LATIN[kernels.KIND]) == (len(LATIN), "w")
    source = Path(kernels.__file__).read_text(encoding="utf-8")
    assert "import projections" not in source
    assert "from projections" not in source
