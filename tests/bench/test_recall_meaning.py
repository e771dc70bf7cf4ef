"""What recall by meaning is measured with: every text has a vector, near enough to the others to be ranked."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dnam.meaning.texts_held import every_text
from projections.recall import reckoners
from projections.vectors import THRESHOLD, cosines, squares
from replay.engine import Engine
from tests.bench.bench import Bench
from tests.bench.library import Library, direct_messages
from tests.bench.measure import Goal
from tests.bench.recall_meaning import DIMENSIONS, NUMPY, Drawn, by_meaning
from tests.bench.talk import account
from tests.bench.zipf import Zipf

TEXTS = 200


@pytest.fixture
def library(tmp_path: Path) -> Iterator[tuple[Engine, Library]]:
    with Engine.open(tmp_path / "data", create=True) as engine:
        library = Library(engine, [direct_messages(account(0))])
        library.say(Zipf(1).texts(TEXTS))
        yield engine, library


def test_what_is_drawn_is_about_as_near_as_it_has_to_be_to_be_ranked() -> None:
    matrix = np.stack(Drawn(1).vectors(500))
    found = cosines(matrix[0], matrix, squares(matrix))[1:]
    assert matrix.shape == (500, DIMENSIONS)
    assert (found > THRESHOLD / 1000).mean() > 0.7
    assert 0.3 < found.mean() < 0.36
    assert (matrix[1] == Drawn(1).vectors(2)[1]).all()


def test_both_sides_are_asked_the_same_and_the_ratio_has_the_goal(
    library: tuple[Engine, Library], tmp_path: Path
) -> None:
    engine, asked = library
    reckoner = reckoners.reckoner()
    bench = Bench(tmp_path, quick=True, rounds=2)
    rows = list(by_meaning(bench, engine, asked.asked(), Zipf(1).queries(3), "recall, 200 messages"))
    texts = sum(1 for _ in every_text(engine))
    assert [row.what for row in rows] == [
        f"recall by meaning, {texts} vectors of 1,024 numbers",
        f"recall by meaning, {texts} vectors of 1,024 numbers: without numba",
        f"recall by meaning, {texts} vectors of 1,024 numbers: the first",
        "recall, 200 messages, by meaning too: p50",
    ]
    goals = [(row.peer and row.peer.name, row.goal) for row in rows]
    assert goals[:2] == [(NUMPY, Goal("≤", 2)), (NUMPY, Goal("≤", 4))]
    assert reckoners.reckoner() is reckoner
    assert all(row.ours is not None and row.ours.low > 0 for row in rows)


def test_where_vectors_are_missing_nothing_is_measured(
    library: tuple[Engine, Library], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, asked = library
    monkeypatch.setattr("replay.vectors.vectors.Vectors.put", lambda *_: None)
    with pytest.raises(RuntimeError, match=r"0 texts are near: .* have no vector yet: only words decide"):
        list(by_meaning(Bench(tmp_path, quick=True, rounds=2), engine, asked.asked(), Zipf(1).queries(3), "recall"))
