"""Views that several programs share: newer and older versions, and commits that come late."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from projections.events import ConfigSet, MessageRedacted
from projections.events.values import PLATFORM
from projections.fold import Fold, Projection, Record
from projections.ids import Seq, VaultId
from projections.messages import MESSAGES
from projections.registry import FOLD, PROJECTIONS
from projections.rows import RawRows
from replay import codec
from replay.builder import bring, check
from replay.engine import Engine
from replay.errors import DamagedViews, NewerViews
from replay.folding import Folding, Tables
from replay.live import Live
from replay.log import StoredEvent
from replay.overlay import Entry
from replay.position import POSITION, Position
from replay.snapshot import LAST_KEY, NoRows
from replay.store import DiskStore
from replay.views import Views, digest_rows
from tests.generator import fixed_story
from tests.replay.stage import TABLES, FakeClock, changed, contents, digest, drafts, event_id, says, setting, tell
from tests.replay.test_recalling import edited
from tests.world import NOW


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
        assert isinstance(engine.store, DiskStore)
        assert any("items@1 is not there" in finding.what for finding in engine.store.findings)
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


def test_a_commit_from_elsewhere_than_where_the_views_are_is_passed_over(data: Path, filled: bytes) -> None:
    with Engine.open(data, clock=FakeClock()) as engine:
        views = engine.store.views
        assert views is not None
        position = views.position()
        assert position is not None
        entry = Entry(Seq(1), b"rubbish", VaultId(b"v" * 16), 1)
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


def test_nor_do_they_where_that_commit_comes_just_before_they_are_looked_at(data: Path) -> None:
    """Who looks has folded everything by then, of a log that lacks the body, above views that do not have its rows."""
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=10_000) as engine:
        engine.record(says("1", "the heron is early"))
        secret = engine.record(says("2", "a secret heron", said=NOW + 1)).records[-1]
        store, views, stored = engine.store, engine.store.views, engine.store.log.get(secret.seq)
        assert isinstance(store, DiskStore)
        assert views is not None
        assert stored is not None
        late = engine.live.overlay.changes(secret.seq), Position(secret.seq, codec.digest(stored.header), store.log.id)
        engine.record(drafts(MessageRedacted(said=NOW, by=PLATFORM, events=(secret.id,))))
        other = Live(store, FOLD)
        other.freshen()
        with other.rows() as rows:
            before = digest_rows(rows.raw, TABLES)
            assert [each.row.message.text for each in rows.scan(MESSAGES)] == ["the heron is early"]
        assert views.commit(*late, since=0)
        with other.rows() as rows:
            assert [each.row.message.text for each in rows.scan(MESSAGES)] == ["the heron is early"]
            assert digest_rows(rows.raw, TABLES) == before == check(store, FOLD).rebuilt


def test_rows_that_are_newer_than_what_was_folded_are_not_hidden_by_older_ones(data: Path) -> None:
    """Another process records, and commits the views, between what is folded and what is looked at."""
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=10_000) as engine:
        heard = engine.record(says("1", "the heron is early")).records[-1]
        store = engine.store
        assert isinstance(store, DiskStore)
        other = Live(store, FOLD)
        other.freshen()
        engine.record(drafts(edited(heard, "the heron is late")))
        engine.commit_views()
        with other.rows() as rows:
            assert [each.row.message.text for each in rows.scan(MESSAGES)] == ["the heron is late"]
            assert digest_rows(rows.raw, TABLES) == check(store, FOLD).rebuilt


def test_a_look_within_a_look_is_of_the_same_moment(data: Path) -> None:
    """The views are committed in the background meanwhile, and somebody else records."""
    with Engine.open(data, create=True, clock=FakeClock(), view_commit_events=10_000) as engine:
        last = engine.record(says("1", "the heron is early")).records[-1]
        store, views, stored = engine.store, engine.store.views, engine.store.log.get(last.seq)
        assert views is not None
        assert stored is not None
        late = engine.live.overlay.changes(last.seq), Position(last.seq, codec.digest(stored.header), store.log.id)
        with engine.reading() as rows:
            before = digest_rows(rows.raw, TABLES)
            assert views.commit(*late, since=0, find=store.log.find)
            with engine.reading() as within:
                assert digest_rows(within.raw, TABLES) == before
            assert digest_rows(rows.raw, TABLES) == before
            assert rows.corpora is not None
        assert digest(engine) == before
        assert engine.live.base == last.seq


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


def test_views_that_went_back_are_told(data: Path, filled: bytes) -> None:
    with Engine.open(data, clock=FakeClock()) as engine:
        assert digest(engine) == filled
        views = engine.store.views
        assert views is not None
        with views._environment.begin(write=True) as transaction:
            transaction.delete(POSITION, db=views._meta)
        with pytest.raises(DamagedViews, match="went back"), engine.live.rows():
            pass
        assert digest(engine) == filled
