"""Rewriting the log: the same log in a new folder, and what was dropped is off the disk."""

import os
from pathlib import Path

import lmdb
import pytest

from projections.events import MessageRedacted
from projections.events.values import PLATFORM
from projections.registry import FOLD
from replay.engine import Engine
from replay.erasure import erase
from replay.errors import Damaged
from replay.folding import Folding
from replay.rewriting import BATCH, dropped_at, rewrite
from replay.store import DiskStore
from replay.verify import verify
from tests.generator import fixed_story
from tests.replay.stage import (
    KIM,
    FakeClock,
    child,
    contents,
    digest,
    drafts,
    event_id,
    finished,
    handle_of,
    line,
    log_folder,
    says,
    setting,
    tell,
)
from tests.world import NOW


def disk(engine: Engine) -> DiskStore:
    assert isinstance(engine.store, DiskStore)
    return engine.store


def test_a_rewritten_log_is_the_same_log(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        tell(engine, fixed_story(200).decisions())
        for first in range(0, BATCH + 1000, 1000):
            engine.record(drafts(*(setting(f"{n}") for n in range(first, first + 1000)), name=f"{first}"))
        store = disk(engine)
        before = (engine.head(), store.log.id, list(store.log.read(0)), list(store.log.kept()), digest(engine))
        called: list[tuple[int, int]] = []
        done = rewrite(store, lambda *progress: called.append(progress))
        assert (done.events, done.left_behind) == (engine.head().size, 0)
        assert done.bytes_after <= done.bytes_before
        assert called == [(BATCH, done.events), (done.events, done.events), (done.events, done.events)]
        after = (engine.head(), store.log.id, list(store.log.read(0)), list(store.log.kept()), digest(engine))
        assert after == before
        assert [path.name for path in (data / "log").iterdir() if path.is_dir()] == ["000002"]
        engine.record(says("afterwards"))
        assert verify(store, Folding(FOLD, store), opened=True).problems == ()


def test_an_empty_log_is_rewritten_too(data: Path) -> None:
    with Engine.open(data, create=True) as engine:
        assert rewrite(disk(engine)).events == 0
        engine.record(says("m1"))


@pytest.mark.parametrize("size", [40, 1_000, 9_000])
def test_dropped_bytes_leave_the_disk(data: Path, size: int) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        bodies: list[bytes] = []
        for n in range(6):
            engine.record(drafts(setting("x" * size), name=f"{n}"))
            stored = engine.store.log.get(n + 1)
            assert stored is not None
            assert stored.body is not None
            bodies.append(stored.body[-30:])
        gone = MessageRedacted(said=NOW, by=PLATFORM, events=tuple(event_id(f"{n} 0") for n in (1, 3, 4)))
        engine.record(drafts(gone, name="gone"))
        rewrite(disk(engine))
        expected = digest(engine)
    everything = b"".join(contents(data / "log", skip=lambda path: False).values())
    assert [body in everything for body in bodies] == [True, False, True, False, False, True]
    with Engine.open(data, clock=FakeClock()) as engine:
        assert digest(engine) == expected


def test_readers_and_writers_elsewhere_follow(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1"))
        reader, writer = child("reads", data), child("meets", data, "writer", 3)
        assert line(reader) == line(writer) == "ready"
        assert line(reader, "?") == "1"
        rewrite(disk(engine))
        engine.record(says("m2"))
        assert line(reader, "?") == "2"
        line(writer, "go")
        finished(writer)
        assert line(reader, "?") == "8"
        finished(reader)
        assert engine.record(says("m2")).records == ()
        with engine.reading() as rows:
            assert len(list(rows.raw.scan("messages@1", b"", b"\xff" * 64))) == 8
        assert verify(disk(engine), Folding(FOLD, disk(engine)), opened=True).problems == ()


def test_a_damaged_log_is_not_copied_over(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1"))
    folder = log_folder(data)
    with lmdb.open(str(folder), max_dbs=9) as environment:
        headers = environment.open_db(b"headers")
        with environment.begin(write=True, db=headers) as transaction:
            place = (2).to_bytes(8, "big")
            header = transaction.get(place)
            assert isinstance(header, bytes)
            transaction.put(place, header[:-1] + bytes([header[-1] ^ 1]))
    before = contents(data / "log")
    store = DiskStore(data, FOLD, writable=True)
    with pytest.raises(Damaged, match="it stays as it is"):
        rewrite(store)
    assert [problem.seq for problem in verify(store, Folding(FOLD, store)).problems if problem.seq] == [2, 2]
    store.close()
    assert contents(data / "log") == before


def test_a_copy_that_differs_is_thrown_away(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1"))
        store = disk(engine)

        def progress(done: int, total: int) -> None:
            os.utime(data)
            with store.log._environment.begin(write=True, db=store.log._bodies) as transaction:
                transaction.delete((2).to_bytes(8, "big"))

        with pytest.raises(Damaged, match="the copy differs from the log"):
            rewrite(store, progress)
        assert [path.name for path in (data / "log").iterdir() if path.is_dir()] == ["000001"]


def test_whether_the_log_still_holds_what_was_dropped(data: Path) -> None:
    clock = FakeClock()
    with Engine.open(data, create=True, clock=clock) as engine:
        engine.record(drafts(setting("one"), setting("two"), name="a"))
        engine.record(says("m1", who=KIM))
        assert dropped_at(disk(engine)) is None
        for step in ("redaction", "erasure"):
            clock.go(1_000)
            when = clock.now()
            if step == "redaction":
                gone = MessageRedacted(said=NOW, by=PLATFORM, events=(event_id("a 0"),))
                engine.record(drafts(gone, name="gone"))
            else:
                erase(engine, handle_of(engine, KIM))
            clock.go(1_000)
            engine.record(drafts(setting("three"), name=f"later {step}"))
            assert dropped_at(disk(engine)) == when
            rewrite(disk(engine))
            assert dropped_at(disk(engine)) is None
        assert disk(engine).log.rewritten() == engine.head().size
