"""Recording decisions: whose failure is whose, what is written once, and what is acknowledged."""

import fcntl
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lmdb
import msgspec
import pytest

from projections.config import CONFIG
from projections.decisions.draft import MOST_EVENTS, Draft
from projections.errors import BadEvent
from projections.events import ConfigSet, MessageHeard, MessageRedacted, PersonErased
from projections.events.values import OPERATOR, PLATFORM
from projections.fold import Fold, Projection, Record
from projections.ids import Identity
from projections.messages import MESSAGES
from projections.registry import PROJECTIONS
from projections.rows import Rows
from replay import codec, decoded_once
from replay.engine import Engine
from replay.errors import Busy, EventConflict, HeadMoved, LogError, ReadOnly, Refused
from replay.group import Group, Recorded
from replay.jobs import Job, alone, by_future
from replay.live import Tail
from replay.lmdb_log import LmdbLog
from replay.log import Commit, Head, Log, Syncing, untold
from replay.store import MemoryStore
from replay.view_commits import BURST
from replay.writer import MOST_IN_GROUP
from tests.replay.stage import FakeClock, contents, digest, drafts, event_id, says, setting, texts, together
from tests.world import NOW


@pytest.fixture(params=["memory", "disk"])
def engine(request: pytest.FixtureRequest, data: Path) -> Iterator[Engine]:
    memory = request.param == "memory"
    with Engine.in_memory(FakeClock()) if memory else Engine.open(data, create=True, clock=FakeClock()) as made:
        yield made


def shown(engine: Engine) -> list[str]:
    """Every message that there is by the rows."""
    with engine.reading() as rows:
        return sorted(each.row.message.text for each in rows.scan(MESSAGES))


def failing(rows: Rows) -> list[Draft]:
    raise ValueError("this decision is broken")


def outcome(future: "Future[Recorded]") -> str:
    error = future.exception()
    return "ok" if error is None else type(error).__name__


def test_what_is_recorded_can_be_read(engine: Engine) -> None:
    recorded = engine.record(says("m1", "hello"))
    assert [event.TAG for event in recorded.events] == ["person.seen", "place.described", "message.heard"]
    assert [record.seq for record in recorded.records] == [1, 2, 3]
    assert {record.at for record in recorded.records} == {NOW}
    assert texts(engine) == ["hello"]
    assert engine.head().size == 3
    assert engine.stopped() is None


def test_a_moment_inside_a_decision_is_its_end(engine: Engine) -> None:
    engine.record(drafts(setting("calm"), setting("brisk"), name="a"))
    engine.record(drafts(setting("calm"), name="b"))
    assert [engine.settled(seq) for seq in (1, 2, 3)] == [2, 2, 3]


def test_a_value_of_another_type_than_its_field_is_refused_before_it_is_stored(engine: Engine) -> None:
    """Folded as it was handed in it looks well, and read from the log again it ends every fold."""

    def wrong(rows: Rows) -> list[Draft]:
        *before, heard = says("m1", "hello")(rows)
        assert isinstance(heard.event, MessageHeard)
        message = msgspec.structs.replace(heard.event.message, addressed=None)
        return [*before, heard._replace(event=msgspec.structs.replace(heard.event, message=message))]

    with pytest.raises(BadEvent, match=r"message\.heard could not be read again.*`bool`, got `None`"):
        engine.record(wrong)
    assert engine.head().size == 0
    engine.record(says("m1", "hello"))
    assert shown(engine) == ["hello"]


def test_what_is_recorded_at_leisure_is_recorded_in_the_callers_own_thread(engine: Engine) -> None:
    threads: list[int] = []

    def noted(rows: Rows) -> list[Draft]:
        threads.append(threading.get_ident())
        return list(says("m1")(rows))

    engine.record(noted)
    assert threads == [threading.get_ident()]


def test_what_is_recorded_behind_something_queued_comes_after_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    queued = threading.Event()
    enqueue = engine.writer._enqueue

    def slow(rows: Rows) -> list[Draft]:
        assert queued.wait(20)
        return list(says("m1", "first")(rows))

    def tell(job: Job) -> None:
        enqueue(job)
        queued.set()

    first = engine.submit(slow)
    monkeypatch.setattr(engine.writer, "_enqueue", tell)
    second = engine.record(says("m2", "second"))
    assert first.result().records[-1].seq < second.records[0].seq
    assert texts(engine) == ["first", "second"]


