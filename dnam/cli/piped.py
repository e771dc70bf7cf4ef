"""What is imported through a pipe: `-`, a FIFO, `/dev/stdin`. It is read whole into a file that goes with the command,
because an import looks at what it reads more than once, and a pipe gives it once.

Whoever reads what was wrong with it is told the name that they gave, not that of the file.
"""

import os
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from projections.errors import BadRequest, DnamError

STDIN = Path("-")


class Given(NamedTuple):
    """What can be read any number of times, in the order in which it was named; and how what came through a pipe was
    named.
    """

    paths: list[Path]
    names: Mapping[Path, Path]

    def name(self, path: Path) -> Path:
        """What a path is called by whoever gave it."""
        return self.names.get(path, path)


@contextmanager
def readable_again(paths: Sequence[Path]) -> Iterator[Given]:
    """The files and folders as they are, and what comes through a pipe once all of it has come."""
    from tempfile import TemporaryDirectory

    piped = {number: path for number, path in enumerate(paths) if _is_piped(path)}
    if not piped:
        yield Given(list(paths), {})
        return
    with TemporaryDirectory(prefix="dnam-") as folder:
        copies = {number: _copied(path, Path(folder) / str(number)) for number, path in piped.items()}
        given = Given(
            [copies.get(number, path) for number, path in enumerate(paths)],
            {copies[number]: path for number, path in piped.items()},
        )
        try:
            yield given
        except DnamError as error:
            error.args = tuple(_named(each, given.names) for each in error.args)
            _name_file(error, given)
            raise


def _name_file(error: DnamError, given: Given) -> None:
    from dnam.importers.source import ImportFailed

    if isinstance(error, ImportFailed):
        error.path = given.name(error.path)


def _is_piped(path: Path) -> bool:
    if path == STDIN:
        return True
    with suppress(OSError):
        mode = path.stat().st_mode
        return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
    return False


def _copied(path: Path, to: Path) -> Path:
    """A copy of all that comes, which nobody else may read."""
    from dnam.importers.stream import opened

    with os.fdopen(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as copy:
        if path == STDIN:
            shutil.copyfileobj(_stdin(), copy)
        else:
            with opened(path) as source:
                shutil.copyfileobj(source, copy)
    return to


def _stdin() -> BinaryIO:
    if sys.stdin is None:
        raise BadRequest("standard input is closed: there is nothing to import from -")
    return sys.stdin.buffer


def _named(words: object, names: Mapping[Path, Path]) -> object:
    """What is told of a copy, told of what it is a copy of."""
    if isinstance(words, str):
        for copy, name in names.items():
            words = words.replace(str(copy), str(name))
    return words
