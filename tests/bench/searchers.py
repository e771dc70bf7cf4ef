"""Who stands beside recall: `tantivy`, SQLite's FTS5 in a file, and `bm25s` with all of its scores in memory.

Both index the same texts, keep nothing else, and find the ten best by BM25 of any of the words.
"""

import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

TANTIVY = "tantivy"
FTS5 = "SQLite FTS5"
BM25S = "bm25s"
BEST = 10
_HEAP_BYTES = 128 << 20


class Searcher(Protocol):
    """An index that can be asked."""

    def search(self, query: str) -> Sequence[int]:
        """The best texts by their numbers, from 0."""
        ...

    def bytes(self) -> int:
        """What it has on disk."""
        ...

    def close(self) -> None:
        """Let it go."""
        ...


class Tantivy:
    """With its default tokenizer and merges; it keeps frequencies, and no positions."""

    def __init__(self, folder: Path, texts: Iterable[str]) -> None:
        library: Any = import_module("tantivy")
        folder.mkdir()
        builder = library.SchemaBuilder()
        builder.add_unsigned_field("number", stored=True)
        builder.add_text_field("text", index_option="freq")
        self._folder, self._library = folder, library
        self._index = library.Index(builder.build(), path=str(folder))
        self._writer = self._index.writer(_HEAP_BYTES)
        self._count = 0
        for text in texts:
            self._put(text)
        self._writer.commit()
        self._writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()

    def _put(self, text: str) -> None:
        self._writer.add_document(self._library.Document(number=self._count, text=text))
        self._count += 1

    def search(self, query: str) -> Sequence[int]:
        parsed = self._index.parse_query(query, ["text"])
        hits = self._searcher.search(parsed, BEST, count=False).hits
        return [self._searcher.doc(address)["number"][0] for _, address in hits]

    def bytes(self) -> int:
        return sum(each.stat().st_size for each in self._folder.iterdir())

    def close(self) -> None:
        self._searcher = self._writer = None


class Fts5:
    """A table without the texts themselves, merged into one segment."""

    def __init__(self, path: Path, texts: Iterable[str]) -> None:
        self._path = path
        self._connection = sqlite3.connect(path)
        self._connection.execute("CREATE VIRTUAL TABLE said USING fts5(text, content='')")
        self._connection.executemany("INSERT INTO said(rowid, text) VALUES (?, ?)", enumerate(texts, 1))
        self._connection.execute("INSERT INTO said(said) VALUES ('optimize')")
        self._connection.commit()

    def search(self, query: str) -> Sequence[int]:
        words = " OR ".join(f'"{word}"' for word in query.split())
        statement = "SELECT rowid FROM said WHERE said MATCH ? ORDER BY bm25(said) LIMIT ?"
        return [number - 1 for (number,) in self._connection.execute(statement, (words, BEST))]

    def bytes(self) -> int:
        return self._path.stat().st_size

    def close(self) -> None:
        self._connection.close()


class Bm25s:
    """Every score of every word in every text, made beforehand: nothing can be added to it."""

    def __init__(self, folder: Path, texts: Iterable[str]) -> None:
        library: Any = import_module("bm25s")
        self._folder = folder
        self._index = library.BM25()
        self._index.index([_words(text) for text in texts], show_progress=False)
        self._index.save(str(folder))

    def search(self, query: str) -> Sequence[int]:
        found = self._index.retrieve([_words(query)], k=BEST, show_progress=False, return_as="documents")
        return [int(number) for number in found[0]]

    def bytes(self) -> int:
        return sum(each.stat().st_size for each in self._folder.iterdir())

    def close(self) -> None:
        self._index = None


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def opened(made: Callable[[], Searcher]) -> Searcher | None:
    """A searcher; None where its library is not installed."""
    try:
        return made()
    except ImportError:
        return None
