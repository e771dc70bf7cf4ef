"""Fixtures: a memory to look at, one to change, and an environment without anybody's settings."""

import os
import shutil
from pathlib import Path

import pytest

from tests.dnam.cli.memories import garden, make


@pytest.fixture(autouse=True)
def settings_of_nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No DNAM_* of whoever runs the tests, no `.env` of theirs, and times in UTC."""
    for name in list(os.environ):
        if name.startswith(("DNAM_", "DISCOCLAW_", "MEMORY_", "ANTHROPIC_", "DISCORD_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("DNAM_TIMEZONE", "UTC")
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("garden") / "data"
    make(folder, garden)
    return folder


@pytest.fixture
def data(built: Path, tmp_path: Path) -> Path:
    """A copy of the memory, to look at, to change or to break."""
    return Path(shutil.copytree(built, tmp_path / "data"))
