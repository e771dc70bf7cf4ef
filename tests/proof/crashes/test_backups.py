"""Backups that are whole, and backups that are not: each is found."""

import shutil
from collections.abc import Callable
from pathlib import Path

import lmdb
import msgspec
import pytest

from projections.ids import Seq
from projections.registry import FOLD
from replay import codec
from replay.backups.backup import TakenBack
from replay.backups.ledger import NAME as LEDGER
from replay.backups.manifest import NAME, Manifest, read_manifest, write_manifest
from replay.engine import Engine
from replay.erasure import erase
from replay.folder import Folder
from replay.log import StoredEvent
from replay.store import DiskStore
from tests.proof.crashes.backups import Kept, differing, glanced, read_whole, restored
from tests.proof.crashes.stood import NOTHING, Stood
from tests.replay.keeping import backed_up, flip, pieces, record, redacts, talk
from tests.replay.stage import KIM, handle_of, says


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A memory in which something was taken back, and somebody erased."""
    data = tmp_path / "data"
    talk(data)
    record(data, redacts("m1"))
    with Engine.open(data) as engine:
        erase(engine, handle_of(engine, KIM))
    return data


@pytest.fixture
def place(tmp_path: Path, data: Path) -> Path:
    """A backup of it, which had one run before."""
    place = tmp_path / "usb"
    backed_up(data, place)
    record(data, says("more"))
    backed_up(data, place)
    return place


def stood(data: Path) -> Stood:
    store = DiskStore(data, FOLD, writable=False)
    try:
        return Stood.of(store)
    finally:
        store.close()


def test_a_backup_that_is_whole_is_what_the_log_begins_with(data: Path, place: Path) -> None:
    before = stood(data)
    record(data, says("later"))
    assert glanced(place, data, before) == read_whole(place, data, before) == Kept(before)


def test_where_none_was_ever_made_there_need_be_none(tmp_path: Path, data: Path) -> None:
    assert glanced(tmp_path / "none", data) == Kept(None)
    assert glanced(tmp_path / "none", data, Stood(3, b"")) == Kept(None, ("there is none, and one of 3 events was",))


def changed(place: Path, **fields: object) -> None:
    manifest = read_manifest(place)
    assert isinstance(manifest, Manifest)
    write_manifest(place, msgspec.structs.replace(manifest, **fields))


@pytest.mark.parametrize(
    ("broken", "named"),
    [
        (lambda place: (place / NAME).unlink(), "there is none"),
        (lambda place: flip(place / NAME, 20), NAME),
        (lambda place: flip(pieces(place)[0], 20), "is not what was written"),
        (lambda place: (place / LEDGER).unlink(), "has 0 of"),
        (lambda place: changed(place, facts=1), "1 of them counted"),
        (lambda place: changed(place, root=bytes(32).hex()), "the log does not begin with its"),
        (lambda place: changed(place, pieces=()), "its pieces end at #0"),
    ],
)
def test_a_backup_that_is_not_is_found_at_a_glance(
    data: Path, place: Path, broken: Callable[[Path], None], named: str
) -> None:
    broken(place)
    assert any(named in each for each in glanced(place, data, stood(data)).wrong)


def test_a_backup_that_went_back_is_found(data: Path, place: Path) -> None:
    before = (place / NAME).read_bytes()
    record(data, says("later"))
    backed_up(data, place)
    (place / NAME).write_bytes(before)
    size = stood(data).size
    assert f"and had {size}" in "".join(glanced(place, data, stood(data)).wrong)


def test_a_backup_of_another_log_is_found(tmp_path: Path, place: Path) -> None:
    other = tmp_path / "other"
    talk(other)
    assert "the log does not begin with its" in "".join(glanced(place, other).wrong)


def test_an_event_that_differs_and_words_that_were_taken_back_are_found(data: Path) -> None:
    store = DiskStore(data, FOLD, writable=False)
    try:
        logged = list(store.log.read(0))
    finally:
        store.close()
    first, second, *others = logged
    gone = TakenBack(frozenset({codec.decode_header(second.header).id}), frozenset())
    well = [first, second._replace(body=None), *others]
    assert list(differing(iter(well), iter(logged), gone)) == []
    assert list(differing(iter(logged), iter(logged), gone)) == ["#2 has words that were taken back"]
    for each in (StoredEvent(Seq(1), first.header, b"?"), first._replace(body=None), first._replace(header=b"?")):
        found = list(differing(iter([each, *well[1:]]), iter(logged), gone))
        assert found == ["#1 has other bytes"]


def test_a_memory_that_was_restored_is_the_same(tmp_path: Path, data: Path) -> None:
    fresh = tmp_path / "fresh"
    shutil.copytree(data, fresh)
    assert restored(fresh, data, stood(data)) == Kept(stood(data))
    assert "it has" in "".join(restored(fresh, data, NOTHING).wrong)


def test_a_memory_that_lacks_events_or_rows_was_not(tmp_path: Path, data: Path) -> None:
    fewer, bare = tmp_path / "fewer", tmp_path / "bare"
    for each in (fewer, bare):
        shutil.copytree(data, each)
    folder = Folder(bare / "views").current()
    assert folder is not None
    with lmdb.open(str(folder), max_dbs=99) as environment, environment.begin(write=True) as transaction:
        tables = [name for name, _ in transaction.cursor() if b"messages" in name]
        assert tables
        for name in tables:
            transaction.drop(environment.open_db(name, transaction, create=False), delete=False)
    gone, wrong = restored(bare, data, stood(data)).wrong
    assert (gone.startswith("#0 views: 0 rows of messages@"), wrong) == (True, "its rows are not the log's")
    record(data, says("later"))
    assert "and not the log's" in "".join(restored(fewer, data, stood(data)).wrong)
