"""Views that somebody else is building while a person is erased: they hold what is to be gone, and go first."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from projections.fold import Fold
from projections.registry import FOLD
from replay.builder import Progress, check, rebuild, thin_out
from replay.engine import Engine
from replay.erasure import erase, unfinished
from replay.errors import Busy
from replay.folder import BUILDING, Folder
from replay.store import DiskStore
from tests.replay.stage import KIM, FakeClock, handle_of
from tests.replay.test_erasure import messages, talk


def with_kims_words(data: Path) -> set[Path]:
    """Folders of views in which a word that only Kim said lies in the clear."""
    return {file.parent for file in (data / "views").rglob("*.mdb") if b"word 1" in file.read_bytes()}


class Held:
    """A build in a thread, held at its first step at which `when` until it is let go."""

    def __init__(self, build: Callable[[Progress], object], when: Callable[[], bool]) -> None:
        self._when = when
        self._arrived, self._let_go = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=build, args=(self._step,), daemon=True)
        self._thread.start()
        assert self._arrived.wait(60)

    def _step(self, done: int, total: int) -> None:
        if not self._arrived.is_set() and self._when():  # folders go meanwhile, later
            self._arrived.set()
            self._let_go.wait(60)

    def let_go(self) -> None:
        self._let_go.set()
        self._thread.join(60)
        assert not self._thread.is_alive()


@pytest.mark.parametrize("build", [rebuild, thin_out, check], ids=["rebuild", "thin out", "check"])
def test_an_erasure_is_complete_when_nothing_half_built_holds_their_words(
    monkeypatch: pytest.MonkeyPatch, data: Path, build: Callable[[DiskStore, Fold, Progress], object]
) -> None:
    monkeypatch.setattr("replay.builder.STRETCH", 0)
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        talk(engine)
        engine.commit_views()
        store, kim = engine.store, handle_of(engine, KIM)
        assert isinstance(store, DiskStore)
        place = store.views_folder()
        before = place.current()
        held = Held(lambda step: build(store, FOLD, step), lambda: len(with_kims_words(data)) == 2)
        assert {before, *place.others()} == with_kims_words(data)
        in_force, put = threading.Event(), Folder.put_in_force

        def puts(folder: Folder, fresh: Path) -> None:
            put(folder, fresh)
            in_force.set()

        monkeypatch.setattr(Folder, "put_in_force", puts)
        erasing = threading.Thread(target=erase, args=(engine, kim), daemon=True)
        erasing.start()
        assert in_force.wait(60)
        assert place.current() != before
        assert erasing.is_alive()
        assert len(unfinished(engine)) == 1
        held.let_go()
        erasing.join(60)
        assert unfinished(engine) == []
        assert with_kims_words(data) == set()
        assert place.others() == []
        assert messages(engine) == 4
        assert check(store, FOLD).equal


def test_what_a_killed_builder_left_behind_goes_with_the_next_erasure(data: Path) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        talk(engine)
        left = data / "views" / "000007"
        left.mkdir()
        (left / BUILDING).touch()
        (left / "data.mdb").write_bytes(b"word 1")
        erase(engine, handle_of(engine, KIM))
        assert not left.exists()
        assert with_kims_words(data) == set()


def test_a_builder_that_hangs_is_told_and_what_it_put_in_force_is_left_alone(tmp_path: Path) -> None:
    place = Folder(tmp_path / "views")
    assert place.others() == []
    with place.building() as fresh:
        assert place.others() == [fresh]
        with pytest.raises(Busy, match="somebody who hangs: end that process"):
            place.see_gone([fresh], patience=0.02)
        place.put_in_force(fresh)
    place.see_gone([fresh])
    assert place.current() == fresh
    assert fresh.is_dir()


def test_whoever_follows_opens_new_views_as_soon_as_they_are_in_force(
    monkeypatch: pytest.MonkeyPatch, data: Path
) -> None:
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        talk(engine)
        store, put_in_force = engine.store, Folder.put_in_force
        assert isinstance(store, DiskStore)

        def followed_at_once(place: Folder, fresh: Path) -> None:
            put_in_force(place, fresh)
            assert messages(engine) == 8
            assert store.views is not None
            assert store.views.folder == fresh

        with monkeypatch.context() as patched:
            patched.setattr(Folder, "put_in_force", followed_at_once)
            rebuild(store, FOLD)
        assert store.unusable_views() == ""
        assert check(store, FOLD).equal
