"""What recall and its peers are measured with: the words, peers that are at hand, and dnam as mem0 stands beside it."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import snowballstemmer

from dnam.meaning.embedding import Embedding
from dnam.meaning.encoder import Encoded
from projections.events.upkeep import EncodedKind
from projections.messages import MessageRow
from projections.recall.words import terms_of
from tests.bench import recall_mem0, remembered, understood
from tests.bench.bench import Bench
from tests.bench.measure import Goal
from tests.bench.remembered import DIMENSIONS, GREETING, encoded
from tests.bench.searchers import Bm25s, Fts5, opened
from tests.bench.understood import Hashing, Understood
from tests.bench.watched import watching
from tests.bench.zipf import TERMS, WORDS, Zipf, word


def test_all_words_differ_and_no_stemmer_touches_them() -> None:
    words = [word(number) for number in range(WORDS)]
    assert len(set(words)) == WORDS
    stem = snowballstemmer.stemmer("english").stemWord
    some = words[:500] + words[-500:]
    assert [stem(each) for each in some] == some
    assert len(terms_of(" ".join(some)).counts) == len(some)


def test_the_same_seed_draws_the_same_texts_and_another_one_others() -> None:
    assert list(Zipf(1).texts(20)) == list(Zipf(1).texts(20)) != list(Zipf(2).texts(20))


def test_the_first_word_is_about_twice_as_common_as_the_second() -> None:
    drawn = " ".join(Zipf(1).texts(5_000)).lower().replace(".", "").split()
    assert 1.8 < drawn.count(word(0)) / drawn.count(word(1)) < 2.2


def test_a_query_has_so_many_different_words() -> None:
    assert {len(set(query.split())) for query in Zipf(1).queries(50)} == {TERMS}


def test_fts5_finds_what_has_the_rarest_word_first(tmp_path: Path) -> None:
    searcher = Fts5(tmp_path / "said.sqlite", ["babo dobo.", "babo zuvotu.", "gabo."])
    assert searcher.search("babo zuvotu") == [1, 0]
    assert searcher.bytes() > 0
    searcher.close()


def test_bm25s_finds_what_has_the_rarest_word_first(tmp_path: Path) -> None:
    searcher = Bm25s(tmp_path / "said", [*("babo dobo.",) * 12, "babo zuvotu.", "gabo."])
    assert searcher.search("babo zuvotu")[0] == 12
    assert searcher.bytes() > 0
    searcher.close()


def test_a_peer_that_is_not_installed_is_none() -> None:
    def missing() -> Fts5:
        raise ImportError("no such library")

    assert opened(missing) is None


class _Worker:
    def work(self) -> str:
        return threading.current_thread().name


def test_what_is_watched_is_counted_with_its_threads() -> None:
    with watching(_Worker, "work") as watched:
        thread = threading.Thread(target=_Worker().work, name="views")
        thread.start()
        thread.join()
        assert _Worker().work() in watched.threads
    _Worker().work()
    assert (watched.calls, "views" in watched.threads, watched.seconds > 0) == (2, True, True)


SAID = ("babo dobo gabo", "zuvotu kavo dobo", "moto lafo rufo")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Understood]:
    memory = Understood(tmp_path / "memory")
    yield memory
    memory.close()


class _Counted(Hashing):
    """Whose texts are counted."""

    asked: list[tuple[str, ...]]

    async def encode(self, texts: Sequence[str], kind: EncodedKind = "document") -> Encoded:
        self.asked.append((kind, *texts))
        return await super().encode(texts)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What the encoder of a memory is asked, each time: the kind, and the texts."""
    monkeypatch.setattr(_Counted, "asked", [], raising=False)
    monkeypatch.setattr(understood, "Hashing", _Counted)
    return _Counted.asked


def test_both_sides_have_the_same_vectors() -> None:
    ours = asyncio.run(Hashing().encode(SAID)).vectors
    theirs = remembered._Encoder().embed_batch(SAID)
    assert list(ours) == theirs == [encoded(text) for text in SAID]
    assert {len(vector) for vector in ours} == {DIMENSIONS} == {remembered._Encoder.config.embedding_dims}


def test_what_is_added_has_its_vector_when_the_call_returns(asked: list[tuple[str, ...]], memory: Understood) -> None:
    memory.add(SAID)
    assert (asked, memory.lacking()) == ([("document", GREETING), ("document", *SAID)], [])


