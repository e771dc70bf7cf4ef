"""Where folding stops: locked vaults, events of a newer program, damaged bodies. The rest is read."""

import shutil
from pathlib import Path

import lmdb
import msgspec
import pytest

from projections.ids import EventId, VaultId
from projections.registry import FOLD
from replay import codec
from replay.builder import check, rebuild
from replay.codec import Header
from replay.engine import Engine
from replay.errors import (
    Damaged,
    KeyMissing,
    UnknownEvent,
)
from replay.folder import Folder
from replay.log import Commit, Entry
from replay.ring.file import FileRingStore
from replay.store import DiskStore
from tests.replay.stage import FakeClock, digest, drafts, log_folder, opened, says, setting
from tests.world import NOW


def keep(data: Path, count: int) -> None:
    """Have so many records of the key ring, and no more."""
    ring = FileRingStore(data / "keys")
    ring.rewrite(ring.read()[:count])
    ring.close()


both = pytest.mark.parametrize("writable", [True, False])


@both
def test_a_locked_vault_stops_folding_and_nothing_is_rebuilt(data: Path, kept: bytes, *, writable: bool) -> None:
    rings = [data / "keys" / name for name in ("ring-a", "ring-b")]
    whole = rings[0].read_bytes()
    keep(data, 2)
    shutil.rmtree(data / "views")
    with opened(data, writable=writable) as engine:
        assert engine.live.freshen().size > engine.live.folded
        assert isinstance(engine.stopped(), KeyMissing)
        if writable:
            with pytest.raises(KeyMissing):
                engine.record(drafts(setting("a")))
    assert Folder(data / "views").current() is None
    for ring in rings:
        ring.write_bytes(whole)
    with opened(data, writable=writable) as engine:
        assert digest(engine) == kept


def test_rows_of_a_locked_vault_stay_in_the_views(data: Path, kept: bytes) -> None:
    keep(data, 1)
    with opened(data, writable=False) as engine:
        assert digest(engine) == kept
        assert isinstance(engine.store, DiskStore)
        with pytest.raises(KeyMissing, match="no erasure destroyed it"):
            check(engine.store, FOLD)
    with opened(data, writable=True) as engine:
        assert isinstance(engine.store, DiskStore)
        with pytest.raises(KeyMissing):
            rebuild(engine.store, FOLD)
        assert digest(engine) == kept
    assert [path.name for path in (data / "views").iterdir() if path.is_dir()] == ["000001"]


def unknown(engine: Engine, tag: str, version: int, left: int = 0) -> None:
    """A newer program records something."""
    log, head = engine.store.log, engine.head()
    event, body = EventId(bytes([head.size]) * 16), codec.encode_body(setting("later"))
    vault = engine.store.ring.labelled_vault("scope global")
    engine.store.ring.flush()
    header = Header(1, event, head.at, left, tag, version, VaultId(vault), codec.digest(body))
    sealed = engine.live.folding.sealer.seal(setting("later"), header._replace(body_digest=b""))
    log.append(Commit([Entry(event, *sealed)], head.at), head)


@both
@pytest.mark.parametrize(("tag", "version"), [("dream.dreamt", 1), ("config.set", 9)])
@pytest.mark.parametrize("views", [True, False])
def test_an_event_of_a_newer_program_stops_folding_there(
    data: Path, kept: bytes, tag: str, version: int, *, views: bool, writable: bool
) -> None:
    with opened(data, writable=True) as engine:
        unknown(engine, tag, version)
        engine.store.log.append(Commit([], NOW + 5), engine.head())
        size = engine.head().size
    if not views:
        shutil.rmtree(data / "views")
    with opened(data, writable=writable) as engine:
        assert digest(engine) == kept
        stopped = engine.stopped()
        assert isinstance(stopped, UnknownEvent)
        assert f"a {tag} of version {version}" in str(stopped)
        assert engine.live.folded == size - 1
        if writable:
            with pytest.raises(UnknownEvent, match="Install the version of dnam that wrote it"):
                engine.record(says("more"))
        assert engine.head().size == size
        assert engine.store.log.get(size) is not None


def test_folding_never_stops_inside_a_decision(data: Path, kept: bytes) -> None:
    with opened(data, writable=True) as engine:
        unknown(engine, "config.set", 1, left=1)
        unknown(engine, "dream.dreamt", 1)
        assert digest(engine) == kept
        assert isinstance(engine.stopped(), UnknownEvent)
        assert engine.live.folded == engine.head().size - 2


def test_a_damaged_body_stops_folding_and_the_rest_is_read(data: Path, kept: bytes) -> None:
    with opened(data, writable=True) as engine:
        engine.record(says("last", said=NOW + 99))
        last = engine.head().size
    with lmdb.open(str(log_folder(data)), max_dbs=9) as environment:
        bodies = environment.open_db(b"bodies")
        with environment.begin(write=True, db=bodies) as transaction:
            transaction.put(last.to_bytes(8, "big"), b"x" * 40)
    shutil.rmtree(data / "views")
    with opened(data, writable=True) as engine:
        assert digest(engine) == kept
        with pytest.raises(Damaged, match=f"event #{last}"):
            engine.record(says("more"))


def test_an_event_that_is_not_there_is_none(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1"))
        folding = engine.live.folding
        assert (folding.record_at(99), folding.sealed_at(99)) == (None, None)
        found = folding.sealed_at(3)
        assert found is not None
        assert found.record == folding.record_at(3)


@both
@pytest.mark.parametrize("form", [("item.shelved", 1), ("message.heard", 99)])
def test_a_log_that_a_newer_program_wrote_to_is_read_and_not_written_to(
    data: Path, kept: bytes, form: tuple[str, int], *, writable: bool
) -> None:
    """Also where its views are those of this one, and hold what it wrote."""
    forms = lmdb_log_forms(data)
    assert forms
    assert codec.unknown_forms(forms) == []
    with lmdb.open(str(log_folder(data)), max_dbs=9) as environment:
        meta, noted = environment.open_db(b"meta"), msgspec.msgpack.encode([*sorted(forms), form])
        with environment.begin(write=True, db=meta) as transaction:
            transaction.put(b"forms", noted)
    with opened(data, writable=writable) as engine:
        stopped = engine.stopped()
        assert isinstance(stopped, UnknownEvent)
        assert f"a {form[0]} of version {form[1]}" in str(stopped)
        assert digest(engine) == kept
        if writable:
            with pytest.raises(UnknownEvent, match="Install the version of dnam that wrote it"):
                engine.record(drafts(setting("a")))


def lmdb_log_forms(data: Path) -> frozenset[tuple[str, int]]:
    with opened(data, writable=False) as engine:
        forms = engine.store.log.forms()
        assert forms == {codec.form_of(each.header) for each in engine.store.log.read(0)}
        return forms
