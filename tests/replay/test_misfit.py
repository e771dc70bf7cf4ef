"""Views that were not made of the log beside them: it lost its end, and nothing is written before it is accepted."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from projections.registry import FOLD
from replay import codec
from replay.builder import rebuild
from replay.engine import Engine
from replay.errors import DamagedViews, EndLost
from replay.lmdb_file import GivenUp
from replay.lmdb_log import LmdbLog
from replay.log import Log
from replay.misfit import fits, misfit
from replay.position import Position
from replay.rewriting import rewrite
from replay.store import DiskStore
from replay.views import Views
from tests.replay.stage import contents, digest, drafts, log_folder, opened, says, setting, texts


@pytest.fixture
def cut(data: Path, kept: bytes, folder: Path) -> bytes:
    """`data` with an older copy of its log, of which two messages are not there any more; the digest of then."""
    shutil.copytree(data / "log", folder / "older")
    with opened(data) as engine:
        engine.record(says("late1", "forget this"))
        engine.record(says("late2"))
    shutil.rmtree(data / "log")
    shutil.copytree(folder / "older", data / "log")
    return kept


def positions(log: Log) -> Iterator[tuple[str, Position]]:
    """Views up to each end that they may have, and what is said of them."""
    head, last = log.head(), log.get(log.head().size)
    assert last is not None
    right = Position(head.size, codec.digest(last.header), log.id)
    yield "", right
    yield "", Position(0, bytes(32), log.id)
    yield "the log has 3 events, and the views were made of 4: its end is lost", right._replace(size=4)
    yield "views: they are of another log", right._replace(log=b"x" * 16)
    yield "views: they were made of another #3 than the log has", right._replace(digest=b"x" * 32)
    yield "views: they were made of another #2 than the log has", right._replace(size=2)


def beside_the_log(data: Path) -> dict[str, bytes]:
    return {name: found for name, found in contents(data).items() if not name.startswith("log")}


@pytest.mark.parametrize("where", ["memory", "disk"])
def test_views_are_held_against_the_log(data: Path, where: str) -> None:
    with Engine.in_memory() if where == "memory" else opened(data) as engine:
        for name in "abc":
            engine.record(drafts(setting(name)))
        log = engine.store.log
        assert isinstance(log, LmdbLog) == (where == "disk")
        for said, position in positions(log):
            assert misfit(position, log)[: len(said) or None] == said
            assert fits(position, log, log.head()) == (not said)
        assert engine.store.misfit() == ""


@pytest.mark.parametrize("writable", [True, False])
def test_a_lost_end_is_told_at_opening_and_nothing_is_written(data: Path, cut: bytes, *, writable: bool) -> None:
    before = beside_the_log(data)
    said = "and the views were made of .*: its end is lost, or an older copy"
    for _ in range(2):  # looking, or trying to write, does not take away what shows it
        with opened(data, writable=writable) as engine:
            assert isinstance(engine.store, DiskStore)
            (found,) = engine.store.findings
            assert (found.what, found.mended) == (str(engine.stopped()), False)
            assert isinstance(engine.stopped(), EndLost)
            assert digest(engine) == cut
            if writable:
                with pytest.raises(EndLost, match=said):
                    engine.record(says("anew"))
    assert beside_the_log(data) == before


def test_a_log_that_lost_its_end_goes_on_once_it_is_accepted(data: Path, cut: bytes) -> None:
    store = DiskStore(data, FOLD, writable=True)
    rebuild(store, FOLD)
    store.refresh()
    assert store.misfit() == ""
    store.close()
    with opened(data) as engine:
        assert engine.stopped() is None
        engine.record(says("anew", "new words"))
        assert "new words" in texts(engine)
        assert "forget this" not in texts(engine)


def test_an_open_memory_goes_on_once_the_views_are_made_anew(data: Path, cut: bytes) -> None:
    with opened(data) as engine:
        assert isinstance(engine.store, DiskStore)
        rebuild(engine.store, FOLD)
        engine.record(says("anew"))
        assert engine.stopped() is None


def test_a_log_that_was_rewritten_meanwhile_is_followed_before_anything_is_said(
    data: Path, kept: bytes, folder: Path
) -> None:
    """Whoever opened the one before sees its end, and views that follow the new one."""
    old = log_folder(data)
    shutil.copytree(old, folder / "old")
    with opened(data) as engine:
        assert isinstance(engine.store, DiskStore)
        rewrite(engine.store)
        engine.record(says("late"))

    class Behind(DiskStore):
        """Opens the log before it is replaced, once."""

        def _open_log(self) -> LmdbLog:
            log = super()._open_log()
            if self._log_stamp is not None and not hasattr(self, "_was_behind"):
                self._was_behind = True
                log.close()
                self._log_stamp = None
                return LmdbLog(folder / "old", writable=False)
            return log

    store = Behind(data, FOLD, writable=False)
    assert (store.findings, store.misfit()) == ([], "")
    store.close()


def test_a_log_that_is_begun_anew_beside_old_views_has_none(data: Path, kept: bytes) -> None:
    shutil.rmtree(data / "log")
    shutil.rmtree(data / "keys")
    with opened(data) as engine:
        engine.record(says("first"))
        assert engine.stopped() is None
        assert isinstance(engine.store, DiskStore)
        assert engine.store.findings[0].what.startswith("removed ")


@pytest.mark.parametrize("error", [DamagedViews("damaged"), GivenUp("given up")])
def test_views_that_cannot_be_read_any_more_say_nothing(
    data: Path, cut: bytes, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: Views) -> None:
        raise error

    with opened(data, writable=False) as engine:
        assert engine.store.misfit()
        monkeypatch.setattr(Views, "written", fails)
        assert engine.store.misfit() == ""
