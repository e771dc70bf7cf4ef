"""Opening: what lies there, what is missing, and who mends it."""

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from stat import S_ISDIR

import lmdb
import msgspec
import pytest

from projections.registry import FOLD
from replay.engine import Engine
from replay.errors import (
    CannotWrite,
    Damaged,
    InUse,
    LogError,
    NewerLog,
    NotALog,
    NothingHere,
    ReadOnly,
    Truncated,
)
from replay.folder import BUILDING, Folder, Stamp
from replay.lmdb_file import open_environment
from replay.log import FORMAT
from replay.store import DiskStore
from tests.replay.mounting import mounting
from tests.replay.stage import ROOT, contents, digest, log_folder, opened, says

both = pytest.mark.parametrize("writable", [True, False])


def test_an_empty_folder_has_no_log_and_only_a_writer_makes_one(data: Path) -> None:
    data.mkdir()
    for path in (data, data / "elsewhere"):
        with pytest.raises(NothingHere, match="there is no log in"):
            Engine.open(path, writable=False)
        with pytest.raises(NothingHere):
            Engine.open(path)
    assert list(data.iterdir()) == []
    with opened(data, writable=True) as engine:
        engine.record(says("m1"))
    assert sorted(path.name for path in data.iterdir()) == ["keys", "log", "views", "write.lock"]


def test_a_folder_of_dnam_s_own_is_private(data: Path, kept: bytes) -> None:
    for path in [data, *data.rglob("*")]:
        if path.name not in ("data.mdb", "lock.mdb", "write.lock"):
            assert path.stat().st_mode & 0o077 == 0, path


@both
def test_a_file_is_no_folder(data: Path, *, writable: bool) -> None:
    data.write_text("my diary")
    with pytest.raises(NotALog, match="is a file"):
        opened(data, writable=writable)
    assert data.read_text() == "my diary"


@both
@pytest.mark.parametrize("place", ["log", "keys"])
@pytest.mark.parametrize("is_link", [True, False])
def test_a_file_in_place_of_the_log_or_the_keys_is_told_and_nothing_is_made(
    data: Path, place: str, *, is_link: bool, writable: bool
) -> None:
    data.mkdir()
    if is_link:
        (data / place).symlink_to(data / "nowhere")
    else:
        (data / place).write_text("mine")
    with pytest.raises(NotALog, match=f"{place} is a file, and dnam keeps a folder there: move it away"):
        opened(data, writable=writable)
    assert [each.name for each in data.iterdir()] == [place]


def test_a_file_in_place_of_the_views_lets_no_log_be_begun(data: Path) -> None:
    data.mkdir()
    (data / "views").write_text("mine")
    with pytest.raises(NotALog, match="views is a file, and dnam keeps a folder there"):
        opened(data, writable=True)
    assert [each.name for each in data.iterdir()] == ["views"]


@both
@pytest.mark.parametrize("inside", [".", "log", "log/000001"])
def test_another_program_s_database_is_left_alone(data: Path, inside: str, *, writable: bool) -> None:
    (data / inside).mkdir(parents=True)
    with lmdb.open(str(data / inside)) as environment, environment.begin(write=True) as transaction:
        transaction.put(b"their", b"own")
    before = contents(data)
    with pytest.raises(NotALog):
        opened(data, writable=writable)
    assert contents(data) == before


@both
def test_another_program_s_database_under_our_names_is_left_alone(data: Path, kept: bytes, *, writable: bool) -> None:
    folder = log_folder(data)
    shutil.rmtree(folder)
    folder.mkdir()
    with lmdb.open(str(folder), max_dbs=9) as environment, environment.begin(write=True) as transaction:
        transaction.put(b"their", b"own")
    before = contents(data / "log")
    with pytest.raises(NotALog, match="is an LMDB folder, but no log of dnam"):
        opened(data, writable=writable)
    assert contents(data / "log") == before


@both
def test_a_log_folder_that_is_gone_is_not_made_anew(data: Path, kept: bytes, *, writable: bool) -> None:
    shutil.rmtree(log_folder(data))
    with pytest.raises(NotALog, match=r"has no data\.mdb"):
        opened(data, writable=writable)
    assert not log_folder(data).exists()


def meta(data: Path, value: bytes | None) -> None:
    with lmdb.open(str(log_folder(data)), max_dbs=9) as environment:
        database = environment.open_db(b"meta")
        with environment.begin(write=True, db=database) as transaction:
            transaction.delete(b"log") if value is None else transaction.put(b"log", value)


