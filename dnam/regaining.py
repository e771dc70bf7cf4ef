"""A memory that could be opened for reading alone, as on a disk that was mounted read-only, is written to as soon as it
can be: that is tried every few seconds. What was said by then waits in `Unwritten`, and is written behind it, in order.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dnam.access import Access
from dnam.alongside import alongside
from dnam.compacting import in_thread
from dnam.erasing.guild import go_on_erasing_guilds
from dnam.erasing.swept import sweep_what_is_left
from dnam.failures import Tell
from dnam.unwritten import RETRY_SECONDS, Pause
from replay.errors import LogError

REGAINED = "what is said is recorded from now on"


@asynccontextmanager
async def regaining(memory: Access, tell: Tell, pause: Pause = asyncio.sleep) -> AsyncIterator[None]:
    """Try to write as long as the `async with` lasts, where the memory cannot be written to. `tell` hears of it once it
    can, and each time when something else stands in the way.
    """
    if memory.writes.is_set():
        yield
        return
    async with alongside(_tries(memory, tell, pause), "trying to record", tell):
        yield


async def _tries(memory: Access, tell: Tell, pause: Pause) -> None:
    told = ""
    while not memory.writes.is_set():
        await pause(RETRY_SECONDS)
        try:
            await in_thread(memory.engine.begin_writing)
        except (LogError, OSError) as error:
            if told and str(error) != told:
                tell(f"nothing can be recorded yet: {error}")
            told = str(error)
        else:
            memory.writes.set()
    tell(REGAINED)
    await in_thread(lambda: sweep_what_is_left(memory, tell))
    await go_on_erasing_guilds(memory, tell)
