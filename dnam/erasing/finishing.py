"""Erasures that another process began beside a running bot, and that was killed or found the disk full: the bot goes on
with them every few minutes, and does not leave them for its next start.

An erasure that goes on over there just then is done by both, and recorded as completed once.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dnam.access import Access
from dnam.alongside import alongside
from dnam.compacting import in_thread
from dnam.erasing.swept import sweep_what_is_left
from dnam.failures import Tell
from dnam.unwritten import Pause
from projections.errors import DnamError
from replay.erasure import unfinished
from replay.store import DiskStore

EVERY_SECONDS = 600.0


@asynccontextmanager
async def finishing(memory: Access, tell: Tell, pause: Pause = asyncio.sleep) -> AsyncIterator[None]:
    """Look for such erasures as long as the `async with` lasts. `tell` hears of them, and of what goes wrong."""
    async with alongside(_rounds(memory, tell, pause), "looking for erasures that are not done", tell):
        yield


async def _rounds(memory: Access, tell: Tell, pause: Pause) -> None:
    while True:
        await pause(EVERY_SECONDS)
        await in_thread(lambda: _finish(memory, tell))


def _finish(memory: Access, tell: Tell) -> None:
    """Sweep the folder, and have the views made anew by a thread that closing waits for."""
    engine = memory.engine
    if not isinstance(engine.store, DiskStore) or not engine.store.writable:
        return
    try:
        sweep_what_is_left(memory, tell)
        if unfinished(engine) and not (engine.finisher is not None and engine.finisher.is_alive()):
            tell("an erasure that another process began is not done yet, and goes on now")
            engine.finish_in_background()
    except (DnamError, OSError) as error:
        tell(f"what is left of an erasure cannot be done, and is tried again: {error}")
