"""What is found in a memory on disk is what counting finds in the same rows: rank for rank, score for score, reason for
reason, after any history, before and after the views are built anew, and after they are opened again. So it is with all
that there is, and with the best few where few are looked at.

The oracles (`tests/projections/recall/oracle*`) look at all rows there are, and these are made by the plainest fold of
what the log still holds.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projections import events as e
from projections.events import UNSEALED_TAGS, MessageRedacted
from projections.events.values import PLATFORM
from projections.ids import NOBODY, EventId, Handle, Ref
from projections.places import audience_of
from projections.policies.compartments import Setting
from projections.recall.search import Wanted, said
from projections.recall.seeds import SEEDS
from projections.rows import MemoryRows, Rows, Stored
from replay.engine import Engine
from replay.erasure import erase
from replay.errors import ErasedMeanwhile
from tests.examples import examples
from tests.generator import MAKERS, OFTEN, Step, Story
from tests.laws.teller import NAMES, PRIVATE, PUBLIC, Matter, Teller
from tests.laws.test_rows import opened as opened_at
from tests.laws.test_rows import shared
from tests.projections.recall import oracle_items, oracle_said
from tests.projections.recall.oracle_items import WEEK
from tests.projections.recall.oracle_said import Dated
from tests.projections.recall.oracle_words import words_of
from tests.projections.recall.stage import WAYS, reckon
from tests.projections.recall.test_items_oracle import EVERYTHING, items_agree
from tests.replay.stage import drafts, folded, living, readable
from tests.replay.test_recall_index import commit, rebuilt, small_spans
from tests.world import NOW, handle

LAW = settings(max_examples=examples(20, 200), deadline=None, suppress_health_check=list(HealthCheck))
DAY = 86_400_000
MATTER = Matter(
    texts=(
        "",
        "I like green tea in the garden",
        "Did Frederika plant the garden?",
        "When is the boat race?",
        "We went to Lisbon with Kim last summer",
        "tea, tea and more tea in the snow",
        "ERR_MODULE_NOT_FOUND in app.py, version v1.2",
        "🦊 a fox ran over the snow 🦊🎉",
        "my gardens grow in Valparaíso since 2019",
        "Kim's boat is green. Kim, look!",
        "you and I",
        "So many boats, and so much snow!",
        "the deploy of billing-service broke again " * 60,
    ),
    kinds=("fact", "project", "preference", "guidance", "behavioral"),
    lasting=30 * DAY,
)
ALIKE = Matter(
    texts=(
        "",
        "Marie likes tea with Adams",
        "Mary likes tea with Adam",
        "then Adams left, and Marys came",
        "we saw Paris and Marie's boats",
        "Adam said boats are green",
        "marie bought snow boats for Marier",
        "Johnson, Johns and John met",
        "Johns asked: when does Mary go?",
        "the Johnsons garden with adams, Zoë and Jürgens",
        "Johns_Boat and Marie-Boats 🦊",
    ),
    kinds=("fact", "project", "guidance"),
    lasting=30 * DAY,
)
"""Names of the same stem, and words like them."""
DATES = {
    "": Dated(),
    "in november": Dated(months=frozenset({11}), words=frozenset({"november"})),
    "on the 15th": Dated(days=frozenset({15}), words=frozenset({"15th"})),
    "when?": Dated(),
    "how many?": Dated(),
}
"""What is asked beside words, and what it names of a date."""
CALLED = (*(name for name in NAMES if name[0].isupper()), "someone")
"""The names that are asked for. The oracle reads no language without spaces."""


@pytest.fixture(autouse=True)
def _small_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    small_spans(monkeypatch)


# -- histories ---------------------------------------------------------------------------------------------------------

SAID = (e.MessageHeard,) * 12 + (
    e.MessageEdited,
    e.MessageDeleted,
    e.TurnAnswered,
    e.TurnAnswered,
    e.TurnWithdrawn,
    e.TurnQuieted,
)
KNOWN = (e.ItemUpserted,) * 8 + (e.ItemDeprecated, e.ItemForgotten, e.ItemRestored, e.ItemMoved, e.ItemMerged)
AROUND = (e.MessageRedacted, e.PersonSeen, e.PersonRenamed, e.PlaceDescribed, e.PlaceAudienceChanged)
DESCRIBED = tuple(Step(e.PlaceDescribed, salt) for salt in range(8))
"""With these all places are known."""


@st.composite
def stories(draw: st.DrawFn, matter: Matter, most_events: int = 160) -> Story:
    """Histories in which much is said and much becomes known, of every kind of event there is."""
    kinds = st.sampled_from((*SAID, *SAID, *SAID, *SAID, *KNOWN, *KNOWN, *AROUND, *OFTEN, *MAKERS))
    size = draw(st.integers(40, most_events))
    steps = draw(st.lists(st.builds(Step, kinds, st.integers(0, 255)), min_size=size, max_size=size))
    return Story((*DESCRIBED, *steps), most_events, matter)


def rows_of_log(engine: Engine) -> Rows:
    """Rows in memory, by the plainest fold of every event that can still be read."""
    raw = MemoryRows()
    for table, made in folded(readable(engine.store.log, engine.store)).items():
        for key, (seq, body) in made.items():
            raw.put(table, key, Stored(seq, body))  # type: ignore[arg-type]  # a seq it is
    with engine.reading() as rows:
        return Rows(raw, rows.ids)


# -- questions ---------------------------------------------------------------------------------------------------------


class Asking(NamedTuple):
    """A question: which words of the history it has, and what else; numbers say which of what there is."""

    words: tuple[int, ...]
    name: int
    beside: str
    is_misspelt: bool
    what: int
    narrowed: str
    room: frozenset[int]
    later: int

    def text(self, there: Sequence[str]) -> str:
        """What is asked, of the words that there are."""
        picked = [there[number % len(there)] for number in self.words] if there else []
        if self.is_misspelt:
            wrong = [
                word[:-1] + "z" if number % 2 == 0 else word[1::-1] + word[2:] for number, word in enumerate(picked)
            ]
            picked[:4] = wrong[:4]
        names = [CALLED[self.name]] if self.name >= 0 else []
        return " ".join((*picked, *names, self.beside))

    def wanted(self, rows: Rows, matter: Matter, setting: Setting, session: str) -> Wanted:
        """What is looked for in a setting."""
        there = documents_in_order(rows)
        if self.narrowed == "question":  # it was said just now
            there = list({each.text.unit: each for each in there}.values())
        one = there[self.what % len(there)].id if there else EventId(b"")
        ends = sorted(each.updated for each in oracle_items.every_item(rows)) or [NOW]
        return Wanted(
            self.text(vocabulary(rows, matter)),
            setting,
            session,
            ends[self.what % len(ends)] + self.later,
            without=frozenset({one}) if self.narrowed in ("without", "question") else frozenset(),
            speaker=person(self.what % 5) if self.narrowed == "speaker" else NOBODY,
            place=(PUBLIC, PRIVATE)[self.what % 2] if self.narrowed == "place" else None,
            room=tuple(map(person, sorted(self.room))),
            question=one if self.narrowed == "question" else EventId(b""),
        )


ASKING = st.builds(
    Asking,
    st.lists(st.integers(0, 1000), min_size=1, max_size=5).map(tuple),
    st.integers(-4, len(CALLED) - 1),
    st.sampled_from(tuple(DATES)),
    st.booleans(),
    st.integers(0, 1000),
    st.sampled_from(("", "", "", "without", "speaker", "place", "question")),
    st.frozensets(st.integers(0, 5), max_size=2),
    st.sampled_from((0, 1, DAY, WEEK, WEEK + 1, -WEEK, -WEEK - 1, 31 * DAY)),
)


def documents_in_order(rows: Rows) -> list[oracle_said.Document]:
    """What was said, unit by unit, in the order in which it was said there."""
    return sorted(oracle_said.documents(rows), key=lambda each: (each.text.unit, each.text.said, each.text.seq))


def person(number: int) -> Handle:
    return handle(f"person {number}")


def vocabulary(rows: Rows, matter: Matter) -> list[str]:
    """Words that were said, and some of what is known."""
    known = [each.text for each in oracle_items.every_item(rows)][:2]
    return sorted({word for text in (*known, *matter.texts) for word in words_of(text)} - {"the", "and", "i", "you"})


def contexts(rows: Rows) -> list[tuple[Setting, str]]:
    """Everywhere somebody can be answered, with the session."""
    found = []
    for room in Teller(MAKERS).rooms:
        audience = audience_of(rows, room.place) or room.audience
        guild = None if audience.kind == "direct" else Ref("discord", "710000000000000001")
        found.append((Setting(person(room.people[0]), audience, guild, ("owner",)), room.session))
    return found


# -- the law -----------------------------------------------------------------------------------------------------------

Points = Mapping[tuple[str, bytes], int]


class Cut(NamedTuple):
    """How many are asked for, of how many seeds in each zone, and in which of the WAYS they are reckoned."""

    most: int
    seeds: int
    by: str


class History(NamedTuple):
    """What happens to a memory, and what is asked after every `look` decisions and at the end: all of `asking` there,
    and one of it on the way.
    """

    story: Story
    every: int
    restarts: frozenset[int]
    erasures: Mapping[int, int]
    look: int
    asking: Sequence[Asking]


def histories(matter: Matter, most_events: int = 160) -> st.SearchStrategy[History]:
    """Histories about something, with restarts and erasures."""
    return st.builds(
        History,
        stories(matter, most_events),
        st.integers(1, 64),
        st.frozensets(st.integers(8, 120), max_size=2),
        st.dictionaries(st.integers(8, 120), st.integers(0, 5), max_size=1),
        st.integers(10, 60),
        st.lists(ASKING, min_size=3, max_size=3),
    )


BY = st.sampled_from([each for each in WAYS if each != "loops"])
"""The loops as they are written take too long."""
ALL = st.builds(Cut, st.just(EVERYTHING), st.just(SEEDS), BY)
FEW = st.builds(Cut, st.sampled_from((1, 2, 5)), st.sampled_from((1, 2, 3, 8)), BY)


@LAW
@given(histories(MATTER), ALL, st.data())
def test_whatever_happened_what_is_found_is_what_counting_finds(
    history: History, cut: Cut, data: st.DataObject
) -> None:
    holds(history, cut, data)


@LAW
@given(histories(MATTER, 260), FEW, st.data())
def test_whatever_happened_the_best_few_are_those_that_counting_finds(
    history: History, cut: Cut, data: st.DataObject
) -> None:
    holds(history, cut, data)


@LAW
@given(histories(ALIKE), ALL | FEW, st.data())
def test_whatever_happened_names_are_told_from_others_of_their_stem(
    history: History, cut: Cut, data: st.DataObject
) -> None:
    holds(history, cut, data)


def holds(history: History, cut: Cut, data: st.DataObject) -> None:
    """What is found is what counting finds: while it happens, and at the end however the views came about."""
    with pytest.MonkeyPatch.context() as patched, shared() as path:
        reckon(cut.by, patched, cut.seeds)
        start = 0
        for end in (*sorted(history.restarts), None):
            with opened_at(path, history.every) as engine:
                happens(engine, history, cut, start, end)
                if end is None:
                    ends(engine, history, cut, data)
            start = end or 0
        with opened_at(path, history.every) as engine:
            agree(engine, history, cut)


def happens(engine: Engine, history: History, cut: Cut, start: int, end: int | None) -> None:
    """Some of the decisions, one after the other."""
    for n, told in islice(enumerate(history.story.decisions()), start, end):
        with suppress(ErasedMeanwhile):
            engine.record(living(told))
        if n in history.erasures:
            erase(engine, person(history.erasures[n]))
        if n % history.look == 0:
            agree(engine, history._replace(asking=history.asking[:1]), cut)


def ends(engine: Engine, history: History, cut: Cut, data: st.DataObject) -> None:
    """Some of it is redacted; then all is committed, and the views are built anew."""
    engine.record(drafts(MessageRedacted(said=NOW, by=PLATFORM, events=data.draw(some_events(engine)))))
    agree(engine, history, cut)
    commit(engine)
    agree(engine, history, cut)
    rebuilt(engine)
    agree(engine, history, cut)


def agree(engine: Engine, history: History, cut: Cut) -> None:
    """Whatever is asked wherever, the engine finds what counting finds."""
    plain = rows_of_log(engine)
    with engine.reading() as rows:
        for setting, session in contexts(plain):
            for each in history.asking:
                wanted = each.wanted(plain, history.story.matter, setting, session)
                assert found_said(rows, wanted, cut.most) == counted_said(plain, wanted, DATES[each.beside], cut)
                items_agree(rows, plain, wanted)


def found_said(rows: Rows, wanted: Wanted, most: int) -> list[tuple[int, int, Points]]:
    return [(each.seq, each.score, dict(each.fields)) for each in said(rows, wanted, most)]


def counted_said(plain: Rows, wanted: Wanted, dated: Dated, cut: Cut) -> list[tuple[int, int, Points]]:
    found = oracle_said.search(plain, wanted, dated, cut.most, cut.seeds)
    return [(each.seq, each.score, dict(each.fields)) for each in found]


def some_events(engine: Engine) -> st.SearchStrategy[tuple[EventId, ...]]:
    """Some of what can still be read and may be redacted."""
    there = readable(engine.store.log, engine.store)
    sealed = [record.id for record in there if record.event.TAG not in UNSEALED_TAGS]
    return st.lists(st.sampled_from(sealed), unique=True, max_size=10).map(tuple) if sealed else st.just(())
