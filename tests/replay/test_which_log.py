"""Where CURRENT does not name the log: nothing that may hold events goes, and the only log there is gets its name."""

import shutil
from pathlib import Path

import pytest

from replay import which_log
from replay.backups.backup import Backup
from replay.engine import Engine
from replay.errors import CurrentLost, NewerLog, NotALog
from replay.folder import BUILDING, Folder
from replay.lmdb_log import LmdbLog
from replay.repair.of_pages import repair_pages
from replay.store import DiskStore
from replay.which_log import holds_more, in_force_or_only, only_log, refuse_lost, repair_current
from tests.replay.keeping import backed_up, sound, talk
from tests.replay.stage import contents


def lose(data: Path, current: str | None) -> None:
    path = data / "log" / "CURRENT"
    path.unlink()
    if current is not None:
        path.write_text(current)


def newer(*_arguments: object, **_options: object) -> None:
    raise NewerLog("of a newer program")


BAD = pytest.mark.parametrize("current", ["000003\n", "nowhere\n", "\n", None])


@BAD
@pytest.mark.parametrize("writable", [False, True])
def test_a_log_that_current_does_not_name_is_not_opened_and_stays(
    data: Path, current: str | None, *, writable: bool
) -> None:
    talk(data)
    lose(data, current)
    before = contents(data)
    with pytest.raises(CurrentLost, match=r"in 000001, and `dnam repair` writes CURRENT anew"):
        Engine.open(data, writable=writable, create=writable)
    assert contents(data) == before


@BAD
def test_current_is_written_anew_where_there_is_one_log(data: Path, current: str | None) -> None:
    talk(data)
    size = sound(data)
    before = contents(data)
    lose(data, current)
    (data / "log" / "000007").mkdir()
    assert repair_current(data) == data / "log" / "000001"
    assert contents(data) == before
    assert sound(data) == size
    assert repair_current(data) is None


def test_which_of_two_logs_it_is_is_not_guessed(data: Path) -> None:
    talk(data)
    shutil.copytree(data / "log" / "000001", data / "log" / "000002")
    lose(data, None)
    with pytest.raises(CurrentLost, match=r"\(000001, 000002\) it named cannot be told"):
        refuse_lost(Folder(data / "log"))
    assert repair_current(data) is None
    assert not (data / "log" / "CURRENT").exists()


def test_a_build_that_was_broken_off_and_what_is_no_log_are_none(data: Path) -> None:
    talk(data)
    place = Folder(data / "log")
    shutil.copytree(data / "log" / "000001", data / "log" / "000002")
    (data / "log" / "000002" / BUILDING).touch()
    (data / "log" / "000003").mkdir()
    (data / "log" / "000003" / "data.mdb").write_bytes(b"no database")
    lose(data, None)
    assert only_log(place) == in_force_or_only(place) == data / "log" / "000001"


def test_a_log_of_a_newer_program_is_one(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(data)
    with LogOf(data) as log:
        shutil.copytree(data / "log" / "000001", data / "log" / "000002")
        monkeypatch.setattr(which_log, "LmdbLog", newer)
        assert holds_more(data / "log" / "000002", log)
    lose(data, None)
    assert only_log(Folder(data / "log")) is None


class LogOf:
    """The log of a data folder."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def __enter__(self) -> LmdbLog:
        current = Folder(self._data / "log").current()
        assert current is not None
        self._log = LmdbLog(current, writable=False)
        return self._log

    def __exit__(self, *_error: object) -> None:
        self._log.close()


def findings(data: Path) -> list[tuple[str, bool]]:
    with Engine.open(data) as engine:
        assert isinstance(engine.store, DiskStore)
        return [(each.what, each.mended) for each in engine.store.findings]


def test_what_was_in_force_before_a_rewrite_is_removed(data: Path) -> None:
    talk(data)
    shutil.copytree(data / "log" / "000001", data / "earlier")
    talk(data, 8, 12)
    (data / "earlier").rename(data / "log" / "000002")
    assert [mended for _, mended in findings(data)] == [True]
    assert not (data / "log" / "000002").exists()


def test_a_folder_that_holds_more_than_the_log_in_force_is_kept_and_told(data: Path) -> None:
    talk(data)
    shutil.copytree(data / "log" / "000001", data / "earlier")
    talk(data, 8, 12)
    (data / "earlier").rename(data / "log" / "000002")
    (data / "log" / "CURRENT").write_text("000002\n")
    shutil.rmtree(data / "views")
    before = (data / "log" / "000001" / "data.mdb").read_bytes()
    ((what, mended),) = findings(data)
    assert "000001 may hold events that the log in force does not have" in what
    assert not mended
    assert (data / "log" / "000001" / "data.mdb").read_bytes() == before


def test_a_log_of_another_id_one_that_cannot_be_read_and_a_folder_of_somebody_are_kept(
    data: Path, folder: Path
) -> None:
    talk(data)
    talk(folder / "other", 0, 1)
    shutil.copytree(folder / "other" / "log" / "000001", data / "log" / "000002")
    shutil.copytree(data / "log" / "000001", data / "log" / "000003")
    (data / "log" / "000003" / "data.mdb").write_bytes(b"damaged")
    shutil.copytree(data / "log" / "000001", data / "log" / "a copy of mine")
    assert [mended for _, mended in findings(data)] == [False, False]
    assert all((data / "log" / name / "data.mdb").exists() for name in ("000002", "000003", "a copy of mine"))


def test_a_lock_that_a_builder_left_in_the_folder_in_force_goes(data: Path) -> None:
    talk(data)
    lock = data / "log" / "000001" / BUILDING
    lock.touch()
    assert findings(data) == []
    assert not lock.exists()


def test_where_nothing_is_left_of_the_log_a_repair_names_the_way_out(data: Path, folder: Path) -> None:
    talk(data)
    backed_up(data, folder / "place")
    shutil.rmtree(data / "log" / "000001")
    with pytest.raises(NotALog, match="`dnam restore-backup` puts a backup of it in force"):
        repair_pages(data, Backup(folder / "place"))


def test_a_current_that_is_damaged_meanwhile_leaves_no_build(data: Path) -> None:
    talk(data)
    place = Folder(data / "log")
    with place.building() as fresh:
        (data / "log" / "CURRENT").write_text("nowhere")
    assert not fresh.exists()


def test_a_current_that_was_replaced_meanwhile_is_not_lost(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a rewrite that ended between the two looks."""
    talk(data)
    place = Folder(data / "log")

    def looks(_: Folder) -> None:
        place.put_in_force(data / "log" / "000001")

    monkeypatch.setattr(which_log, "named", looks)
    refuse_lost(place)
