"""One learner at a time for a data folder: two that plan from the same log would ask the model for the same things.

The lock is a flock on `learning.lock`, which the kernel lets go with the process, however that ends; the small file
stays, and is no lock. The bot's own loops do not take it: an answer must never wait for a `dnam learn`.
"""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

FILE = "learning.lock"
PAUSE_SECONDS = 0.1
"""Between two looks whether the other has ended."""
WAITING = "another dnam is learning here: waiting for it"


@asynccontextmanager
async def learning_alone(data: Path, tell: Callable[[str], None]) -> AsyncIterator[None]:
    """Be the only one who learns here, as long as the `with` lasts; whoever waits for another is told so, once.

    Where the folder takes no lock, nothing is held: then learning itself says what is wrong with the disk.
    """
    try:
        file = os.open(data / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:
        yield
        return
    try:
        if not _takes(file):
            tell(WAITING)
            while not _takes(file):  # noqa: ASYNC110 - the other is another process, and sets no event here
                await asyncio.sleep(PAUSE_SECONDS)
        yield
    finally:
        os.close(file)


def _takes(file: int) -> bool:
    """Whether nobody else has it now: it is ours, or the file system knows no locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
