"""The retrieval index of views that are built: whoever makes a span, its rows are the same."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from projections.recall.words import MOST_COUNTED
from projections.registry import FOLD
from replay.builder import rebuild
from replay.engine import Engine
from replay.errors import DamagedViews
from replay.helping import Desk
from replay.pipe import Opening, SpanJob
from replay.recall import tables as layout
from replay.recall.index import filled
from replay.recall.indexing import span_in
from replay.recall.rows import Postings
from replay.store import DiskStore
from replay.views import Views
from tests.generator import fixed_story
from tests.replay.stage import FakeClock, living


@pytest.fixture
def views(data: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Views]:
    """Views of a story, with spans so small that it fills some of both levels."""
    monkeypatch.setattr(layout, "SEGMENT", layout.SEGMENT._replace(bits=3))
    monkeypatch.setattr(layout, "SPAN", layout.SPAN._replace(bits=5))
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        for told in fixed_story(120, 1).decisions():
            engine.record(living(told))
    store = DiskStore(data, FOLD, writable=True)
    rebuild(store, FOLD)
    store.refresh()
    assert store.views is not None
    yield store.views
    store.close()


def spans(views: Views) -> list[tuple[layout.Level, int]]:
    position = views.position()
    assert position is not None
    return list(filled(0, position.size))


def test_a_span_comes_to_the_rows_that_lie_there(views: Views) -> None:
    there: dict[str, list[tuple[bytes, bytes]]] = {table: [] for table in layout.TABLES}
    for level, span in spans(views):
        for table, rows in views.span_of_index(level, span).items():
            assert rows == sorted(rows)
            there[table] += rows
    with views._environment.begin() as transaction:
        for table, rows in there.items():
            assert rows
            assert sorted(rows) == list(transaction.cursor(db=views._tables[table]))


def test_another_process_makes_the_same_of_a_span_or_nothing(views: Views) -> None:
    desk = Desk(Opening("", "", "", []))
    own = {(level.bits, span): views.span_of_index(level, span) for level, span in spans(views)}
    views.close()  # LMDB opens nothing twice in one process
    for (bits, span), made in own.items():
        assert span_in(views.folder, bits, span) == made
        assert desk.answer(SpanJob(str(views.folder), bits, span)) == made
    assert span_in(views.folder, 7, 0) is None


def test_a_row_that_is_damaged_is_not_indexed_as_if_it_were_whole(views: Views) -> None:
    every = spans(views)
    with views._environment.begin(write=True) as transaction:
        database = views._tables["messages@1"]
        place, data = next(iter(transaction.cursor(db=database)))
        transaction.put(place, data[:-1] + bytes([data[-1] ^ 1]), db=database)
    with pytest.raises(DamagedViews, match="a row of messages"):
        [views.span_of_index(*each) for each in every]
    desk = Desk(Opening("", "", "", []))
    views.close()
    assert None in [desk.answer(SpanJob(str(views.folder), level.bits, span)) for level, span in every]


def test_what_has_no_words_has_no_postings() -> None:
    postings = Postings()
    for _ in range(2):
        postings.add({})
    assert list(postings.rows(np.arange(2, dtype=np.uint16), np.zeros(2, np.uint8))) == []
    postings.add({b"tea-leaf": 300})
    row = (b"tea-leaf", bytes([MOST_COUNTED, 1]) + (2).to_bytes(2, "little") + bytes([MOST_COUNTED]))
    assert list(postings.rows(np.arange(3, dtype=np.uint16), np.array([0, 0, 1], np.uint8))) == [row]
