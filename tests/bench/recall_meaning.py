"""Recall by meaning: which of a person's texts are nearest to a question, beside the bare multiplication of one matrix
with its vector in numpy.

The vectors are drawn, not made: about as near to each other as those of unrelated texts are with Voyage's models, just
above the threshold, so that most texts are to be ranked. dnam keeps them as bytes, and opens them before the first
question; its clock runs from the texts' seqs to the ranks of the nearest. The peer has a matrix of 32-bit floats, four
times as large, and ranks nothing.
"""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dnam.languages import load
from dnam.meaning.encoders import Encoders
from dnam.meaning.question import Meaning, Sought
from dnam.meaning.texts_held import every_text
from dnam.memory import Memory
from dnam.settings import read
from projections.nearness import MOST_NEAR
from projections.recall import reckoners
from projections.recall.reckoning import Reckoning
from projections.recall.search import Wanted, items, said
from projections.vectors import Numbers, quantised
from projections.vectors_texts import Held
from replay.engine import Engine
from replay.store import DiskStore
from replay.vectors.vectors import Vectors
from tests.bench.asking import ask, ask_one
from tests.bench.bench import Bench
from tests.bench.measure import Goal, Row, Spread, alternate, compared, seconds
from tests.bench.searchers import BEST

DIMENSIONS = 1024
NUMPY = "numpy, matrix @ vector"
COMPILED, STEPS = "compiled", "without numba"
ENCODER = f"drawn@1/{DIMENSIONS}"
ALIKE = 0.7
"""How much of each vector all have in common, beside as much as 1 that is its own: two have a cosine of a third."""
ASKED = 10
"""How many questions a side is asked in a slice."""
SLICES = 2
AT_ONCE = 4096
Floats = npt.NDArray[np.float32]


class Drawn:
    """Vectors that are drawn, the same ones each time."""

    def __init__(self, seed: int) -> None:
        self._dice = np.random.default_rng(seed)
        self._common = self._dice.normal(size=DIMENSIONS) * ALIKE

    def vectors(self, number: int) -> list[Numbers]:
        """So many."""
        return [quantised(each) for each in self._dice.normal(size=(number, DIMENSIONS)) + self._common]


class Side(NamedTuple):
    """What is asked, and with which vectors."""

    meaning: Meaning
    seqs: npt.NDArray[np.int64]
    matrix: Floats
    questions: Sequence[Numbers]

    def ours(self) -> None:
        """RuntimeError where no text is near, or some have no vector."""
        for each in self.questions:
            near = self.meaning.near(Sought(each, ENCODER), self.seqs, (), MOST_NEAR)
            if len(near.said) != MOST_NEAR or near.note:
                raise RuntimeError(f"{len(near.said)} texts are near: {near.note}")

    def ours_in_steps(self) -> None:
        """As where numba is not installed."""
        used, reckoners._used[:] = list(reckoners._used), [Reckoning]
        try:
            self.ours()
        finally:
            reckoners._used[:] = used

    def theirs(self) -> None:
        for each in self.questions:
            _ = self.matrix @ each.astype(np.float32)


def by_meaning(bench: Bench, engine: Engine, wanted: Wanted, queries: Sequence[str], what: str) -> Iterator[Row]:
    """What was said in a memory, by its vectors alone, and by words, meaning and what is known."""
    store = engine.store
    assert isinstance(store, DiskStore), "it lies in a folder"
    texts = list(every_text(engine))
    bench.say(f"drawing vectors for {len(texts):,} texts")
    drawn = Drawn(len(texts))
    matrix = _kept(store.vectors, texts, drawn)
    settings = read({}, {})
    meaning = Meaning(Memory(engine, settings, load("en")), store.vectors, Encoders(settings))
    side = Side(meaning, np.array([each.seq for each in texts]), matrix, drawn.vectors(ASKED))
    first = Spread.of([1000 * seconds(side._replace(questions=side.questions[:1]).ours)])
    side.theirs()
    took = alternate(
        {
            COMPILED: lambda: seconds(side.ours),
            STEPS: lambda: seconds(side.ours_in_steps),
            NUMPY: lambda: seconds(side.theirs),
        },
        bench.rounds,
        SLICES,
    )
    made = {name: [1000 * each / (ASKED * SLICES) for each in times] for name, times in took.items()}
    name = f"recall by meaning, {len(texts):,} vectors of {DIMENSIONS:,} numbers"
    note = f"in {matrix.nbytes // 4 / 1e6:.0f} MB, and {matrix.nbytes / 1e6:.0f} MB; the {MOST_NEAR} nearest, by cosine"
    # What stands around the multiplication (which row is whose, cosines, ranks) may take as long again.
    yield compared(name, "ms", made[COMPILED], NUMPY, made[NUMPY], Goal("≤", 2), note)
    # Here bytes are widened first, too, which takes as long once more: a quarter of the memory, and no more than four
    # times the time.
    yield compared(f"{name}: {STEPS}", "ms", made[STEPS], NUMPY, made[NUMPY], Goal("≤", 4), note)
    yield Row(f"{name}: the first", "ms", first, note="after opening; each vector is opened with its vault's key")
    search = _Recalling(engine, wanted, meaning, drawn.vectors(len(queries)))
    ask(search, queries)
    rounds = [median(ask_one(search, query) for query in queries) for _ in range(bench.rounds)]
    yield Row(f"{what}, by meaning too: p50", "ms", Spread.of(rounds), note="with its vector at hand")


class _Recalling:
    """What is looked for by hand, as `asking.recalling` does, by meaning too; each time with another vector."""

    def __init__(self, engine: Engine, wanted: Wanted, meaning: Meaning, questions: Sequence[Numbers]) -> None:
        self._engine, self._wanted, self._meaning, self._questions, self._next = engine, wanted, meaning, questions, 0

    def __call__(self, query: str) -> int:
        numbers = self._questions[self._next % len(self._questions)]
        self._next += 1
        nearness = self._meaning.nearness(Sought(numbers, ENCODER))
        looked_for = self._wanted._replace(text=query, nearness=nearness)
        with self._engine.reading() as rows:
            return len(items(rows, looked_for, BEST)) + len(said(rows, looked_for, BEST))


def _kept(vectors: Vectors, texts: Sequence[Held], drawn: Drawn) -> Floats:
    """Have a vector of each text kept, sealed; all of them as a matrix of floats, one below the other."""
    matrix = np.empty((len(texts), DIMENSIONS), np.float32)
    made: dict[str, Numbers] = {}
    for start in range(0, len(texts), AT_ONCE):
        some = texts[start : start + AT_ONCE]
        new = list({each.text for each in some} - made.keys())
        made |= zip(new, drawn.vectors(len(new)), strict=True)
        vectors.put(ENCODER, some, {text: made[text] for text in new})
        matrix[start : start + len(some)] = [made[each.text] for each in some]
    return matrix
