"""An LMDB file before it is opened: cut short, grown meanwhile, or lawfully shorter than it says."""

import os
from collections.abc import Sequence
from contextlib import nullcontext
from io import FileIO
from pathlib import Path
from types import SimpleNamespace

import lmdb
import pytest

from projections.registry import FOLD
from replay import lmdb_file
from replay.engine import Engine
from replay.errors import DamagedPages, LogFull, NotALog, Truncated
from replay.lmdb_file import LITTLE_ROOM, _check, check_file, refuse_full
from replay.pages import flaws as page_flaws
from replay.pages.fitting import Flaw
from replay.pages.form import PAGE_SIZE
from replay.pages.free import FreePages
from replay.store import DiskStore
from tests.replay.stage import FakeClock, digest, says


def test_a_file_may_lack_pages_that_are_free(folder: Path) -> None:
    """LMDB never writes a page that it took and gave back in one transaction, and counts it all the same."""
    lacking = 0
    with lmdb.open(str(folder), map_size=1 << 30, max_dbs=4) as environment:
        database = environment.open_db(b"bodies")
        for n in range(60):
            with environment.begin(write=True, db=database) as transaction:
                for each in range(n % 7 * 30):
                    transaction.put(f"{n} {each}".encode(), b"x" * 1800)
                transaction.put(b"taken", b"x" * 100_000)
                transaction.delete(b"taken")
                for key in [key for key, _ in transaction.cursor()][:: n % 5 + 1]:
                    transaction.delete(key)
            pages = environment.info()["last_pgno"] + 1
            lacking += (folder / "data.mdb").stat().st_size < pages * 4096
            check_file(folder)
    assert lacking
    path = folder / "data.mdb"
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)
    with pytest.raises(Truncated):
        check_file(folder)


class Growing(FileIO):
    """A file that a writer has grown, and whose first look is of before."""

    looks = 0

    def read(self, size: int | None = -1, /) -> bytes:
        self.looks += 1
        found = super().read(size)
        return found[:136] + (10**6).to_bytes(8, "little") + found[144:] if self.looks <= 2 else found


def test_a_file_that_grows_meanwhile_is_looked_at_again(folder: Path) -> None:
    lmdb.open(str(folder)).close()
    path = folder / "data.mdb"
    with Growing(path) as file:
        _check(path, file)
        assert file.looks >= 4


def test_a_file_that_goes_while_it_is_looked_over_is_not_there(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens it looks which one is in force by then."""
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1"))
    folder, look = data / "log" / "000001", page_flaws.flaws_of

    def goes(path: Path, *_: object) -> Sequence[Flaw]:
        path.unlink()
        return look(path)

    monkeypatch.setattr(lmdb_file, "flaws_of", goes)
    with pytest.raises(NotALog, match=r"has no data\.mdb"):
        check_file(folder)


def test_no_free_pages() -> None:
    with FileIO(os.devnull) as file:
        assert list(FreePages(file, 4096).under((1 << 64) - 1)) == []
        with pytest.raises(EOFError):
            list(FreePages(file, 4096).under(7))


@pytest.fixture
def spoilt(folder: Path) -> Path:
    """A file of which nothing is left behind its two first pages."""
    with lmdb.open(str(folder), max_dbs=4) as environment:
        table = environment.open_db(b"bodies")
        with environment.begin(write=True, db=table) as transaction:
            transaction.put(b"1", b"one")
    path = folder / "data.mdb"
    path.write_bytes(path.read_bytes()[: 2 * PAGE_SIZE].ljust(path.stat().st_size, b"\0"))
    return folder


@pytest.mark.parametrize(
    ("few", "many", "thorough", "is_refused"),
    [
        (1 << 20, 0, False, True),  # small
        (1 << 20, 0, True, True),
        (0, 1 << 20, False, False),  # large
        (0, 1 << 20, True, True),
        (0, 0, True, False),  # larger still
    ],
)
def test_who_looks_over_a_file_of_which_size(
    spoilt: Path, few: int, many: int, *, thorough: bool, is_refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lmdb_file, "MOST_PAGES", few)
    monkeypatch.setattr(lmdb_file, "MOST_PAGES_OF_WRITERS", many)
    with pytest.raises(DamagedPages) if is_refused else nullcontext():
        check_file(spoilt, thorough=thorough)


def test_a_writer_builds_large_views_again_that_are_damaged_and_refuses_such_a_log(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Engine.open(folder, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1"))
        engine.commit_views()
        whole = digest(engine)
    monkeypatch.setattr(lmdb_file, "MOST_PAGES", 0)
    (log,), (views,) = ((folder / name).glob("*/data.mdb") for name in ("log", "views"))
    views.write_bytes(views.read_bytes()[: 2 * PAGE_SIZE].ljust(views.stat().st_size, b"\0"))
    with Engine.open(folder, clock=FakeClock()) as engine:
        assert digest(engine) == whole
        assert engine.live.views() is not None
        store = engine.store
        assert isinstance(store, DiskStore)
        assert [(each.what.startswith("the views cannot be used"), each.mended) for each in store.findings] == [
            (True, True)
        ]
    log.write_bytes(log.read_bytes()[: 2 * PAGE_SIZE].ljust(log.stat().st_size, b"\0"))
    with pytest.raises(DamagedPages):
        Engine.open(folder)


def test_what_a_writer_has_looked_over_is_not_looked_over_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long work opens the log anew many times."""
    with Engine.open(folder, create=True, clock=FakeClock()) as engine:
        engine.record(says("m1"))
    looked: list[Path] = []
    flaws_of = page_flaws.flaws_of

    def looking(path: Path) -> tuple[Flaw, ...]:
        looked.append(path)
        return flaws_of(path)

    monkeypatch.setattr(lmdb_file, "MOST_PAGES", 0)
    monkeypatch.setattr(lmdb_file, "flaws_of", looking)
    store = DiskStore(folder, FOLD, writable=True)
    assert {each.parents[1].name for each in looked} == {"log", "views"}
    looked.clear()
    store.unmap()
    store.close()
    assert looked == []


@pytest.mark.parametrize(
    ("blocks", "room", "is_full"), [(9, 0, True), (9, LITTLE_ROOM - 1, True), (9, LITTLE_ROOM, False), (0, 0, False)]
)
def test_a_disk_is_full_before_it_takes_nothing_at_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch, blocks: int, room: int, is_full: bool
) -> None:
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_blocks=blocks, f_bavail=room, f_frsize=1))
    with pytest.raises(LogFull, match="is full: make room") if is_full else nullcontext():
        refuse_full(folder)


def test_of_a_disk_that_cannot_be_asked_nothing_is_said(folder: Path) -> None:
    refuse_full(folder / "nowhere")
