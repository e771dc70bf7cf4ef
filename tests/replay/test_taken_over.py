"""Decisions that were recorded elsewhere, taken over many at a time: the same comes of it as of each by itself."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial

import pytest

from projections import events as e
from projections.decisions.draft import Decision, Draft
from projections.decisions.given import Given, lost
from projections.events.values import PLATFORM
from projections.ids import UNSEALED, EventId
from projections.people import NOTES
from projections.policies.compartments import direct, in_guild
from projections.rows import Rows
from replay import opened
from replay.engine import Engine
from replay.errors import LogFull, Refused
from replay.group import Group, Recorded
from replay.jobs import Job, by_future
from replay.known import Ids, Standing
from replay.store import MemoryStore
from tests.replay.stage import FakeClock, digest, drafts, event_id, setting
from tests.replay.test_given import OWN, back, note, ring
from tests.replay.test_widening import ADA, HALL, heard, item, refused
from tests.world import NOW

Taken = Sequence[Sequence[Draft]]
KEPT = Given(NOW, OWN, ring())


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory(FakeClock()) as made:
        yield made


def worked(engine: Engine, work: Callable[[Group], Recorded]) -> None:
    """Have work done in one group; raises what it does."""
    done: Future[Recorded] = Future()
    engine.hand_in(Job(work, by_future, done))
    done.result()


def at_once(engine: Engine, taken: Iterable[Sequence[Draft]]) -> None:
    def work(group: Group) -> Recorded:
        group.take_over(taken)
        return Recorded()

    worked(engine, work)


def one_by_one(engine: Engine, taken: Taken) -> None:
    for each in taken:
        engine.record(partial(as_they_are, each))


def as_they_are(told: Sequence[Draft], _: Rows) -> Sequence[Draft]:
    return told


def gone(name: str, *events: str) -> Draft:
    named = tuple(map(event_id, events))
    return back(name, e.MessageRedacted(said=NOW, by=PLATFORM, events=named), Given(NOW, UNSEALED))


STORY: Taken = [
    [back("one", note(), KEPT), back("two", note(text="likes cake"), KEPT)],
    [back("lost", lost("person.noted", 1), KEPT)],
    [back("three", note(text="likes jam"), KEPT)],
    [gone("why", "three", "lost")],
    [back("one", note(), KEPT), back("four", note(text="likes salt"), KEPT)],
]


def test_it_comes_to_what_each_by_itself_does() -> None:
    with Engine.in_memory(FakeClock()) as all_at_once, Engine.in_memory(FakeClock()) as each_alone:
        at_once(all_at_once, STORY)
        one_by_one(each_alone, STORY)
        for engine in (all_at_once, each_alone):
            assert engine.head().size == 6
            with engine.reading() as rows:
                assert sorted(found.row.note for found in rows.scan(NOTES)) == ["likes cake", "likes salt", "likes tea"]
                status = [rows.ids.status(event_id(each)) for each in ("one", "lost", "three", "five")]
                assert status == ["known", "redacted", "redacted", "unknown"]
        headers = [
            [(each.seq, each.header[:20], each.body is None) for each in engine.store.log.read(0)]
            for engine in (all_at_once, each_alone)
        ]
        assert headers[0] == headers[1]
        assert digest(all_at_once) == digest(each_alone)


def test_once_more_it_comes_to_nothing(engine: Engine) -> None:
    at_once(engine, STORY)
    before = engine.head()
    at_once(engine, STORY)
    assert engine.head() == before


def test_what_cannot_be_taken_over_leaves_nothing_and_what_came_before_it_stays(engine: Engine) -> None:
    clear = Given(NOW, UNSEALED)
    wrong = [back("three", note(text="likes jam"), KEPT), back("clear", note(), clear)]
    with pytest.raises(Refused, match="another kind"):
        at_once(engine, [*STORY[:1], wrong, *STORY[4:]])
    with engine.reading() as rows:
        assert [rows.ids.status(event_id(each)) for each in ("two", "three", "four")] == ["known", "unknown", "unknown"]
        assert sorted(found.row.note for found in rows.scan(NOTES)) == ["likes cake", "likes tea"]


def test_what_is_new_is_not_taken_over(engine: Engine) -> None:
    """It would be looked at by nobody."""
    with pytest.raises(AssertionError, match="looked at"):
        at_once(engine, [[Draft(event_id("new"), note())]])
    assert engine.head().size == 0


def test_a_decision_of_the_same_group_finds_it(engine: Engine) -> None:
    notes: list[int] = []

    def look(rows: Rows) -> list[Draft]:
        notes.append(sum(1 for _ in rows.scan(NOTES)))
        return []

    def work(group: Group) -> Recorded:
        group.take_over(STORY[:1])
        group.run(look)
        group.take_over(STORY[2:3])
        return group.run(look)

    worked(engine, work)
    assert notes == [2, 3]


# -- what a group knows, and hands to the next ---------------------------------------------------------------------


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[EventId]:
    """The ids that are looked up in the log."""
    found: list[EventId] = []
    look_up = Ids._looked_up

    def looked_up(self: Ids, event: EventId) -> Standing | None:
        found.append(event)
        return look_up(self, event)

    monkeypatch.setattr(Ids, "_looked_up", looked_up)
    return found


def resting(name: str) -> Decision:
    """An item that rests on a message of its person's."""
    return drafts(item(direct(ADA), "dm"), name=name)


