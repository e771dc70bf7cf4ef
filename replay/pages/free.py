"""Which pages of an LMDB file nobody needs, read from its bytes.

LMDB counts a page when it takes it, and never writes one that it gave back within the same transaction. So a file may
lawfully end before its last page, where all that is missing lies in its free list. That list is a tree of its own, from
transaction to page numbers::

    page    number (8) · pad (2) · flags (2) · lower (2) · upper (2) · where each node is (2 each)
    node    low (2) · high (2) · flags (2) · key size (2) · key · data, or the page where large data begins (8)
    data    count (8) · page numbers (8 each)
"""

import struct
from collections.abc import Iterator
from io import FileIO

_PAGE = struct.Struct("<8x2xHH2x")
_NODE = struct.Struct("<HHHH")
_NUMBER = struct.Struct("<Q")
_BRANCH, _LEAF = 0x01, 0x02
_BIG_DATA = 0x01
_EMPTY = (1 << 64) - 1


class FreePages:
    """The free list of an LMDB file. EOFError where the list itself is cut off or makes no sense."""

    def __init__(self, file: FileIO, page_size: int) -> None:
        self._file = file
        self._page_size = page_size

    def under(self, root: int) -> Iterator[int]:
        """Every free page's number."""
        if root == _EMPTY:
            return
        page = self._read(root * self._page_size, self._page_size)
        flags, lower = _PAGE.unpack_from(page)
        for (start,) in struct.iter_unpack("<H", page[_PAGE.size : lower]):
            low, high, node_flags, key_size = _NODE.unpack_from(page, start)
            if flags & _BRANCH:
                yield from self.under(low | high << 16 | node_flags << 32)
            elif flags & _LEAF:
                data = start + _NODE.size + key_size
                yield from self._numbers(page, data, big=bool(node_flags & _BIG_DATA))

    def _numbers(self, page: bytes, start: int, *, big: bool) -> Iterator[int]:
        if big:
            (first,) = _NUMBER.unpack_from(page, start)
            place = first * self._page_size + _PAGE.size
            (count,) = _NUMBER.unpack(self._read(place, _NUMBER.size))
            data = self._read(place + _NUMBER.size, count * _NUMBER.size)
        else:
            (count,) = _NUMBER.unpack_from(page, start)
            data = page[start + _NUMBER.size : start + _NUMBER.size * (count + 1)]
        return (number for (number,) in _NUMBER.iter_unpack(data))

    def _read(self, place: int, size: int) -> bytes:
        self._file.seek(place)
        data = self._file.read(size)
        if len(data) < size:
            raise EOFError(f"{size} bytes at {place} are not there")
        return data
