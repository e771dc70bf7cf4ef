"""Work that goes on beside something else, for as long as an `async with` lasts."""

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from dnam.failures import Tell

_log = logging.getLogger("dnam")


@asynccontextmanager
async def alongside(
    work: Coroutine[Any, Any, None], what: str, tell: Tell = _log.error
) -> AsyncIterator[asyncio.Task[None]]:
    """Have it done alongside, and end it at the end. Where an error ends it that nobody foresaw, `tell` hears at once
    that `what` has ended, and of which kind the error is: its words may be somebody's.
    """

    def ended(task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            tell(f"{what} ended by an error that nobody foresaw: {type(error).__name__}")

    task = asyncio.create_task(work)
    task.add_done_callback(ended)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait({task})
