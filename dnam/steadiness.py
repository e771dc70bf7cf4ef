"""A process that answers people, or asks a model much at once: the interpreter's own pauses in it are kept short.

A full collection of garbage looks at everything that was ever loaded, some 30 ms long (with an SDK more than 100 ms),
and at all that is kept between two commits of the views, some 20 ms long; a thread that computes keeps the others from
running for 5 ms at a time: an answer that is being prepared waits for all of it. What was loaded is left out, and what
came since is looked at seldom: nearly all goes without a collection, as soon as nobody has it any more.

What was freed is given back every ten seconds, which takes about a ms: in between it is kept, since it is soon needed
again, but among what stays it would fall to pieces that add up over a day. What stays is put into huge pages then
(`huge_pages`), and sooner in the beginning, when most of it comes.
"""

import ctypes
import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from dnam.huge_pages import HugePages

SWITCH_SECONDS = 0.0005
"""After how long a thread that computes lets another one run."""
THRESHOLDS = (50_000, 10, 10)
"""After how many more objects the young ones are looked at, instead of 700; after how many such looks those that
outlived one, and after how many of these all, as ever. A message leaves some hundreds behind.
"""
FIRST_SECONDS, TEND_SECONDS = 1.0, 10.0
"""After how long the heap is tended for the first time, and how often in the end: each time after twice as long."""
HEAP = {"M_ARENA_MAX": (-8, 2), "M_MMAP_THRESHOLD": (-3, 1 << 20), "M_TRIM_THRESHOLD": (-1, 1 << 22)}
"""What `mallopt` is told, by glibc's names (malloc.h): its number, and the value."""


def few_heaps() -> bool:
    """Keep what was freed from being kept: to be called before there are threads. False where there is no glibc.

    glibc has a heap for each thread, and puts arrays of some MB into them as soon as one of that size was freed: side
    by side they fall to pieces. Two heaps are enough, and what is large is given back when it is freed.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return False
    return all(mallopt(*each) for each in HEAP.values())


def give_back() -> bool:
    """Give free pages of the heaps back to the system. False where there is no glibc, or nothing to give."""
    try:
        return bool(ctypes.CDLL(None).malloc_trim(0))
    except (OSError, AttributeError, TypeError):
        return False


@contextmanager
def tended(first: float = FIRST_SECONDS, seconds: float = TEND_SECONDS) -> Iterator[None]:
    """Give back what was freed and put what stays into huge pages: after `first` seconds, after twice as many, and so
    on up to every `seconds`, in a thread of its own.
    """
    over, huge_pages = threading.Event(), HugePages()

    def tending() -> None:
        pause = first
        while not over.wait(min(pause, seconds)):
            give_back()
            huge_pages.use()
            pause *= 2

    thread = threading.Thread(target=tending, name="tending the heap", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def with_short_pauses() -> Iterator[None]:
    """Few collections, and threads that give way sooner, as long as the `with` lasts. It holds for the whole process:
    it is for a program, not for a library.
    """
    before, thresholds = sys.getswitchinterval(), gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
        gc.set_threshold(*thresholds)
        gc.unfreeze()


@contextmanager
def steady() -> Iterator[None]:
    """The same for a program that goes on for days: its heap is tended, too."""
    with with_short_pauses(), tended():
        yield
