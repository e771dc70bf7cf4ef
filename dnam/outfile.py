"""A file that is written in one step, however long it takes: under another name first, then in place."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from replay.errors import CannotWrite
from replay.folder import sync_folder


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, readable by its owner alone. What is in the way is replaced when all of it is written, and
    nothing is left behind where it was not.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    with suppress(FileNotFoundError):
        fresh.unlink()
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            fresh.unlink()
        raise
    sync_folder(path.parent)


def write(path: Path, text: str) -> None:
    """Write a text in one step. CannotWrite says why it could not be."""
    if path.is_dir():
        raise CannotWrite(f"{path} is a folder: name a file in it")
    try:
        with writing(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise CannotWrite(f"{path} cannot be written: {error.strerror}") from error
