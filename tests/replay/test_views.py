"""The views: thrown away, ahead, of another log, of another program, damaged; the answers stay the same."""

import errno
import os
import platform
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import lmdb
import pytest

import replay.view_commits
import replay.views
from dnam.steadiness import give_back
from projections.ids import VaultId
from projections.registry import FOLD
from replay import inspecting, lmdb_file
from replay.builder import check
from replay.engine import Engine
from replay.errors import CannotWrite, DamagedViews, LogFull
from replay.overlay import Entry, Layer, visible
from replay.packing import PackedRows, Segment, pack, unpack
from replay.position import Position
from replay.recall.index import Find
from replay.snapshot import LAST_KEY
from replay.store import DiskStore
from replay.view_commits import BURST
from replay.views import Changes, Views, unhurried
from tests.bench.alone import rss_mb
from tests.replay.stage import FakeClock, contents, digest, drafts, says, setting, texts, together, views_folder


@pytest.mark.parametrize("writable", [True, False])
def test_views_can_be_deleted(data: Path, filled: bytes, *, writable: bool) -> None:
    shutil.rmtree(data / "views")
    with Engine.open(data, writable=writable, clock=FakeClock()) as engine:
        assert digest(engine) == filled
    assert (data / "views").exists() == writable


def test_closing_writes_views_for_no_longer_than_it_may_take_and_the_next_writer_brings_them_up(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m0", "hello"))
    engine = Engine.open(data, clock=FakeClock())
    engine.record(says("m1", "still here"))
    before, engine.closing_seconds = engine.live.base, 0.0
    expected = digest(engine)
    engine.close()
    assert [str(each) for each in engine.view_errors] == [
        "they could not be written within the 0 s in which it was to close"
    ]
    with Engine.open(data, writable=False) as reader:
        assert (views_size(reader), digest(reader)) == (before, expected)
    with Engine.open(data, clock=FakeClock()) as engine:
        assert digest(engine) == expected
    with Engine.open(data, writable=False) as reader:
        assert views_size(reader) == reader.head().size > before


def test_views_that_are_being_written_when_it_closes_are_broken_off_too(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go = threading.Event(), threading.Event()
    put = Views._put

    def waiting(self: Views, *rows: Any) -> None:
        begun.set()
        go.wait(10)
        put(self, *rows)

    engine = Engine.open(data, create=True, clock=FakeClock(), view_commit_events=1)
    before = views_size(engine)
    monkeypatch.setattr(Views, "_put", waiting)
    engine.record(says("m0", "hello"))
    begun.wait(10)
    engine.closing_seconds = 0.0
    threading.Timer(0.2, go.set).start()
    engine.close()
    monkeypatch.undo()
    assert any("in which it was to close" in str(each) for each in engine.view_errors)
    with Engine.open(data, writable=False) as reader:
        assert (views_size(reader), texts(reader)) == (before, ["hello"])


def test_views_deleted_while_somebody_reads_and_writes(data: Path, filled: bytes) -> None:
    with Engine.open(data, clock=FakeClock(), view_commit_events=1) as engine:
        shutil.rmtree(data / "views")
        assert digest(engine) == filled
        engine.record(says("m1", "still here"))
        engine.commit_views()
        assert texts(engine)[-1] == "still here"
        after = digest(engine)
    with Engine.open(data, clock=FakeClock()) as engine:
        assert digest(engine) == after
        assert (data / "views" / "CURRENT").exists()


def test_a_burst_is_recorded_before_the_views_are_kept_up(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=BURST) as engine:
        together(engine, [drafts(setting(str(n), key=f"k{n}"), name=str(n)) for n in range(BURST + 1)])
        assert views_size(engine) == 0
        engine.record(drafts(setting("calm"), name="alone"))
        assert views_size(engine) == BURST + 2


def test_a_long_burst_does_not_leave_the_views_behind_for_ever(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay.view_commits, "BEHIND", BURST + 1)
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=1) as engine:
        together(engine, [drafts(setting(str(n), key=f"k{n}"), name=str(n)) for n in range(BURST + 1)])
        assert views_size(engine) == BURST + 1


def test_views_are_not_committed_once_more_for_what_was_recorded_meanwhile(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, commit = list[bool](), Views.commit

    def noted(self: Views, *given: Any, **named: Any) -> bool:
        written.append(commit(self, *given, **named))
        return written[-1]

    monkeypatch.setattr(Views, "commit", noted)
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=1) as engine:
        written.clear()
        engine.record(says("m1"))
        size = views_size(engine)
        engine.view_commits.keep_up(engine.live, 1)  # as a record does that began before
        assert (views_size(engine), written) == (size, [True])
        engine.record(says("m2"))
        assert views_size(engine) > size
    assert written == [True, True]


def test_views_that_took_much_memory_for_a_commit_give_it_back(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not while somebody reads a moment of them: with the next commit then. Whoever tends the heap is told."""
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=1) as engine:
        opened, told = list[object](), list[str]()
        engine.view_commits.lightened = lambda: told.append(key_of[0])
        key_of = [""]
        views = engine.store.views
        assert views is not None

        def says_and_commits(key: str) -> None:
            key_of[0] = key
            engine.record(says(key))
            assert views_size(engine) == engine.head().size
            opened.append(views._environment._environment)

        says_and_commits("m1")
        says_and_commits("m2")
        monkeypatch.setattr(replay.views, "MOST_ROWS", 1)
        says_and_commits("m3")
        with views.reading() as (_, rows):
            says_and_commits("m4")
            assert (views.is_swollen, len(list(rows.scan("messages@1", b"", LAST_KEY)))) == (True, 3)
        says_and_commits("m5")
        assert not views.is_swollen
        assert [one is other for one, other in pairwise(opened)] == [True, False, True, False]
        assert told == ["m3", "m4", "m5"]
        assert (len(texts(engine)), engine.view_errors) == (5, [])


def test_where_views_cannot_be_opened_anew_they_are_with_the_next_look(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> lmdb.Environment:
        raise OSError(errno.EMFILE, "too many open files")

    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=1) as engine:
        monkeypatch.setattr(replay.views, "MOST_ROWS", 1)
        views = engine.store.views
        assert views is not None
        with monkeypatch.context() as full:
            full.setattr(views._environment, "_opening", refuse)
            engine.record(says("m1"))
            engine.view_commits.settled()
        engine.record(says("m2"))
        assert (views_size(engine), len(texts(engine))) == (engine.head().size, 2)
        assert ["too many open files" in str(each) for each in engine.view_errors] == [True]


def test_views_whose_folder_another_process_removed_are_not_opened_anew(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = Views.commit

    def replaced_behind(self: Views, *given: Any, **named: Any) -> bool:
        done = commit(self, *given, **named)
        subprocess.run([sys.executable, "-m", "dnam", "--data", str(data), "replay"], check=True, capture_output=True)
        return done

    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=1_000) as engine:
        engine.record(says("m1"))
        monkeypatch.setattr(replay.views, "MOST_ROWS", 1)
        views = engine.store.views
        assert views is not None
        with monkeypatch.context() as patched:
            patched.setattr(Views, "commit", replaced_behind)
            engine.commit_views()
        assert not views.folder.exists()
        assert views.is_swollen
        assert (len(texts(engine)), engine.view_errors) == (1, [])


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is told to give it back")
def test_what_lmdb_took_for_pages_is_given_back(tmp_path: Path) -> None:
    views = Views(tmp_path, FOLD, writable=True, building=True)
    rows = PackedRows.of((n.to_bytes(16, "big"), bytes(1_500)) for n in range(10_000))
    views.write({"messages@1": rows}, Position(1, bytes(32), bytes(16)), since=0)
    give_back()
    before = rss_mb()
    views.shrink()
    give_back()
    assert before - rss_mb() > 10
    assert views.sizes()["messages@1"] == len(rows.keys)
    views.close()


def views_size(engine: Engine) -> int:
    """How far the views are, after what is on its way to them."""
    engine.view_commits.settled()
    assert isinstance(engine.store, DiskStore)
    assert engine.store.views is not None
    position = engine.store.views.position()
    return 0 if position is None else position.size


def test_a_row_in_a_wrong_place_is_noticed() -> None:
    with Engine.in_memory(FakeClock()) as engine:
        engine.record(says("m1"))
        with engine.reading() as rows:
            key, stored = next(rows.raw.scan("messages@1", b"", LAST_KEY))
    assert unpack("messages@1", key, pack(key, stored)) == stored
    with pytest.raises(DamagedViews):
        unpack("messages@1", key[:-1] + b"x", pack(key, stored))


def test_a_segment_of_a_rebuild_reads_as_other_layers_do() -> None:
    vault, table = VaultId(b"v" * 16), "items@1"
    segment, layer = Segment([table]), Layer()
    for each in (segment, layer):
        each.write([(table, b"b", b"two"), (table, b"a", b"one"), (table, b"d", b"four")], 7, vault)
        each.write([(table, b"d", None)], 8, vault)
        each.put(table, b"c", Entry(3, b"three", vault, 9))
    for reverse in (False, True):
        found = [
            [(key, visible(entry)) for key, entry in each.entries(table, b"a", b"e", reverse=reverse)]
            for each in (segment, layer)
        ]
        assert found[0] == found[1]
        assert [key for key, _ in found[0]] == sorted((b"a", b"b", b"c", b"d"), reverse=reverse)
    assert segment.get(table, b"e") is None
    gone = segment.get(table, b"d")
    assert gone is not None
    assert gone.body is None


def test_views_behind_the_log_are_brought_up_when_a_writer_opens(data: Path, filled: bytes) -> None:
    class Killed(Engine):
        def commit_views(self, least: int = 1) -> None:
            """It never came to it."""

    with Killed.open(data, clock=FakeClock(), view_commit_events=10_000) as engine:
        before = contents(data / "views")
        for first in range(0, 5_000, 500):
            engine.record(drafts(*(setting(f"{n}", key=f"{n}") for n in range(first, first + 500)), name=f"{first}"))
        expected = digest(engine)
    assert contents(data / "views") == before
    with Engine.open(data, clock=FakeClock()) as engine:
        assert engine.store.views is not None
        position = engine.store.views.position()
        assert position is not None
        assert position.size == engine.head().size
        assert digest(engine) == expected


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize("harm", ["cut short", "gone", "garbage", "a file in its place"])
def test_views_that_cannot_be_opened_are_not_used(data: Path, filled: bytes, harm: str, *, writable: bool) -> None:
    path = views_folder(data) / "data.mdb"
    if harm == "cut short":
        path.write_bytes(path.read_bytes()[:20_000])
    elif harm == "garbage":
        path.write_bytes(b"garbage" * 1000)
    else:
        path.unlink()
    if harm == "a file in its place" and not writable:
        shutil.rmtree(data / "views")
        (data / "views").write_text("in the way")
    with Engine.open(data, writable=writable, clock=FakeClock()) as engine:
        store = engine.store
        assert isinstance(store, DiskStore)
        assert digest(engine) == filled
        found = check(store, FOLD)
        assert found.live == found.rebuilt
        assert found.equal == (not found.unusable) == (writable or harm == "a file in its place")
        if writable:
            assert any("the views cannot be used" in finding.what for finding in store.findings)
            assert store.views is not None


def test_views_that_cannot_be_written_can_wait(data: Path, filled: bytes) -> None:
    class Stuck(Views):
        """A disk that is full where the views are."""

        def commit(
            self,
            changes: Changes,
            position: Position,
            *,
            since: int,
            find: Find | None = None,
            look: Callable[[], object] = unhurried,
        ) -> bool:
            raise LogFull("the disk is full")

    with Engine.open(data, clock=FakeClock(), view_commit_events=1) as engine:
        store = engine.store
        assert isinstance(store, DiskStore)
        assert store.views is not None
        store.views.close()
        store.views = Stuck(views_folder(data), FOLD, writable=True)
        engine.record(drafts(setting("a")))
        engine.record(drafts(setting("b")))
        after = digest(engine)
    assert {type(error) for error in engine.view_errors} == {LogFull}
    with Engine.open(data, clock=FakeClock()) as engine:
        assert digest(engine) == after != filled


def test_views_that_could_not_be_begun_are_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(Views, "_open_tables", refused)
        with pytest.raises(LogFull) as error:
            Views(tmp_path, FOLD, writable=True, building=True)
    Views(tmp_path, FOLD, writable=True, building=True).close()  # while somebody still has the error
    assert error.value.__cause__ is not None


def test_views_that_lmdb_gave_up_just_now_are_opened_anew(
    data: Path, filled: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def given_up() -> None:
        raise lmdb.PanicError("mdb_txn_begin: MDB_PANIC")

    with Engine.open(data, clock=FakeClock()) as engine:
        for act in (lambda: digest(engine), lambda: engine.record(drafts(setting("a")))):
            before = engine.store.views
            assert before is not None
            monkeypatch.setattr(before, "position", given_up)  # in the thread that commits, nobody was told yet
            act()
            assert engine.store.views is not before
        engine.record(drafts(setting("b")))
        assert digest(engine) != filled
        assert engine.view_errors == []


def test_views_that_lmdb_gives_up_while_they_are_read_are_told_of_in_our_words(
    data: Path, filled: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    class GivenUpNow:
        def begun(self) -> None:
            raise lmdb.PanicError("mdb_txn_begin: MDB_PANIC")

    with Engine.open(data, clock=FakeClock()) as engine:
        before, after = digest(engine), engine.store.views
        assert isinstance(after, Views)
        stands = after.position()
        with monkeypatch.context() as patched:
            patched.setattr(after, "position", lambda: stands)  # they were well when they were looked at
            patched.setattr(after, "_environment", GivenUpNow())
            with pytest.raises(CannotWrite, match="it goes on once the disk takes writes again"):
                digest(engine)
            assert after.folder in lmdb_file.REFUSED  # so the next one looks whether they are dead
        assert digest(engine) == before == filled
        assert after.folder not in lmdb_file.REFUSED


@pytest.mark.parametrize(("size", "count"), [(200_000, 40), (40, 2_000), (3_000, 512), (1_100_000, 3)])
def test_rows_are_looked_at_by_the_megabyte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, count: int
) -> None:
    """A table of the search index has rows of a megabyte: hundreds of them at once would fill the memory."""
    held: list[int] = []
    summed = inspecting.summed

    def weighed(rows: list[tuple[bytes, bytes]]) -> int:
        held.append(sum(len(data) for _, data in rows))
        return summed(rows)

    monkeypatch.setattr(inspecting, "summed", weighed)
    with lmdb.open(str(tmp_path), max_dbs=1, map_size=1 << 26) as environment:
        table = environment.open_db(b"large")
        with environment.begin(write=True, db=table) as transaction:
            for number in range(count):
                transaction.put(number.to_bytes(4, "big"), bytes(size))
        with environment.begin() as transaction:
            found = inspecting.inspect_table(transaction, "large", table)
    assert (found.rows, len(found.damage), sum(held)) == (count, count, size * count)
    assert max(held) < (1 << 20) + size
    assert len(held) <= max(4, (2 * size * count >> 20) + 1)
