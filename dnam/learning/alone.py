"""One learner at a time for a data folder: two that plan from the same log would ask the model for the same things.

The lock is a flock on `learning.lock`, which the kernel lets go with the process, however that ends; the small file
stays, and is no lock. The bot's own loops do not take it: an answer must never wait for a `dnam learn`.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path

from replay.lock import takes

FILE = "learning.lock"
PAUSE_SECONDS = 0.1
"""Between two looks whether the other has ended."""
WAITING = "another dnam is learning here: waiting for it"


@asynccontextmanager
async def learning_alone(data: Path, tell: Callable[[str], None]) -> AsyncIterator[None]:
    """Be the only one who learns here, as long as the `with` lasts; whoever waits for another is told so, once."""
    with ExitStack() as held:
        file = _opened(data / FILE)
        if file is not None:
            held.callback(os.close, file)
            await _taken(file, tell)
        yield


def _opened(path: Path) -> int | None:
    """The file that is locked; None where there can be none: learning itself then says what is wrong with the disk."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None


async def _taken(file: int, tell: Callable[[str], None]) -> None:
    """Wait until it is ours. Where the file system knows no locks, nothing is waited for."""
    with suppress(OSError):
        if not takes(file):
            tell(WAITING)
            while not takes(file):  # noqa: ASYNC110 - the other is another process, and sets no event here
                await asyncio.sleep(PAUSE_SECONDS)
