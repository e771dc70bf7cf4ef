"""Folders to write in: in memory where the system has such a place, so that syncing costs nothing."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from replay.engine import Engine
from replay.erasure import finish_erasures
from tests.generator import fixed_story
from tests.replay.stage import FakeClock, digest, opened, says, tell
from tests.world import NOW

SHARED = Path("/dev/shm")


@pytest.fixture
def folder() -> Iterator[Path]:
    """An empty folder."""
    made = Path(tempfile.mkdtemp(prefix="dnam-", dir=SHARED if SHARED.is_dir() else None))
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture
def data(folder: Path) -> Path:
    """Where a data folder may be made."""
    return folder / "data"


@pytest.fixture
def place(folder: Path) -> Path:
    """Where a backup may be made."""
    return folder / "place"


@pytest.fixture
def kept(data: Path) -> bytes:
    """The digest of twelve messages that lie in `data`."""
    with opened(data) as engine:
        for n in range(12):
            engine.record(says(f"m{n}", said=NOW + n))
        return digest(engine)


@pytest.fixture
def filled(data: Path) -> bytes:
    """The digest of a story that lies in `data`, in which nothing is left to be finished."""
    with Engine.open(data, create=True, clock=FakeClock()) as engine:
        tell(engine, fixed_story(60).decisions())
        finish_erasures(engine)
        return digest(engine)
