"""The write lock keeps processes apart, and is not waited for for ever."""

import fcntl
import threading
from pathlib import Path

import pytest

from replay.errors import Busy
from replay.lock import WriteLock


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
