"""What faults.c does, set from here: which calls under a folder fail, and how."""

import errno
import mmap
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).with_name("faults.c")
WRITE, SIZE, NAME, SYNC, REMOVE, OPEN, OPEN_TO_WRITE = (1 << bit for bit in range(7))
"""Kinds of calls: bytes, lengths, new and changed names, syncs, removals, opening whatever it is, opening to write."""
EVER = 1 << 60
_NUMBERS = struct.Struct("8q")
FOLDER, PAGE = "FAULTS_IN", "FAULTS_BY"


class Fault(NamedTuple):
    """Calls of these kinds fail with this error: once (`lasts` False), or from one on until it is cleared."""

    name: str
    kinds: int
    error: int
    lasts: bool


FULL = Fault("the disk is full", WRITE | SIZE | NAME, errno.ENOSPC, lasts=True)
SYNC_FAILS = Fault("a sync fails", SYNC, errno.EIO, lasts=False)
BROKEN = Fault("the disk fails", WRITE | SIZE | NAME | SYNC | REMOVE, errno.EIO, lasts=True)
READ_ONLY = Fault("the disk is read-only", WRITE | SIZE | NAME | REMOVE | OPEN_TO_WRITE, errno.EROFS, lasts=True)
TOO_MANY = Fault("too many files are open", OPEN, errno.EMFILE, lasts=True)
SLOW = Fault("syncs are slow", 0, 0, lasts=True)
FAULTS = (FULL, SYNC_FAILS, BROKEN, READ_ONLY, TOO_MANY, SLOW)


class Page:
    """The page of memory that the library looks at. Every process that has the file open shares it."""

    def __init__(self, path: Path) -> None:
        if not path.exists():
            path.write_bytes(bytes(_NUMBERS.size))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), _NUMBERS.size)

    def arm(self, fault: Fault, first: int) -> None:
        """From now on the call `first` of the fault's kinds fails, counted from 1."""
        last = EVER if fault.lasts else first
        self._map[:] = _NUMBERS.pack(fault.kinds, fault.error, first, last, 0, 0, 0, 0)

    def count(self, fault: Fault) -> None:
        """Only count the fault's calls."""
        self.arm(fault, EVER)

    def slow(self, seconds: float) -> None:
        """Every sync takes so much longer."""
        self._map[:] = _NUMBERS.pack(0, 0, 0, 0, round(seconds * 1e6), 0, 0, 0)

    def clear(self) -> None:
        """Nothing fails any more; what was counted stays."""
        self._map[:8] = bytes(8)
        self._map[32:40] = bytes(8)

    @property
    def calls(self) -> int:
        """How many calls there were since it was armed."""
        return int(_NUMBERS.unpack(self._map)[5])

    @property
    def failed(self) -> int:
        """How many of them failed."""
        return int(_NUMBERS.unpack(self._map)[6])

    @property
    def delayed(self) -> int:
        """How many syncs were slow."""
        return int(_NUMBERS.unpack(self._map)[7])


def compiler() -> str | None:
    """What compiles the library, where there is something that does and a system it is made for."""
    return (shutil.which("cc") or shutil.which("gcc")) if sys.platform == "linux" else None


def compiled(folder: Path) -> Path:
    """The library, made anew. CalledProcessError where the compiler does not take it."""
    program = compiler()
    assert program is not None
    library = folder / "faults.so"
    subprocess.run([program, "-shared", "-fPIC", "-O2", "-o", library, SOURCE, "-ldl"], check=True, capture_output=True)
    return library


def environment(library: Path, page: Path, folder: Path) -> dict[str, str]:
    """Of a process in which calls on files under `folder` may fail."""
    return {**os.environ, "LD_PRELOAD": str(library), FOLDER: str(folder), PAGE: str(page)}
