"""A file that somebody named to be written: wherever that is, but never one that a memory itself consists of.

    no file yet                     written in one step (outfile.py)
    one that dnam wrote             replaced in one step
    a symlink to such a one         stays; the file that it leads to is written in one step
    any other file                  refused, unless whoever asks was asked about it
    a FIFO, a device, a socket      opened and written to, as a shell does; it stays what it is
    of a memory, a folder           refused

A memory is known by what lies in its folder: so another one than that of --data is spared too.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from dnam.beginnings import is_written_here
from dnam.outfile import writing
from projections.errors import BadRequest
from replay.errors import CannotWrite

OWN = frozenset({"log", "views", "vectors", "keys", "shadows", "replaced", "swept", "erasing-guilds", "clock"})
"""What a memory keeps in its data folder, beside its locks. The rest of it may hold exports, a mirror, pages."""
KNOWN_BY = ("log/CURRENT", "keys/ring-a", "keys/ring-b", "write.lock")
"""A folder with one of these is a data folder, also a damaged one."""


def refuse_own(path: Path) -> None:
    """BadRequest for a file or folder in any memory's own ones, by whatever name it is called."""
    # Also as it is spelled: the folder `log` may itself be a link to another disk.
    for spelled in (Path(os.path.realpath(path)), Path(os.path.abspath(path))):  # noqa: PTH100 - `..` is to go
        for folder in spelled.parents:
            if _is_own(spelled.relative_to(folder).parts[0]) and any((folder / each).exists() for each in KNOWN_BY):
                raise BadRequest(f"{path} is inside the memory in {folder}, and is its own: name a file elsewhere")


def _is_own(name: str) -> bool:
    return name in OWN or name.endswith(".lock")


def refuse_nowhere(path: Path) -> None:
    """CannotWrite for a folder, and for a file in a folder that is not there: for who does something before it is
    written.
    """
    if stat.S_ISDIR(_mode(path)):
        raise CannotWrite(f"{path} is a folder: name a file in it")
    if not path.parent.is_dir():
        why = os.strerror(errno.ENOTDIR if path.parent.exists() else errno.ENOENT)
        raise CannotWrite(f"{path} cannot be written: {why}")


@contextmanager
def writing_to(path: Path, *, replacing: bool = False) -> Iterator[BinaryIO]:
    """The file to write to. BadRequest for what is a memory's, and for a file that is there and not dnam's, unless it
    may be replaced; CannotWrite for a folder; OSError as the system says.
    """
    refuse_own(path)
    mode = _mode(path)
    if stat.S_ISDIR(mode):
        raise CannotWrite(f"{path} is a folder: name a file in it")
    if mode and not stat.S_ISREG(mode):
        with _as_it_is(path) as file:
            yield file
        return
    if mode and not replacing and not is_written_here(path):
        raise BadRequest(
            f"{path} is there already, and dnam did not write it: name another file, or move that one away"
        )
    with writing(Path(os.path.realpath(path))) as file:
        yield file


def write_to(path: Path, text: str, *, replacing: bool = False) -> None:
    """Write a text to it. BadRequest as `writing_to` says, CannotWrite says why it could not be."""
    try:
        with writing_to(path, replacing=replacing) as file:
            file.write(text.encode())
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror}") from error


def _mode(path: Path) -> int:
    """What it leads to; 0 where there is nothing yet."""
    with suppress(FileNotFoundError):
        return path.stat().st_mode
    return 0


@contextmanager
def _as_it_is(path: Path) -> Iterator[BinaryIO]:
    """What is no file, opened. A reader that goes away leaves a half behind, so that is told: it was no stdout."""
    try:
        with path.open("wb") as file:
            yield file
            file.flush()
    except BrokenPipeError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror}") from error