@both
@pytest.mark.parametrize("value", [(FORMAT + 1, "all", "new"), (FORMAT + 7, b"i" * 16, b"c" * 16, 0, 0, 0, ())])
def test_a_newer_format_is_not_opened(data: Path, kept: bytes, value: object, *, writable: bool) -> None:
    meta(data, msgspec.msgpack.encode(value))
    with pytest.raises(NewerLog, match="Install the version of dnam that wrote it"):
        opened(data, writable=writable)


@both
@pytest.mark.parametrize("value", [b"\xc1", b"", b"\x90", b"\x01", msgspec.msgpack.encode((FORMAT, 1)), b"\x91\xa1x"])
def test_a_log_whose_own_record_is_broken_is_damaged(data: Path, kept: bytes, value: bytes, *, writable: bool) -> None:
    meta(data, value)
    with pytest.raises(Damaged, match="the log's own record cannot be read"):
        opened(data, writable=writable)


def test_a_log_without_its_own_record_is_none(data: Path, kept: bytes) -> None:
    meta(data, None)
    with pytest.raises(NotALog):
        opened(data, writable=True)


@both
@pytest.mark.parametrize("share", [0.05, 0.1, 0.3, 0.5])
def test_a_truncated_log_is_noticed_before_it_is_mapped(
    data: Path, kept: bytes, share: float, *, writable: bool
) -> None:
    path = log_folder(data) / "data.mdb"
    os.truncate(path, max(int(path.stat().st_size * share), 2 * 4096 + 100))
    with pytest.raises(Truncated, match="it was cut short"):
        opened(data, writable=writable)


@both
@pytest.mark.parametrize("garbage", [b"", b"x", b"\0" * 4096, b"garbage" * 9999, None, "a folder"])
def test_garbage_in_place_of_the_log(data: Path, kept: bytes, garbage: bytes | str | None, *, writable: bool) -> None:
    path = log_folder(data) / "data.mdb"
    path.unlink()
    if isinstance(garbage, bytes):
        path.write_bytes(garbage)
    elif garbage is not None:
        path.mkdir()
    with pytest.raises(NotALog):
        opened(data, writable=writable)


READ_ONLY = """
import subprocess, sys
from pathlib import Path
path = Path(sys.argv[1])
for mount in (["--bind", path, path], ["-o", "remount,ro,bind", path]):
    if subprocess.run(["mount", *mount]).returncode:
        sys.exit(77)
from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.errors import ReadOnly
from tests.replay.stage import digest
for create in (False, True):
    try:
        Engine.open(path, create=create)
        sys.exit(3)
    except ReadOnly as error:
        print("refused", error)
try:
    Engine.open(path / "inside", create=True)
    sys.exit(4)
except ReadOnly as error:
    print("refused", error)
with Engine.open(path, writable=False) as engine:
    print(digest(engine).hex(), check(engine.store, FOLD).rebuilt.hex())
"""


def test_a_read_only_disk_can_be_read(data: Path, kept: bytes) -> None:
    before = contents(data)
    told = mounting(READ_ONLY, data)
    said = told.split("\n")
    assert all(each.startswith("refused") and "cannot be written to" in each for each in said[:3])
    assert said[3] == f"{kept.hex()} {kept.hex()}"
    assert contents(data) == before


def test_read_only_and_full_are_ways_of_not_writing() -> None:
    assert issubclass(ReadOnly, CannotWrite)
    assert issubclass(CannotWrite, LogError)


def test_two_that_make_the_same_folder_make_one_log(data: Path) -> None:
    class Late(DiskStore):
        """Somebody else makes the log between the look and the lock."""

        def _create(self) -> None:
            with opened(self.path, writable=True) as first:
                first.record(says("m1"))
            super()._create()

    store = Late(data, FOLD, writable=True, create=True)
    assert store.log.head().size == 3
    store.close()


def test_views_whose_current_is_garbage_are_as_good_as_none(data: Path, kept: bytes) -> None:
    (data / "views").mkdir(exist_ok=True)
    (data / "views" / "CURRENT").write_bytes(b"\xff\0")
    with opened(data, writable=False) as engine:
        assert digest(engine) == kept
        store = engine.store
        assert isinstance(store, DiskStore)
        assert "cannot be used" in store.findings[0].what


def test_views_of_another_program_are_built_anew_by_whoever_writes(data: Path, kept: bytes) -> None:
    current = Folder(data / "views").current()
    assert current is not None
    shutil.rmtree(current)
    current.mkdir()
    with lmdb.open(str(current), max_dbs=4) as environment:
        environment.open_db(b"foo")
    with opened(data, writable=False) as engine:
        assert digest(engine) == kept
    with opened(data, writable=True) as engine:
        engine.record(says("m99"))
        assert engine.live.views() is not None


