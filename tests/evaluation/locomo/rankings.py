"""Who ranks the turns of a conversation for a question. All rank the same turns, and return at most MOST of them."""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from time import perf_counter
from types import MappingProxyType
from typing import Any, NamedTuple

import snowballstemmer

from projections.ids import EventId
from projections.nearness import Nearness
from projections.recall.search import Said, Wanted, nameless, said
from projections.rows import Rows
from tests.evaluation.locomo.measures import MOST, Asked, scores
from tests.evaluation.locomo.remembering import Told, context_of
from tests.evaluation.locomo.talks import Question, Talk, Turn

Ranker = Callable[[int, Question], Sequence[str]]
"""The turns for the question of this number in its conversation, best first, by their ids in the file."""
Named = tuple[str, str]
"""A question by its conversation and its text."""
Progress = Callable[[int], None]
"""Told how many questions were asked so far."""


class Ranking(NamedTuple):
    """What a ranker found: every question that was asked, and the seconds that each took."""

    asked: list[Asked]
    seconds: list[float]


def rank(talks: Sequence[Talk], ranker_for: Callable[[Talk], Ranker], progress: Progress) -> Ranking:
    """Ask every question of every conversation."""
    found = Ranking([], [])
    for talk in talks:
        ranker = ranker_for(talk)
        for number, question in enumerate(talk.questions):
            start = perf_counter()
            ranked = ranker(number, question)
            found.seconds.append(perf_counter() - start)
            found.asked.append(Asked(talk.key, question.category, scores(ranked, question.evidence)))
            progress(len(found.asked))
    return found


def for_encoder(rows: Rows, talks: Sequence[Talk], told: Mapping[str, Told]) -> dict[Named, str]:
    """What an encoder is asked for each question, as the bot asks it."""
    found: dict[Named, str] = {}
    for talk in talks:
        for number, question in enumerate(talk.questions):
            setting, session, _, _ = context_of(rows, talk, told[talk.key], number)
            found[talk.key, question.text] = nameless(rows, setting, session, question.text)
    return found


class Recall:
    """Recall as the bot calls it, with an encoder where there is a `nearness` for the question."""

    def __init__(
        self,
        rows: Rows,
        told: Mapping[str, Told],
        turns: Mapping[EventId, tuple[str, str]],
        nearness: Mapping[Named, Nearness] = MappingProxyType({}),
    ) -> None:
        self._rows, self._told, self._turns, self._nearness = rows, told, turns, nearness

    def hits(self, talk: Talk, number: int, question: Question, most: int) -> list[tuple[str, Said]]:
        """What is found, best first, with the turns' ids in the file. RuntimeError when it finds what the context does
        not open: that is a leak.
        """
        setting, session, at, room = context_of(self._rows, talk, self._told[talk.key], number)
        near = self._nearness.get((talk.key, question.text))
        found = said(self._rows, Wanted(question.text, setting, session, at, room=room, nearness=near), most)
        if any(self._turns[hit.id][0] != talk.key for hit in found):
            raise RuntimeError(f"recall in {talk.key} found what was said elsewhere")
        return [(self._turns[hit.id][1], hit) for hit in found]

    def ranker(self, talk: Talk) -> Ranker:
        """Who ranks a conversation's turns by it."""
        return lambda number, question: [id for id, _ in self.hits(talk, number, question, MOST)]


# -- beside it ---------------------------------------------------------------------------------------------------------

K1, B = 1.5, 0.75
_WORD = re.compile(r"\w+")
_stem = snowballstemmer.stemmer("english").stemWord


def plain_bm25(talk: Talk) -> Ranker:
    """BM25 over single turns and nothing else: the stems of runs of letters, digits and _ in lower case, no stop words,
    with the idf of Lucene, ln(1 + (n - df + 0.5) / (df + 0.5)).
    """
    ids = list(talk.turns)
    documents = [Counter(_words(_line(turn))) for turn in talk.turns.values()]
    lengths = [document.total() for document in documents]
    norms = [K1 * (1 - B + B * length / (sum(lengths) / len(lengths))) for length in lengths]
    having = Counter(word for document in documents for word in document)

    def weight(word: str, at: int) -> float:
        idf = math.log(1 + (len(ids) - having[word] + 0.5) / (having[word] + 0.5))
        return idf * documents[at][word] * (K1 + 1) / (documents[at][word] + norms[at])

    def ranker(_: int, question: Question) -> list[str]:
        words = set(_words(question.text))
        totals = [sum(weight(word, at) for word in words & document.keys()) for at, document in enumerate(documents)]
        best = sorted(range(len(ids)), key=lambda at: (-totals[at], at))
        return [ids[at] for at in best[:MOST] if totals[at] > 0]

    return ranker


def _line(turn: Turn) -> str:
    """A turn with its speaker before it, as a transcript has it: questions name the speakers."""
    return f"{turn.speaker}: {turn.text}"


def _words(text: str) -> list[str]:
    return list(map(_stem, _WORD.findall(text.lower())))


def bm25s(talk: Talk) -> Ranker:
    """The library `bm25s` over the same lines, with its defaults and its English stop words, without stems. ImportError
    where it is not installed.
    """
    library: Any = import_module("bm25s")
    ids = list(talk.turns)
    model = library.BM25()
    model.index(_tokenized(library, [_line(turn) for turn in talk.turns.values()]), show_progress=False)

    def ranker(_: int, question: Question) -> list[str]:
        words = _tokenized(library, [question.text])
        found, totals = model.retrieve(words, k=min(MOST, len(ids)), show_progress=False)
        return [ids[at] for at, total in zip(found[0], totals[0], strict=True) if total > 0]

    return ranker


def _tokenized(library: Any, texts: list[str]) -> Any:
    return library.tokenize(texts, stopwords="en", show_progress=False)
