"""Standard output and error as a program is given them: narrow, or closed from the start."""

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

STANDARD = 2
"""The highest of the three numbers of files that stand for the standard streams."""


class Closed(io.FileIO):
    """A standard output that is closed: whatever is printed there fails, as on a disk that is full, until it is put
    elsewhere. It is a file that is open for reading alone.
    """

    def __init__(self) -> None:
        super().__init__(os.open(os.devnull, os.O_RDONLY), "w")

    def write(self, data: "ReadableBuffer", /) -> int:
        """OSError, in words."""
        try:
            return super().write(data)
        except OSError as error:
            raise OSError(error.errno, "standard output is closed") from error


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