def test_a_file_in_place_of_the_views_is_told(data: Path, kept: bytes) -> None:
    shutil.rmtree(data / "views")
    (data / "views").write_text("mine")
    with opened(data, writable=False) as engine:
        assert digest(engine) == kept
    with pytest.raises(NotALog, match="is a file, and dnam keeps a folder there"):
        opened(data, writable=True)
    assert (data / "views").read_text() == "mine"


def test_a_log_that_is_just_being_made_is_no_stranger(data: Path) -> None:
    place = Folder(data / "log")
    with place.building() as fresh:
        (fresh / "data.mdb").write_bytes(b"begun")
        with pytest.raises(NothingHere):
            opened(data, writable=False)
    assert list(place.path.iterdir()) == []


def test_a_making_that_broke_off_is_made_anew(data: Path) -> None:
    begun = data / "log" / "000001"
    begun.mkdir(parents=True)
    (begun / BUILDING).touch()
    (begun / "data.mdb").write_bytes(b"begun")
    with opened(data, writable=True) as engine:
        engine.record(says("m1"))
        assert engine.head().size == 3
    assert not begun.exists()


class Replaced(Folder):
    """CURRENT is replaced, and the old folder removed, as soon as it was looked at; once."""

    def in_force(self) -> tuple[Stamp | None, Path | None]:
        stamp, found = super().in_force()
        fresh = self.path / "000009"
        if found is not None and not fresh.exists():
            shutil.copytree(found, fresh)
            shutil.rmtree(found)
            self.put_in_force(fresh)
        return stamp, found


def test_a_log_that_is_replaced_while_it_is_opened_is_opened_once_more(data: Path, kept: bytes) -> None:
    with opened(data, writable=False) as engine:
        store = engine.store
        assert isinstance(store, DiskStore)
        Folder(data / "log").put_in_force(log_folder(data))
        store._log_folder = Replaced(data / "log")
        store.refresh()
        assert store.log.folder.name == "000009"
        assert digest(engine) == kept
        (data / "log" / "CURRENT").unlink()
        with pytest.raises(NotALog, match="is gone"):
            store.refresh()


def test_what_cannot_be_opened_for_writing_can_be_read_afterwards(
    data: Path, kept: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(store: DiskStore) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(DiskStore, "_mend", refuse)
    with pytest.raises(CannotWrite, match="Permission denied"):
        opened(data, writable=True)
    with opened(data, writable=False) as engine:
        assert digest(engine) == kept


HELD = "import sys; from pathlib import Path; from replay.in_use import _holder; print(*_holder(Path(sys.argv[1])))"
"""Which process has an LMDB environment open, as another one sees it."""


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize("name", ["data", "by another name"])
def test_what_is_open_in_this_process_is_not_opened_again_and_stays_held(
    data: Path, kept: bytes, tmp_path: Path, name: str, writable: bool
) -> None:
    """A process that closes a file gives up its locks on it: a second opening that came as far as LMDB took the first
    one's, so that others replaced the log beside it, or wrote over pages that it was reading.
    """
    again = data
    if name != "data":
        again = tmp_path / name
        again.symlink_to(data)
    with opened(data, writable=True) as engine:
        descriptors = len(list(Path("/dev/fd").iterdir()))
        with pytest.raises(InUse, match="is open in this process already: share"):
            opened(again, writable=writable)
        assert len(list(Path("/dev/fd").iterdir())) == descriptors
        for each in ("log", "views"):
            (lock,) = (data / each).glob("*/lock.mdb")
            asked = [sys.executable, "-c", HELD, str(lock)]
            seen = subprocess.run(asked, capture_output=True, text=True, check=True, cwd=ROOT)
            assert seen.stdout.split() == [str(os.getpid())], each
        assert digest(engine) == kept
    with opened(again, writable=writable) as engine:
        assert digest(engine) == kept


def test_a_folder_in_the_place_of_one_that_is_gone_and_still_open_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A system may give a folder the number of one that is gone, and never that of a file that is open."""
    real, folder = Path.stat, tmp_path / "views"

    def stat(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        found = real(path, follow_symlinks=follow_symlinks)
        return os.stat_result((found[0], 7, *found[2:10])) if S_ISDIR(found.st_mode) else found

    monkeypatch.setattr(Path, "stat", stat)
    with ExitStack() as still_open:
        for _ in range(2):
            folder.mkdir()
            environment = still_open.enter_context(open_environment(folder, writable=True, durable=False))
            assert environment.stat()["entries"] == 0
            shutil.rmtree(folder)
