"""One bot for a token."""

import errno
import os
from pathlib import Path

import pytest

from dnam.adapters.discord.alone import AlreadyRunning, alone, lock_path, token_path
from dnam.adapters.discord.bot import at
from replay.errors import LogFull, NotALog, ReadOnly


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own folder of this session."""
    folder = tmp_path / "runtime"
    folder.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


@pytest.mark.parametrize("folder", ["data", "elsewhere"])
def test_a_second_one_is_refused_and_told_who_is_there(tmp_path: Path, folder: str) -> None:
    with alone(tmp_path / "data", "token"):
        with (
            pytest.raises(AlreadyRunning, match=f"process {os.getpid()}") as refused,
            alone(tmp_path / folder, "token"),
        ):
            pass
        assert f"already runs on {tmp_path / 'data'} (" in str(refused.value)
        with alone(tmp_path / "data", "another"):
            pass
    with alone(tmp_path / folder, "token"):
        pass


def test_a_token_of_another_discord_is_another(tmp_path: Path) -> None:
    with alone(tmp_path / "data", "token"), at("http://127.0.0.1:1/api/v10"), alone(tmp_path / "elsewhere", "token"):
        pass


@pytest.mark.parametrize("how", ["gone", "a link", "a folder"])
def test_where_no_lock_of_the_token_can_be_made_the_folder_s_own_holds(tmp_path: Path, runtime: Path, how: str) -> None:
    lock = token_path("token")
    if how == "gone":
        runtime.rmdir()
    elif how == "a link":
        lock.symlink_to(tmp_path / "whatever")
    else:
        lock.mkdir()
    with (
        alone(tmp_path / "data", "token"),
        pytest.raises(AlreadyRunning),
        alone(tmp_path / "data", "token"),
    ):
        pass
    assert not (tmp_path / "whatever").exists()


def test_without_a_folder_of_this_session_temporary_files_have_the_lock(
    tmp_path: Path, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr("tempfile.tempdir", str(runtime))
    assert token_path("token").parent == runtime


def test_the_lock_s_name_tells_nothing_of_the_token(tmp_path: Path) -> None:
    with alone(tmp_path, "a-secret-token"):
        files = [lock_path(tmp_path, "a-secret-token"), token_path("a-secret-token")]
        assert [each.is_file() for each in files] == [True, True]
        assert all("secret" not in f"{each.name}{each.read_text()}" for each in files)
        assert [each.stat().st_mode & 0o777 for each in files] == [0o600, 0o600]


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
