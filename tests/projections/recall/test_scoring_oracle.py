"""Scoring against an oracle that counts on its fingers: rank for rank, score for score, reason for reason."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.ids import Handle, Seq
from projections.nearness import Meant
from projections.recall.bm25 import ONE
from projections.recall.corpus import Corpus, corpus_of
from projections.recall.dated import Date
from projections.recall.documents import Document
from projections.recall.opened import Part
from projections.recall.scoring import Question, search
from projections.recall.seeds import Allowed
from projections.recall.standing import TermsIn
from projections.recall.words import word_term
from tests.projections.recall import oracle
from tests.projections.recall.stage import DAY, HOUR, WAYS, bare, message_id, reckon, sealed
from tests.world import handle

T = TypeVar("T")
ADA, KIM = handle("ada"), handle("kim")
TERMS = [word_term(word) for word in ("tea", "garden", "boat", "snow")]
UNITS = [bytes([number]) * 16 for number in range(1, 4)]
NEW_YEAR = 1_704_067_200_000
"""2024-01-01T00:00Z, in ms."""


class Step(NamedTuple):
    """What happens to a corpus: a document comes, or one of those that are there goes, or changes."""

    what: str
    which: int
    document: Document


def texts(document: st.SearchStrategy[Document]) -> st.SearchStrategy[list[Step]]:
    what = st.sampled_from(("come", "come", "come", "come", "go", "change", "return"))
    return st.lists(st.builds(Step, what, st.integers(0, 30), document), min_size=2, max_size=14)


SAID = st.builds(
    lambda day, hour, ms: NEW_YEAR + day * DAY + hour * HOUR + ms,
    st.sampled_from((-365, -31, -1, 0, 0, 1)),
    st.sampled_from((0, 0, 0, 3, 6, 12, 23)),
    st.sampled_from((0, 1, 60_000)),
)
DOCUMENTS = st.builds(
    lambda said, unit, speaker, counts, more, flags: bare(
        1, said, counts, sum(counts.values()) + more, unit=unit, speaker=speaker, flags=flags
    ),
    SAID,
    st.sampled_from(UNITS),
    st.sampled_from((ADA, KIM, Handle(b""))),
    st.dictionaries(st.sampled_from(TERMS), st.sampled_from((1, 1, 2, 3, 300)), max_size=3),
    st.sampled_from((0, 1, 5, 9, 400)),
    st.integers(0, 63),
)
DATES = st.builds(
    Date,
    st.frozensets(st.sampled_from((1, 12)), max_size=2),
    st.frozensets(st.sampled_from((2023, 2024)), max_size=2),
    st.frozensets(st.sampled_from((1, 2, 31)), max_size=2),
)
QUESTIONS = st.builds(
    Question,
    st.dictionaries(st.sampled_from((*TERMS, b"nothere!")), st.sampled_from((ONE, ONE, ONE // 2)), max_size=4),
    st.sampled_from((None, ADA, KIM, handle("nobody"))),
    st.lists(DATES.filter(any), max_size=3).map(tuple),
    st.booleans(),
    st.lists(st.tuples(st.sampled_from((*TERMS, b"nothere!")), st.sampled_from(TERMS)), max_size=2),
)


class History:
    """A corpus that is kept up, and what is alive in it."""

    def __init__(self, corpus: Corpus | None = None, there: Iterable[Document] = ()) -> None:
        self.corpus = corpus or Corpus()
        self.alive: dict[int, Document] = {each.seq: each for each in there}
        self.gone: list[Document] = []
        self.seq = max(self.alive, default=0)

    def take(self, steps: Iterable[Step]) -> "History":
        for what, which, new in steps:
            old = sorted(self.alive.items())[which % len(self.alive)][1] if self.alive else None
            match what:
                case "come":
                    self._add(new)
                case "go" if old is not None:
                    self._remove(old)
                case "change" if old is not None:
                    self._remove(old)
                    self._add(new._replace(id=old.id, said=old.said, unit=old.unit, speaker=old.speaker))
                case "return" if self.gone:
                    back = self.gone.pop()
                    self.corpus.add(back)
                    self.alive[back.seq] = back
                case _:
                    pass
        return self

    def _add(self, new: Document) -> None:
        self.seq += 1
        event = new.id if new.seq > 1 else message_id(str(self.seq))
        made = new._replace(seq=Seq(self.seq), id=event)
        self.corpus.add(made)
        self.alive[made.seq] = made

    def _remove(self, old: Document) -> None:
        self.corpus.remove(old.seq)
        self.gone.append(self.alive.pop(old.seq))

    def part(self, open_units: frozenset[bytes] | None) -> Part:
        units = self.corpus.units.all
        return Part(
            self.corpus, None if open_units is None else np.array([*(each in open_units for each in units), False])
        )

    def open_texts(self, open_units: frozenset[bytes] | None) -> list[oracle.Text]:
        open_ = self.alive.values() if open_units is None else (e for e in self.alive.values() if e.unit in open_units)
        return [text_of(each) for each in open_]


def text_of(document: Document) -> oracle.Text:
    """A document for the oracle: counts and lengths go as far as a byte does."""
    counts = {term: min(count, 255) for term, count in document.terms.counts.items()}
    length = min(document.terms.length, 255)
    return oracle.Text(document.seq, document.unit, document.said, document.speaker, counts, length, document.flags)


def asked_of(question: Question) -> oracle.Asked:
    terms, speaker, dates, asks_when, forms = question
    return oracle.Asked(terms, speaker, [oracle.Date(*each) for each in dates], asks_when, forms)


Result = list[tuple[int, int, Mapping[oracle.Key, int]]]


class Narrowed(NamedTuple):
    """What may be found: not what is hidden, by seq; perhaps only what one person said, or what is in some units."""

    hidden: frozenset[int] = frozenset()
    speaker: Handle | None = None
    units: frozenset[bytes] | None = None

    def allows(self, text: oracle.Text) -> bool:
        theirs = self.speaker is None or text.speaker == self.speaker
        return text.seq not in self.hidden and theirs and (self.units is None or text.unit in self.units)

    def of(self, corpus: Corpus) -> Allowed:
        places = [corpus.place(seq) for seq in sorted(self.hidden)]
        speaker = None if self.speaker is None else corpus.speakers.find(self.speaker)
        units = None if self.units is None else np.array([*(each in self.units for each in corpus.units.all), False])
        return Allowed(corpus, np.array([at for at in places if at >= 0], np.int32), speaker, units)


def found(
    parts: list[Part],
    question: Question,
    most: int,
    facts: Mapping[int, int] = {},
    narrowed: Narrowed | None = None,
    meant: Mapping[int, Meant] = {},
) -> Result:
    """Seqs, scores and reasons; `facts` and what is `meant` by seq."""
    allowed = [] if narrowed is None else [narrowed.of(part.corpus) for part in parts]
    hits = search(TermsIn(parts), question, most, placed(parts, facts), allowed, placed(parts, meant))
    return [(int(parts[each.part].corpus.seqs[each.at]), each.score, each.fields) for each in hits]


def placed(parts: list[Part], by_seq: Mapping[int, T]) -> dict[tuple[int, int], T]:
    """The same by part and place, of what is there."""
    return {
        (number, part.corpus.place(seq)): each
        for number, part in enumerate(parts)
        for seq, each in by_seq.items()
        if part.corpus.place(seq) >= 0
    }


NARROWED = st.builds(
    Narrowed,
    st.frozensets(st.integers(1, 20), max_size=3),
    st.sampled_from((None, None, ADA, handle("nobody"))),
    st.none() | st.none() | st.frozensets(st.sampled_from(UNITS)),
)


@pytest.mark.parametrize("way", WAYS)
@given(
    texts(DOCUMENTS), texts(DOCUMENTS), QUESTIONS, st.none() | st.frozensets(st.sampled_from(UNITS)),
    st.sampled_from((1, 5, 100)), st.sampled_from((1, 2, 64)), st.sampled_from((1, 3, 100)),
    st.dictionaries(st.integers(1, 20), st.integers(0, 9000), max_size=2), st.none() | NARROWED,
    st.dictionaries(st.integers(1, 20), st.builds(Meant, st.integers(1, 50), st.booleans()), max_size=3),
)  # fmt: skip
@settings(max_examples=100)
def test_whatever_came_and_went_a_search_finds_what_counting_finds(
    way: str,
    first: list[Step],
    then: list[Step],
    question: Question,
    open_units: frozenset[bytes] | None,
    most: int,
    seeds: int,
    common: int,
    facts: dict[int, int],
    narrowed: Narrowed | None,
    meant: dict[int, Meant],
) -> None:
    before = History().take(first)
    history = History(Corpus(sealed(before.alive.values())), before.alive.values()).take(then)
    texts = history.open_texts(open_units)
    known = {each.seq: facts[each.seq] for each in texts if each.seq in facts}
    near = {each.seq: meant[each.seq] for each in texts if each.seq in meant}
    with pytest.MonkeyPatch.context() as patched:
        reckon(way, patched, seeds, common)
        result = found([history.part(open_units)], question, most, known, narrowed, near)
    allows, looked_at = (narrowed or Narrowed()).allows, max(most, seeds)
    hits = oracle.search([texts], asked_of(question), most, looked_at, known, allows, common, near)
    assert result == [tuple(hit) for hit in hits]
    assert not history.corpus.scores.any()


@settings(max_examples=25)
@given(texts(DOCUMENTS), QUESTIONS, st.none() | st.frozensets(st.sampled_from(UNITS)))
def test_kept_up_and_built_anew_are_the_same(
    steps: list[Step], question: Question, open_units: frozenset[bytes] | None
) -> None:
    kept_up = History().take(steps)
    anew = History(corpus_of(kept_up.alive.values()), kept_up.alive.values())
    from_disk = History(Corpus(sealed(kept_up.alive.values())), kept_up.alive.values())
    one, *others = (found([each.part(open_units)], question, 100) for each in (kept_up, anew, from_disk))
    assert others == [one, one]


@settings(max_examples=25)
@given(texts(DOCUMENTS), texts(DOCUMENTS), QUESTIONS)
def test_two_zones_are_counted_as_one(one: list[Step], other: list[Step], question: Question) -> None:
    """A unit is of one zone; what is counted is counted of both."""
    first, second = History().take(one), History()
    second.seq = 1000
    second.take(
        each._replace(document=each.document._replace(unit=b"elsewhere " + each.document.unit[:6])) for each in other
    )
    zones = [each.open_texts(None) for each in (first, second)]
    hits = oracle.search(zones, asked_of(question), 100, 64)
    assert found([first.part(None), second.part(None)], question, 100) == [tuple(hit) for hit in hits]
