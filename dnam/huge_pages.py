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
mapped so, and arrays; glibc's own heap has a name, and is left alone: what was freed of it goes back page by page.
"""


class Area(NamedTuple):
    """Addresses of a part of memory: from `start` up to, and without, `stop`."""

    start: int
    stop: int


def areas(maps: str) -> Iterator[Area]:
    """The whole huge pages that fit into each area of memory which Python itself asked for."""
    for line in maps.splitlines():
        if found := _AREA.match(line):
            start = -(-int(found[1], 16) // HUGE) * HUGE
            stop = int(found[2], 16) // HUGE * HUGE
            if start < stop:
                yield Area(start, stop)


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
