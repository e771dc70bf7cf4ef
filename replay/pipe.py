"""What two processes that share the work on one log say to each other, over two pipes.

    frame     length (4, big-endian) ‖ msgpack
    to        Opening, once; then jobs
    from      an answer to each job, in the order in which they were asked for; nil where it cannot be done there

No key and no body goes to the helper: it opens the folders itself. Rows come back as they lie on disk.
"""

import os
from typing import BinaryIO

import msgspec

LENGTH = 4
MOST = 1 << 30
"""No frame is longer, in bytes."""


class Opening(msgspec.Struct, array_like=True, frozen=True):
    """Which folders to open, and the vaults that are taken for erased; `views` is empty where there are none."""

    keys: str
    log: str
    views: str
    erased: list[bytes]


class FoldJob(msgspec.Struct, array_like=True, tag="fold", frozen=True):
    """Make the rows of the events behind `after` up to and with `upto`."""

    after: int
    upto: int


class LookJob(msgspec.Struct, array_like=True, tag="look", frozen=True):
    """Look at the events behind `after` up to and with `upto`; `opened` also opens every body."""

    after: int
    upto: int
    opened: bool


class TableJob(msgspec.Struct, array_like=True, tag="table", frozen=True):
    """Look at every row of a table of the views."""

    table: str


class PagesJob(msgspec.Struct, array_like=True, tag="pages", frozen=True):
    """Look at every page of the views, and at the rows of the `summed` tables."""

    summed: list[str]


class SpanJob(msgspec.Struct, array_like=True, tag="span", frozen=True):
    """Make the rows of a span of the retrieval index, of the views that lie in a folder; `bits` say of which level."""

    views: str
    bits: int
    span: int


Job = FoldJob | LookJob | TableJob | PagesJob | SpanJob


def framed(data: bytes) -> bytes:
    """A message with its length in front."""
    return len(data).to_bytes(LENGTH, "big") + data


def read_frame(source: BinaryIO) -> bytes | None:
    """The next message, or None when whoever writes has gone."""
    head = source.read(LENGTH)
    size = int.from_bytes(head, "big")
    data = source.read(size) if len(head) == LENGTH else b""
    return data if len(head) == LENGTH and len(data) == size else None


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it, however long the reader takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
