"""After an erasure the views are copied without what was destroyed, and are what a rebuild would make."""

import shutil
from collections.abc import Callable
from pathlib import Path

import lmdb
import pytest

from projections.registry import FOLD
from replay.builder import check, rebuild, thin_out
from replay.engine import Engine
from replay.erasure import destroy_keys, erase
from replay.folder import Folder
from replay.position import POSITION, packed_position, unpacked_position
from replay.store import DiskStore
from tests.generator import fixed_story
from tests.replay.stage import ADA, KIM, TABLES, FakeClock, digest, handle_of, says, tell
from tests.world import NOW


def story(engine: Engine) -> None:
    """Ada and Kim talk, and much else happens."""
    for n in range(8):
        engine.record(says(f"m{n}", f"word {n}", (ADA, KIM)[n % 2], said=NOW + n))
    tell(engine, fixed_story(90).decisions())
    engine.commit_views()


def no_rebuild(*_: object) -> None:
    raise AssertionError("built anew")


def test_the_copy_is_what_a_rebuild_makes(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        story(engine)
        with monkeypatch.context() as copying:
            copying.setattr("replay.builder.rebuild", no_rebuild)
            assert erase(engine, handle_of(engine, KIM)) is not None
        copied = digest(engine)
        assert isinstance(engine.store, DiskStore)
        assert check(engine.store, FOLD).equal
        assert rebuild(engine.store, FOLD, digested=True).digest == copied


def test_what_was_recorded_after_the_views_were_last_kept_up_is_in_the_copy(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        story(engine)
        for n in range(8, 12):
            engine.record(says(f"m{n}", f"word {n}", (ADA, KIM)[n % 2], said=NOW + n))
        erase(engine, handle_of(engine, KIM))
        assert isinstance(engine.store, DiskStore)
        assert check(engine.store, FOLD).equal


def test_it_says_how_far_it_is(data: Path) -> None:
    told: list[tuple[int, int]] = []
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        story(engine)
        size = engine.head().size
        assert isinstance(engine.store, DiskStore)
        thin_out(engine.store, FOLD, lambda *each: told.append(each))
    assert told[0][0] > 0
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (size, size)


def current(data: Path) -> Path:
    folder = Folder(data / "views").current()
    assert folder is not None
    return folder


def removed(data: Path) -> None:
    shutil.rmtree(data / "views")


def damaged(data: Path) -> None:
    with lmdb.open(str(current(data)), max_dbs=64) as environment:
        table = environment.open_db(b"messages@1", create=False)
        with environment.begin(write=True, db=table) as transaction:
            cursor = transaction.cursor()
            assert cursor.first()
            transaction.put(cursor.key(), b"not what was written there, and long enough")


def lacking(data: Path) -> None:
    with lmdb.open(str(current(data)), max_dbs=64) as environment:
        table = environment.open_db(b"messages@1", create=False)
        with environment.begin(write=True) as transaction:
            transaction.drop(table)


def of_another_log(data: Path) -> None:
    with lmdb.open(str(current(data)), max_dbs=64) as environment:
        meta = environment.open_db(b"meta", create=False)
        with environment.begin(write=True, db=meta) as transaction:
            position = unpacked_position(transaction.get(POSITION, b""))
            transaction.put(POSITION, packed_position(position._replace(log=b"x" * 16), TABLES))


@pytest.mark.parametrize("harm", [removed, damaged, lacking, of_another_log])
def test_views_that_cannot_be_used_are_built_anew(data: Path, harm: Callable[[Path], None]) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        story(engine)
        destroy_keys(engine, handle_of(engine, KIM))
    harm(data)
    store = DiskStore(data, FOLD, writable=True)
    try:
        thin_out(store, FOLD)
        store.refresh()
        assert check(store, FOLD).equal
    finally:
        store.close()


def test_an_erasure_that_comes_in_between_is_in_it_too(data: Path) -> None:
    told: list[int] = []

    def meanwhile(done: int, _: int) -> None:
        if not told:
            destroy_keys(engine, handle_of(engine, ADA))
        told.append(done)

    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        story(engine)
        destroy_keys(engine, handle_of(engine, KIM))
        assert isinstance(engine.store, DiskStore)
        thin_out(engine.store, FOLD, meanwhile)
        assert told.count(told[0]) > 1  # it began again
        assert check(engine.store, FOLD).equal
