"""Folders to write in: in memory where the system has such a place, so that syncing costs nothing."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

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
