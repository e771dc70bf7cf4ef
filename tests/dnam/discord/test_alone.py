"""One bot for a token and a folder."""

import errno
import os
from pathlib import Path

import pytest

from dnam.adapters.discord.alone import AlreadyRunning, alone, lock_path
from replay.errors import LogFull, NotALog, ReadOnly


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


@pytest.mark.parametrize(
    ("call", "number", "refusal", "why"),
    [
        ("open", errno.EROFS, ReadOnly, "cannot be written to: .*Read-only file system"),
        ("open", errno.ENOSPC, LogFull, "the disk of .* is full: make room"),
        ("pwrite", errno.ENOSPC, LogFull, "the disk of .* is full: make room"),
    ],
)
def test_a_disk_that_takes_no_lock_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, refusal: type[Exception], why: str
) -> None:
    def fails(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(os, call, fails)
        with pytest.raises(refusal, match=why) as refused, alone(tmp_path / "data", "token"):
            pass
    assert str(tmp_path / "data") in str(refused.value)
    with alone(tmp_path / "data", "token"):  # nothing holds the lock
        pass


def test_a_file_in_the_folder_s_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file", encoding="utf-8")
    with pytest.raises(NotALog, match="is a file"), alone(tmp_path / "data", "token"):
        pass
