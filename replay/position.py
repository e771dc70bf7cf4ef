"""How far views are, and of which log: `[size, header digest, log id, tables] ‖ CRC-32`, under one key."""

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

import msgspec

from replay.errors import DamagedViews

POSITION = b"position"
"""The key that says how far views are."""
_POSITION = msgspec.msgpack.Decoder(tuple[int, bytes, bytes, tuple[str, ...]])
_SUM_BYTES = 4
NOT_OURS = "what says how far the views are is damaged, or of another version"


class Position(NamedTuple):
    """How far views are: the events folded, the digest of the last one's header, and of which log."""

    size: int
    digest: bytes
    log: bytes


class Written(NamedTuple):
    """What views say of themselves: how far they are, and the tables that they had when they were last written."""

    position: Position
    tables: tuple[str, ...]


def packed_position(position: Position, tables: Sequence[str]) -> bytes:
    """How far views of these tables are, as it lies there."""
    record = msgspec.msgpack.encode((*position, tables))
    return record + _sum_of(record)


def unpacked(data: bytes) -> Written:
    """The same, read. DamagedViews where it is not what was written."""
    record, kept = data[:-_SUM_BYTES], data[-_SUM_BYTES:]
    if kept != _sum_of(record):
        raise DamagedViews(NOT_OURS)
    try:
        size, digest, log, tables = _POSITION.decode(record)
    except msgspec.DecodeError as error:
        raise DamagedViews(NOT_OURS) from error
    return Written(Position(size, digest, log), tables)


def unpacked_position(data: bytes) -> Position:
    """How far views are, read. DamagedViews where it is not what was written."""
    return unpacked(data).position


def _sum_of(record: bytes) -> bytes:
    return crc32(record, crc32(POSITION)).to_bytes(_SUM_BYTES, "little")
