"""The views: thrown away, ahead, of another log, of another program, damaged; the answers stay the same."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import lmdb
import msgspec
import pytest

from projections.events import ConfigSet, MessageRedacted
from projections.events.values import PLATFORM
from projections.fold import Fold, Projection, Record
from projections.registry import FOLD, PROJECTIONS
from projections.rows import RawRows
from replay import codec
from replay.builder import bring, check, rebuild
from replay.engine import Engine
from replay.errors import DamagedViews, NewerViews
from replay.folder import Folder
from replay.folding import Folding, Tables
from replay.live import Live
from replay.log import StoredEvent
from replay.overlay import Entry
from replay.store import DiskStore
from replay.views import LAST_KEY, NoRows, Position, Views, digest_rows, pack, unpack
from tests.generator import fixed_story
from tests.replay.stage import TABLES, FakeClock, contents, digest, drafts, event_id, says, setting, tell, texts
from tests.world import NOW


@pytest.fixture
def filled(data: Path) -> bytes:
    """The digest of a story that lies in `data`."""
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        tell(engine, fixed_story(60).decisions())
        return digest(engine)


def views_folder(data: Path) -> Path:
    current = Folder(data / "views").current()
    assert current is not None
    return current


def changed(data: Path, table: bytes, key: bytes, value: bytes | None) -> None:
    """Another program writes into the views."""
    with lmdb.open(str(views_folder(data)), max_dbs=64) as environment:
        database = environment.open_db(table)
        with environment.begin(write=True) as transaction:
            if value is None:
                transaction.drop(database)
            else:
                transaction.put(key, value, db=database)


@pytest.mark.parametrize("writable", [True, False])
def test_views_can_be_deleted(data: Path, filled: bytes, *, writable: bool) -> None:
    shutil.rmtree(data / "views")
    with Engine.open(data, writable=writable, clock=FakeClock()) as engine:
        assert digest(engine) == filled
    assert (data / "views").exists() == writable


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


POSITIONS: dict[str, Callable[[Position], Position]] = {
    "ahead of the log": lambda position: position._replace(size=position.size + 1),
    "of another log": lambda position: position._replace(log=b"x" * 16),
    "of another history": lambda position: position._replace(digest=b"x" * 32),
}


@pytest.mark.parametrize("what", POSITIONS)
@pytest.mark.parametrize("writable", [True, False])
def test_views_that_do_not_fit_the_log_are_not_used(data: Path, filled: bytes, what: str, *, writable: bool) -> None:
    with Engine.open(data, writable=False) as engine:
        assert engine.live.freshen().size
        assert engine.store.views is not None
        position = engine.store.views.position()
        assert position is not None
    changed(data, b"meta", b"position", msgspec.msgpack.encode((*POSITIONS[what](position), TABLES)))
    changed(data, b"config@1", b"x" * 32, b"rubbish")
    with Engine.open(data, writable=writable, clock=FakeClock()) as engine:
        assert digest(engine) == filled


@pytest.mark.parametrize("value", [b"\xc1", b"\x94\x01\xc4\x00\xc4\x00\x91\xa1\xff"])
def test_a_position_that_cannot_be_read_is_damage(data: Path, filled: bytes, value: bytes) -> None:
    changed(data, b"meta", b"position", value)
    with pytest.raises(DamagedViews, match="how far the views are"), Engine.open(data, writable=False) as engine:
        digest(engine)


def test_a_damaged_row_is_noticed_when_it_is_read(data: Path, filled: bytes) -> None:
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        key, stored = next(rows.raw.scan("messages@1", b"", LAST_KEY))
    changed(data, b"messages@1", key, pack(key, stored)[:-5] + b"12345")
    with Engine.open(data, writable=False) as engine:
        with engine.reading() as rows, pytest.raises(DamagedViews, match="a row of messages@1 is damaged"):
            rows.raw.get("messages@1", key)
        assert engine.store.views is not None
        assert [each for each in engine.store.views.inspect() if each is not None]
    with Engine.open(data, clock=FakeClock()) as engine:
        assert isinstance(engine.store, DiskStore)
        assert rebuild(engine.store, FOLD).digest == filled
        assert digest(engine) == filled


def test_a_row_in_a_wrong_place_is_noticed() -> None:
    with Engine.in_memory(FakeClock()) as engine:
        engine.record(says("m1"))
        with engine.reading() as rows:
            key, stored = next(rows.raw.scan("messages@1", b"", LAST_KEY))
    assert unpack("messages@1", key, pack(key, stored)) == stored
    with pytest.raises(DamagedViews):
        unpack("messages@1", key[:-1] + b"x", pack(key, stored))


@pytest.mark.parametrize("table", [b"items@9", b"dreams@1"])
def test_a_newer_program_s_views_are_read_and_not_written(data: Path, filled: bytes, table: bytes) -> None:
    changed(data, table, b"key", b"value")
    with Engine.open(data, clock=FakeClock()) as engine:
        assert digest(engine) == filled
        with pytest.raises(NewerViews, match=table.decode()):
            engine.record(drafts(setting("a")))
        assert digest(engine) == filled
    with Engine.open(data, writable=False) as engine:
        assert digest(engine) == filled


def test_a_newer_program_s_views_without_ours_stop_writing_too(data: Path, filled: bytes) -> None:
    changed(data, b"items@9", b"key", b"value")
    changed(data, b"items@1", b"", None)
    before = contents(data / "views")
    with Engine.open(data, clock=FakeClock()) as engine:
        assert digest(engine) == filled
        with pytest.raises(NewerViews):
            engine.record(drafts(setting("a")))
        assert any("items@1 is not there" in finding.what for finding in engine.store.findings)  # type: ignore[union-attr]
    assert contents(data / "views") == before


def test_an_older_program_s_views_are_built_anew(data: Path, filled: bytes) -> None:
    def rows(record: Record) -> list[tuple[bytes, ConfigSet | None]]:
        assert isinstance(record.event, ConfigSet)
        return [(record.id, record.event)]

    newer = Projection("config", 2, ConfigSet, (ConfigSet,), rows, 16)
    fold = Fold((*(each for each in PROJECTIONS if each.name != "config"), newer))
    with Engine(DiskStore(data, fold, writable=True), clock=FakeClock(), fold=fold) as engine:
        engine.record(drafts(setting("a")))
        with engine.reading() as found:
            assert found.raw.get("config@2", event_id(f"{(setting('a'),)!r} 0")) is not None
        assert isinstance(engine.store, DiskStore)
        assert check(engine.store, fold).equal
    with Engine.open(data, clock=FakeClock()) as older, pytest.raises(NewerViews, match="config@2"):
        older.record(drafts(setting("b")))


def test_views_behind_the_log_are_brought_up_when_a_writer_opens(data: Path, filled: bytes) -> None:
    class Killed(Engine):
        def commit_views(self) -> None:
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


def test_a_commit_from_elsewhere_than_where_the_views_are_is_passed_over(data: Path, filled: bytes) -> None:
    with Engine.open(data, clock=FakeClock()) as engine:
        views = engine.store.views
        assert views is not None
        position = views.position()
        assert position is not None
        entry = Entry(1, b"rubbish", b"v" * 16, 1)  # type: ignore[arg-type]
        for since in (position.size - 1, position.size + 1):
            assert not views.commit({"config@1": [(b"k" * 32, entry)]}, Position(since + 9, b"", b""), since=since)
        assert views.position() == position
        assert digest(engine) == filled


def test_rows_of_a_dropped_body_do_not_come_back_with_a_late_view_commit(data: Path) -> None:
    """One process is slow to write its views; meanwhile a body is dropped, and another process starts to fold."""
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=10_000) as engine:
        engine.record(drafts(setting("secret"), name="one"))
        store, views, stored = engine.store, engine.store.views, engine.store.log.get(1)
        assert isinstance(store, DiskStore)
        assert views is not None
        assert stored is not None
        late = engine.live.overlay.changes(1), Position(1, codec.digest(stored.header), store.log.id)
        redaction = MessageRedacted(said=NOW, by=PLATFORM, events=(event_id("one 0"),))
        engine.record(drafts(redaction, name="two"))
        other = Live(store, FOLD)
        other.freshen()
        assert views.commit(*late, since=0)
        other.freshen()
        with other.rows() as rows:
            assert rows.raw.get("config@1", next(iter(late[0]["config@1"]))[0]) is None
            assert digest_rows(rows.raw, TABLES) == check(store, FOLD).rebuilt


class Overtaken(Folding):
    """While it folds, another process comes first; once."""

    meanwhile: Callable[[], None] | None = None

    def take_stored(self, run: Sequence[StoredEvent], tables: Tables, raw: RawRows) -> None:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        super().take_stored(run, tables, raw)


def test_a_build_goes_on_from_where_another_process_brought_the_views(data: Path, folder: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        tell(engine, fixed_story(60).decisions())
        store = engine.store
        assert isinstance(store, DiskStore)
        (folder / "own").mkdir()
        views = Views(folder / "own", FOLD, writable=True, building=True)
        size = engine.head().size
        folding = Overtaken(FOLD, store)
        folding.meanwhile = lambda: bring(views, store, Folding(FOLD, store), size // 2)
        bring(views, store, folding, size)
        with views.reading() as (position, snapshot):
            assert position is not None
            assert position.size == size
            assert digest_rows(snapshot, TABLES) == digest(engine)
        views.close()


def test_no_views_are_empty_views() -> None:
    assert NoRows().get("items@1", b"") is None
    assert list(NoRows().scan("items@1", b"", LAST_KEY)) == []
