"""The second copy of the key ring is written beside the first, and what goes wrong there is told."""

import errno
import os
import threading
from pathlib import Path
from queue import SimpleQueue

import pytest

from replay.errors import LogFull
from replay.ring_records import ID_KEY, VAULT, RingRecord
from replay.ringfile import FileRingStore
from replay.second_copy import SecondCopy


def test_it_is_on_the_disk_when_its_outcome_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[bytes] = []
    sync = os.fdatasync

    def syncing(descriptor: int) -> None:
        sync(descriptor)
        synced.append((tmp_path / "copy").read_bytes())

    monkeypatch.setattr(os, "fdatasync", syncing)
    descriptor, second = os.open(tmp_path / "copy", os.O_WRONLY | os.O_CREAT), SecondCopy()
    assert second.begin(b"one", (descriptor, 0)).get() is None
    assert synced == [b"one"]
    assert second.begin(b"two", (descriptor, 3)).get() is None
    assert synced == [b"one", b"onetwo"]
    second.end()
    os.close(descriptor)


def test_what_goes_wrong_is_told_and_the_next_is_written(tmp_path: Path) -> None:
    second = SecondCopy()
    path = tmp_path / "copy"
    path.touch()
    for_reading = os.open(path, os.O_RDONLY)
    error = second.begin(b"one", (for_reading, 0)).get()
    assert isinstance(error, OSError)
    assert error.errno == errno.EBADF
    for_writing = os.open(path, os.O_WRONLY)
    assert second.begin(b"two", (for_writing, 0)).get() is None
    assert path.read_bytes() == b"two"
    second.end()
    for each in (for_reading, for_writing):
        os.close(each)


def test_its_thread_ends() -> None:
    before = threading.active_count()
    second = SecondCopy()
    second.end()
    assert threading.active_count() == before, "none was begun"
    second.begin(b"", (-1, 0)).get()
    assert threading.active_count() == before + 1
    second.end()
    second.end()
    assert threading.active_count() == before


def test_a_ring_whose_second_copy_cannot_be_written_is_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FileRingStore(tmp_path / "keys")
    store.create([RingRecord(ID_KEY, payload=b"k" * 32)])
    before = store.read()
    answer = SimpleQueue[OSError | None]()
    answer.put(OSError(errno.ENOSPC, "no space"))
    monkeypatch.setattr(SecondCopy, "begin", lambda *_: answer)
    with pytest.raises(LogFull):
        store.append([RingRecord(VAULT, b"v" * 16, b"p" * 32)])
    assert store.read() == before
    assert store.damage() == []
    store.close()
