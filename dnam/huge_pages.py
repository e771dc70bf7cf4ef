"""Python's heap in pages of 2 MiB instead of 4 KiB, on Linux.

A prompt is made of objects that lie scattered over some 100 MB. In pages of 4 KiB most looks at one need a look at the
page tables first, several deep, and twice that in a virtual machine; in pages of 2 MiB nearly none does. Linux gives
them to whom it was asked for by madvise(2); what lies in small pages already is moved by MADV_COLLAPSE (Linux 6.1),
about 0.4 ms for each 2 MiB; whoever touches that page meanwhile waits, mostly under 1 ms. Nothing is changed by it.
"""

import ctypes
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MAPS = Path("/proc/self/maps")
HUGE = 1 << 21
"""Bytes in a huge page of x86-64, and of ARM64 with pages of 4 KiB."""
MADV_HUGEPAGE, MADV_COLLAPSE = 14, 25
"""From Linux's mman-common.h."""
_AREA = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw-p [0-9a-f]+ [0-9a-f]+:[0-9a-f]+ 0\s*$")
"""A line of proc_pid_maps(5): private memory that can be written, of no file and without a name. Python's arenas are
mapped so, and arrays. glibc's own heaps are left alone, since what was freed of them goes back page by page: that of
the first thread has a name, and those of the others are told by their `_REST`.
"""
_REST = re.compile(r"([0-9a-f]+)-([0-9a-f]+) ---p ")
HEAP = 1 << 26
"""A heap of glibc's for other threads lies at a multiple of so many bytes (HEAP_MAX_SIZE in its arena.c, where there
are 64 bits), which it takes ahead: behind it lies the rest of them, as yet for nobody to touch.
"""


class Area(NamedTuple):
    """Addresses of a part of memory: from `start` up to, and without, `stop`."""

    start: int
    stop: int


def areas(maps: str) -> Iterator[Area]:
    """The whole huge pages that fit into each area of memory which Python itself asked for."""
    lines = maps.splitlines()
    for line, behind in zip(lines, [*lines[1:], ""], strict=True):
        if (found := _AREA.match(line)) and not _is_heap(int(found[1], 16), int(found[2], 16), behind):
            start = -(-int(found[1], 16) // HUGE) * HUGE
            stop = int(found[2], 16) // HUGE * HUGE
            if start < stop:
                yield Area(start, stop)


def _is_heap(start: int, stop: int, behind: str) -> bool:
    """Whether an area is a heap of glibc's; `behind` is the line that follows."""
    rest = _REST.match(behind)
    return rest is not None and start % HEAP == 0 and (int(rest[1], 16), int(rest[2], 16)) == (stop, start + HEAP)


class HugePages:
    """What is in huge pages already is not asked for again."""

    def __init__(self) -> None:
        self._asked: frozenset[Area] = frozenset()

    def use(self) -> int:
        """Ask for huge pages for what came since. How many bytes were asked for: 0 where there is nothing new or where
        there are no huge pages, as outside Linux, or where the system's administrator has switched them off. Raises
        nothing: all goes on without.
        """
        try:
            madvise = ctypes.CDLL(None).madvise
            there = frozenset(areas(MAPS.read_text()))
        except (OSError, AttributeError, TypeError):
            return 0
        madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        new = [area for area in sorted(there - self._asked) if _moved(madvise, area)]
        self._asked = there
        return sum(area.stop - area.start for area in new)


def _moved(madvise: "ctypes._NamedFuncPointer", area: Area) -> bool:
    """Whether huge pages could be asked for. What Linux cannot move now, as before 6.1, it moves by and by."""
    length = area.stop - area.start
    if madvise(area.start, length, MADV_HUGEPAGE):
        return False
    madvise(area.start, length, MADV_COLLAPSE)
    return True
