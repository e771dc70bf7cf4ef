"""One bot for a token."""

import errno
import os
from pathlib import Path

import pytest

from dnam.adapters.discord.alone import AlreadyRunning, alone, lock_path, token_path
from dnam.adapters.discord.bot import at
from replay.errors import NotALog


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own folder of this session."""
    folder = tmp_path / "runtime"
    folder.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


def refuse(words: str) -> None:
    """Nothing is to be told."""
    raise AssertionError(words)


@pytest.mark.parametrize("folder", ["data", "elsewhere"])
def test_a_second_one_is_refused_and_told_who_is_there(tmp_path: Path, folder: str) -> None:
    with alone(tmp_path / "data", "token", refuse):
        with (
            pytest.raises(AlreadyRunning, match=f"process {os.getpid()}") as refused,
            alone(tmp_path / folder, "token", refuse),
        ):
            pass
        assert f"already runs on {tmp_path / 'data'} (" in str(refused.value)
        with alone(tmp_path / "data", "another", refuse):
            pass
    with alone(tmp_path / folder, "token", refuse):
        pass


def test_a_token_of_another_discord_is_another(tmp_path: Path) -> None:
    with (
        alone(tmp_path / "data", "token", refuse),
        at("http://127.0.0.1:1/api/v10"),
        alone(tmp_path / "elsewhere", "token", refuse),
    ):
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
        alone(tmp_path / "data", "token", refuse),
        pytest.raises(AlreadyRunning),
        alone(tmp_path / "data", "token", refuse),
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
    with alone(tmp_path, "a-secret-token", refuse):
        files = [lock_path(tmp_path, "a-secret-token"), token_path("a-secret-token")]
        assert [each.is_file() for each in files] == [True, True]
        assert all("secret" not in f"{each.name}{each.read_text()}" for each in files)
        assert [each.stat().st_mode & 0o777 for each in files] == [0o600, 0o600]


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be made, nor written to, but for the user's own files of this session."""
    really = os.open

    def opens(path: Path, how: int, mode: int = 0o777) -> int:
        if how & (os.O_RDWR | os.O_WRONLY) and Path(path).name.startswith("bot-"):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return really(path, how, mode)

    monkeypatch.setattr(os, "open", opens)


def test_a_disk_that_takes_no_lock_keeps_nobody_from_answering_and_that_is_told(
    tmp_path: Path, read_only: None
) -> None:
    told = list[str]()
    with alone(tmp_path / "data", "token", told.append):
        assert "Read-only file system" in told[0]
        assert told[0].startswith(f"there is no lock in {tmp_path / 'data'} (")
        with pytest.raises(AlreadyRunning), alone(tmp_path / "data", "token", told.append):
            pass  # the other lock tells


def test_where_an_earlier_bot_left_its_file_that_is_locked_as_it_is(
    tmp_path: Path, runtime: Path, request: pytest.FixtureRequest
) -> None:
    with alone(tmp_path, "token", refuse):
        pass
    lock_path(tmp_path, "token").write_text("1 /of/an/earlier/one", encoding="utf-8")
    request.getfixturevalue("read_only")
    with alone(tmp_path, "token", refuse):
        token_path("token").unlink()  # so that the folder's alone is left
        with (
            pytest.raises(AlreadyRunning, match=f"process {os.getpid()}"),
            alone(tmp_path, "token", refuse),
        ):
            pass
    assert lock_path(tmp_path, "token").read_text(encoding="utf-8") == "1 /of/an/earlier/one"


def test_a_full_disk_keeps_nobody_from_answering(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is there, and there is no room for who holds it."""

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    with (
        alone(tmp_path, "token", refuse),
        pytest.raises(AlreadyRunning, match=f"already runs on {tmp_path} "),
        alone(tmp_path, "token", refuse),
    ):
        pass


def test_a_file_in_the_folder_s_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file", encoding="utf-8")
    with pytest.raises(NotALog, match="is a file"), alone(tmp_path / "data", "token", refuse):
        pass