def test_whoever_measures_stands_around_every_commit(engine: Engine) -> None:
    sizes: list[int] = []

    @contextmanager
    def timer() -> Iterator[None]:
        sizes.append(engine.store.log.head().size)
        yield
        sizes.append(engine.store.log.head().size)

    engine.timing = timer
    engine.record(says("m1"))
    assert sizes == [0, 3]
    engine.record(says("m1"))  # heard before: there is nothing new in it
    assert sizes[-1] == 3
    assert engine.pending == 0


def test_left_counts_down_within_a_decision(engine: Engine) -> None:
    engine.record(says("m1"))
    engine.record(says("m2"))
    headers = [codec.decode_header(stored.header) for stored in engine.store.log.read(0)]
    assert [header.left for header in headers] == [2, 1, 0, 0]


def test_decided_twice_records_nothing_the_second_time(engine: Engine) -> None:
    engine.record(says("m1", "hello"))
    before = engine.head()
    assert engine.record(says("m1", "hello")).records == ()
    assert engine.record(says("m1", "other words")).records == ()
    assert engine.head() == before


def test_of_a_platform_s_id_the_first_recorded_wins(engine: Engine) -> None:
    def named(value: str, key: str = "1") -> Sequence[Draft]:
        return [Draft(event_id(key), setting(value), natural=True)]

    engine.record(lambda rows: named("first"))
    recorded = engine.record(lambda rows: [*named("second"), *named("other", "2"), *named("again", "2")])
    assert [event.value for event in recorded.events if isinstance(event, ConfigSet)] == ["other"]
    assert engine.head().size == 2


def test_an_id_that_dnam_gave_may_not_come_twice(engine: Engine) -> None:
    engine.record(drafts(setting("a"), name="x"))
    with pytest.raises(EventConflict, match=r"of a config\.set is in the log already"):
        engine.record(drafts(setting("b"), name="x"))
    with pytest.raises(EventConflict):
        engine.record(lambda rows: [Draft(event_id("y"), setting("c"))] * 2)
    assert engine.head().size == 1


def test_no_decision_makes_more_than_a_thousand_events(engine: Engine) -> None:
    many = [setting(str(n)) for n in range(MOST_EVENTS + 1)]
    with pytest.raises(Refused, match="one decision made 1001 events"):
        engine.record(drafts(*many, name="many"))
    assert engine.head().size == 0
    assert len(engine.record(drafts(*many[1:], name="many")).records) == MOST_EVENTS


def test_a_decision_that_raises_fails_its_own_caller_and_nobody_else(engine: Engine) -> None:
    surrogate = drafts(setting("\ud800"))
    futures = together(engine, [says("m1"), failing, says("m2"), surrogate, says("m3")])
    assert list(map(outcome, futures)) == ["ok", "ValueError", "ok", "BadEvent", "ok"]
    assert len(texts(engine)) == 3


def test_a_fold_that_raises_fails_its_own_caller_and_leaves_no_key_behind() -> None:
    def rows(record: Record) -> list[tuple[bytes, ConfigSet | None]]:
        assert isinstance(record.event, ConfigSet)
        if record.event.value == "broken":
            raise ZeroDivisionError
        return []

    fragile = Projection("fragile", 1, ConfigSet, (ConfigSet,), rows, 16)
    with Engine(MemoryStore(), clock=FakeClock(), fold=Fold((*PROJECTIONS, fragile))) as engine:
        futures = together(engine, [drafts(setting("a")), drafts(setting("broken")), drafts(setting("b"))])
        assert list(map(outcome, futures)) == ["ok", "ZeroDivisionError", "ok"]
        assert engine.head().size == 2
        before = set(engine.store.ring.vaults)
        broken = ConfigSet(said=NOW, by=OPERATOR, scope="elsewhere", key="k", value="broken")
        assert list(map(outcome, together(engine, [drafts(broken)]))) == ["ZeroDivisionError"]
        assert set(engine.store.ring.vaults) == before


