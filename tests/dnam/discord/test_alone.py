"""One bot for a token and a folder."""

import os
from pathlib import Path

import pytest

from dnam.adapters.discord.alone import AlreadyRunning, alone, lock_path


def test_a_second_one_is_refused_and_told_who_is_there(tmp_path: Path) -> None:
    with alone(tmp_path / "data", "token"):
        with (
            pytest.raises(AlreadyRunning, match=f"process {os.getpid()}") as refused,
            alone(tmp_path / "data", "token"),
        ):
            pass
        assert "--data" in str(refused.value)
        with alone(tmp_path / "data", "another"), alone(tmp_path / "elsewhere", "token"):
            pass
    with alone(tmp_path / "data", "token"):
        pass


def test_the_lock_s_name_tells_nothing_of_the_token(tmp_path: Path) -> None:
    with alone(tmp_path, "a-secret-token"):
        assert lock_path(tmp_path, "a-secret-token").is_file()
        assert all("secret" not in f"{each}{each.read_text()}" for each in tmp_path.iterdir())
