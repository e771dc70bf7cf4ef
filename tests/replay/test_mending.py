"""A ring that is missing, foreign or torn, and what broken-off builds leave: only a writer mends."""

import fcntl
import shutil
from pathlib import Path

import pytest

from replay.engine import Engine
from replay.errors import (
    ForeignKeyRing,
    KeyRingMissing,
    KeyRingUnreadable,
)
from replay.store import DiskStore
from tests.replay.stage import FakeClock, contents, digest, opened

both = pytest.mark.parametrize("writable", [True, False])


@both
def test_a_missing_ring_says_where_to_get_it(data: Path, kept: bytes, *, writable: bool) -> None:
    (data / "keys").rename(data / "away")
    with pytest.raises(KeyRingMissing, match="Put the `keys` folder back"):
        opened(data, writable=writable)
    assert not (data / "keys").exists()
    (data / "away").rename(data / "keys")
    with opened(data, writable=writable) as engine:
        assert digest(engine) == kept


@both
def test_a_foreign_ring_is_told(data: Path, kept: bytes, folder: Path, *, writable: bool) -> None:
    Engine.open(folder / "other", create=True).close()
    shutil.rmtree(data / "keys")
    shutil.copytree(folder / "other" / "keys", data / "keys")
    with pytest.raises(ForeignKeyRing, match="belongs to another log"):
        opened(data, writable=writable)


@both
def test_an_unreadable_ring_is_told(data: Path, kept: bytes, *, writable: bool) -> None:
    (data / "keys" / "ring-a").unlink()
    (data / "keys" / "ring-a").mkdir()
    with pytest.raises(KeyRingUnreadable, match="ring-a cannot be read"):
        opened(data, writable=writable)


def test_only_a_writer_removes_what_a_broken_off_build_left(data: Path, kept: bytes) -> None:
    orphans = [data / "log" / "000007", data / "views" / "000009"]
    building = data / "views" / "000010"
    for path in (*orphans, building):
        path.mkdir()
        (path / "data.mdb").write_bytes(b"half a build")
    (orphans[0] / "building.lock").touch()
    with (building / "building.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = contents(data)
        with opened(data, writable=False) as engine:
            assert digest(engine) == kept
        assert contents(data) == before
        with opened(data, writable=True) as engine:
            assert digest(engine) == kept
            assert isinstance(engine.store, DiskStore)
            findings = [finding.what for finding in engine.store.findings if finding.mended]
        assert len(findings) == 2
        assert building.exists()
    assert not any(path.exists() for path in orphans)
    opened(data, writable=True).close()
    assert not building.exists()


def test_only_a_writer_mends_the_ring(data: Path, kept: bytes) -> None:
    ring = data / "keys" / "ring-b"
    whole = ring.read_bytes()
    ring.write_bytes(whole[:-9])
    with opened(data, writable=False) as engine:
        assert digest(engine) == kept
    assert ring.read_bytes() == whole[:-9]
    with opened(data, writable=True) as engine:
        assert digest(engine) == kept
        assert isinstance(engine.store, DiskStore)
        assert any("key ring" in finding.what for finding in engine.store.findings)
    assert ring.read_bytes() == (data / "keys" / "ring-a").read_bytes()
    assert len(ring.read_bytes()) == len(whole)


def test_a_ring_that_sealed_nothing_yet_is_used_when_its_log_was_not_made(data: Path) -> None:
    """Whoever began here came no further than the ring."""
    Engine.open(data, create=True, clock=FakeClock()).close()
    ring = (data / "keys" / "ring-a").read_bytes()
    shutil.rmtree(data / "log")
    shutil.rmtree(data / "views")
    with opened(data, writable=True) as engine:
        assert engine.head().size == 0
    assert (data / "keys" / "ring-a").read_bytes() == ring