def test_where_the_log_went_on_behind_a_killed_process_all_is_decided_anew(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LMDB tells its readers of a commit behind the commit itself: only the next writer finds what was in between."""
    append: Any = type(engine.store.log).append
    decided: list[int] = []
    moved = iter([True, True])

    def moved_on(log: Log, commit: Commit, expected: Head, syncing: Syncing = untold) -> Head:
        if next(moved, False):
            raise HeadMoved("another writer appended in between")
        head: Head = append(log, commit, expected, syncing)
        return head

    def counted(rows: Rows) -> Sequence[Draft]:
        decided.append(1)
        return says("once")(rows)

    monkeypatch.setattr(type(engine.store.log), "append", moved_on)
    with pytest.raises(HeadMoved):
        engine.record(says("twice it moved"))
    assert shown(engine) == []
    moved = iter([True])
    outcomes = together(engine, [failing, counted, says("and more")])
    assert [outcome(each) for each in outcomes] == ["ValueError", "ok", "ok"]
    assert (len(shown(engine)), len(decided)) == (2, 2)


def test_each_decision_sees_what_the_ones_before_it_made(engine: Engine) -> None:
    seen: list[str] = []

    def look(rows: Rows) -> list[Draft]:
        identity = Identity("discord", "message", "m1", "heard", NOW)
        seen.append(rows.ids.status(rows.ids.event_id(identity)))
        return []

    together(engine, [look, says("m1"), look, says("m2")])
    assert seen == ["unknown", "known"]
    heads = [codec.decode_header(stored.header).tag for stored in engine.store.log.read(0)]
    assert heads.count("person.seen") == 1


def test_a_group_is_one_commit(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        log = engine.store.log
        assert isinstance(log, LmdbLog)
        before = log._environment.info()["last_txnid"]
        futures = together(engine, [says(f"m{n}", said=NOW + n) for n in range(64)])
        assert all(outcome(future) == "ok" for future in futures)
        assert log._environment.info()["last_txnid"] == before + 1
        assert len(texts(engine)) == 64
        futures = together(engine, [drafts(setting(str(n))) for n in range(MOST_IN_GROUP + 10)])
        assert all(outcome(future) == "ok" for future in futures)
        assert log._environment.info()["last_txnid"] == before + 3


def test_what_was_handed_in_cannot_be_cancelled(engine: Engine) -> None:
    queued: list[Future[Recorded]] = []

    def gives_up(rows: Rows) -> list[Draft]:
        queued.extend(engine.submit(drafts(setting(str(n)))) for n in range(3))
        assert not queued[1].cancel()
        return []

    engine.record(gives_up)
    assert [len(each.result().records) for each in queued] == [1, 1, 1]
    assert engine.head().size == 3


def test_a_courier_is_told_once_for_all_that_a_group_recorded(engine: Engine) -> None:
    told: list[list[tuple[object, str]]] = []
    done = threading.Event()

    def courier(jobs: Sequence[Job]) -> None:
        told.append([(job.ticket, "ok" if job.error is None else str(job.error)) for job in jobs])
        done.set()

    def fails(rows: Rows) -> list[Draft]:
        raise ZeroDivisionError("oh")

    def hands_in(rows: Rows) -> list[Draft]:
        for ticket, decision in enumerate([drafts(setting("a")), fails, drafts(setting("b"))]):
            engine.hand_in(Job(alone(decision), courier, ticket))
        return []

    engine.record(hands_in)
    assert done.wait(20)
    assert told == [[(0, "ok"), (1, "oh"), (2, "ok")]]
    assert engine.head().size == 2


def test_a_look_that_began_meanwhile_holds_up_nobody_who_waits_for_the_disk(engine: Engine) -> None:
    begun, over, seen = threading.Event(), threading.Event(), list[int]()

    def look() -> None:
        with engine.reading() as rows:
            begun.set()
            assert over.wait(20)
            seen.append(len(list(rows.scan(MESSAGES))))

    looking = threading.Thread(target=look)

    def decided(recorded: Recorded) -> None:
        looking.start()
        assert begun.wait(20)

    done: Future[Recorded] = Future()
    engine.hand_in(Job(alone(says("m1", "hello")), by_future, done, decided))
    assert len(done.result(20).records) == 3
    assert looking.is_alive()
    over.set()
    looking.join()
    assert seen == [0]
    assert shown(engine) == ["hello"]
    assert engine.live.folded == engine.head().size


@pytest.mark.parametrize("reads", [False, True], ids=["a look", "whoever follows the log"])
def test_what_is_committed_is_there_once_also_for_who_looks_before_it_is_taken_over(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, reads: bool
) -> None:
    take_over, seen = engine._take_over, list[list[str]]()

    def late(tail: Tail) -> None:
        if reads:
            engine.live.freshen()
        seen.append(shown(engine))
        take_over(tail)

    monkeypatch.setattr(engine, "_take_over", late)
    engine.record(says("m1", "hello"))
    engine.record(says("m2", "number 2"))
    assert seen == ([["hello"], ["hello", "number 2"]] if reads else [[], ["hello"]])
    assert shown(engine) == ["hello", "number 2"]
    assert engine.live.folded == engine.head().size


def test_decisions_that_follow_from_each_other_share_a_commit(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    log = engine.store.log
    commits, seen = list[int](), list[int]()
    append = log.append

    def counted(commit: Commit, expected: Head, syncing: Syncing = untold) -> Head:
        commits.append(len(commit.entries))
        return append(commit, expected, syncing)

    monkeypatch.setattr(log, "append", counted)

    def work(into: Group) -> Recorded:
        for number in range(BURST + 1):
            into.run(drafts(setting(f"s{number}"), name=f"n{number}"))
            seen.append(len(list(into.rows().scan(CONFIG))))
        return Recorded()

    done: Future[Recorded] = Future()
    engine.hand_in(Job(work, by_future, done))
    assert done.result(20) == Recorded()
    assert commits == [BURST + 1]
    assert engine.head().size == BURST + 1
    assert set(seen) == {1}


def test_a_long_row_is_decoded_once_in_a_group_and_few_are_kept(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.record(says("m1", "hello " * 40))
    engine.record(says("m2", "good-bye " * 40))
    same: list[bool] = []

    def reads(rows: Rows) -> list[Draft]:
        first, second = (list(rows.scan(MESSAGES)) for _ in range(2))
        found = rows.find(MESSAGES, first[0].key)
        same.append(found is not None and found.row is first[0].row is second[0].row is rows.get(MESSAGES, found.key))
        return []

    engine.record(reads)
    monkeypatch.setattr(decoded_once, "MOST_KEPT", 1)
    engine.record(reads)
    assert same == [True, False]


def test_where_one_of_them_fails_those_before_it_stay(engine: Engine) -> None:
    def work(into: Group) -> Recorded:
        into.run(drafts(setting("a"), name="a"))
        return into.run(failing)

    broken, other = Future[Recorded](), Future[Recorded]()

    def hands_in(rows: Rows) -> list[Draft]:
        engine.hand_in(Job(work, by_future, broken))
        engine.hand_in(Job(alone(drafts(setting("b"), name="b")), by_future, other))
        return []

    engine.record(hands_in)
    assert (outcome(broken), outcome(other)) == ("ValueError", "ok")
    assert engine.head().size == 2


def test_closing_has_an_end_while_another_process_writes(tmp_path: Path) -> None:
    engine = Engine.open(tmp_path, create=True)
    lock = os.open(tmp_path / "write.lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    future = engine.submit(drafts(setting("a")))
    engine.closing_seconds = 0.0
    with pytest.raises(Busy, match="Not recorded by then: 1 decisions"):
        engine.close()
    os.close(lock)
    engine.closing_seconds = None
    engine.close()
    assert outcome(future) == "ok", "it can be closed again, and has written what was handed in"
    engine.close()


def test_what_was_redacted_in_a_group_is_redacted_for_the_rest_of_it(engine: Engine) -> None:
    seen: list[str] = []
    one = event_id("one 0")
    redaction = MessageRedacted(said=NOW, by=PLATFORM, events=(one, event_id("never heard of")))

    def look(rows: Rows) -> list[Draft]:
        seen.append(rows.ids.status(one))
        return []

    together(engine, [drafts(setting("a"), name="one"), look, drafts(redaction), look])
    engine.record(look)
    assert seen == ["known", "redacted", "redacted"]
    assert [stored.body is None for stored in engine.store.log.read(0)] == [True, False]


def test_an_erasure_ends_its_group(engine: Engine) -> None:
    engine.record(drafts(setting("a"), name="one"))
    vaults = tuple(engine.store.ring.vaults)
    erasure = PersonErased(said=NOW, by=OPERATOR, vaults=vaults, hashes=(), until=NOW)
    futures = together(engine, [drafts(setting("b")), drafts(erasure), drafts(setting("c")), drafts(setting("d"))])
    assert list(map(outcome, futures)) == ["ok"] * 4
    vault = [codec.decode_header(stored.header).vault for stored in engine.store.log.read(0)]
    assert vault[0] == vault[1] == vaults[0]
    assert vault[3] == vault[4] != vaults[0]
    assert set(engine.store.ring.vaults) == {vault[3]}


def test_a_decision_may_not_erase_what_it_records(engine: Engine) -> None:
    engine.record(drafts(setting("a"), name="one"))
    erasure = PersonErased(said=NOW, by=OPERATOR, vaults=tuple(engine.store.ring.vaults), hashes=(), until=NOW)
    with pytest.raises(Refused, match="erases what it records itself"):
        engine.record(drafts(setting("b"), erasure, name="both"))
    assert engine.head().size == 1


def test_a_closed_engine_takes_nothing(engine: Engine) -> None:
    future = engine.submit(drafts(setting("last words")))
    engine.close()
    assert future.result().records
    with pytest.raises(LogError, match="closed"):
        engine.submit(drafts(setting("too late")))
    with pytest.raises(LogError, match="closed"), engine.reading():
        pytest.fail("nothing can be looked at any more")
    engine.close()


@pytest.mark.parametrize("asking", [Engine.head, lambda engine: engine.seq_at(NOW), lambda engine: engine.settled(1)])
def test_a_closed_engine_says_so_of_its_log_too(engine: Engine, asking: Callable[[Engine], object]) -> None:
    engine.close()
    with pytest.raises(LogError, match="this memory is closed"):
        asking(engine)


@pytest.mark.parametrize(("closes", "error"), [(True, LogError), (False, lmdb.Error)])
def test_what_lmdb_says_is_taken_for_closing_only_where_it_was_closed(
    data: Path, monkeypatch: pytest.MonkeyPatch, closes: bool, error: type[Exception]
) -> None:
    with Engine.open(data, create=True) as engine:

        def head() -> Head:
            if closes:
                engine.close()
            raise lmdb.Error("Attempt to operate on closed/deleted/dropped object.")

        monkeypatch.setattr(engine.store.log, "head", head)
        with pytest.raises(error):
            engine.head()
        monkeypatch.undo()


@pytest.mark.parametrize("writable", [True, False])
def test_closing_waits_for_whoever_looks(data: Path, writable: bool) -> None:
    """As a look in a thread, whose task was cancelled: it reads on, and the pages are not taken from under it."""
    with Engine.open(data, create=True) as writer:
        for n in range(20):
            writer.record(says(f"m{n}", said=NOW + n))
    engine = Engine.open(data, writable=writable)
    closing = threading.Thread(target=engine.close)
    with engine.reading() as rows:
        closing.start()
        closing.join(0.2)
        assert closing.is_alive()
        assert sum(1 for _ in rows.scan(MESSAGES)) == 20
    closing.join()
    with pytest.raises(LogError, match="closed"):
        engine.head()


def test_closing_waits_for_what_would_stay_half_done(engine: Engine) -> None:
    closing = threading.Thread(target=engine.close)
    with engine.kept_open():
        closing.start()
        closing.join(0.2)
        assert closing.is_alive()
        assert engine.record(drafts(setting("a"))).records
        with pytest.raises(LogError, match="this memory is closed"), engine.kept_open():
            pytest.fail("something else began")
    closing.join()
    with pytest.raises(LogError, match="this memory is closed"):
        engine.record(drafts(setting("b")))


def test_it_does_not_wait_for_that_for_ever_and_goes_on_as_before(engine: Engine) -> None:
    """An erasure that may no longer begin, while all else is recorded, would be told that the memory is closed."""
    engine.closing_seconds = 0.0
    with engine.kept_open(), pytest.raises(Busy, match="could not be closed within 0 s"):
        engine.close()
    with engine.kept_open():
        assert engine.record(drafts(setting("a"))).records
    engine.close()
    with pytest.raises(LogError, match="this memory is closed"), engine.kept_open():
        pytest.fail("it is closed by now")


def test_what_is_queued_does_not_close_it_by_half_either(tmp_path: Path) -> None:
    engine = Engine.open(tmp_path, create=True)
    lock = os.open(tmp_path / "write.lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    first = engine.submit(drafts(setting("a"), name="first"))
    engine.closing_seconds = 0.0
    with pytest.raises(Busy):
        engine.close()
    second = engine.submit(drafts(setting("b"), name="second"))
    os.close(lock)
    assert (outcome(first), outcome(second)) == ("ok", "ok")
    with engine.kept_open(), engine.reading():
        assert engine.head().size == 2
    engine.close()


def test_nor_does_whoever_records_in_a_thread_of_their_own(tmp_path: Path) -> None:
    engine = Engine.open(tmp_path, create=True)
    begun, go = threading.Event(), threading.Event()

    def waits(_: Rows) -> list[Draft]:
        begun.set()
        go.wait(10)
        return []

    recording = threading.Thread(target=engine.record, args=(waits,))
    recording.start()
    begun.wait(10)
    engine.closing_seconds = 0.0
    with pytest.raises(Busy, match="does another process write to it"):
        engine.close()
    go.set()
    recording.join()
    assert engine.record(drafts(setting("a"))).records
    engine.close()


@pytest.mark.parametrize("writable", [True, False])
def test_who_looks_for_long_is_not_waited_for_any_longer_than_that(data: Path, writable: bool) -> None:
    Engine.open(data, create=True).close()
    engine = Engine.open(data, writable=writable)
    begun, go = threading.Event(), threading.Event()

    def looks() -> None:
        with engine.reading():
            begun.set()
            go.wait(10)

    looking = threading.Thread(target=looks)
    looking.start()
    begun.wait(10)
    engine.closing_seconds = 0.0
    with pytest.raises(Busy, match="does a thread still look at it"):
        engine.close()
    go.set()
    looking.join()
    with engine.reading():
        assert engine.head().size == 0
    engine.close()
    with pytest.raises(LogError, match="closed"), engine.reading():
        pytest.fail("it is closed by now")


def test_of_two_that_close_it_who_gives_up_opens_nothing_for_the_other(engine: Engine) -> None:
    engine.closing_seconds = None
    closing = threading.Thread(target=engine.close)
    with engine.kept_open():
        closing.start()
        closing.join(0.1)
        engine.closing_seconds = 0.0
        with pytest.raises(Busy):
            engine.close()
        with pytest.raises(LogError, match="this memory is closed"), engine.kept_open():
            pytest.fail("something else began")
    closing.join()
    engine.close()


def test_an_engine_for_reading_writes_nothing(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as writer:
        for n in range(20):
            writer.record(says(f"m{n}", said=NOW + n))
        expected = digest(writer)
        with pytest.raises(LogError):
            Engine.open(data, writable=False)
    before = contents(data)
    with Engine.open(data, writable=False) as reader:
        with pytest.raises(ReadOnly, match="for reading only"):
            reader.submit(drafts(setting("a")))
        for _ in range(50):
            assert digest(reader) == expected
            assert len(texts(reader)) == 20
    assert contents(data) == before


def test_opening_fails_cleanly(data: Path) -> None:
    class Broken(FakeClock):
        def now(self) -> int:
            raise OSError("no clock")

    with pytest.raises(OSError, match="no clock"):
        Engine.open(data, create=True, clock=Broken())
    with Engine.open(data, clock=FakeClock()) as engine:
        engine.record(says("m1"))
