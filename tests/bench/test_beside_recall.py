"""What recall and its peers are measured with: the words, and the peer that every Python has."""

import threading
from pathlib import Path

import snowballstemmer

from projections.recall.words import terms_of
from tests.bench.searchers import Bm25s, Fts5, opened
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
