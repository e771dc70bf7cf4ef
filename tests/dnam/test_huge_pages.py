"""What lies scattered is moved into huge pages, where the system has some."""

import platform
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock, patch

import pytest

from dnam.huge_pages import HUGE, MADV_COLLAPSE, MADV_HUGEPAGE, Area, HugePages, areas

MAPS = """\
00400000-00c00000 rw-p 00000000 00:00 0                                  [heap]
7f0000000000-7f0000400000 rw-p 00000000 00:00 0
7f0001001000-7f0001901000 rw-p 00000000 00:00 0 \n\
7f0002001000-7f0002401000 r--p 00000000 00:00 0
7f0003001000-7f0003401000 rw-s 00000000 00:00 0
7f0004000000-7f0004400000 rw-p 00001000 fe:01 1234                       /lib/libc.so.6
7f0005001000-7f0005201000 rw-p 00000000 00:00 0
7ffd00000000-7ffd00400000 rw-p 00000000 00:00 0                          [stack]
"""
ENABLED = Path("/sys/kernel/mm/transparent_hugepage/enabled")
HAS_HUGE_PAGES = ENABLED.exists() and "[never]" not in ENABLED.read_text()


def test_asked_for_are_whole_huge_pages_of_what_python_asked_for_itself() -> None:
    """Not of a heap with a name, of files, of a stack, of what cannot be written or is shared."""
    assert list(areas(MAPS)) == [
        Area(0x7F0000000000, 0x7F0000400000),
        Area(0x7F0001200000, 0x7F0001800000),
    ]


HEAPS = """\
7f0000000000-7f0000800000 rw-p 00000000 00:00 0
7f0000800000-7f0004000000 ---p 00000000 00:00 0
7f0008000000-7f0008800000 rw-p 00000000 00:00 0
7f0008800000-7f0008801000 ---p 00000000 00:00 0
7f0010200000-7f0010800000 rw-p 00000000 00:00 0
7f0010800000-7f0014000000 ---p 00000000 00:00 0
7f0018000000-7f0018800000 rw-p 00000000 00:00 0
7f0018900000-7f001c000000 ---p 00000000 00:00 0
7f0020000000-7f0020800000 rw-p 00000000 00:00 0
"""


def test_heaps_of_other_threads_are_told_by_what_lies_behind_them() -> None:
    """From a border on up to the next one: not what has a page as its guard, begins elsewhere, or nothing behind it."""
    starts = [area.start for area in areas(HEAPS)]
    assert starts == [0x7F0008000000, 0x7F0010200000, 0x7F0018000000, 0x7F0020000000]


FROM_A_THREAD = """
import threading
from dnam.huge_pages import MAPS, areas
from dnam.steadiness import few_heaps

def take():
    held = [bytes(100_000) for _ in range(80)]
    found.extend(area for area in areas(MAPS.read_text()) if area.start <= id(held[40]) < area.stop)

few_heaps()
found = []
thread = threading.Thread(target=take)
thread.start()
thread.join()
print(len(found))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another libc has other heaps")
def test_what_a_thread_takes_from_glibc_is_left_as_it_is() -> None:
    done = subprocess.run([sys.executable, "-c", FROM_A_THREAD], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"


MOVES = """
from pathlib import Path
from dnam.huge_pages import HugePages

def huge():
    rolled_up = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in rolled_up if line.startswith("AnonHugePages:"))

objects = [{number: str(number)} for number in range(200_000)]
before, pages = huge(), HugePages()
print(pages.use() >> 10, huge() - before, pages.use() >> 10)
assert objects == [{number: str(number)} for number in range(200_000)]
"""


@pytest.mark.skipif(not HAS_HUGE_PAGES, reason="there are no huge pages, or the administrator has switched them off")
def test_objects_are_moved_into_huge_pages_and_only_once() -> None:
    done = subprocess.run([sys.executable, "-c", MOVES], capture_output=True, text=True, check=True)
    asked, moved, again = map(int, done.stdout.split())
    assert asked >= 8 << 10, "KiB"
    assert moved >= asked / 2, "some cannot be moved where memory is short"
    assert again < asked / 2, "what came since"


def _told(*answers: int) -> Mock:
    return Mock(return_value=Mock(madvise=Mock(side_effect=answers)))


def test_what_is_asked_for_is_said_and_moved_at_once(tmp_path: Path) -> None:
    libc, pages = _told(0, 0, 0, 0), HugePages()
    maps = tmp_path / "maps"
    maps.write_text(MAPS)
    with patch("ctypes.CDLL", libc), patch("dnam.huge_pages.MAPS", maps):
        assert pages.use() == 5 * HUGE
        assert pages.use() == 0
    assert [call.args for call in libc().madvise.call_args_list] == [
        (0x7F0000000000, 2 * HUGE, MADV_HUGEPAGE),
        (0x7F0000000000, 2 * HUGE, MADV_COLLAPSE),
        (0x7F0001200000, 3 * HUGE, MADV_HUGEPAGE),
        (0x7F0001200000, 3 * HUGE, MADV_COLLAPSE),
    ]


def test_what_the_system_refuses_is_left_as_it_is(tmp_path: Path) -> None:
    """Refused at all; and, by an older Linux, to be moved at once."""
    maps = tmp_path / "maps"
    maps.write_text(MAPS)
    with patch("ctypes.CDLL", _told(-1, 0, -1)), patch("dnam.huge_pages.MAPS", maps):
        assert HugePages().use() == 3 * HUGE


@pytest.mark.parametrize("fails", [OSError, TypeError, AttributeError])
def test_outside_linux_nothing_is_asked_for(fails: type[Exception], tmp_path: Path) -> None:
    with patch("ctypes.CDLL", Mock(side_effect=fails)):
        assert HugePages().use() == 0
    with patch("dnam.huge_pages.MAPS", tmp_path / "nowhere"):
        assert HugePages().use() == 0
