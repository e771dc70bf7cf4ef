"""A folder of DiscoClaw's files that dnam writes: each file in one step, and nothing in it that is not to be there.

The file `.dnam` in it says whose it is, so that no folder of DiscoClaw's own is ever cleared; who writes holds a lock
on it. Its last lines may say as of when the files are. Each of its two folders may lie elsewhere, under the same rules.
"""

import fcntl
import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from dnam.discoclaw.files import DURABLE, ROLLING
from dnam.given_file import refuse_own
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

    def __init__(self, path: Path, elsewhere: Mapping[str, Path] | None = None) -> None:
        """`elsewhere` says where `durable` or `rolling` lies that is not in the folder."""
        self.path = path
        moved = (elsewhere or {}).items()
        self._elsewhere = {name: folder for name, folder in moved if folder.absolute() != (path / name).absolute()}
        self._folders = {name: self._elsewhere.get(name, path / name) for name in FOLDERS}
        self._locks: list[int] = []

    def claim(self) -> bool:
        """Take the folder, which is made where there is none; False while another process has it.

        BadRequest for a folder with anything in it that is not dnam's mirror.
        """
        if self._locks:
            return True
        marked = (self.path, *self._elsewhere.values())
        _check(marked)
        for folder in (*marked, *self._folders.values()):
            make_private(folder)
        for folder in marked:
            lock = _locked(folder / MARK)
            if lock is None:
                self.release()
                return False
            self._locks.append(lock)
        self._sweep()
        return True

    def _sweep(self) -> None:
        """Remove what a writer that was killed left behind, and what lay here before it was to lie elsewhere."""
        for folder in self._folders.values():
            for left in folder.glob(".*.new"):
                left.unlink()
        for name in self._elsewhere:
            for left in (self.path / name).glob("*.json"):
                left.unlink()

    def stamp(self, text: str) -> None:
        """Say as of when the files are; nothing for whoever is to look at all of them again."""
        assert self._locks, "claim it first"
        data = SAYS + f"{text}{self._where()}".encode()
        os.ftruncate(self._locks[0], len(SAYS))
        os.pwrite(self._locks[0], data, 0)

    def stamped(self) -> str:
        """What the last stamp said; nothing where the files lay elsewhere then."""
        said = (self.path / MARK).read_bytes().removeprefix(SAYS).decode(errors="replace")
        text, line, where = said.partition("\n")
        return text if line + where == self._where() else ""

    def _where(self) -> str:
        """A line that says what lies elsewhere, if anything does."""
        return "".join(f"\n{name} in {folder}" for name, folder in self._elsewhere.items())

    def names(self) -> set[str]:
        """Every file that is there, `durable/1.json`."""
        return {f"{name}/{each.name}" for name, folder in self._folders.items() for each in folder.glob("*.json")}

    def put(self, files: Mapping[str, bytes | None]) -> int:
        """Write and remove these files, where they are not so already; how many were touched."""
        return sum(self._put(self._at(name), data) for name, data in files.items())

    def _at(self, name: str) -> Path:
        folder, _, file = name.partition("/")
        return self._folders[folder] / file

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
        while self._locks:
            os.close(self._locks.pop())


def _check(marked: Sequence[Path]) -> None:
    """Folders that dnam may write into: each its own, and with nothing of anybody else's in it."""
    if len({folder.absolute() for folder in marked}) < len(marked):
        raise BadRequest(f"{' and '.join(map(str, marked))} have to be folders of their own")
    for folder in marked:
        refuse_own(folder)
        if not (folder / MARK).exists() and folder.is_dir() and any(folder.iterdir()):
            raise BadRequest(f"{folder} holds files that dnam did not write: choose another folder")


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
