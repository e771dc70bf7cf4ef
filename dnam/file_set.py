"""A folder of DiscoClaw's files that dnam writes: each file in one step, and nothing in it that is not to be there.

The file `.dnam` in it says whose it is, so that no folder of DiscoClaw's own is ever cleared; who writes holds a lock
on it. Its last line may say as of when the files are.
"""

import fcntl
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from dnam.discoclaw_files import DURABLE, ROLLING
from dnam.outfile import writing
from projections.errors import BadRequest
from replay.folder import make_private

MARK = ".dnam"
SAYS = (
    b"dnam writes this folder, and removes from it what it no longer remembers: "
    b"what is changed in here by hand is lost.\n"
)
FOLDERS = (DURABLE, ROLLING)


class FileSet:
    """The folder. Claim it before anything is put into it, and let it go afterwards."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None

    def claim(self) -> bool:
        """Take the folder, which is made where there is none; False while another process has it.

        BadRequest for a folder with anything in it that is not dnam's mirror.
        """
        if self._lock is not None:
            return True
        if not (self.path / MARK).exists() and self.path.is_dir() and any(self.path.iterdir()):
            raise BadRequest(f"{self.path} holds files that dnam did not write: choose another folder")
        for folder in FOLDERS:
            make_private(self.path / folder)
        self._lock = _locked(self.path / MARK)
        if self._lock is not None:
            self._sweep()
        return self._lock is not None

    def _sweep(self) -> None:
        """Remove what a writer that was killed left behind."""
        for folder in FOLDERS:
            for left in (self.path / folder).glob(".*.new"):
                left.unlink()

    def stamp(self, text: str) -> None:
        """Say as of when the files are; nothing for whoever is to look at all of them again."""
        assert self._lock is not None, "claim it first"
        data = SAYS + text.encode()
        os.ftruncate(self._lock, len(SAYS))
        os.pwrite(self._lock, data, 0)

    def stamped(self) -> str:
        """What the last stamp said."""
        return (self.path / MARK).read_bytes().removeprefix(SAYS).decode(errors="replace")

    def names(self) -> set[str]:
        """Every file that is there, `durable/1.json`."""
        return {f"{folder}/{each.name}" for folder in FOLDERS for each in (self.path / folder).glob("*.json")}

    def put(self, files: Mapping[str, bytes | None]) -> int:
        """Write and remove these files, where they are not so already; how many were touched."""
        return sum(self._put(self.path / name, data) for name, data in files.items())

    def _put(self, path: Path, data: bytes | None) -> bool:
        there = path.read_bytes() if path.exists() else None
        if there == data:
            return False
        if data is None:
            path.unlink()
            return True
        with writing(path) as file:
            file.write(data)
        return True

    def keep_only(self, names: Collection[str]) -> int:
        """Remove every other file; how many there were."""
        return self.put(dict.fromkeys(self.names().difference(names)))

    def release(self) -> None:
        """Let others have it."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _locked(mark: Path) -> int | None:
    """A lock on the mark, which is made; None while another process holds it."""
    descriptor = os.open(mark, os.O_RDWR | os.O_CREAT, 0o600)
    with suppress(BlockingIOError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.fstat(descriptor).st_size:
            os.write(descriptor, SAYS)
        return descriptor
    os.close(descriptor)
    return None
