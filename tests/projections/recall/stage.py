"""What the tests of recall stand on: documents without rows, and a corpus made of them in one piece."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest

from projections import recall
from projections.ids import NOBODY, EventId, Handle, Seq
from projections.recall import compiled, kernels, reckoners, reckoning, scoring, stacked
from projections.recall.bm25 import ONE
from projections.recall.columns import NO_PEAK, Columns, Peak, Raised, Sealed, short_id
from projections.recall.compiled import CompiledReckoning
from projections.recall.corpus import Corpus, Names, corpus_of
from projections.recall.documents import TABLES, Document, document, flags_of, is_quiet
from projections.recall.fields import COMMON
from projections.recall.reckoning import Reckoning
from projections.recall.scoring import Question
from projections.recall.seeds import SEEDS
from projections.recall.words import MOST_COUNTED, Terms, terms_of, word_term
from projections.rows import MemoryRows, Rows
from tests.world import World, handle

WAYS = ("term by term", "laid together", "loops", "compiled")
"""In which ways recall can reckon; in the third the loops are run as they are written."""
HOUR = 3_600_000
DAY = 24 * HOUR
UNIT, OTHER_UNIT = bytes([1]) * 16, bytes([2]) * 16
ZONE = bytes([9]) * 16


def reckon(by: str, patched: pytest.MonkeyPatch, seeds: int = SEEDS, common: int = COMMON) -> None:
    """Let recall reckon in one of the WAYS, from so many seeds; what stands in more documents than that is common."""
    patched.setattr(scoring, "SEEDS", seeds)
    for module in (reckoning, compiled):
        patched.setattr(module, "COMMON", common)
    patched.setattr(stacked, "MOST", 1 << 16 if by == "laid together" else 0)
    patched.setattr(compiled, "_PRUNED_FROM", 4)
    patched.setattr(compiled, "_FEW", 1)
    patched.setattr(reckoners, "_used", [CompiledReckoning if by in {"loops", "compiled"} else Reckoning])
    if by == "compiled":
        assert kernels.compile_loops(lambda: False)
    if by == "loops":
        for name, made in vars(kernels).items():
            if hasattr(made, "py_func"):
                patched.setattr(kernels, name, made.py_func)


def without_numba(patched: pytest.MonkeyPatch) -> None:
    """As where numba is not installed."""
    patched.setitem(sys.modules, "numba", None)
    for each in (compiled, kernels):
        patched.delitem(sys.modules, each.__name__, raising=False)
        patched.delattr(recall, each.__name__.rpartition(".")[2], raising=False)


def doc(
    text: str, seq: int, said: int = 0, *, unit: bytes = UNIT, speaker: Handle = NOBODY, name: str = ""
) -> Document:
    """A document of a text. `name` names the message; without it, the document is the only one of its message."""
    return Document(Seq(seq), message_id(name or str(seq)), ZONE, unit, said, speaker, terms_of(text), flags_of(text))


def bare(seq: int, said: int, counts: dict[bytes, int], length: int, **fields: Any) -> Document:
    """A document of these terms, whatever text that would be."""
    return doc("", seq, said)._replace(terms=Terms(counts, length), **fields)


def message_id(name: str) -> EventId:
    return EventId(handle(f"message {name}"))


def looks_for(text: str, speaker: Handle | None = None) -> Question:
    """A question of these words and nothing else."""
    return Question({word_term(word): ONE for word in text.split()}, speaker)


def sealed(documents: Iterable[Document]) -> Sealed:
    """Documents as they come from disk: ascending by seq, and never longer than a byte goes."""
    ordered = sorted(documents, key=lambda each: each.seq)
    units, speakers = Names(()), Names(())
    columns = Columns(
        np.array([each.seq for each in ordered], np.int64),
        np.array([short_id(each.id) for each in ordered], np.int64),
        np.array([each.said for each in ordered], np.int64),
        np.array([min(each.terms.length, 255) for each in ordered], np.uint8),
        np.array([each.flags for each in ordered], np.uint8),
        np.array([units.number(each.unit) for each in ordered], np.int32),
        np.array([speakers.number(each.speaker) for each in ordered], np.int32),
    )

    def postings(terms: Sequence[bytes]) -> Raised:
        seqs, often, ends, peaks = list[int](), list[int](), list[int](), list[Peak]()
        for term in terms:
            peak = NO_PEAK
            for each in ordered:
                if term in each.terms.counts:
                    seqs.append(each.seq)
                    often.append(min(each.terms.counts[term], MOST_COUNTED))
                    peak = peak.with_more(often[-1], min(each.terms.length, 255))
            ends.append(len(seqs))
            peaks.append(peak)
        return Raised(np.array(seqs, np.int64), np.array(often, np.uint8), ends, peaks)

    return Sealed(columns, units.all, [Handle(each) for each in speakers.all], postings)


class FakeZones:
    """Corpora as an engine keeps them, made anew of all rows that there are. `turn` is whatever the test says."""

    def __init__(self, documents: Sequence[Document], turn: int = 0) -> None:
        self.turn = turn
        self._documents = documents
        self.made: dict[bytes, Corpus] = {}

    def corpus(self, zone: bytes) -> Corpus:
        if zone not in self.made:
            self.made[zone] = corpus_of(each for each in self._documents if each.zone == zone)
        return self.made[zone]


def kept(world: World) -> Rows:
    """The same rows as a world's, with what was said kept ready."""
    zones = FakeZones(documents_of(world.raw))
    return Rows(world.raw, world.ids, corpora=lambda: zones)


def documents_of(raw: MemoryRows) -> list[Document]:
    """Every document that rows hold, wherever it was said."""
    found = [
        document(table, key, stored)
        for table in TABLES
        for key, stored in raw.scan(table, b"", b"\xff" * 64)
        if not is_quiet(raw, key)
    ]
    return [each for each in found if each is not None]
