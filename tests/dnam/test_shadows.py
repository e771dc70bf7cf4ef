"""A manifest that dnam cannot have written is refused with the way out, and holds nothing up. Who makes one."""

import errno
import fcntl
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dnam.errors import ShadowUnusable
from dnam.shadows.manifest import MAKING, Asked, Manifest, forget_erased, is_being_made, listing, load, making, save
from replay.errors import Busy
from replay.ring.keyring import KeyRing
from replay.ring.store import MemoryRingStore

WELL = Manifest("next", Asked("a", "a", "extraction@4", "summary@2", "apart@1", people=("ab" * 16,)), 1, "", "")


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "other"},
        {"upto": -5},
        {"log": "zz"},
        {"of": "ab"},
        {"asked": msgspec.structs.replace(WELL.asked, people=("zz",))},
        {"asked": msgspec.structs.replace(WELL.asked, people=("ab",))},
        {"asked": msgspec.structs.replace(WELL.asked, since=-1)},
    ],
)
def test_a_manifest_of_nonsense_is_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    (tmp_path / "shadows" / "next").mkdir(parents=True)
    save(tmp_path, WELL)
    assert load(tmp_path, "next") == WELL
    file = tmp_path / "shadows" / "next" / "shadow.json"
    file.write_bytes(msgspec.json.encode(msgspec.structs.replace(WELL, **wrong)))
    with pytest.raises(ShadowUnusable, match="`dnam shadows drop next`, then `dnam rederive --name next` again"):
        load(tmp_path, "next")
    forget_erased(tmp_path, KeyRing.create(MemoryRingStore()))
    told: list[str] = []
    assert listing(tmp_path, lambda name, _: told.append(name)) == []
    assert told == ["next"]


def test_a_manifest_that_is_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "shadows" / "next" / "shadow.json").mkdir(parents=True)
    with pytest.raises(ShadowUnusable, match="cannot be read"):
        load(tmp_path, "next")


def test_a_disk_that_fails_makes_no_shadow_unusable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shadows" / "next").mkdir(parents=True)

    def refused(_: Path) -> bytes:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(Path, "read_bytes", refused)
    with pytest.raises(OSError, match="Too many open files"):
        load(tmp_path, "next")


# -- who makes it --------------------------------------------------------------------------------------------------


def test_whoever_only_looks_keeps_nobody_from_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The look is under way when it is begun, and is over in a moment."""
    (tmp_path / "shadows" / "next").mkdir(parents=True)
    looks = os.open(tmp_path / "shadows" / "next" / MAKING, os.O_RDONLY | os.O_CREAT)
    fcntl.flock(looks, fcntl.LOCK_SH)
    flock, tried = fcntl.flock, list[int]()

    def counted(file: int, lock: int) -> None:
        if len(tried) == 2:
            os.close(looks)
        tried.append(lock)
        flock(file, lock)

    monkeypatch.setattr(fcntl, "flock", counted)
    with making(tmp_path, "next"):
        assert len(tried) == 3
        assert is_being_made(tmp_path, "next")
        with pytest.raises(Busy, match="another process is making the shadow 'next'"), making(tmp_path, "next"):
            pass
    assert not is_being_made(tmp_path, "next")
