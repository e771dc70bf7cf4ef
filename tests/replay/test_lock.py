"""The write lock keeps processes apart, and is not waited for for ever."""

import fcntl
import os
import threading
from pathlib import Path

import pytest

from replay import lock as locks
from replay.engine import Engine
from replay.errors import Busy
from replay.lock import WriteLock, holder
from replay.store import DiskStore


def test_a_lock_that_another_process_holds_is_busy(tmp_path: Path) -> None:
    path = tmp_path / "write.lock"
    with path.open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        lock = WriteLock(path, patience=0.01)
        with pytest.raises(Busy, match=r"write\.lock for 0\.01 seconds"), lock:
            raise AssertionError
        fcntl.flock(other, fcntl.LOCK_UN)
        with lock:
            assert lock is not None
    lock.close()
    lock.close()


def test_it_is_waited_for_while_it_is_held_for_a_short_time(tmp_path: Path) -> None:
    path = tmp_path / "write.lock"
    with path.open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        timer = threading.Timer(0.02, fcntl.flock, (other.fileno(), fcntl.LOCK_UN))
        timer.start()
        with WriteLock(path) as lock:
            assert lock is not None
        timer.join()


def test_who_waits_is_told_for_how_long_and_may_end_it(tmp_path: Path) -> None:
    path = tmp_path / "write.lock"
    told: list[tuple[Path, bool]] = []

    def waits(lock: Path, seconds: float) -> None:
        told.append((lock, seconds >= 0.0))
        if len(told) == 3:
            raise Busy("that is enough")

    with path.open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        lock = WriteLock(path, waits=waits)
        with pytest.raises(Busy, match="that is enough"), lock:
            raise AssertionError
    with lock:
        assert told == [(path, True)] * 3
    lock.close()


def test_the_system_says_which_process_holds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "write.lock"
    assert holder(path) is None
    with path.open("w") as other:
        assert holder(path) is None
        fcntl.flock(other, fcntl.LOCK_EX)
        assert holder(path) == os.getpid()
    monkeypatch.setattr(locks, "LOCKS", tmp_path / "nowhere")
    assert holder(path) is None


def test_an_engine_that_is_open_waits_in_silence(tmp_path: Path) -> None:
    def waits(*_: object) -> None:
        raise AssertionError

    with Engine.open(tmp_path, create=True, waits=waits) as engine, (tmp_path / "write.lock").open("r+b") as other:
        assert isinstance(engine.store, DiskStore)
        fcntl.flock(other, fcntl.LOCK_EX)
        timer = threading.Timer(0.02, fcntl.flock, (other.fileno(), fcntl.LOCK_UN))
        timer.start()
        with engine.store.lock:
            pass
        timer.join()
