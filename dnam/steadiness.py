"""A process that answers people: the interpreter's own pauses in it are kept short.

A full collection of garbage looks at everything that was ever loaded, some 30 ms long, and a thread that computes keeps
the others from running for 5 ms at a time: an answer that is being prepared waits for both.
"""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SWITCH_SECONDS = 0.0005
"""After how long a thread that computes lets another one run."""


@contextmanager
def steady() -> Iterator[None]:
    """As long as the `with` lasts. It holds for the whole process, so it is for a program, not for a library."""
    before = sys.getswitchinterval()
    gc.freeze()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
        gc.unfreeze()
