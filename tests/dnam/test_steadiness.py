"""What a program that answers does to its interpreter, and takes back."""

import gc
import platform
import subprocess
import sys
import threading
from unittest.mock import Mock, patch

import pytest

from dnam.huge_pages import HugePages
from dnam.steadiness import SWITCH_SECONDS, THRESHOLDS, few_heaps, give_back, steady, tended


def test_while_it_lasts_collections_are_few_and_leave_out_what_was_loaded_and_threads_give_way_sooner() -> None:
    before, thresholds = sys.getswitchinterval(), gc.get_threshold()
    with steady():
        assert gc.get_freeze_count() > 0
        assert gc.get_threshold() == THRESHOLDS
        assert sys.getswitchinterval() == pytest.approx(SWITCH_SECONDS)
    assert (gc.get_freeze_count(), sys.getswitchinterval(), gc.get_threshold()) == (0, before, thresholds)


def test_it_is_taken_back_also_where_it_ends_badly() -> None:
    before, thresholds = sys.getswitchinterval(), gc.get_threshold()
    with pytest.raises(RuntimeError), steady():
        raise RuntimeError
    assert (gc.get_freeze_count(), sys.getswitchinterval(), gc.get_threshold()) == (0, before, thresholds)


FREES = """
import sys
from dnam.steadiness import few_heaps
from tests.bench.alone import rss_mb
if sys.argv[1] == "few":
    assert few_heaps()
bytearray(20_000_000)  # glibc's bound for what is large rises to this
large = [bytearray(b"x" * 1_000_000) for _ in range(60)]
kept = [bytearray(b"x" * 1_000) for _ in range(100)]
del large
print(rss_mb())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is told")
def test_what_is_large_is_given_back_when_it_is_freed() -> None:
    """With something small behind it, some of it would be kept."""
    held = [_held(how) for how in ("as ever", "few")]
    assert held[0] - held[1] > 10


def _held(how: str) -> float:
    done = subprocess.run([sys.executable, "-c", FREES, how], capture_output=True, text=True, check=True)
    return float(done.stdout)


PIECES = """
from dnam.steadiness import few_heaps, give_back
from tests.bench.alone import rss_mb
few_heaps()
pieces = [bytes(100_000) for _ in range(400)]
kept = pieces[::8]  # each keeps what lies before it from going back by itself
del pieces
before = rss_mb()
assert give_back()
print(before - rss_mb())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is told")
def test_what_was_freed_between_what_stays_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", PIECES], capture_output=True, text=True, check=True)
    assert float(done.stdout) > 20


def test_the_heap_is_tended_again_and_again_until_it_is_over() -> None:
    given, used, three = list[int](), list[int](), threading.Event()

    def use_huge_pages(_: HugePages) -> int:
        used.append(len(given))
        if len(used) == 3:
            three.set()
        return 0

    with patch("dnam.steadiness.give_back", lambda: given.append(0)), patch.object(HugePages, "use", use_huge_pages):
        with tended(0.001, 0.002):
            assert three.wait(20)
        times = len(used)
        assert "tending the heap" not in {each.name for each in threading.enumerate()}
        assert (len(used), len(given)) == (times, times)
        assert used[:3] == [1, 2, 3], "what is free goes first"
        with tended():
            pass
        assert len(used) == times, "not before its time"


def test_the_heap_is_tended_soon_at_first_and_then_more_seldom() -> None:
    waited, over, wait = list[float](), threading.Event(), threading.Event.wait

    def noted(event: threading.Event, seconds: float | None = None) -> bool:
        if seconds is None:  # a thread begins
            return wait(event)
        waited.append(seconds)
        if len(waited) == 8:
            over.set()
        return len(waited) == 8

    with (
        patch("dnam.steadiness.give_back"),
        patch.object(HugePages, "use"),
        patch.object(threading.Event, "wait", noted),
        tended(),
    ):
        wait(over, 20)
    assert waited == [1, 2, 4, 8, 10, 10, 10, 10]


@pytest.mark.parametrize("fails", [OSError, TypeError, AttributeError])
def test_where_there_is_no_glibc_nothing_is_told(fails: type[Exception]) -> None:
    with patch("ctypes.CDLL", Mock(side_effect=fails)):
        assert not few_heaps()
        assert not give_back()


def test_what_glibc_refuses_is_said() -> None:
    with patch("ctypes.CDLL", Mock(return_value=Mock(mallopt=Mock(return_value=0)))):
        assert not few_heaps()
