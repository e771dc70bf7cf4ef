"""A memory that begins with the id key of another log."""

from pathlib import Path
from typing import Any

import pytest

from projections.ids import Identity, named_id
from replay.beginning import begin_with
from replay.engine import Engine
from replay.errors import ForeignKeyRing
from replay.folder import Folder
from tests.replay.stage import FakeClock, drafts, setting
from tests.world import ID_KEY, NOW

THING = Identity("discord", "message", "1", "heard", NOW)


def test_what_platforms_name_has_the_ids_it_had_there(tmp_path: Path) -> None:
    assert begin_with(tmp_path / "data", ID_KEY)
    assert begin_with(tmp_path / "data", ID_KEY)
    with Engine.open(tmp_path / "data", create=True, clock=FakeClock()) as engine:
        assert engine.store.ring.event_id(THING) == named_id(ID_KEY, THING)
        engine.record(drafts(setting("kind")))
    assert not begin_with(tmp_path / "data", bytes(32))
    with Engine.open(tmp_path / "data", writable=False) as engine:
        assert engine.store.ring.id_key == ID_KEY


def test_another_s_ring_is_left_alone(tmp_path: Path) -> None:
    begin_with(tmp_path, ID_KEY)
    before = (tmp_path / "keys" / "ring-a").read_bytes()
    with pytest.raises(ForeignKeyRing, match="new folder"):
        begin_with(tmp_path, bytes(32))
    assert (tmp_path / "keys" / "ring-a").read_bytes() == before


def test_a_log_that_another_process_makes_meanwhile_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Engine.open(tmp_path, create=True, clock=FakeClock())
    key = made.store.ring.id_key
    made.close()
    looks = iter([None, Folder(tmp_path / "log").current()])

    class Late(Folder):
        def current(self) -> Any:
            return next(looks)

    monkeypatch.setattr("replay.beginning.Folder", Late)
    assert not begin_with(tmp_path, ID_KEY)
    with Engine.open(tmp_path, writable=False) as engine:
        assert engine.store.ring.id_key == key
