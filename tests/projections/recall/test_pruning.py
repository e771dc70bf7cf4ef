"""Nothing that is left out of the seeds could have been among the best: a law over corpora whose words are as common
and whose texts are as long as in talk, and an example for each bound that decides what is left out.

In the examples a text is as long as the average unless it says so, and a term gives its weight where it stands once;
what stands twice gives 1.31 times that.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest

from projections.recall import compiled, kernels
from projections.recall import seeds as seeding
from projections.recall.bm25 import ONE, Average, worth
from projections.recall.columns import Peak, Places
from projections.recall.corpus import Corpus, corpus_of
from projections.recall.dated import Date, Dates
from projections.recall.documents import Document
from projections.recall.fields import Counts
from projections.recall.opened import Part
from projections.recall.reckoners import reckoner
from projections.recall.seeds import Allowed, Term, best_scored, by_bound
from projections.recall.words import word_term
from tests.projections.recall import oracle, stage
from tests.projections.recall.stage import DAY, WAYS, bare
from tests.world import handle

WORDS = [word_term(word) for word in ("the", "it", "tea", "pot", "roof", "rain", "boat", "garden")]
"""From common ones to rare ones."""
PRUNING = tuple(way for way in WAYS if way != "laid together")
"""The ways of reckoning that leave anything out."""
AVERAGE = 10
UNDATED: Dates = ()
RARE, ONE_MORE, THIRD = WORDS[7], WORDS[0], WORDS[1]

weight = cache(oracle.weight)


class Asked(NamedTuple):
    """A corpus, the terms that are looked for in it, how many of the best are wanted, and which places are hidden."""

    corpus: Corpus
    counts: Counts
    terms: Sequence[Term]
    most: int
    hidden: Sequence[int] = ()


def reckon(by: str, patched: pytest.MonkeyPatch) -> None:
    """Reckon in one of the WAYS, and leave out what can be wherever it is."""
    stage.reckon(by, patched)
    patched.setattr(compiled, "_PRUNED_FROM", 0)


def chance(seed: int) -> Asked:
    """A small corpus and a question, the same for the same seed: a word is the rarer the later it comes, a term weighs
    what its idf says, and the average length is that of the texts. What was recorded later was not always said later.
    Some terms once stood where they went further than now. In every third one all words are as common and all texts
    are as long: there much is worth the same.
    """
    random = Random(seed)
    even, size = seed % 3 == 0, random.randint(8, 60)
    standing = [
        (word, frozenset(random.sample(range(size), size // 4 if even else size * 2 // (number + 2))))
        for number, word in enumerate(WORDS, 1)
    ]
    texts = [[word for word, where in standing if at in where] for at in range(size)]
    moments = random.sample(range(size), size)
    made = [
        bare(seq, moment, dict.fromkeys(text, 1), AVERAGE) if even else _text(random, seq, moment, text)
        for seq, (moment, text) in enumerate(zip(moments, texts, strict=True), 1)
    ]
    corpus = _grown(made, random.choice((0, size // 2)))
    postings = [(word, corpus.postings(word)) for word in random.sample(WORDS, random.randint(2, 6))]
    terms = [
        Term(word, each._replace(peak=_further(random, each.peak)), worth(size, len(each.at), ONE), len(each.at))
        for word, each in postings
    ]
    hidden = sorted(random.sample(range(size), random.choice((0, 0, 1, 3))))
    counts = Counts(size, sum(each.terms.length for each in made), 1)
    return Asked(corpus, counts, terms, random.choice((1, 2, 3, 5)), hidden)


def _grown(made: Sequence[Document], sealed: int) -> Corpus:
    """The first of these come from disk; now and then while the others come it is asked where words stand."""
    corpus = Corpus(stage.sealed(made[:sealed]))
    for each in made[sealed:]:
        corpus.add(each)
        for word in WORDS if each.seq % 7 == 0 else ():
            corpus.postings(word)
    return corpus


def _text(random: Random, seq: int, moment: int, words: Sequence[bytes]) -> Document:
    counts = {word: random.choice((1, 1, 1, 2, 3)) for word in words}
    return bare(seq, moment, counts, sum(counts.values()) + random.choice((0, 1, 4, 9, 30)))


def _further(random: Random, peak: Peak) -> Peak:
    """Mostly as it is."""
    return random.choice((peak, peak, peak, peak.with_more(peak.most + 1, peak.shortest - 1)))


def all_sums(asked: Asked) -> dict[int, int]:
    """What every document has that has any of the terms, by its place."""
    length, sums = Fraction(asked.counts.words, asked.counts.documents), dict[int, int]()
    for each in asked.terms:
        for at, count in zip(each.postings.at.tolist(), each.postings.counts.tolist(), strict=True):
            gives = each.weight * weight(count, int(asked.corpus.lengths[at]), length) >> 10
            sums[at] = sums.get(at, 0) + gives
    return sums


def best_of_all(asked: Asked) -> list[int]:
    """The seqs of the best, of the same ones those that were recorded later."""
    sums, seqs = all_sums(asked), asked.corpus.seqs.tolist()
    ordered = sorted((at for at in sums if at not in asked.hidden), key=lambda at: (sums[at], seqs[at]))
    return sorted(seqs[at] for at in ordered[-asked.most :])


def seeds(asked: Asked, dates: Dates = UNDATED, speaker: int | None = None) -> list[int]:
    """The seqs of the seeds, by the way of reckoning that is in use; they leave nothing behind."""
    may = Allowed(asked.corpus, np.array(asked.hidden, np.int32), speaker)
    reckoning = reckoner()(Part(asked.corpus, None), asked.terms, asked.counts, asked.most)
    found = sorted(asked.corpus.seqs[reckoning.seeds(dates, may)].tolist())
    assert not asked.corpus.scores.any()
    assert not asked.corpus.touched.any()
    return found


# -- the law -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_the_seeds_are_the_best_of_all(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reckon(way, monkeypatch)
    wrong = [seed for seed in range(300) if seeds(asked := chance(seed)) != best_of_all(asked)]
    assert wrong == []


def test_what_is_kept_is_the_best_with_all_that_tie_and_their_full_sums() -> None:
    pruned = 0
    for seed in range(300):
        asked = chance(seed)
        sums = all_sums(asked)
        found = best_scored(asked.corpus, asked.terms, Average(asked.counts.words, asked.counts.documents), asked.most)
        kept = dict(zip(found.places.tolist(), found.scores.tolist(), strict=True))
        worst = sorted(sums.values(), reverse=True)[: asked.most][-1]
        assert kept.items() >= {at: points for at, points in sums.items() if points >= worst}.items(), seed
        assert kept.items() <= sums.items(), seed
        pruned += len(kept) < len(sums)
    assert pruned > 150  # else it says nothing of leaving out


def test_no_term_gives_more_than_its_bound_and_some_give_as_much() -> None:
    reached = 0
    for seed in range(100):
        asked = chance(seed)
        bounds, ordered = by_bound(asked.terms, Average(asked.counts.words, asked.counts.documents))
        assert bounds == sorted(bounds, reverse=True)
        for bound, each in zip(bounds, ordered, strict=True):
            most = max(all_sums(asked._replace(terms=[each])).values())
            assert most <= bound, seed
            reached += most == bound
    assert reached > 100


# -- an example for each bound -----------------------------------------------------------------------------------------


def example(
    texts: Iterable[dict[bytes, int] | Document], weights: dict[bytes, int], most: int, hidden: Sequence[int] = ()
) -> Asked:
    """Texts in the order in which they were said and recorded, and the terms of a question with what they weigh."""
    made = [each if isinstance(each, Document) else bare(seq, seq, each, AVERAGE) for seq, each in enumerate(texts, 1)]
    corpus = corpus_of(made)
    terms = [Term(word, corpus.postings(word), points, 1) for word, points in weights.items()]
    return Asked(corpus, Counts(1, AVERAGE, 1), terms, most, hidden)


@pytest.mark.parametrize("way", PRUNING)
@pytest.mark.parametrize(
    ("weights", "found"),
    [
        ({ONE_MORE: 6000, THIRD: 6000, RARE: 10_000}, [1, 3]),  # 12000 is more than 10000
        ({ONE_MORE: 5000, THIRD: 5000, RARE: 10_000}, [1, 3]),  # as much, and recorded later
        ({ONE_MORE: 5000, THIRD: 4999, RARE: 10_000}, [1, 2]),
    ],
)
def test_all_are_looked_at_while_the_rest_can_reach_the_worst_of_the_best(
    way: str, weights: dict[bytes, int], found: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    reckon(way, monkeypatch)
    asked = example([{RARE: 2}, {RARE: 1}, {ONE_MORE: 1, THIRD: 1}], weights, most=2)
    assert best_of_all(asked) == found
    assert seeds(asked) == found


@pytest.mark.parametrize("way", PRUNING)
@pytest.mark.parametrize(
    ("second", "third", "found"),
    [
        (10_000, 6_000, [2]),  # 46000 is more than 39287
        (6_000, 3_287, [2]),  # as much, and recorded later
        (6_000, 3_286, [1]),
    ],
)
def test_what_can_still_come_up_by_all_of_the_rest_is_kept(
    way: str, second: int, third: int, found: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    reckon(way, monkeypatch)
    weights = {THIRD: third, RARE: 30_000, ONE_MORE: second}
    asked = example([{RARE: 2}, {RARE: 1, ONE_MORE: 1, THIRD: 1}], weights, most=1)
    assert best_of_all(asked) == found
    assert seeds(asked) == found


@pytest.mark.parametrize("way", PRUNING)
@pytest.mark.parametrize(
    "other",
    [
        bare(2, 2, {ONE_MORE: 2}, AVERAGE),  # it stands there more often
        bare(2, 2, {ONE_MORE: 1}, 1),  # the text is shorter
    ],
)
def test_a_term_may_give_more_than_where_it_stands_once_in_a_text_of_the_average_length(
    way: str, other: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    reckon(way, monkeypatch)
    asked = example([{RARE: 1}, other, {ONE_MORE: 1}], {RARE: 10_000, ONE_MORE: 9_000}, most=1)
    assert best_of_all(asked) == [2]
    assert seeds(asked) == [2]


@pytest.mark.parametrize("way", PRUNING)
def test_what_is_hidden_is_none_of_the_best_that_others_have_to_reach(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reckon(way, monkeypatch)
    weights = {ONE_MORE: 6000, THIRD: 6000, RARE: 10_000}
    asked = example([{RARE: 2}, {RARE: 1}, {ONE_MORE: 1, THIRD: 1}], weights, most=1, hidden=[0])
    assert seeds(asked) == best_of_all(asked) == [3]


@pytest.mark.parametrize("way", PRUNING)
def test_nothing_is_left_out_where_words_alone_do_not_decide(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reckon(way, monkeypatch)
    theirs = bare(3, 40 * DAY, {ONE_MORE: 1}, AVERAGE, speaker=handle("kim"))
    asked = example([{RARE: 2}, {RARE: 1}, theirs], {RARE: 10_000, ONE_MORE: 3_000}, most=1)
    assert seeds(asked) == [1]
    assert seeds(asked, speaker=asked.corpus.speakers.find(handle("kim"))) == [3]
    assert seeds(asked, (Date(months=frozenset({2})),)) == [3]


def look_ups(patched: pytest.MonkeyPatch) -> list[int]:
    """In how many texts a term is looked up, for each that is. It shows in nothing that is found: only in the time."""
    many = list[int]()
    by_numpy: Any = vars(seeding)["_looked_up"]
    by_loops: Any = kernels.look_up

    def in_numpy(corpus: Corpus, term: Term, places: Places, average: Average) -> Any:
        many.append(len(places))
        return by_numpy(corpus, term, places, average)

    def in_loops(*given: Any) -> None:
        many.append(given[6])
        by_loops(*given)

    patched.setattr(seeding, "_looked_up", in_numpy)
    patched.setattr(kernels, "look_up", in_loops)
    return many


@pytest.mark.parametrize("way", PRUNING)
@pytest.mark.parametrize(
    ("texts", "weights", "most", "looked_up"),
    [
        # The rest can give 6000 and then 2000: by both of them what has 30000 can reach 34000, by the last one not.
        (
            [{RARE: 1, ONE_MORE: 1}, {RARE: 1, ONE_MORE: 1, THIRD: 1}, {RARE: 1, THIRD: 1}, {RARE: 1}, {THIRD: 1}],
            {THIRD: 2_000, ONE_MORE: 4_000, RARE: 30_000}, 1, [4, 2],
        ),
        # As many as are wanted are enough to decide by.
        ([{RARE: 1}, {RARE: 1}, {ONE_MORE: 1}], {ONE_MORE: 9_000, RARE: 10_000}, 2, [2]),
        # What the worst of the best has by the first term, 30000, counts on where it is less by the second.
        (
            [{RARE: 2}, {RARE: 1}, {ONE_MORE: 1}, {ONE_MORE: 1}, {THIRD: 1}],
            {RARE: 30_000, ONE_MORE: 18_000, THIRD: 18_000}, 2, [4],
        ),
    ],
)  # fmt: skip
def test_the_rest_is_looked_up_only_where_it_can_still_count(
    way: str, texts: list[dict[bytes, int]], weights: dict[bytes, int], most: int, looked_up: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    reckon(way, monkeypatch)
    many = look_ups(monkeypatch)
    asked = example([*texts, *[{}] * 9], weights, most)
    assert seeds(asked) == best_of_all(asked)
    assert many == looked_up
