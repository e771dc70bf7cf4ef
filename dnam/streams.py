"""Standard output and error as a program is given them: narrow, or closed from the start."""

import errno
import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

STANDARD = 2
"""The highest of the three numbers of files that stand for the standard streams."""


class Closed(io.RawIOBase):
    """A standard output that is closed. What is printed first fails, as on a disk that is full; whoever goes on all the
    same prints to nobody.
    """

    def __init__(self) -> None:
        self._was_told = False

    def writable(self) -> bool:
        """As a file that something is printed to."""
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        """OSError, once."""
        if not self._was_told:
            self._was_told = True
            raise OSError(errno.EBADF, "standard output is closed")
        return len(memoryview(data))


def prepare() -> None:
    """Nothing that can be printed is lost to a narrow encoding. Of a standard output that is closed that is told, and a
    closed standard error is one that nobody reads.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _hold_numbers()
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(Closed()), encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _hold_numbers() -> None:
    """Nothing that is opened from now on gets the number of a standard stream: a library may print to that."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= STANDARD:
        pass
    os.close(number)