def test_at_once_each_has_its_vector_before_the_next_is_heard(asked: list[tuple[str, ...]], memory: Understood) -> None:
    def texts() -> Iterator[str]:
        for text in SAID:
            assert memory.lacking() == []
            yield text

    memory.add(texts(), at_once=True)
    assert asked[1:] == [("document", text) for text in SAID]
    assert memory.lacking() == []


def test_a_query_is_encoded_and_what_is_near_counts(asked: list[tuple[str, ...]], memory: Understood) -> None:
    memory.add(SAID)
    memory.search([SAID[0]], 10)
    assert asked[-1] == ("query", SAID[0])
    found = memory._loop.run(memory.found(SAID[0], 10))
    row = found.said[0].row
    assert isinstance(row, MessageRow)
    assert (row.message.text, found.note) == (SAID[0], "")
    assert "meaning" in {reason.field for reason in found.said[0].reasons}


def test_without_vectors_no_search_is_measured(memory: Understood, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(_: Embedding) -> None:
        """No vector is made."""

    monkeypatch.setattr(Embedding, "catch_up", nothing)
    memory.add(SAID)
    assert sorted(memory.lacking()) == sorted(SAID)  # what is said within one ms has no order of its own
    with pytest.raises(RuntimeError, match="have no vector yet: only words decide"):
        memory.search([SAID[0]], 10)


class _Peer:
    """Remembers when it was asked."""

    def __init__(self, told: list[str]) -> None:
        self.told, self.texts = told, list[str]()

    def add(self, text: str) -> None:
        self.told.append("their add")
        self.texts.append(text)

    def search(self, text: str, most: int) -> int:
        self.told.append("their search")
        return min(most, len(self.texts))

    def close(self) -> None:
        """It has nothing."""


def _few(monkeypatch: pytest.MonkeyPatch, peer: _Peer | None) -> None:
    monkeypatch.setattr(recall_mem0, "TEXTS", 80)
    monkeypatch.setattr(recall_mem0, "QUERIES", 4)
    monkeypatch.setattr(recall_mem0, "open_mem0", lambda _: peer)


def test_the_sides_take_turns_and_what_is_waited_for_has_the_goal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told: list[str] = []
    _few(monkeypatch, _Peer(told))
    add, search = Understood.add, Understood.search

    def added(self: Understood, texts: Sequence[str], *, at_once: bool = False) -> None:
        told.append("at once" if at_once else "behind")
        add(self, texts, at_once=at_once)

    def searched(self: Understood, texts: Sequence[str], most: int) -> None:
        told.append("our search")
        search(self, texts, most)

    monkeypatch.setattr(Understood, "add", added)
    monkeypatch.setattr(Understood, "search", searched)
    rows = list(recall_mem0.beside_mem0(Bench(tmp_path, quick=True, rounds=2)))
    assert [(row.what.rpartition(": ")[2], row.goal) for row in rows] == [
        ("add", Goal("≥", 1)),
        ("add", None),
        ("search", Goal("≥", 1)),
    ]
    assert all(row.ratio is not None and "same encoder" in row.note for row in rows)
    there, turns = ["their add"] * 2, ["behind", "at once"]
    assert told[:3] == ["behind", "behind", "their add"]  # what is said first, before anything is measured
    assert told[3:19] == [*turns, *there, "at once", *there, "behind", "at once", *there, "behind", *there, *turns]
    theirs = ["their search"] * 2
    assert told[-12:] == ["our search", *theirs, *theirs, "our search", *theirs, "our search", "our search", *theirs]


def test_without_mem0_its_rows_are_broken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _few(monkeypatch, None)
    rows = list(recall_mem0.beside_mem0(Bench(tmp_path, quick=True, rounds=2)))
    assert [(row.broken, row.met) for row in rows] == [(f"{remembered.MEM0} is missing", False)] * 3


def test_a_text_without_a_vector_breaks_the_benchmark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _few(monkeypatch, None)
    monkeypatch.setattr(Understood, "lacking", lambda _: ["babo"])
    with pytest.raises(RuntimeError, match="texts without a vector: 1"):
        list(recall_mem0.beside_mem0(Bench(tmp_path, quick=True, rounds=2)))
