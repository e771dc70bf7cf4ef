"""Which pages of an LMDB file nobody needs, read from its bytes.

LMDB counts a page when it takes it, and never writes one that it gave back within the same transaction. So a file may
lawfully end before its last page, where all that is missing lies in its free list. That list is a tree of its own, from
transaction to page numbers (form.py).
"""

from collections.abc import Iterator
from io import FileIO

from replay.pages.form import BIG, BRANCH, EMPTY, LEAF, NODE, NUMBER, PAGE, PLACE


class FreePages:
    """The free list of an LMDB file. EOFError where the list itself is cut off or makes no sense."""

    def __init__(self, file: FileIO, page_size: int) -> None:
        self._file = file
        self._page_size = page_size

    def under(self, root: int) -> Iterator[int]:
        """Every free page's number."""
        if root == EMPTY:
            return
        page = self._read(root * self._page_size, self._page_size)
        _, _, flags, lower, _ = PAGE.unpack_from(page)
        for (start,) in PLACE.iter_unpack(page[PAGE.size : lower]):
            low, high, node_flags, key_size = NODE.unpack_from(page, start)
            if flags & BRANCH:
                yield from self.under(low | high << 16 | node_flags << 32)
            elif flags & LEAF:
                data = start + NODE.size + key_size
                yield from self._numbers(page, data, big=bool(node_flags & BIG))

    def _numbers(self, page: bytes, start: int, *, big: bool) -> Iterator[int]:
        if big:
            (first,) = NUMBER.unpack_from(page, start)
            place = first * self._page_size + PAGE.size
            (count,) = NUMBER.unpack(self._read(place, NUMBER.size))
            data = self._read(place + NUMBER.size, count * NUMBER.size)
        else:
            (count,) = NUMBER.unpack_from(page, start)
            data = page[start + NUMBER.size : start + NUMBER.size * (count + 1)]
        return (number for (number,) in NUMBER.iter_unpack(data))

    def _read(self, place: int, size: int) -> bytes:
        self._file.seek(place)
        data = self._file.read(size)
        if len(data) < size:
            raise EOFError(f"{size} bytes at {place} are not there")
        return data