DM = back("dm 0", heard(), KEPT)


def test_what_was_taken_over_is_neither_looked_up_nor_opened_by_what_rests_on_it(
    engine: Engine, asked: list[EventId], monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once(engine, [[DM]])
    assert asked == [DM.id]
    opened: list[int] = []
    monkeypatch.setattr(engine.live.folding, "record", lambda stored: opened.append(stored.seq))
    engine.record(resting("own"))
    engine.record(resting("another"))
    assert (asked, opened) == ([DM.id, event_id("own 0"), event_id("another 0")], [])


def test_where_somebody_else_wrote_it_is_looked_up_again(engine: Engine, asked: list[EventId]) -> None:
    store = MemoryStore()
    store.ring, store.log = engine.store.ring, engine.store.log
    at_once(engine, [[DM]])
    with Engine(store, clock=FakeClock()) as other:
        other.record(drafts(setting("kind"), name="other"))
    asked.clear()
    engine.record(resting("own"))
    assert DM.id in asked


def test_what_was_taken_back_is_not_known_any_more(engine: Engine) -> None:
    at_once(engine, [[DM]])
    engine.record(resting("own"))
    at_once(engine, [[gone("why", "dm 0")]])
    status: list[str] = []

    def look(rows: Rows) -> list[Draft]:
        status.append(rows.ids.status(DM.id))
        return []

    engine.record(look)
    assert status == ["redacted"]
    engine.record(drafts(item(in_guild(HALL), "dm"), name="wide"))  # its words are gone, and say nothing


def test_what_was_never_recorded_is_not_known(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as full:
        full.setattr(engine.store.log, "append", refused)
        with pytest.raises(LogFull):
            at_once(engine, [[DM]])
    with pytest.raises(Refused, match="a cause that is not in the log"):
        engine.record(resting("own"))
    assert engine.head().size == 0


def test_nor_is_what_a_log_lost_without_a_word(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as lying:
        lying.setattr(engine.store.log, "append", lambda _, expected, __: expected)
        at_once(engine, [[DM]])
    with pytest.raises(Refused, match="a cause that is not in the log"):
        engine.record(resting("own"))


def test_little_is_kept_of_what_was_taken_over(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "MOST_TAKEN", 2)
    monkeypatch.setattr(opened, "MOST_OPENED", 3)
    at_once(engine, [[DM], *([back(f"{number}", note(), KEPT)] for number in range(10))])
    for name in "abcdefgh":
        engine.record(resting(name))
    known = engine._opened
    assert list(known.taken) == [event_id("8"), event_id("9")], "the older half goes"
    assert list(known.events) == [DM.id, event_id("g 0"), event_id("h 0")]
